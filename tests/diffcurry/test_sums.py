"""Sums, lists and data of one's own: dataclasses in unions, and what takes and gives them."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Optional

import numpy as np
import pytest

import diffcurry as dc
from diffcurry import Function, Int, Product, Real, Sum, Tensor, interpretation
from tests.diffcurry.trees import Leaf, Node, Tree


@dataclass
class Circle:
    radius: float


@dataclass
class Square:
    side: float


@dataclass
class Rose:
    value: float
    children: list[Rose]


@dataclass
class Chain:
    head: float
    tail: Optional[Chain]  # noqa: UP045 (as a user may write it)


SHAPE = Circle | Square
NAMED = Sum(circle=Real, square=Product(Real, Real))
MODES = ["dependent", "simple"]


def area(s: Circle | Square) -> Any:
    return dc.case(s, lambda c: 3.0 * c.radius**2, lambda q: q.side**2)


def scaled(s: Circle | Square, by: Any) -> Circle | Square:
    return dc.case(s, lambda c: Circle(c.radius * by), lambda q: Square(q.side + by))


@dc.rec
def total(tree: Tree) -> float:
    return dc.case(
        tree, lambda leaf: leaf.value**2, lambda node: total(node.left) * total(node.right)
    )


@dc.rec
def doubled(tree: Tree) -> Tree:
    return dc.case(
        tree,
        lambda leaf: Leaf(2.0 * leaf.value),
        lambda node: Node(doubled(node.right), doubled(node.left)),
    )


def test_an_instance_is_of_the_union_that_a_parameter_is_annotated_with() -> None:
    assert (dc.fun(area)(Circle(2.0)), dc.fun(area)(Square(2.0))) == (12.0, 4.0)
    assert dc.fun(lambda s: area(s), SHAPE)(Square(3.0)) == 9.0


@pytest.mark.parametrize("mode", MODES)
def test_the_gradient_mirrors_the_alternative_that_was_given(mode: Any) -> None:
    assert dc.grad(area, mode=mode)(Circle(2.0)) == Circle(12.0)
    assert dc.grad(area, mode=mode)(Square(2.0)) == Square(4.0)


def test_a_zero_gradient_is_of_the_alternative_that_was_given() -> None:
    def only_squares(s: Circle | Square) -> Any:
        return dc.case(s, lambda c: 1.0, lambda q: q.side)

    assert dc.grad(only_squares)(Circle(2.0)) == Circle(0.0)


def test_a_result_is_an_instance_and_its_cotangent_too() -> None:
    assert dc.fun(scaled)(Circle(2.0), 3.0) == Circle(6.0)
    value, pullback = dc.vjp(scaled, Circle(2.0), 3.0)
    assert (value, pullback(Circle(1.0))) == (Circle(6.0), (Circle(3.0), 2.0))
    with pytest.raises(dc.TypeMismatch, match="is of the alternative Square, and the value is of"):
        pullback(Square(1.0))
    assert dc.jvp(scaled, (Circle(2.0), 3.0), (Circle(1.0), 0.0)) == (Circle(6.0), Circle(3.0))


def test_a_case_is_by_name_or_in_order() -> None:
    by_name = dc.fun(lambda s: dc.case(s, square=lambda w, h: w * h, circle=lambda r: r), NAMED)
    assert by_name(dc.inject(NAMED, "square", 2.0, 3.0)) == 6.0
    assert by_name(dc.inject(NAMED, "circle", 2.0)) == 2.0


def test_the_left_and_the_right_join_to_a_sum() -> None:
    def sign(x: Any) -> Any:
        s = dc.cond(x < 0, lambda: dc.inl(-x), lambda: dc.inr((x, x)))
        return dc.case(s, lambda y: y, lambda a, b: a * b)

    assert (dc.fun(sign)(-3.0), dc.fun(sign)(3.0)) == (3.0, 9.0)
    assert (dc.grad(sign)(-3.0), dc.grad(sign)(3.0)) == (-1.0, 6.0)


def test_instances_of_two_classes_join_to_their_sum() -> None:
    def made(x: Any) -> Any:
        return dc.fun(area)(dc.cond(x < 0, lambda: Square(x), lambda: Circle(x)))

    assert (dc.fun(made)(-3.0), dc.grad(made)(2.0)) == (9.0, 12.0)


def test_a_value_may_be_missing() -> None:
    def root(x: Optional[float]) -> Any:  # noqa: UP045 (as a user may write it)
        return dc.case(x, lambda: 0.0, lambda y: y * y)

    assert (dc.fun(root)(None), dc.fun(root)(3.0)) == (0.0, 9.0)
    assert (dc.grad(root)(None), dc.grad(root)(3.0)) == (None, 6.0)
    safe = dc.fun(lambda x: dc.cond(x > 0, lambda: dc.inject(dc.Maybe(Real), np.sqrt(x)),
                                    lambda: dc.inject(dc.Maybe(Real), None)), Real)  # fmt: skip
    assert (safe(4.0), safe(-4.0)) == (2.0, None)


def test_a_tree_is_data_of_ones_own() -> None:
    tree = Node(Leaf(1.0), Node(Leaf(2.0), Leaf(3.0)))
    assert total(tree) == 36.0
    assert dc.grad(total)(tree) == Node(Leaf(72.0), Node(Leaf(36.0), Leaf(24.0)))
    assert doubled(tree) == Node(Node(Leaf(6.0), Leaf(4.0)), Leaf(2.0))


def test_a_class_may_hold_lists_of_itself_or_itself_perhaps() -> None:
    @dc.rec
    def weight(rose: Rose) -> float:
        return rose.value * dc.fold(lambda sum_, child: sum_ + weight(child), 1.0, rose.children)

    @dc.rec
    def length(chain: Chain) -> float:
        return chain.head + dc.case(chain.tail, lambda: 0.0, lambda rest: length(rest))

    rose = Rose(2.0, [Rose(3.0, []), Rose(5.0, [Rose(1.0, [])])])
    assert weight(rose) == 2.0 * (1 + 3 + 5 * 2)
    assert dc.grad(weight)(rose) == Rose(14.0, [Rose(2.0, []), Rose(4.0, [Rose(10.0, [])])])
    assert dc.grad(length)(Chain(1.0, Chain(2.0, None))) == Chain(1.0, Chain(1.0, None))


def test_a_list_is_of_any_length() -> None:
    def squares(xs: list[float]) -> Any:
        return dc.fold(lambda sum_, x: sum_ + x * x, 0.0, xs)

    f = dc.fun(squares)
    assert (f([1.0, 2.0, 3.0]), f([]), f([4.0])) == (14.0, 0.0, 16.0)
    assert (dc.grad(f)([1.0, 2.0]), dc.grad(f)([])) == ([2.0, 4.0], [])


def test_a_list_is_folded_from_either_end_and_mapped() -> None:
    def both(xs: list[float]) -> Any:
        last = lambda reverse: dc.fold(lambda c, x: 2.0 * c + x, 0.0, xs, reverse=reverse)
        return last(False), last(True), dc.map(lambda x: (x, x * x), xs)

    found = dc.fun(both)([1.0, 2.0])
    assert found == (4.0, 5.0, [(1.0, 1.0), (2.0, 4.0)])


def test_a_list_is_made_of_nil_and_cons() -> None:
    @dc.rec
    def down(n: Any) -> Any:
        return dc.cond(n == 0, lambda: dc.nil, lambda: dc.cons(1.0 * n, down(n - 1)))

    assert dc.fun(down, Int)(3) == [3.0, 2.0, 1.0]


def test_a_gradient_that_a_function_of_the_language_gives_mirrors_the_value() -> None:
    horner = dc.fun(lambda w, xs: dc.fold(lambda a, x: a * w + x, 0.0, xs), Real, dc.List(Real))
    around = dc.fun(lambda w, xs: dc.grad(horner, (0, 1))(w, xs), Real, dc.List(Real))
    assert around(2.0, [1.0, 3.0]) == dc.grad(horner, (0, 1))(2.0, [1.0, 3.0])
    shape = Sum(still=Real, moving=Real)
    half = dc.fun(lambda s: dc.case(s, lambda a: 1.0, lambda b: b * b), shape)
    slope = dc.fun(lambda s: dc.grad(half)(s), shape)
    assert slope(dc.inject(shape, "still", 3.0)) == dc.grad(half)(dc.inject(shape, "still", 3.0))
    assert slope(dc.inject(shape, "moving", 3.0)).value == 6.0


def test_the_hessian_of_a_list_times_a_list_is_a_list() -> None:
    total = dc.fun(lambda xs: dc.fold(lambda a, x: a * x, 1.0, xs), dc.List(Real))
    assert dc.hvp(total, ([2.0, 3.0],), ([1.0, 10.0],)) == [10.0, 1.0]
    passed = dc.fun(lambda f, xs: f(total(xs)), dc.Fun(Real, Real), dc.List(Real))
    given = (lambda y: y * y, [2.0, 3.0]), (None, [1.0, 10.0])
    assert dc.hvp(passed, *given, argnums=1) == [258.0, 104.0]


def test_functions_sit_inside_lists() -> None:
    fs = dc.List(dc.Fun(Real, Real))
    chain = dc.fun(lambda fs, x: dc.fold(lambda y, f: f(y), x, fs), fs, Real)
    assert chain([lambda x: x + 1.0, lambda x: x * x], 2.0) == 9.0
    assert dc.grad(lambda x: chain([lambda y: y + 1.0, lambda y: y * x], x))(2.0) == 5.0


def test_long_lists_and_deep_trees_are_no_trouble() -> None:
    xs = list(np.arange(100_000.0))
    f = dc.fun(lambda xs: dc.fold(lambda sum_, x: sum_ + x, 0.0, xs), dc.List(Real))
    assert f(xs) == sum(xs)
    assert dc.grad(f)(xs[:20_000]) == [1.0] * 20_000
    chain = None
    for x in range(5_000):
        chain = Chain(float(x), chain)
    assert (
        dc.fun(lambda c: c.head, dc.inject.__wrapped__ and Chain and type_of(Chain))(chain)
        == 4999.0
    )


def type_of(hint: Any) -> Any:
    return dc.fun(lambda x: x, hint).types[0]


def test_the_second_call_is_of_the_same_program_whatever_the_alternative() -> None:
    f = dc.fun(area)
    f(Circle(1.0)), f(Square(1.0)), f(Circle(2))
    assert len(f._programs) == 1


def test_a_sum_of_tensors_is_printed_and_pickled() -> None:
    obj = dc.fun(area).program(Circle(1.0)).types[0]
    assert repr(obj) == "[Circle: {radius: Real} | Square: {side: Real}]"
    assert pickle.loads(pickle.dumps(obj)) is obj
    assert pickle.loads(pickle.dumps(dc.fun(area)))(Circle(1.0)) == 3.0
    assert repr(dc.List(Tensor((2,)))) == "List[Tensor[2]]"


def matched(s: Any) -> Any:
    match s:
        case Circle(radius):
            return radius
    return 0.0


WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: dc.fun(area)(3.0), "s: 3.0 is no value of .*; it is one of Circle or Square"),
    (lambda: dc.fun(lambda s: dc.case(s, lambda c: 1.0), SHAPE)(Circle(1.0)), "of Square there is"),
    (
        lambda: dc.fun(lambda s: dc.case(s, circle=len, square=len, disc=len), SHAPE)(Circle(1.0)),
        "has no alternative disc",
    ),
    (
        lambda: dc.fun(lambda s: dc.case(s, lambda c: c, lambda q: 1.0), SHAPE)(Circle(1.0)),
        "the branches of a case have one type, but these have {radius: Real} for Circle and Real",
    ),
    (
        lambda: dc.fun(lambda xs: xs, dc.List(Real))([1.0, "a"]),
        r"xs\[1\] : Real was given 'a'; the items of List\[Real\] are of one type",
    ),
    (
        lambda: dc.fun(lambda xs: xs, dc.List(Real))([1.0, (2.0,)]),
        r"xs\[1\] : Real was given \(2.0,\); the items of List\[Real\] are of one type",
    ),
    (
        lambda: dc.fun(lambda xs: xs, dc.List(dc.Int))([1, 2.5]),
        r"xs\[1\] : Int was given Real; the items of List\[Int\] are of one type",
    ),
    (
        lambda: dc.fun(lambda x: dc.cons(x, dc.cons(x > 0, dc.nil)), Real)(1.0),
        r"cons makes a List\[Bool\], whose items are of one type: Bool was expected",
    ),
    (
        lambda: dc.inject(dc.Sum(Real, dc.Product(Real, Real)), 1, 2.0),
        r"inject makes a Real \+ \(Real × Real\): Real × Real was expected",
    ),
    (lambda: dc.fun(lambda x: dc.case(x, len, len), Real)(1.0), "case looks at a value of a sum"),
    (lambda: dc.fun(lambda s: s.radius, SHAPE)(Circle(1.0)), "case"),
    (
        lambda: dc.fun(lambda s: isinstance(s, Circle), SHAPE)(Circle(1.0)),
        "isinstance and",
    ),
    (lambda: dc.fun(matched, SHAPE)(Circle(1.0)), "write case"),
    (lambda: dc.inl(2.0) and dc.fun(lambda x: dc.inl(x), Real)(2.0), "not everything is known"),
    (
        lambda: dc.jacobian(area).program(SHAPE),
        "a Jacobian is between numbers, and how many s : .* holds is known when it runs",
    ),
]


@pytest.mark.parametrize(("wrong", "said"), WRONG)
def test_what_does_not_fit_says_so(wrong: Callable[[], Any], said: str) -> None:
    with pytest.raises(dc.DiffcurryError, match=said):
        wrong()


def test_the_gradient_has_its_value_and_what_is_auxiliary_beside_it() -> None:
    f = dc.fun(lambda s, x: (area(s) * x, x), SHAPE, Real)
    assert dc.value_and_grad(area)(Circle(2.0)) == (12.0, Circle(12.0))
    assert dc.grad(f, argnums=(0, 1), has_aux=True)(Square(3.0), 2.0) == ((Square(12.0), 9.0), 2.0)
    value = dc.value_and_grad(f, has_aux=True)(Square(3.0), 2.0)
    assert value == ((18.0, 2.0), Square(12.0))


def test_a_program_gives_the_cotangent_of_a_list_or_a_sum_at_the_value() -> None:
    ends = dc.fun(lambda xs: dc.case(xs, lambda: 0.0, lambda x, rest: x * x), dc.List(Real))
    assert dc.fun(lambda xs: dc.grad(ends)(xs), dc.List(Real))([3.0, 4.0]) == [6.0, 0.0]
    assert dc.fun(lambda xs: dc.grad(ends)(xs), dc.List(Real))([]) == []
    side = dc.fun(lambda s: dc.case(s, lambda c: 1.0, lambda q: q.side**2), SHAPE)
    gradient = dc.fun(lambda s: dc.grad(side)(s), SHAPE)
    assert (gradient(Circle(2.0)), gradient(Square(2.0))) == (Circle(0.0), Square(4.0))
    given_on = dc.fun(lambda g: g, dc.grad(side).program(Circle(2.0)).cod)
    assert (given_on(None), given_on(Square(4.0))) == (None, Square(4.0))


def test_the_tangent_space_of_data_is_shown() -> None:
    shown = [
        (Circle(1.0), "{radius: Real}"),
        ([1.0, 2.0], "T List[Real]"),
        ([[1.0], []], "T List[T List[Real]]"),
        ([Circle(1.0)], "T List[[0 | Circle: {radius: Real}]]"),
    ]
    for value, space in shown:
        assert repr(dc.tangent_space(value)) == space
    assert "T Tree" in repr(dc.tangent_space(Node(Leaf(1.0), Leaf(2.0))))
    with pytest.raises(dc.TypeMismatch, match="does not say of what it is a list"):
        dc.tangent_space([])
    with pytest.raises(dc.TypeMismatch, match="a list is of one type"):
        dc.tangent_space([1.0, True])


of_pair = dc.fun(lambda p: p[0] * area(p[1]), tuple[float, SHAPE])


@dc.rec
def squares(xs: list[float]) -> float:
    return dc.case(xs, lambda: 0.0, lambda x, rest: x * x + squares(rest))


DERIVATIVES: list[tuple[Callable[[], Any], Any]] = [
    (lambda: dc.vjp(of_pair, (2.0, Circle(2.0)))[1](1.0), ((12.0, Circle(24.0)),)),
    (lambda: dc.grad(of_pair)((2.0, Square(3.0))), (9.0, Square(12.0))),
    (lambda: dc.jvp(of_pair, ((2.0, Circle(2.0)),), ((1.0, None),)), (24.0, 12.0)),
    (lambda: dc.hvp(dc.fun(area), (Circle(2.0),), (Circle(1.0),)), Circle(6.0)),
    (lambda: dc.linearize(dc.fun(area), Circle(2.0))[1](Circle(2.0)), 24.0),
    (lambda: dc.vjp(squares, [1.0, 2.0])[1](1.0), ([2.0, 4.0],)),
    (lambda: dc.jvp(squares, ([1.0, 2.0],), ([1.0, 1.0],)), (5.0, 6.0)),
    (lambda: dc.linearize(squares, [1.0, 2.0])[1]([1.0, 1.0]), 6.0),
    (lambda: dc.hvp(squares, ([1.0, 2.0],), ([1.0, 3.0],)), [2.0, 6.0]),
    (lambda: dc.grad(squares, mode="simple")([1.0, 2.0]), [2.0, 4.0]),
    (lambda: dc.grad(squares, mode="forward")([1.0, 2.0]), [2.0, 4.0]),
    (lambda: dc.jacobian(squares)([1.0, 2.0]), [2.0, 4.0]),
    (lambda: dc.hessian(squares)([1.0, 2.0]), [[2.0, 0.0], [0.0, 2.0]]),
]


@pytest.mark.parametrize(("derivative", "numbers"), DERIVATIVES)
def test_every_derivative_at_data_is_compiled(
    derivative: Callable[[], Any], numbers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interpreted(*_: Any, **__: Any) -> Any:
        raise AssertionError("it is interpreted")

    for word in ("run", "pushing", "pushing_gradient", "vjp"):
        monkeypatch.setattr(interpretation, word, interpreted)
    assert derivative() == numbers


def test_the_derivative_of_a_recursive_function_is_a_compiled_pushforward(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    power = dc.rec(lambda self, x, n: dc.cond(n == 0, lambda: 1.0, lambda: x * self(x, n - 1)))
    monkeypatch.delattr(interpretation, "pushing")
    value, derivative = dc.linearize(dc.fun(power, Real, Int), 2.0, 10)
    assert (value, derivative(1.0, None), derivative(0.5, None)) == (1024.0, 5120.0, 2560.0)
    with pytest.raises(dc.TypeMismatch, match="a tangent for each of 2 arguments"):
        derivative(1.0)


def test_calls_at_sums_and_lists_are_entered_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient, of_shape = dc.grad(squares), dc.fun(area)
    calls: list[Callable[[], Any]] = [
        lambda: gradient([1.0, 2.0]),
        lambda: dc.jvp(of_shape, (Circle(2.0),), (Circle(1.0),)),
        lambda: dc.vjp(of_shape, Square(2.0))[1](1.0),
        lambda: dc.hvp(squares, ([1.0, 2.0],), ([1.0, 3.0],)),
        lambda: dc.linearize(squares, [1.0, 2.0])[1]([1.0, 1.0]),
    ]
    before = [call() for call in calls]
    monkeypatch.delattr(Function, "_called")  # the way of what is not entered at once
    assert [call() for call in calls] == before


class Scaled(NamedTuple):
    by: float
    shape: Circle | Square


def test_an_argument_that_holds_a_sum_is_typed_by_its_annotation_whatever_its_container() -> None:
    @dc.fun
    def in_tuple(pair: tuple[float, Circle | Square]) -> Any:
        return pair[0] * area(pair[1])

    @dc.fun
    def named(scaled: Scaled) -> Any:
        return scaled.by * area(scaled.shape)

    assert dc.grad(in_tuple)((2.0, Square(3.0))) == (9.0, Square(12.0))
    assert dc.grad(named)(Scaled(2.0, Circle(1.0))) == Scaled(3.0, Circle(12.0))
    assert dc.fun(lambda s: s.by * area(s.shape), Scaled)(Scaled(2.0, Square(3.0))) == 18.0


def test_a_derivative_by_a_sum_beside_a_function_is_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @dc.fun
    def through(f: Any, shape: Circle | Square) -> Any:
        return f(area(shape))

    monkeypatch.delattr(interpretation, "pushing")
    twice = partial(lambda k, x: k * x, 2.0)
    value, derivative = dc.linearize(through, twice, Circle(1.0))
    assert (value, derivative({"k": 1.0}, Circle(1.0))) == (6.0, 15.0)


def test_what_const_and_a_class_alone_do_not_say_is_an_error_that_says_what_to_write():
    for wrong, said in (
        (lambda: dc.const(np.sin), r"const\(fun\(f, Real\)\)"),
        (lambda: dc.tangent_space(Circle), "declared, by tangent="),
        (lambda: dc.tangent_space(Circle, tangent="x"), "tangent= is a type"),
    ):
        with pytest.raises(dc.DiffcurryError, match=said):
            wrong()


def test_a_map_of_a_list_stands_inside_another() -> None:
    squares = lambda xs: dc.fold(lambda s, x: s + x, 0.0, dc.map(lambda x: x * x, xs))
    rows = dc.fun(lambda xss: dc.map(squares, xss), dc.List(dc.List(Real)))
    assert rows([[1.0, 2.0], [], [3.0]]) == [5.0, 0.0, 9.0]
    nested = dc.fun(
        lambda xss: dc.map(lambda xs: dc.map(lambda x: dc.cons(x, dc.nil), xs), xss),
        dc.List(dc.List(Real)),
    )
    assert nested([[1.0], []]) == [[[1.0]], []]
