"""Forward mode: exact over the rationals, the transpose of both pullbacks, and it nests."""

import random
from fractions import Fraction

import numpy as np
import pytest
import sympy

from combinators.category import Label
from combinators.control import cond, fold, scan
from combinators.control import map as map_
from combinators.definition import Definition
from combinators.emit import emit_operation, operand, pack, unpack
from combinators.errors import NotDifferentiable, TypeMismatch, WrongMode
from combinators.functions import function_operand
from combinators.morphisms import interpret
from combinators.objects import Fun, Int, Product, Real, Tensor, components
from combinators.primitives.loops import OVERRIDE
from combinators.translate import translate
from combinators.trees import Face, face_of
from interpreters.carriers.fractions import Fractions
from interpreters.carriers.numpy import NumPy
from interpreters.cotangents import Environment
from interpreters.duals import Dual
from interpreters.modes.dependent import Dependent
from interpreters.modes.primal import Primal
from interpreters.modes.pullback import Pullback
from interpreters.modes.pushforward import FunctionTangent, Pushforward
from interpreters.running import Closure, Code

Q = Fraction
F = Fractions()
FORWARD = Pushforward(over=F)
Vector3 = Tensor((3,))


def program(function, *types):
    faces = tuple(map(face_of, types))
    lam = Definition(function, types).specialise(types, faces).lam
    return translate(lam.params, lam.body)


def closed(function, *types):
    """A function as a value over the rationals."""
    arrow = interpret(program(lambda: Definition(function, types)), Primal(F))
    return arrow.run(())


def number(rng):
    return Q(rng.randint(-9, 9), rng.randint(1, 5))


def point(rng, obj):
    product = components(obj)
    if product is not None:
        return tuple(point(rng, part) for part in product.parts)
    if not obj.shape:
        return number(rng) if obj.is_smooth else np.int64(rng.randint(-3, 3))
    flat = np.empty(obj.size, dtype=object)
    flat[:] = [number(rng) for _ in range(obj.size)]
    return flat.reshape(obj.shape)


def pairing(tangent, cotangent):
    """⟨ẋ, x̄⟩ of a tangent in tuples and a sparse cotangent."""
    if tangent is None or cotangent is None:
        return 0
    if isinstance(cotangent, dict):
        return sum(pairing(tangent[i], g) for i, g in cotangent.items())
    return np.sum(tangent * cotangent)


def real(function):
    return Definition(function, (Real,))


def poly(x):
    return x * x * x - 2.0 * x + 1.0


def chosen_closure(x, y):
    f = cond(x > y, lambda: real(lambda z: z * x), lambda: real(lambda z: z * y - x))
    return f(f(x * y))


def closures_in_a_tuple(x, y):
    pair = cond(
        x * y > 1.0,
        lambda: (real(lambda z: z * x), y),
        lambda: (real(lambda z: z - y * y), x * x),
    )
    return pair[0](pair[1])


def returned(x, y):
    def make(a):
        return Definition(lambda z: z * a + poly(z), (Real,))

    return make(x)(y) * make(y)(x)


def folded(w, xs):
    return fold(lambda c, x: c * w + x * x, 1.0, xs)


def scanned(w, xs):
    carry, ys = scan(lambda c, x: (c * x + w, c * c), w, xs)
    return carry * np.sum(ys)


def mapped(w, xs):
    return np.sum(map_(lambda x: poly(x) * w, xs) * xs)


def function_carry(w, xs):
    step = fold(
        lambda c, x: real(lambda t: c(t) * w + x), real(lambda t: t * w), xs
    )
    return step(w * w)


def branch_in_a_loop(w, xs):
    return fold(lambda c, x: cond(x > w, lambda: c * x, lambda: c - x * w), w, xs)


def several_results(x, y):
    return x * y, (poly(x), y / (x * x + 1.0))


