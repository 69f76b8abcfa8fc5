"""Tangent spaces of one's own: derivatives are those in charts, found with 50 digits."""

import pickle
from dataclasses import dataclass
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import diffcurry as dc
from combinators.operation import Pair
from combinators.spaces import SPACES
from diffcurry import (
    DomainError,
    MissingRule,
    NotDifferentiable,
    Real,
    Tensor,
    TypeMismatch,
    WrongDerivative,
)
from interpreters.carriers.fractions import Fractions
from interpreters.modes.reverse import Dependent
from tests.diffcurry.spaces import (
    ONE,
    Angle,
    Covariance,
    Mixture,
    Quaternion,
    Symmetric,
    Twist,
    declare_all,
    imaginary,
    rotations,
    twists,
    unit,
)

MODES = ("dependent", "simple", "delta", "forward")
V, TARGET = (0.3, -0.5, 0.8), (1.0, 2.0, -1.0)
Q = Quaternion(*(np.array([1.0, 2.0, -3.0, 4.0]) / np.sqrt(30)))
BASIS = np.eye(3)


@pytest.fixture(scope="module")
def spaces():
    before = dict(SPACES)
    declare_all()
    yield dict(SPACES)
    SPACES.clear()
    SPACES.update(before)


@pytest.fixture(autouse=True)
def _as_declared(spaces):
    yield
    SPACES.clear()
    SPACES.update(spaces)


# ---- in charts -----------------------------------------------------------------------------------


def near(q):
    """How far a vector that is turned by q is from where it should be."""
    return sum((x - y) * (x - y) for x, y in zip(q.rotated(V), TARGET, strict=True))


def chart_of_rotations(t, i):
    """``Q exp(t eᵢ / 2)``, in mpmath's numbers."""
    parts = [mpmath.cos(t / 2)] + [mpmath.sin(t / 2) if j == i else mpmath.mpf(0) for j in range(3)]
    exact = [mpmath.mpf(float(part)) for part in (Q.w, Q.x, Q.y, Q.z)]
    return Quaternion(*exact) * Quaternion(*parts)


def entries(matrix):
    return matrix[0][0] ** 3 + matrix[0][1] * matrix[1][1] ** 2 + 3 * matrix[1][0] * matrix[0][0]


def chance(p):
    return p[0] ** 2 * p[1] + p[2] ** 3


S = np.array([[2.0, 0.5], [0.5, 1.0]])
P = np.array([0.2, 0.5, 0.3])
E = [np.array(e) for e in ([[1.0, 0.0], [0.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]], [[0, 0], [0, 1.0]])]
Z = [np.array(z) for z in ([1.0, -1.0, 0.0], [0.0, 1.0, -1.0])]


def exact(array):
    return np.vectorize(lambda x: mpmath.mpf(float(x)), otypes=[object])(array)


CASES = {
    "angle": (
        lambda a: np.sin(a.turn) * np.cos(2.0 * a.turn),
        Angle(0.7),
        [1.0],
        lambda t, v: mpmath.sin(mpmath.mpf(0.7) + t) * mpmath.cos(2 * (mpmath.mpf(0.7) + t)),
    ),
    "quaternion": (
        near,
        Q,
        list(BASIS),
        lambda t, v: near(chart_of_rotations(t, int(np.argmax(v)))),
    ),
    "symmetric": (
        lambda m: entries(m.matrix),
        Symmetric(S),
        E,
        lambda t, v: entries(exact(S) + t * exact(v)),
    ),
    "positive definite": (
        lambda m: entries(m.matrix),
        Covariance(S),
        E,
        lambda t, v: entries(exact(S) + t * exact(S).dot(exact(v)).dot(exact(S))),
    ),
    "probabilities": (
        lambda p: chance(p.weights),
        Mixture(P),
        Z,
        lambda t, v: chance(exact(P) + t * exact(v)),
    ),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CASES)
def test_a_gradient_is_the_derivative_in_a_chart(name, mode):
    f, x, tangents, along = CASES[name]
    gradient = dc.grad(f, mode=mode)(x)
    with mpmath.workdps(50):
        for v in tangents:
            slope = float(mpmath.diff(lambda t, v=v: along(t, v), 0))
            assert np.sum(gradient * v) == pytest.approx(slope, abs=1e-13)
            assert dc.jvp(f, (x,), (v,))[1] == pytest.approx(slope, abs=1e-13)


