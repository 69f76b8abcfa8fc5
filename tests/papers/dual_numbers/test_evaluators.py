"""The five evaluators of section 2 of 003 agree, and each saves the work that it should save."""

import math
from functools import reduce

import numpy as np
import pytest

from combinators.errors import MissingRule, TypeMismatch
from papers.dual_numbers.core_language import Form
from papers.dual_numbers.scalars import (
    Add,
    Input,
    Number,
    Scale,
    Share,
    eval0,
    eval1,
    eval2,
    eval3,
    gradient,
    reverse_pass,
    traced,
)


class Touched(np.ndarray):
    """A vector that counts the numbers that are written of it and of what is computed with it."""

    numbers = 0

    def __array_ufunc__(self, operation, method, *args, **_):
        made = np.asarray(getattr(operation, method)(*map(np.asarray, args)))
        Touched.numbers += made.size
        return made.view(Touched)

    def __setitem__(self, index, number):
        Touched.numbers += 1
        super().__setitem__(index, number)


def touched(evaluate, *args):
    Touched.numbers = 0
    evaluate(*args)
    return Touched.numbers


def total(numbers):
    """``DsumOuter`` of 4.1: one ``Share`` around the sum of all."""
    delta, ids = reduce(Add, [x.delta for x in (Number(0.0), *numbers)]), numbers[0].ids
    whole = delta if ids is None else Share(next(ids), delta)
    return Number(sum(x.primal for x in numbers), whole, ids)


def term(f, inputs, ids=True):
    """The Delta term of ``f``, with identifiers or without."""
    return traced(f, *inputs, sharing=ids)


def all_five(delta, n):
    """The gradient by each evaluator."""
    basis = [[float(i == j) for j in range(n)] for i in range(n)]
    found = reverse_pass(1.0, delta)
    return [
        [eval0(delta, e) for e in basis],
        eval1(delta, np.eye(n)).tolist(),
        eval2(delta, np.zeros(n)).tolist(),
        eval3(1.0, delta, np.zeros(n)).tolist(),
        [found.get(i, 0.0) for i in range(n)],
    ]


def mixed(x, y, z):
    a = x * y - z / x
    b = np.sin(a) * np.exp(-y) + 3.0 * a
    return b * b / (1.0 + np.cos(z)) + np.log(x) - a


@pytest.mark.parametrize("ids", [False, True])
def test_all_evaluators_give_the_gradient(ids):
    point = [1.3, 0.7, 0.4]
    first, *rest = all_five(term(mixed, point, ids), 3)
    for other in rest:
        assert other == pytest.approx(first, rel=1e-12)
    for i in range(3):
        step = 1e-6
        up, down = ([p + s * (i == j) for j, p in enumerate(point)] for s in (step, -step))
        numbers = [mixed(*at) for at in (up, down)]
        assert first[i] == pytest.approx((numbers[0] - numbers[1]) / (2 * step), rel=1e-6)


def test_the_second_evaluator_scales_what_its_own_term_adds_and_nothing_else():
    delta = Add(Input(0), Scale(5.0, Input(1)))
    assert eval2(delta, np.zeros(2)).tolist() == [1.0, 5.0]
    tangent = np.array([7.0, 7.0])
    assert eval2(delta, tangent).tolist() == [8.0, 12.0]


def test_eval0_takes_a_pass_an_input():
    n = 5
    visits = []
    delta = term(lambda *xs: total([x * x for x in xs]), [1.0] * n, ids=False)
    one = []
    eval0(delta, [1.0] * n, one.append)
    for i in range(n):
        eval0(delta, [float(i == j) for j in range(n)], visits.append)
    assert len(visits) == n * len(one)


@pytest.mark.parametrize("n", [1, 10, 100])
def test_vector_work_goes_from_every_node_to_every_scale_to_none(n):
    adds = term(lambda *xs: total(xs), [1.0] * n, ids=False)
    scaled = term(lambda *xs: total([x * 2.0 for x in xs[:1]]), [1.0] * n, ids=False)
    zeros, basis = np.zeros(n).view(Touched), np.eye(n).view(Touched)
    assert touched(eval1, adds, basis) == (n + 1) * n  # n adds, one zero
    assert touched(eval2, adds, zeros) == n  # one number an input
    assert touched(eval3, 1.0, adds, zeros) == n
    assert touched(eval2, scaled, zeros) == 2 * n + 1  # a product, a sum; Zero is not scaled
    assert touched(eval3, 1.0, scaled, zeros) == 1


def doubling(n):
    """P₁ of section 2.5."""

    def p1(x):
        for _ in range(n):
            x = x + x
        return x

    return p1


@pytest.mark.parametrize("n", [1, 4, 10])
def test_without_sharing_a_doubling_is_exponential_and_with_it_linear(n):
    delta = term(doubling(n), [1.0])
    apart, together = [], []
    assert eval3(1.0, delta, np.zeros(1), apart.append).tolist() == [2.0**n]
    assert reverse_pass(1.0, delta, together.append) == {0: 2.0**n}
    inputs, shared = (
        [sum(d.kind == kind for d in visited) for visited in (apart, together)]
        for kind in ("Input", "Add")
    )
    assert inputs == [2**n, 2]
    assert shared == [2**n - 1, n]