PROGRAMS = [
    (lambda x: poly(poly(x)), (Real,)),
    (lambda x, y: (x * y - y) / (1.0 + x * x), (Real, Real)),
    (lambda x, y: x + x * y + 3.0, (Real, Real)),
    (several_results, (Real, Real)),
    (chosen_closure, (Real, Real)),
    (closures_in_a_tuple, (Real, Real)),
    (returned, (Real, Real)),
    (folded, (Real, Vector3)),
    (scanned, (Real, Vector3)),
    (mapped, (Real, Vector3)),
    (function_carry, (Real, Vector3)),
    (branch_in_a_loop, (Real, Vector3)),
    (lambda x, n: cond(n > 0, lambda: x * x, lambda: x) * 2.0, (Real, Int)),
    (lambda a, b: np.sum(a * a.T - b.reshape((3, 3)), axis=0), (Tensor((3, 3)), Tensor((9,)))),
    (lambda p: p[0] * np.sum(p[1]) * p[0], (Product(Real, Vector3),)),
]


@pytest.mark.parametrize(("function", "types"), PROGRAMS)
@pytest.mark.parametrize("mode", [Pullback(over=F), Dependent(over=F)], ids=["simple", "dependent"])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_transpose_of_each_pullback_exactly(function, types, mode, seed):
    rng = random.Random(seed)
    arrow = program(function, *types)
    x = tuple(point(rng, obj) for obj in types)
    moved = tuple(None if obj is Int else point(rng, obj) for obj in types)
    y, tangent = FORWARD.push(interpret(arrow, FORWARD), x, moved)
    value, pullback = mode.rep(interpret(arrow, mode), x)
    assert np.all(equal(y, value))
    g = point(rng, arrow.cod)
    assert pairing(tangent, sparse(g)) == pairing(moved, pullback(sparse(g)))


def equal(a, b):
    if isinstance(a, tuple):
        return all(equal(x, y) for x, y in zip(a, b, strict=True))
    return np.array_equal(a, b)


def sparse(value):
    return dict(enumerate(map(sparse, value))) if isinstance(value, tuple) else value


def test_the_derivative_is_the_polynomial_s():
    def function(x):
        return fold(lambda c, a: c * x + a, x, np.array([2.0, 0.0, -3.0])) * poly(x)

    x = sympy.symbols("x")
    formula = (((x * x + 2) * x + 0) * x - 3) * (x**3 - 2 * x + 1)
    at = Q(3, 7)
    _, tangent = FORWARD.push(
        interpret(program(function, Real), FORWARD), (at,), (Q(1),)
    )
    assert tangent == Q(str(formula.diff(x).subs(x, sympy.Rational(3, 7))))


def quotient(x, y):
    f = real(lambda z: z * z * y / (1.0 + x * x))
    return fold(lambda c, a: f(c) + a * x, x, np.array([1.0, -2.0]))


def quotient_formula(x, y):
    def f(z):
        return z**2 * y / (1 + x**2)

    return f(f(x) + x) - 2 * x


AT = (Q(2, 3), Q(-1, 2))
SYMBOLS = sympy.symbols("x y")


def by_sympy(*which):
    formula = sympy.diff(quotient_formula(*SYMBOLS), *(SYMBOLS[i] for i in which))
    exact = formula.subs({s: sympy.Rational(a.numerator, a.denominator) for s, a in zip(SYMBOLS, AT)})
    return Q(str(exact))


def one(index, base=Q):
    """A tangent or a dual along argument ``index``."""
    return tuple(base(1) if i == index else None for i in range(2))


@pytest.mark.parametrize("i", [0, 1])
@pytest.mark.parametrize("j", [0, 1])
def test_second_derivatives_by_nesting(i, j):
    expected = by_sympy(i, j)
    arrow = program(quotient, Real, Real)
    twice = Pushforward(over=FORWARD)
    moving = tuple(Dual(a, t) for a, t in zip(AT, one(i), strict=True))
    value, tangent = twice.push(interpret(arrow, twice), moving, one(j, lambda n: Dual(Q(n))))
    assert value.tangent == by_sympy(i)
    assert tangent.primal == by_sympy(j)
    assert tangent.tangent == expected
    for mode in (Pullback(over=FORWARD), Dependent(over=FORWARD)):
        _, pullback = mode.rep(interpret(arrow, mode), moving)
        gradient = pullback(Dual(Q(1)))
        assert gradient[j].primal == by_sympy(j)
        assert gradient[j].tangent == expected