@pytest.mark.parametrize("name", ["angle", "quaternion"])
def test_a_hessian_is_how_the_gradient_moves(name):
    f, x, tangents, _ = CASES[name]
    step = 1e-5
    found = dc.hessian(f)(x)
    for v in tangents:
        there, back = (dc.fun(lambda x, u=s * step * v: moved(x, u))(x) for s in (1, -1))
        slope = (dc.grad(f)(there) - dc.grad(f)(back)) / (2 * step)
        assert np.dot(found, v) == pytest.approx(slope, abs=1e-8)
        assert dc.hvp(f, (x,), (v,)) == pytest.approx(slope, abs=1e-8)


def moved(x, v):
    if isinstance(x, Angle):
        return Angle(x.turn + v)
    angle = np.sqrt(np.sum(v * v)) / 2.0
    return x * Quaternion(np.cos(angle), *(np.sin(angle) / (2.0 * angle) * v[i] for i in range(3)))


# ---- everywhere that values go -------------------------------------------------------------------

RATES = np.array([[0.1, 0.2, 0.3], [0.2, -0.1, 0.3]])


def turn(w):
    return unit(np.stack([1.0, w[0], w[1], w[2]]))


def folded(q):
    return near(dc.fold(lambda c, w: c * turn(w), q, RATES))


def unrolled(q):
    return near(q * turn(RATES[0]) * turn(RATES[1]))


def mapped(q):
    turned = dc.map(lambda w: q * turn(w), RATES)
    return near(turned[0]) + dc.fold(lambda c, r: c + near(r), 0.0, turned)


def scanned(q):
    last, all_of_them = dc.scan(lambda c, w: (c * turn(w), c), q, RATES)
    return near(last) + near(all_of_them[1])


def twice(f, q):
    return near(f(f(q)))


@dc.rec
def listed(self, items):
    return dc.case(items, lambda _: 0.0, lambda pair: near(pair[0]) + self(pair[1]))


@dc.rec
def powers(self, state):
    q, power, count = state
    return dc.cond(count > 1.5, lambda: power, lambda: self((q, power * q, count + 1.0)))


@dc.fun
def multiplied(record):
    return record["a"] * record["b"][0]


