"""The examples of 000, as printed terms."""

import pytest

from combinators.objects import Product, Real, Tangent, Tensor
from combinators.operation import Operation, named
from combinators.primitives.loops import SCAN, SCAN_BACKWARDS
from combinators.simplify import simplify
from combinators.terms import App, Lam, Let, Prim, Proj, Term, Tuple, Var, const
from interpreters.staging.programs import gradient, pullback


def prim(name: str, *args: Term, **parameters: object) -> Prim:
    return Prim(Operation(named(name), tuple(parameters.items())), args)


def zero(obj: object) -> Prim:
    return prim("zeros", of=obj)


def plus(x: Term, y: Term) -> Prim:
    return prim("plus", x, y)


def scale(v: Term, p: Term) -> Prim:
    return prim("scale", v, p)


def times(x: Term, y: Term) -> Prim:
    return prim("multiply", x, y)


x1, x2, x3 = (Var(f"x{i}", Real) for i in (1, 2, 3))
w1, w2 = Var("w1", Real), Var("w2", Real)
y = [Var(f"y{i}", Real) for i in range(6)]


def example() -> Lam:
    """Example 1.1 as it comes out of the transformation, its pullbacks as functions."""
    four, five = y[1:5], y[1:6]
    first = Lam(
        tuple(four), Tuple((plus(y[1], scale(y[4], x2)), plus(y[2], scale(y[4], x1)), y[3]))
    )
    back = Var("w1'", first.type)
    second = Lam(
        tuple(five),
        App(
            back,
            Tuple((plus(y[1], scale(y[5], w1)), y[2], y[3], plus(y[4], scale(y[5], x1)))),
        ),
    )
    again = Var("w2'", second.type)
    start = Tuple((zero(Real),) * 4 + (const(1.0),))
    lines = ((w1, times(x1, x2)), (back, first), (w2, times(w1, x1)), (again, second))
    return Lam((x1, x2, x3), Let(lines, App(again, start)))


def test_example_1_1_in_its_last_form():
    last = simplify(example(), fast_math=True, without=["sharing"], keep=["w1", "w2"])
    assert repr(last) == "λ(x1, x2, x3). let w1 = x1 * x2 in (w1 + x2 * x1, x1 * x1, 0)"
    assert repr(simplify(example())) == "λ(x1, x2, x3). (x1 * x2 + x1 · x2, x1 · x1, 0)"


def test_example_1_1_from_reverse_mode():
    """Of which only the names are lost: combinators have none."""
    lines = ((w1, times(x1, x2)), (w2, times(w1, x1)))
    both = gradient(Lam((x1, x2, x3), Let(lines, w2)), (0, 1, 2))
    alone = Lam(both.params, Proj(1, both.body))
    assert repr(simplify(alone, fast_math=True, without=["sharing"])) == (
        "λ(x1, x2, x3). (x2 * x1 + x1 * x2, x1 * x1, 0)"
    )
    assert repr(simplify(alone, fast_math=True)) == (
        "λ(x1, x2, x3). let v = x1 * x2 in (v + v, x1 * x1, 0)"
    )


def test_example_1_1_shares_what_is_one_product():
    assert str(simplify(example(), fast_math=True)) == (
        "λ(x1 : Real, x2 : Real, x3 : Real).\n  w1 : Real = x1 * x2\n  (w1 + w1, x1 * x1, 0)"
    )


def test_what_fired_is_named():
    fired = []
    simplify(example(), trace=fired.append)
    assert {f.rule for f in fired} == {"beta", "plus-zero", "scale-one"}
    assert "plus-zero: zeros[of=Real] + " in repr(next(f for f in fired if f.rule == "plus-zero"))


A, B = Var("A", Tensor((4,))), Var("B", Tensor((4,)))


def as_matrix(x: Term, *shape: int) -> Prim:
    return prim("reshape", x, shape=shape)


def test_the_gradient_of_dot_is_the_other():
    one = as_matrix(const(1.0), 1, 1)
    row, column = as_matrix(A, 1, 4), as_matrix(B, 4, 1)
    gradient = Tuple(
        (
            as_matrix(prim("matmul", one, prim("transpose", column, axes=(1, 0))), 4),
            as_matrix(prim("matmul", prim("transpose", row, axes=(1, 0)), one), 4),
        )
    )
    assert repr(simplify(Lam((A, B), gradient))) == "λ(A, B). (B, A)"


def test_the_pullback_of_dot_is_the_other_times_the_cotangent():
    dot = prim("reshape", prim("matmul", as_matrix(A, 1, 4), as_matrix(B, 4, 1)), shape=())
    back = Lam((A, B), Proj(1, pullback(Lam((A, B), dot), (0, 1)).body))
    assert repr(simplify(back, fast_math=True)) == "λ(A, B). λdy. (dy * B, dy * A)"
    both = Lam((A, B), Proj(1, gradient(Lam((A, B), dot), (0, 1)).body))
    assert repr(simplify(both)) == "λ(A, B). (B, A)"


def test_the_gradient_of_sum_is_ones():
    spread = prim("broadcast_to", as_matrix(const(1.0), 1), shape=(4,))
    made = simplify(Lam((A,), scale(const(1.0), spread)))
    assert repr(made) == "λA. [1.0, 1.0, 1.0, 1.0]"


def test_the_gradient_of_prod_is_two_scans():
    """Its forward scan keeps what comes before each row; its value is not computed."""
    c, a, g = Var("c", Real), Var("a", Real), Var("g", Real)
    rows = Product(Real, Real)
    row = Var("row", rows)
    before = Prim(SCAN, (Lam((c, a), Tuple((times(c, a), c))), const(1.0), A))
    s = Var("s", before.type)
    step = Tuple((scale(g, Proj(1, row)), scale(g, Proj(0, row))))
    back = Prim(
        SCAN_BACKWARDS,
        (Lam((g, row), step), const(1.0), Tuple((Proj(1, s), A))),
    )
    gradient = Proj(1, back)
    lam = Lam((A,), Let(((s, before),), Proj(1, Tuple((Proj(0, s), gradient)))))
    assert repr(simplify(lam, fast_math=True)) == (
        "λA. π1 (scan[reverse=True] (λ(g, row). (π1 row * g, π0 row * g)) 1 "
        "(π1 (scan (λ(c, a). (c * a, c)) 1 A), A))"
    )


@pytest.mark.parametrize("obj", [Real, Tangent, Product(Real, Tangent)])
def test_a_zero_of_any_type_adds_nothing(obj):
    v = Var("v", obj)
    assert repr(simplify(Lam((v,), plus(zero(obj), plus(v, zero(obj)))))) == "λv. v"