def test_third_derivatives_by_nesting():
    arrow = program(quotient, Real, Real)
    mode = Dependent(over=Pushforward(over=FORWARD))
    x = Dual(Dual(AT[0], Q(1)), Dual(Q(1)))
    y = Dual(Dual(AT[1]))
    _, pullback = mode.rep(interpret(arrow, mode), (x, y))
    gradient = pullback(Dual(Dual(Q(1))))
    assert gradient[1].tangent.tangent == by_sympy(0, 0, 1)


@pytest.mark.parametrize(
    ("function", "expected"), [(lambda x, y: x + y, 1), (lambda x, y: x * y, 4)]
)
def test_two_levels_are_not_confused(function, expected):
    """d/dx (x · d/dy f(x, y)) at x = 2: of x + y it is 1, of x · y it is 2x."""
    outer = Pushforward(over=FORWARD)
    x = Dual(Q(2), Q(1))
    _, slope = outer.push(
        interpret(program(function, Real, Real), outer), (x, Dual(Q(5))), (None, Dual(Q(1)))
    )
    times = interpret(program(lambda x, y: x * y, Real, Real), Primal(FORWARD))
    assert times.run((x, slope)).tangent == expected


# --- functions


def apply_twice(f, x):
    return f(f(x)) * x


def test_a_function_argument_is_moved_by_a_tangent_function():
    """D[ev]((h, b), (k, w)) = k(b) + D[h](b, w)."""
    arrow = interpret(program(lambda f, x: f(x), Fun(Real, Real), Real), FORWARD)
    h = closed(poly, Real)
    y, tangent = FORWARD.push(arrow, (h, Q(3)), (lambda b: 10 * b, Q(1, 2)))
    assert (y, tangent) == (22, 30 + 25 * Q(1, 2))
    assert FORWARD.push(arrow, (h, Q(3)), (lambda b: 10 * b, None))[1] == 30
    assert FORWARD.push(arrow, (h, Q(3)), (lambda b: None, None))[1] is None


def test_a_tangent_function_pairs_with_the_calls_of_the_simple_form():
    """⟨k, cs⟩ = Σ ⟨k(x), g⟩."""
    types = (Fun(Real, Real), Real)
    arrow = program(apply_twice, *types)
    mode = Pullback(over=F)
    h = interpret(program(lambda: Definition(poly, (Real,))), mode).run(())
    _, pullback = mode.rep(interpret(arrow, mode), (h, Q(2)))
    gradient = pullback(Q(3))

    def k(b):
        return b * b - 7

    calls = sum(k(x) * g for x, g in gradient[0])
    assert len(gradient[0]) == 2
    moved = FORWARD.push(interpret(arrow, FORWARD), (closed(poly, Real), Q(2)), (k, Q(5)))[1]
    assert 3 * moved == calls + 5 * gradient[1]


def test_an_environment_s_tangent_pairs_with_the_environment_s_cotangent():
    types = (Fun(Real, Real), Real)
    arrow = program(apply_twice, *types)
    make = program(lambda a, b: Definition(lambda z: a * z * z + b, (Real,)), Real, Real)
    captures = (Q(2), Q(-3))
    mode = Dependent(over=F)
    h = interpret(make, mode).run(captures)
    _, pullback = mode.rep(interpret(arrow, mode), (h, Q(2)))
    gradient = pullback(Q(1))
    moved = {0: Q(5), 1: Q(7)}
    h = interpret(make, Primal(F)).run(captures)
    tangent = FORWARD.push(interpret(arrow, FORWARD), (h, Q(2)), (moved, None))[1]
    assert tangent == pairing([5, 7], gradient[0])
    assert not isinstance(gradient[0], Environment)