def test_fragments_are_visited_from_the_highest_identifier_each_once():
    # Fig. 4: let y = exp x in let z = log y in y + sin z / cos z
    def figure4(x):
        y = np.exp(x)
        z = np.log(y)
        return y + np.sin(z) / np.cos(z)

    delta = term(figure4, [0.5])
    order = []

    def see(d):
        if d.kind == "Share":
            order.append(d.args[0])

    # The fragments that are opened, in order: what is seen below the last Share that was opened.
    opened = []
    eval4_order(delta, opened)
    assert opened == [5, 4, 3, 2, 1, 0]
    visited = []
    eval3(1.0, delta, np.zeros(1), visited.append)
    ids = [d.args[0] for d in visited if d.kind == "Share"]
    assert ids == [5, 0, 4, 2, 1, 0, 3, 1, 0]
    reverse_pass(1.0, delta, see)
    assert sorted(set(order)) == [0, 1, 2, 3, 4, 5]


def eval4_order(delta, opened):
    """The identifiers in the order in which ``backprop`` takes their fragments out."""
    fragments = {}

    def see(d):
        if d.kind == "Share":
            fragments[id(d.args[1])] = d.args[0]
        if id(d) in fragments:
            opened.append(fragments[id(d)])

    reverse_pass(1.0, delta, see)


def test_identifiers_grow_and_name_one_term():
    """Invariants 1 and 2 of section 2.5."""
    delta = term(mixed, [1.3, 0.7, 0.4])
    named = {}
    todo = [(delta, math.inf)]
    while todo:
        d, bound = todo.pop()
        match d:
            case Form("Share", (i, below)):
                assert i < bound
                assert named.setdefault(i, below) is below
                todo.append((below, i))
            case Form("Add", (left, right)):
                todo += [(left, bound), (right, bound)]
            case Form("Scale", (_, below)):
                todo.append((below, bound))


def test_the_wrapper_takes_nested_tuples_and_any_python():
    def f(pair, c):
        (a, b), scale = pair, [2.0, lambda x: x * c]
        return scale[1](a) * scale[0] if a > b else b * b

    assert gradient(f, (3.0, 1.0), 5.0) == ((10.0, 0.0), 6.0)
    assert gradient(f, (1.0, 3.0), 5.0) == ((0.0, 6.0), 0.0)
    assert gradient(lambda x: 7.0, 1.0) == (0.0,)
    assert gradient(lambda x: 1.0 / (2.0 - x), 1.0, cotangent=3.0) == (3.0,)


@pytest.mark.parametrize("n", [1, 2, 7, 50])
def test_a_dot_product_of_dual_numbers_explodes(n):
    """Section 4.1: 5n + 1 constructors."""
    visits = []
    dot = lambda *ab: total([x * y for x, y in zip(ab[:n], ab[n:], strict=True)])
    reverse_pass(1.0, term(dot, [1.0] * (2 * n)), visits.append)
    assert sum(d.kind not in ("Zero", "Input") for d in visits) == 5 * n + 1


def test_deep_terms_meet_no_limit_of_python():
    n = 10_000

    def chain(x):
        for _ in range(n):
            x = x * 1.0
        return x

    delta = term(chain, [1.0])
    assert all_five(delta, 1) == [[1.0]] * 5


def test_scalar_dual_numbers_are_right_on_discrete_inputs():
    assert gradient(lambda x, b: x if b else -x, 2.0, False) == (-1.0, None)
    assert gradient(lambda x, n: x * n, 2.0, 3) == (3.0, None)
    assert gradient(lambda x, y: x if x == 3.0 else y, 3.0, 4.0) == (1.0, 0.0)
    assert gradient(lambda xs, n: (xs[0] * xs[1], xs[0])[n], (2.0, 5.0), 0) == ((5.0, 2.0), None)
    assert gradient(lambda x, y: x**3 + 2.0**y if x <= y else x, 2.0, 3.0)[0] == 12.0
    assert math.isclose(gradient(lambda x, y: x**y, 2.0, 3.0)[1], 8 * math.log(2.0))
    assert gradient(lambda x: round(x) * x + abs(-x), 2.6) == (4.0,)
    assert gradient(lambda x: x**0 + 0.0 * x, 0.0) == (0.0,)


def test_only_a_number_has_a_gradient():
    with pytest.raises(TypeMismatch, match="a gradient of a number, not of"):
        gradient(lambda x: (x, x), 1.0)


def test_a_constant_exponent_has_no_derivative_that_all_evaluators_could_see():
    assert all_five(term(lambda x: x**3, [-2.0]), 1) == [[12.0]] * 5


def test_what_scalars_have_no_derivative_for_is_refused_by_name():
    with pytest.raises(MissingRule, match="do not know tanh"):
        gradient(np.tanh, 1.0)