WAYS = {
    "a fold": (folded, unrolled),
    "a map": (mapped, lambda q: 2.0 * near(q * turn(RATES[0])) + near(q * turn(RATES[1]))),
    "a scan": (scanned, lambda q: unrolled(q) + near(q * turn(RATES[0]))),
    "a choice": (
        lambda q: near(dc.cond(q.w > 0.0, lambda: q * q, lambda: q)),
        lambda q: near(q * q),
    ),
    "a closure": (
        lambda q: twice(dc.fun(lambda p: p * q), q),
        lambda q: near(q * q * q),
    ),
    "a sum": (
        lambda q: dc.case(
            dc.cond(q.w > 0.0, lambda: dc.inl(q), lambda: dc.inr(1.0)), near, lambda x: x
        ),
        near,
    ),
    "a list": (
        lambda q: listed(dc.cons(q, dc.cons(q * q, dc.nil))),
        lambda q: near(q) + near(q * q),
    ),
    "recursion": (lambda q: near(powers((q, q, 0.0))), lambda q: near(q * q * q)),
    "a while loop": (
        lambda q: near(dc.while_loop(lambda c: c.w > 0.0, lambda c: c * turn(RATES[0]), q)),
        lambda q: near(q * turn(RATES[0]) * turn(RATES[0])),
    ),
    "a record": (lambda q: near(multiplied({"a": q, "b": (q,)})), lambda q: near(q * q)),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("way", WAYS)
def test_values_go_where_others_go(way, mode):
    f, plain = WAYS[way]
    assert dc.grad(f, mode=mode)(Q) == pytest.approx(dc.grad(plain)(Q))


def test_a_gradient_mirrors_the_containers_around_it():
    def loss(state):
        return near(state["q"][0]) * state["scale"] + np.cos(state["q"][1].turn)

    found = dc.grad(loss)({"q": (Q, Angle(0.5)), "scale": 2.0})
    assert found["q"][0] == pytest.approx(2.0 * dc.grad(near)(Q))
    assert found["q"][1] == pytest.approx(-np.sin(0.5))
    assert found["scale"] == near(Q)


def test_annotations_of_sums_and_lists_hold_values():
    either = dc.fun(lambda s: dc.case(s, near, lambda x: x), Quaternion | float)
    assert dc.grad(either)(Q) == pytest.approx(dc.grad(near)(Q))
    assert dc.grad(either)(2.0) == 1.0
    several = dc.fun(lambda qs: dc.fold(lambda c, q: c + near(q), 0.0, qs), list[Quaternion])
    assert dc.grad(several)([Q, Q * Q]) == [pytest.approx(dc.grad(near)(q)) for q in (Q, Q * Q)]


def test_values_are_reduced_and_their_operator_is_asked_at_values():
    def turned(angles, op=Quaternion.__mul__):
        return dc.reduce(
            op, ONE, dc.map(lambda t: Quaternion(np.cos(t), np.sin(t), 0.0, 0.0), angles)
        )

    angles = np.array([0.3, 0.5, 0.9])
    assert dc.fun(turned)(angles).w == pytest.approx(np.cos(1.7))
    assert dc.grad(lambda t: turned(t).w)(angles) == pytest.approx([-np.sin(1.7)] * 3)
    with pytest.raises(dc.NotAssociative, match="reduce combines values of Quaternion"):
        dc.fun(lambda t: turned(t, lambda a, b: b * b * a))(angles)
    with pytest.raises(dc.NotAssociative, match=r"by an operator of which .* is no unit"):
        dc.fun(lambda t: dc.reduce(Quaternion.__mul__, Q, dc.map(lambda x: ONE, t)))(angles)
    with pytest.raises(TypeMismatch, match="a scan keeps numbers and arrays, and these are Quat"):
        dc.fun(lambda t: dc.scanl(Quaternion.__mul__, ONE, dc.map(lambda x: ONE, t)))(angles)


def test_a_value_given_back_is_one_of_the_class():
    square = dc.fun(lambda q: q * q)(Q)
    assert type(square) is Quaternion
    assert square == Q * Q
    value, pullback = dc.vjp(lambda q: q * q, Q)
    assert type(value) is Quaternion
    assert pullback(BASIS[0])[0].shape == (3,)


def test_a_jacobian_is_between_tangents():
    def cube(q):
        return q * q * q

    assert dc.jacfwd(cube)(Q) == pytest.approx(dc.jacrev(cube)(Q))
    assert dc.jacfwd(cube)(ONE) == pytest.approx(3.0 * np.eye(3))


def test_a_value_that_is_captured_is_a_constant():
    assert dc.grad(lambda x: near(Q) * x)(1.0) == pytest.approx(near(Q))


def test_with_derivative_speaks_of_tangents():
    doubled = dc.with_derivative(lambda q: q * q, lambda q, w: 2.0 * w)
    assert dc.grad(lambda q: near(doubled(q)))(ONE) == pytest.approx(2.0 * dc.grad(near)(ONE))
    with pytest.raises(TypeMismatch, match=r"Tensor\[3\] was expected here, and this is Quat"):
        dc.grad(lambda q: near(dc.with_derivative(lambda q: q, lambda q, w: q)(q)))(Q)


def test_programs_name_the_type_and_emitted_ones_take_coordinates():
    program = dc.grad(near).program(Q)
    assert repr(program.types) == "(Quaternion,)"
    assert repr(program.cod) == "Tensor[3]"
    assert "coordinates q" in str(program)
    space = {}
    exec(dc.grad(near).source("python", Q), space)
    assert space["grad_near"](np.array([Q.w, Q.x, Q.y, Q.z])) == pytest.approx(dc.grad(near)(Q))
    assert pickle.loads(pickle.dumps(program.lam)).params[0].type is program.types[0]
    assert str(dc.fun(lambda a: a.turn * 2.0).program(Angle(1.0)).formula()) == "2*a"


def test_the_tangent_space_of_a_value_is_shown():
    assert dc.tangent_space(Q) is Tensor((3,))
    assert dc.tangent_space(Angle(1.0)) is Real
    assert dc.tangent_space(Covariance(np.eye(3))) is Tensor((3, 3))
    assert dc.tangent_space((Q, {"a": 1.0})) is dc.Product(Tensor((3,)), dc.Record(a=Real))
    line = dc.fun(lambda x: x, Real)
    assert repr(dc.tangent_space((1.0, line), mode="simple")) == "(Real, [(Real, Real)])"
    assert dc.tangent_space(dc.rec(lambda x: x, Real)) is dc.Unit


# ---- tangents of a class -------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_a_gradient_is_of_the_class_of_tangents(mode):
    expected = dc.grad(folded)(Q)
    twists()
    found = dc.grad(folded, mode=mode)(Q)
    assert type(found) is Twist
    assert found.rate == pytest.approx(expected)
    value, tangent = dc.jvp(folded, (Q,), (Twist(BASIS[1]),))
    assert (value, tangent) == (pytest.approx(folded(Q)), pytest.approx(expected[1]))
    assert dc.hessian(near)(Q).shape == (3, 3)


def largest(a, b):
    return Twist(np.maximum(a.rate, b.rate))


def test_tangents_are_added_as_the_user_says():
    def parts(q):
        return near(q) + 0.5 * near(q * turn(RATES[0]))

    each = [dc.grad(f)(Q) for f in (near, lambda q: 0.5 * near(q * turn(RATES[0])))]
    rates = {"plus": largest, "zero": -np.inf, "move": lambda q, v: np.zeros(4)}
    twists(leave=lambda q, w: 2.0 * (w.rate @ np.zeros((3, 4))), **rates)
    pieces = dc.fun(lambda q: near(q))
    for mode in ("dependent", "simple", "delta"):
        found = dc.grad(lambda q: pieces(q) + 0.5 * near(q * turn(RATES[0])), mode=mode)(Q)
        assert type(found) is Twist
        assert found.rate == pytest.approx(np.maximum(*each))
    assert dc.grad(lambda q: 1.0)(Q).rate == pytest.approx(np.full(3, -np.inf))
    with pytest.raises(MissingRule, match=r"Twist is added by a plus of its own.*second"):
        dc.hvp(parts, (Q,), (Twist(BASIS[0]),))
    with pytest.raises(NotDifferentiable, match="a Jacobian is between numbers, and Quaternion"):
        dc.hessian(near)(Q)


# ---- what is refused -----------------------------------------------------------------------------

REFUSED = {
    "a plus that is not commutative": (
        lambda: twists(plus=lambda a, b: Twist(a.rate - b.rate)),
        WrongDerivative,
        r"of Quaternion, whose tangents are Twist\[3\]: law TS1: v \+ w = w \+ v fails.*mend plus=",
    ),
    "a plus that is not associative": (
        lambda: twists(plus=lambda a, b: Twist(0.5 * (a.rate + b.rate))),
        WrongDerivative,
        r"law TS2: .* fails.* at v = .*, w = .*, z = .*; mend plus=",
    ),
    "a zero that is none": (
        lambda: twists(plus=largest, zero=0.5),
        WrongDerivative,
        r"law TS3: v \+ 0 = v fails.*side gives \[0.5, 0.5, 0.5\], the right \[0., 0., 0.\]",
    ),
    "what arrives is not linear": (
        lambda: rotations(arrive=lambda q, g: imaginary(q, g) * g[0]),
        WrongDerivative,
        r"law TS4: .* at x = .*, g = .*, h = .*; mend arrive=",
    ),
    "a motion that is not the transpose": (
        lambda: rotations(move=lambda q, v: np.stack([0.0, v[0], v[1], v[2]])),
        WrongDerivative,
        "law TS5: .*; mend move= or arrive=",
    ),
    "a projection of another scale": (
        lambda: rotations(project=imaginary),
        WrongDerivative,
        r"law TS6: project\(x, move\(x, v\)\) = v fails",
    ),
    "a motion out of the type": (
        lambda: dc.tangent_space(
            Quaternion, tangent=Tensor((4,)), at=ONE, arrive=lambda q, g: g, nearby=unit
        ),
        WrongDerivative,
        "law TS8: .*; mend arrive= or nearby=",
    ),
    "a tangent of another type": (
        lambda: rotations(tangent=Tensor((4,))),
        TypeMismatch,
        r"arrive= gives Tensor\[3\] for a Quaternion, and tangent= says Tensor\[4\]",
    ),
    "a motion of another type": (
        lambda: rotations(move=lambda q, v: v),
        TypeMismatch,
        r"move= gives Tensor\[3\] for a Quaternion, and not Tensor\[4\]",
    ),
    "no class": (
        lambda: dc.tangent_space(3.0, tangent=Real, at=3.0, arrive=lambda x, g: g),
        TypeMismatch,
        "it is declared of a dataclass of one array, or of numbers, and not of 3.0",
    ),
    "no example": (lambda: rotations(at=None), TypeMismatch, "at= is a value of Quaternion"),
    "a plus of arrays": (
        lambda: rotations(plus=lambda a, b: a + b),
        TypeMismatch,
        "plus= adds the tangents of a class",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_declaration_that_breaks_a_law_is_refused(what):
    declare, error, message = REFUSED[what]
    before = dict(SPACES)
    with pytest.raises(error, match=message) as caught:
        declare()
    assert before == SPACES
    assert "tests/diffcurry/" in str(caught.value)


def test_what_is_made_of_something_else_is_refused():
    @dataclass(frozen=True)
    class Odd:
        one: float
        two: np.ndarray

    with pytest.raises(TypeMismatch, match=r"a Odd has a tangent space of its own.*\(2,\)"):
        dc.tangent_space(
            Odd, tangent=Real, at=Odd(1.0, np.ones(2)), arrive=lambda x, g: g, check=False
        )


def test_cotangents_and_arguments_are_of_their_types():
    _, pullback = dc.vjp(lambda q: q * q, Q)
    with pytest.raises(dc.ShapeMismatch, match=r"cotangent of the result.*\(4,\)"):
        pullback(np.ones(4))
    with pytest.raises(TypeMismatch, match=r"q : Quaternion was given"):
        dc.fun(lambda q: q.w, rotations(check=False))(2.0)


def test_a_value_out_of_the_type_is_refused_where_it_is_given():
    for f in (
        near,
        dc.grad(near),
        lambda q: dc.vjp(near, q),
        lambda q: dc.grad(near, mode="simple")(q),
    ):
        with pytest.raises(DomainError, match=r"is no Quaternion: that near to it has .*0\.5"):
            (dc.fun(f) if f is near else f)(Quaternion(1.0, 1.0, 1.0, 1.0))


def test_what_moves_numbers_alone_says_so():
    for word in ("check_grads", "linear_transpose"):
        given = ((Q,),) if word == "check_grads" else (Q,)
        with pytest.raises(NotDifferentiable, match=rf"{word} moves numbers, and this is Quat"):
            getattr(dc, word)(near, *given)


def test_a_value_is_stopped():
    assert dc.grad(lambda q: near(dc.stop_gradient(q)))(Q) == pytest.approx(np.zeros(3))


def test_the_rationals_compute_it():
    mode = Dependent(over=Fractions())
    arrow = dc.fun(near).program(Q).arrow(mode)
    value, pullback = mode.rep(arrow, (np.array([Fraction(1), *[Fraction(0)] * 3], dtype=object),))
    assert float(value) == pytest.approx(near(ONE))
    assert pullback(Fraction(1))[0].astype(float) == pytest.approx(dc.grad(near)(ONE))


def test_on_xla_it_is_the_same():
    pytest.importorskip("jax")
    assert np.asarray(dc.xla(dc.grad(folded))(Q)) == pytest.approx(dc.grad(folded)(Q))
    assert np.asarray(dc.xla(lambda q: q * q)(Q).w) == pytest.approx((Q * Q).w)
    assert np.asarray(dc.xla(dc.grad(lambda d: near(d["q"][0])))({"q": (Q,)})["q"][0]).shape == (3,)


# ---- primitives ----------------------------------------------------------------------------------


def squaring(push, pull):
    rotation = rotations(check=False)

    @dc.primitive(Pair((push,), pull), typing=lambda q: rotation, types=(rotation,))
    def squared(q):
        return q * q

    return squared


def turned(q, v):
    return np.stack(q.rotated(tuple(v[i] for i in range(3))))


def test_a_primitive_speaks_of_tangents():
    squared = squaring(
        lambda v, q, y: turned(q.conjugate(), v) + v, lambda w, q, y: (turned(q, w) + w,)
    )
    assert squared.checked.startswith("T1, T2a, T2b, T3, T4 at 32 fixed points")
    assert squared(Q) == Q * Q
    for mode in MODES:
        found = dc.grad(lambda q: near(squared(q)), mode=mode)(Q)
        assert found == pytest.approx(dc.grad(lambda q: near(q * q))(Q))
    second = dc.hessian(lambda q: near(squared(q)))(Q)
    assert second == pytest.approx(dc.hessian(lambda q: near(q * q))(Q))


def test_a_primitive_whose_rule_is_wrong_is_refused():
    def right(v, q, y):
        return turned(q.conjugate(), v) + v

    with pytest.raises(WrongDerivative, match=r"squared: .*law T3: .* at x = \[.*v = \[.*w = \["):
        squaring(right, lambda w, q, y: (w,))
    with pytest.raises(WrongDerivative, match=r"the rule gives .* where the value changes by"):
        squaring(lambda v, q, y: v, lambda w, q, y: (w,))
    with pytest.raises(
        TypeMismatch, match=r"squared : Quaternion ⇒ Quaternion gives Tensor\[4\].*Tensor\[3\] is"
    ):
        squaring(right, lambda w, q, y: (np.stack([0.0, w[0], w[1], w[2]]),))
    with pytest.raises(TypeMismatch, match="the derivative of half at Quaternion is a Pair"):

        @dc.primitive(lambda v, q, y: v, typing=lambda q: Real, types=(rotations(check=False),))
        def half(q):
            return q.w