def test_a_resulting_function_moves_with_what_it_captures():
    """D[curry f](a, ȧ) is b ↦ D[f]((a, b), (ȧ, 0))."""
    make = program(lambda a: Definition(lambda z: a * a * z, (Real,)), Real)
    closure, tangent = FORWARD.push(interpret(make, FORWARD), (Q(3),), (Q(1),))
    assert Primal(F).eval(Fun(Real, Real)).run((closure, Q(2))) == 18
    assert isinstance(tangent, FunctionTangent)
    assert tangent(Q(2)) == 12
    use = interpret(program(apply_twice, Fun(Real, Real), Real), FORWARD)
    whole = program(lambda a, x: apply_twice(real(lambda z: a * a * z), x), Real, Real)
    expected = FORWARD.push(interpret(whole, FORWARD), (Q(3), Q(2)), (Q(1), Q(4)))
    assert FORWARD.push(use, (closure, Q(2)), (tangent, Q(4))) == expected


def test_a_closed_result_and_a_still_one_move_not():
    make = interpret(program(lambda a: (real(poly), real(lambda z: z * a)), Real), FORWARD)
    _, (closed_tangent, open_tangent) = FORWARD.push(make, (Q(3),), None)
    assert closed_tangent is None
    assert open_tangent(Q(2)) is None


def test_functions_of_functions_move():
    types = (Fun(Fun(Real, Real), Fun(Real, Real)), Real)

    def use(twist, x):
        return twist(real(lambda z: z * x))(x)

    twist = closed(lambda f: Definition(lambda z: f(f(z)), (Real,)), Fun(Real, Real))
    arrow = interpret(program(use, *types), FORWARD)
    y, tangent = FORWARD.push(arrow, (twist, Q(2)), (None, Q(1)))
    assert (y, tangent) == (8, 12)  # x ↦ x³
    eval_inner = Primal(F).eval(Fun(Real, Real))

    def direction(f):  # twist moves by f ↦ (z ↦ f(z) + z)
        return lambda z: eval_inner.run((f, z)) + z

    assert FORWARD.push(arrow, (twist, Q(2)), (direction, None))[1] == 6


def test_what_is_no_tangent_of_a_function_is_refused():
    arrow = interpret(program(lambda f: f(2.0), Fun(Real, Real)), FORWARD)
    with pytest.raises(NotDifferentiable, match="Real ⇒ Real is a function of its argument"):
        FORWARD.push(arrow, (closed(poly, Real),), (Q(1),))


def test_a_closure_built_by_hand_does_not_travel():
    h = closed(poly, Real)
    code = Code(h.code.arrow, h.code.captured, h.code.function, Label())
    arrow = interpret(program(lambda f: f(2.0), Fun(Real, Real)), FORWARD)
    with pytest.raises(TypeMismatch, match="give curry a Label"):
        FORWARD.push(arrow, (Closure(code, ()),))


# --- zero


def test_integers_do_not_move():
    arrow = interpret(program(lambda n, x: (n + 1, n > 0, x * 2.0), Int, Real), FORWARD)
    y, tangent = FORWARD.push(arrow, (np.int64(3), Q(1)), (None, Q(1)))
    assert y == (4, True, 2)
    assert tangent == (None, None, 2)
    with pytest.raises(NotDifferentiable, match="Int has no tangents but None"):
        FORWARD.push(arrow, (np.int64(3), Q(1)), (np.int64(1), None))


def test_zero_is_symbolic_and_the_branch_not_taken_is_not_run():
    arrow = interpret(program(lambda x: cond(x > 0.0, lambda: 1.0 / x, lambda: 5.0), Real), FORWARD)
    assert FORWARD.push(arrow, (Q(0),), (Q(1),)) == (5, None)
    assert FORWARD.push(arrow, (Q(2),)) == (Q(1, 2), None)


def test_loops_of_no_rounds():
    arrow = interpret(program(folded, Real, Tensor((0,))), FORWARD)
    assert FORWARD.push(arrow, (Q(2), np.empty(0, dtype=object)), (Q(1), None)) == (1, None)


# --- with_derivative


def override(function, rule, x, obj, result):
    """``function(x)``, whose derivative is ``rule(x, g)``."""
    f, _ = function_operand(function, (obj,), (face_of(obj),))
    face = Face(tuple, (), (face_of(obj), face_of(result)))
    r, _ = function_operand(rule, (obj, result), face.children)
    given = pack(face_of(obj), tuple(map(operand, x))) if isinstance(x, tuple) else operand(x)
    return unpack(face_of(result), emit_operation(OVERRIDE, (f, r, given)))


