"""Functions in forward mode: as arguments, as results, and with derivatives of their own."""

import random

import numpy as np
import pytest

from combinators.errors import MissingRule, NotDifferentiable, TypeMismatch, WrongMode
from combinators.morphisms import Label, interpret
from combinators.objects import Fun, Product, Real, Tensor
from combinators.primitives.structural import OVERRIDE, REP
from combinators.tracing.definition import Definition
from combinators.tracing.emit import emit_operation, operand, pack, unpack
from combinators.tracing.faces import Face, face_of
from combinators.tracing.functions import function_operand
from interpreters.carriers.duals import Dual
from interpreters.execution.running import DERIVATIVES, Closure, Code
from interpreters.modes.primal import Primal
from interpreters.modes.pushforward import FunctionTangent, Pushforward
from interpreters.modes.reverse import Dependent, Pullback
from interpreters.sparse_cotangents import Environment
from interpreters.staging.function_derivatives import Reified  # noqa: F401 (derivatives of rules)
from tests.strategies.rationals import (
    FORWARD,
    F,
    Q,
    closed,
    equal,
    pairing,
    point,
    poly,
    program,
    real,
    sparse,
)

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


def test_a_rule_that_nothing_transposes_says_what_to_import(monkeypatch):
    def function(x):
        return override(lambda z: z * z, lambda z, g: g, x, Real, Real)

    monkeypatch.delitem(DERIVATIVES, REP)
    with pytest.raises(MissingRule, match=r"rep of .* import it"):
        interpret(program(function, Real), FORWARD)
