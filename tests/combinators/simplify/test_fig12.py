"""Rules of Fig. 12 of 000, and what was seen in emitted programs."""

import numpy as np

import diffcurry as dc
from combinators.objects import Real, Tensor
from combinators.simplify import simplify
from diffcurry import fun
from diffcurry.program import folded
from tests.combinators.simplify.test_steps import names

V3 = Tensor((3,))


def made(f, *types):
    return simplify(fun(f, *types).program().lam, fold=folded)


def line(f, *types):
    return repr(made(f, *types))


def test_a_product_of_ones_is_where_it_starts():
    """``reduce * 1 ones``."""
    product = lambda start: lambda x: dc.fold(lambda c, i: c * i, start(x), np.ones(5)) * x
    assert line(product(lambda x: 1.0), Real) == "λx. x"
    assert line(product(lambda x: x), Real) == "λx. x * x"


def test_a_sum_of_zeros_is_zero():
    """``reduce + 0 zeros``."""
    f = lambda x: dc.fold(lambda c, i: c + i, 0.0, np.zeros(5)) + 2.0 * x
    assert line(f, Real) == "λx. 0 + 2 * x"


def test_a_sum_of_zeros_stays_where_a_zero_may_have_a_sign():
    f = lambda x: dc.fold(lambda c, i: c + i, x, np.zeros(5))
    assert "fold" in line(f, Real)
    assert np.signbit(fun(lambda x: -x, Real)(0.0))
    assert not np.signbit(fun(f, Real)(-0.0))


def test_a_scan_of_ones_gives_its_start_again_and_again():
    f = lambda x: dc.scan(lambda c, i: (c * i, c), x, np.ones(5))[1]
    assert line(f, Real) == "λx. broadcast_to[shape=(5,)] x"


def test_rows_that_are_one_row_to_the_bit_are_no_rows():
    rows = np.array([[1.0, -0.0], [1.0, -0.0]])
    f = lambda x: dc.map(lambda r: r * x, rows)
    assert line(f, Real) == "λx. broadcast_to[shape=(2, 2)] ([1.0, -0.0] * x)"
    signs = lambda x: dc.map(lambda r: r * x, np.array([0.0, -0.0]))
    assert "map" in line(signs, Real)


def test_a_function_of_a_choice_between_numbers_is_a_choice_between_numbers():
    """``f (if p then a else b)``."""
    f = lambda p, x: (dc.cond(p > 0.0, lambda: 1.0, lambda: 3.0) * 2.0 - 1.0) * x
    assert line(f, Real, Real) == "λ(p, x). (if p > 0 then 1 else 5) * x"


def test_branches_that_compute_the_same_are_no_choice():
    """``if p then e else e`` for a compound e."""
    f = lambda x, y: dc.cond(x > y, lambda: np.sin(x), lambda: np.sin(x))
    assert line(f, Real, Real) == "λ(x, y). sin x"

    def loops(x, y):
        e = lambda: (np.sin(x) + dc.fold(lambda c, i: c * x, y, np.arange(3.0)), x)
        return dc.cond(x > y, e, e)

    assert names(made(loops, Real, Real)).count("fold") == 1
    g = lambda x, y: dc.cond(x > y, lambda: np.sin(x), lambda: np.sin(y))
    assert "if" in line(g, Real, Real)
    h = lambda x, y: dc.cond(x > y, lambda: np.sin(x) * 2.0, lambda: np.sin(x) * 3.0)
    assert "if" in line(h, Real, Real)


def test_branches_in_branches_that_are_the_same_are_written_in_linear_time():
    def nested(x, n):
        return dc.cond(x > n, lambda: nested(x, n - 1), lambda: nested(x, n - 1)) if n else x * x

    assert line(lambda x: nested(x, 7), Real) == "λx. x * x"


def test_a_loop_that_computes_a_number_is_that_number():
    f = lambda x: dc.fold(lambda c, i: c * 2.0 + i, 1.0, np.arange(4.0)) * x
    assert line(f, Real) == "λx. 27 * x"
    backwards = lambda x: dc.fold(lambda c, i: c * 2.0 + i, 1.0, np.arange(4.0), reverse=True) * x
    assert line(backwards, Real) == "λx. 50 * x"
    long = lambda x: dc.fold(lambda c, i: c * 2.0 + i, 1.0, np.arange(4000.0)) * x
    assert "fold" in line(long, Real)


def test_a_loop_whose_number_no_float_is_stays():
    f = lambda x: dc.fold(lambda c, i: np.sin(c), 1.0, np.arange(4.0)) * x
    assert "fold" in line(f, Real)


def test_commuted_products_are_one():
    assert line(lambda a, b: a * b + b * a, Real, Real) == "λ(a, b). let v = a * b in v + v"
    slope = dc.grad(fun(lambda x: 100.0 * x * x, Real)).program().lam
    assert repr(slope) == "λx. let v = 100 * x in v + v"


def test_a_product_that_absorbs_is_one_with_a_plain_one_by_a_finite_number_only():
    f = lambda x, y: x * y + dc.scale(x, y)
    assert line(f, Real, Real) == "λ(x, y). x * y + x · y"
    g = lambda x, y: dc.scale(x, y) + dc.scale(y, x)
    assert line(g, Real, Real) == "λ(x, y). let v = x · y in v + v"
    h = lambda x: dc.scale(x, 100.0) + 100.0 * x
    assert line(h, V3) == "λx. let v = x · 100 in v + v"
    infinite = lambda x: dc.scale(x, np.inf) + np.inf * x
    assert line(infinite, Real) == "λx. x · inf + inf * x"


def test_sums_of_concatenations_are_summed_in_pieces_and_put_once():
    f = lambda x, y: np.concatenate([x, y]) + np.concatenate([y * y, x])
    assert line(f, V3, V3) == "λ(x, y). concatenate[axis=0] (x + y * y) (y + x)"

    def kept(x, y):
        both = np.concatenate([x, y])
        return both + np.concatenate([y, x]), both

    assert names(made(kept, V3, V3)).count("concatenate") == 2


def test_sums_of_what_is_put_into_one_window_are_put_once():
    f = lambda x: dc.grad(lambda z: np.sum(z[1:] * np.sin(z[1:])))(x)
    assert names(made(f, V3)).count("embed") == 1