def test_an_overriding_rule_is_transposed_and_captures_move():
    def function(w, x):  # the rule is three times too large, on purpose
        return override(lambda z: z * z * w, lambda z, g: 6.0 * z * w * g, x, Real, Real)

    arrow = interpret(program(function, Real, Real), FORWARD)
    assert FORWARD.push(arrow, (Q(5), Q(2)), (None, Q(1))) == (20, 60)
    assert FORWARD.push(arrow, (Q(5), Q(2)), (Q(1), None)) == (20, 4)
    assert FORWARD.push(arrow, (Q(5), Q(2)), (Q(1), Q(1))) == (20, 64)


@pytest.mark.parametrize("mode", [Pullback(over=F), Dependent(over=F)])
def test_an_overriding_rule_on_tensors_and_tuples(mode):
    """Exactly the transpose of what the pullback modes do, over matrices and products."""
    argument = Product(Real, Tensor((2, 2)))

    def body(p):
        return p[1] * p[0], np.sum(p[1])

    def rule(p, g):
        return np.sum(p[1] * g[0]) * 2.0, p[0] * g[0].T + g[1]

    def function(a, m):
        return override(body, rule, (a, m), argument, Product(Tensor((2, 2)), Real))

    arrow = program(function, Real, Tensor((2, 2)))
    rng = random.Random(5)
    x, moved = (tuple(point(rng, obj) for obj in argument.parts) for _ in range(2))
    y, tangent = FORWARD.push(interpret(arrow, FORWARD), x, moved)
    value, pullback = mode.rep(interpret(arrow, mode), x)
    assert equal(y, value)
    g = point(rng, arrow.cod)
    assert pairing(tangent, sparse(g)) == pairing(moved, pullback(sparse(g)))


def test_an_overriding_rule_nests():
    """The rule 3z² of z³, differentiated again by the level below."""

    def function(x):
        return override(lambda z: z * z * z, lambda z, g: 3.0 * z * z * g, x, Real, Real)

    twice = Pushforward(over=FORWARD)
    arrow = interpret(program(function, Real), twice)
    _, tangent = twice.push(arrow, (Dual(Q(2), Q(1)),), (Dual(Q(1)),))
    assert (tangent.primal, tangent.tangent) == (12, 12)


def test_an_overriding_rule_of_functions_is_refused():
    function = Fun(Real, Real)

    def outer(f):
        return override(lambda h: h(2.0), lambda h, g: h, f, function, Real)

    with pytest.raises(WrongMode, match="with_derivative from or to Real ⇒ Real has no forward"):
        interpret(program(outer, function), FORWARD)


# --- what may stand after over=


def test_a_pullback_is_no_carrier():
    with pytest.raises(WrongMode, match=r"Dependent is none.*Dependent\(over=Pushforward\(over="):
        Pushforward(over=Dependent(over=F))
    with pytest.raises(WrongMode, match=r"Primal is none"):
        Pullback(over=Primal(F))
    with pytest.raises(WrongMode, match=r"NumPy is a class; write NumPy\(\)"):
        Primal(over=NumPy)
    with pytest.raises(WrongMode, match=r"1.0 is none.*write over=NumPy\(\)"):
        Primal(over=1.0)


# --- depth


@pytest.mark.slow
def test_a_long_chain_and_deep_calls():
    depth = 50_000

    def chain(x):
        for _ in range(depth):
            x = x + 1.0
        return x

    numpy = Pushforward(over=NumPy())
    y, tangent = numpy.push(interpret(program(chain, Real), numpy), (np.float64(1),), (np.float64(1),))
    assert (y, tangent) == (depth + 1, 1)

    def nest(n):
        def wrap(f, _):
            return real(lambda t: f(t) + 1.0)

        return lambda x: fold(wrap, real(lambda t: t * x), np.zeros(n))

    arrow = interpret(program(nest(depth), Real), numpy)
    closure, tangent = numpy.push(arrow, (np.float64(2),), (np.float64(1),))
    assert numpy.inner.eval(Fun(Real, Real)).run((closure, np.float64(3))) == 6 + depth
    assert tangent(np.float64(3)) == 3
