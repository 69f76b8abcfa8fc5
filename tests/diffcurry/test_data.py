"""Data of one's own whose types mention one another, and containers that hold sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import diffcurry as dc
from combinators.tracing.classes import typed


@dataclass
class Number:
    value: float


@dataclass
class Let:
    body: Statement
    inside: Expression


@dataclass
class Evaluate:
    expression: Expression


@dataclass
class Block:
    statements: list[Statement]


Expression = Number | Let
Statement = Evaluate | Block


@dataclass
class Before:
    after: After
    other: Other


@dataclass
class After:
    others: list[Other]


@dataclass
class Stop:
    value: float


Other = Before | Stop


@dataclass
class Circle:
    radius: float


@dataclass
class Square:
    side: float


@dataclass
class Scene:
    shape: Circle | Square
    weight: float


@dc.rec
def evaluated(e: Expression) -> float:
    return dc.case(
        e, lambda n: n.value, lambda let: executed(let.body) * evaluated(let.inside) ** 2
    )


@dc.rec
def executed(s: Statement) -> float:
    return dc.case(
        s,
        lambda one: evaluated(one.expression),
        lambda many: dc.fold(lambda total, one: total + executed(one), 0.0, many.statements),
    )


def of(*values: float) -> Block:
    return Block([Evaluate(Number(value)) for value in values])


@pytest.mark.parametrize("mode", ["dependent", "simple"])
def test_functions_recur_over_unions_that_mention_each_other(mode: Any) -> None:
    whole = Let(of(2.0, 3.0), Number(4.0))
    assert evaluated(whole) == (2.0 + 3.0) * 4.0**2
    assert dc.grad(evaluated, mode=mode)(whole) == Let(of(16.0, 16.0), Number(2 * 4.0 * 5.0))
    assert dc.grad(executed, mode=mode)(Evaluate(whole)) == Evaluate(
        Let(of(16.0, 16.0), Number(40.0))
    )


def test_what_is_reached_by_way_of_another_type_is_the_type_itself() -> None:
    def first(s: Statement) -> Any:
        return dc.case(s, lambda one: one.expression, lambda many: dc.inject(Expression, Number(1)))

    def second(e: Expression) -> Any:
        return dc.case(e, lambda n: dc.inject(Statement, Block([])), lambda let: let.body)

    assert dc.fun(lambda e: first(second(e)), Expression)(Let(of(), Number(2.0))) == Number(1.0)
    assert typed(Expression).object is typed(Expression).object
    assert dc.fun(first)(Evaluate(Number(2.0))) == Number(2.0)


def test_a_class_may_be_in_a_circle_with_a_union() -> None:
    @dc.rec
    def length(after: After) -> float:
        return dc.fold(lambda n, one: n + size(one), 0.0, after.others)

    @dc.rec
    def size(other: Other) -> float:
        return dc.case(
            other, lambda before: length(before.after) * size(before.other), lambda s: s.value
        )

    value = After([Before(After([Stop(2.0)]), Stop(3.0)), Stop(5.0)])
    assert length(value) == 2.0 * 3.0 + 5.0
    expected = After([Before(After([Stop(3.0)]), Stop(2.0)), Stop(1.0)])
    assert dc.grad(length)(value) == expected


def test_a_class_that_holds_a_union_and_a_tuple_of_them_are_what_they_are_annotated_with() -> None:
    def area(scene: Scene) -> Any:
        return scene.weight * dc.case(scene.shape, lambda c: c.radius**2, lambda s: 2 * s.side)

    def pair(both: tuple[Circle | Square, float]) -> Any:
        return both[1] * dc.case(both[0], lambda c: c.radius**2, lambda s: 2 * s.side)

    assert dc.grad(area)(Scene(Circle(3.0), 2.0)) == Scene(Circle(12.0), 9.0)
    assert dc.grad(area)(Scene(Square(3.0), 2.0)) == Scene(Square(4.0), 6.0)
    assert dc.grad(pair)((Circle(3.0), 2.0)) == (Circle(12.0), 9.0)


def test_a_loop_over_instances_of_two_classes_carries_their_sum() -> None:
    def last(x: Any) -> Any:
        start = (Circle(x), 0)
        turned = dc.until(lambda c: c[1] == 3, lambda c: (Square(x * x), c[1] + 1), start)
        return dc.case(turned[0], lambda c: c.radius, lambda s: s.side)

    assert dc.fun(last)(3.0) == 9.0
    assert dc.grad(last)(3.0) == 6.0


def test_what_a_function_gives_is_the_class_with_a_union_that_it_is_annotated_with() -> None:
    def seen(x: float) -> Scene:
        return Scene(Circle(x), 2.0)

    def area(x: Any) -> Any:
        return dc.case(dc.fun(seen)(x).shape, lambda c: c.radius**2, lambda s: s.side)

    assert dc.fun(seen)(3.0) == Scene(Circle(3.0), 2.0)
    assert dc.grad(area)(3.0) == 6.0


def kept(xs: list[float]) -> Any:
    return dc.fold(
        lambda c, x: dc.cond(x > 1.0, lambda: dc.cons(x * x, c), lambda: c),
        dc.nil,
        xs,
        reverse=True,
    )


def sums(xs: list[float]) -> Any:
    return dc.fold(lambda c, x: (c[0] + x, dc.cons(c[0], c[1])), (0, dc.nil), xs)[1]


def products(xs: list[float]) -> Any:
    put = lambda x: lambda c, y: dc.cons(x * y, c)
    return dc.fold(lambda c, x: dc.fold(put(x), c, xs), dc.nil, xs)


def test_lists_are_made_by_loops_that_start_from_nil() -> None:
    assert dc.fun(kept)([1.0, 2.0, 3.0]) == [4.0, 9.0]
    assert dc.vjp(kept, [1.0, 2.0, 3.0])[1]([1.0, 10.0]) == ([0.0, 4.0, 60.0],)
    assert dc.fun(sums)([1.5, 2.0]) == [1.5, 0.0]
    assert dc.fun(products)([1.0, 2.0]) == [4.0, 2.0, 2.0, 1.0]


def test_what_a_recursive_function_gives_is_found_out_in_containers_too() -> None:
    down = dc.rec(
        lambda self, n: dc.cond(
            n == 0, lambda: (dc.nil, 0.0), lambda: (dc.cons(n, self(n - 1)[0]), 1.0)
        )
    )
    assert down(3) == ([3, 2, 1], 1.0)
    either = dc.rec(
        lambda self, x: dc.cond(
            x > 3.0,
            lambda: dc.inl(x),
            lambda: dc.cond(x < 0.0, lambda: dc.inr(x < 1.0), lambda: self(x + 1.0)),
        )
    )
    assert either(1.0) == (0, 4.0)
    assert either(-1.0) == (1, True)


def test_the_alternatives_of_a_union_stand_in_the_order_in_which_it_is_written() -> None:
    def one(s: Circle | Square) -> Any:
        return dc.case(s, lambda c: c.radius, lambda s: 10.0 * s.side)

    def other(s: Square | Circle) -> Any:
        return dc.case(s, lambda s: 10.0 * s.side, lambda c: c.radius)

    for value in (Circle(2.0), Square(2.0)):
        assert dc.fun(one)(value) == dc.fun(other)(value)
        assert dc.grad(one)(value) == dc.grad(other)(value)
