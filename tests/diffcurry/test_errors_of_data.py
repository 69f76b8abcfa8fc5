"""What sums, lists and recursion say of wrong input: the operation, the types, what to write."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import diffcurry as dc
from diffcurry import Real
from tests.diffcurry.trees import Leaf, Tree

Run = Callable[[], Any]


def of_list(f: Callable[[Any], Any]) -> Run:
    def given(xs: list[float]) -> Any:
        return f(xs)

    return lambda: dc.fun(given)([1.0, 2.0])


def of_maybe(f: Callable[[Any], Any]) -> Run:
    def given(s: float | None) -> Any:
        return f(s)

    return lambda: dc.fun(given)(1.0)


def of_tree(f: Callable[[Any], Any]) -> Run:
    def given(t: Tree) -> Any:
        return f(t)

    return lambda: dc.fun(given)(Leaf(1.0))


def of_number(f: Callable[[Any], Any]) -> Run:
    return lambda: dc.fun(f)(2.0)


def recursive(body: Callable[[Any, Any], Any]) -> Run:
    return lambda: dc.rec(lambda self, x: body(self, x))(2.0)


def refused(run: Run, *said: str) -> None:
    """It is an error of ours at a line of this file, that says all this."""
    with pytest.raises(dc.DiffcurryError) as caught:
        run()
    for text in said:
        assert text in caught.value.args[0], caught.value
    assert Path(caught.value.place.file) == Path(__file__)


# ---- values of sums and lists, taken for those of Python ----------------------------------------

AS_PYTHONS: dict[str, Callable[[Any], Any]] = {
    "len": len,
    "an index": lambda xs: xs[0],
    "a slice": lambda xs: xs[1:],
    "a sum of lists": lambda xs: xs + [1.0],  # noqa: RUF005
    "a product": lambda xs: 2 * xs,
    "for": lambda xs: [x for x in xs],  # noqa: C416
    "in": lambda xs: 1.0 in xs,
    "bool": bool,
    "not": lambda xs: not xs,
    "sum": sum,
    "equality": lambda xs: xs == [],
    "append": lambda xs: xs.append(1.0),
    "isinstance": lambda xs: isinstance(xs, list),
    "np.sum": np.sum,
    "np.array": np.array,
}


@pytest.mark.parametrize("what", AS_PYTHONS)
def test_a_list_says_fold_map_and_case_where_it_is_taken_for_pythons(what: str) -> None:
    refused(of_list(AS_PYTHONS[what]), "List[Real]", "write fold(f, init, xs), map(f, xs) or case(")


@pytest.mark.parametrize(
    "f",
    [
        lambda s: s == None,  # noqa: E711
        lambda s: s != None,  # noqa: E711
        lambda s: not s,
        lambda s: 1.0 if s else 2.0,
        lambda s: s or 1.0,
        lambda s: s + 1.0,
    ],
)
def test_a_value_that_may_be_missing_is_asked_by_case(f: Callable[[Any], Any]) -> None:
    refused(of_maybe(f), "[nothing: Unit | just: Real]", "write case(s, lambda: …, lambda x: …)")


def test_a_field_of_one_alternative_says_case() -> None:
    refused(of_tree(lambda t: t.value), "has no value by itself; write case(s, f, g)")


OVER_LISTS: dict[str, Callable[[Any], Any]] = {
    "reduce": lambda xs: dc.reduce(lambda a, b: a + b, 0.0, xs),
    "scanl": lambda xs: dc.scanl(lambda a, b: a + b, 0.0, xs),
    "scan": lambda xs: dc.scan(lambda c, x: (c, x), 0.0, xs),
    "shift_left": dc.shift_left,
}


@pytest.mark.parametrize("word", OVER_LISTS)
def test_what_runs_over_rows_says_what_runs_over_a_list(word: str) -> None:
    refused(
        of_list(OVER_LISTS[word]), f"{word} runs over", "a list is run over by fold and map, and"
    )


def test_a_map_of_several_lists_names_what_it_was_given() -> None:
    both = dc.fun(lambda xs, ys: dc.map(np.multiply, xs, ys), dc.List(Real), dc.Tensor((2,)))
    refused(lambda: both([1.0, 2.0], np.ones(2)), "is given List[Real], Tensor[2]; write a rec")


def test_a_list_that_no_annotation_declares_says_how_to_declare_it() -> None:
    refused(
        lambda: dc.fun(lambda xs: dc.fold(np.add, 0.0, xs))([1.0, 2.0]),
        "fold runs over the leading axis",
        "a list is declared, as xs: list[float]",
    )


def test_a_unit_is_of_the_type_of_the_rows() -> None:
    refused(
        lambda: dc.reduce(np.add, 0.0, np.arange(3)), "reduce combines rows of Int, and its unit"
    )
    assert dc.reduce(np.add, 0, np.arange(3.0)) == 3.0
    said = "of which True is no unit: for a = False op(unit, a) is True"
    refused(lambda: dc.reduce(np.logical_or, True, np.array([True])), said)


def test_a_case_of_a_value_that_says_its_alternative_goes_by_names() -> None:
    shape = dc.Sum(circle=Real, box=dc.Product(Real, Real))
    box = dc.inject(shape, "box", 2.0, 3.0)
    assert dc.case(box, circle=lambda r: r, box=lambda w, h: w * h) == 6.0
    refused(lambda: dc.case(box, lambda r: r, lambda w, h: w * h), "write branches by name")


def test_a_formula_says_that_a_test_of_symbols_ends_no_loop() -> None:
    root = dc.fun(lambda a: dc.until(lambda x: x * x > a, lambda x: x + 1.0, 1.0, most=5), Real)
    refused(root.sympy, "in a formula a test of symbols ends nothing", "until went round more than")


def test_compare_names_the_types_that_it_does_not_take() -> None:
    tall = dc.fun(lambda xs: dc.fold(np.add, 0.0, xs), dc.List(Real))
    refused(
        lambda: dc.compare(tall, [1.0]), "compare takes the numbers and arrays", "1 for List[Re"
    )
    refused(lambda: dc.compare(dc.fun(np.sin, Real)), "compare takes the numbers", "0 for Real")


def test_a_tangent_space_of_a_value_takes_no_rules_and_two_modes() -> None:
    refused(lambda: dc.tangent_space(2.0, mode="forward"), "mode= is dependent or simple")
    refused(lambda: dc.tangent_space(2.0, arrive=lambda x, g: g), "of a value, give the value")


def test_an_optional_argument_may_be_left_out() -> None:
    def scaled(s: float | None = None, d: float = 2.0) -> Any:
        return dc.case(s, lambda: d * d, lambda x: x * d)

    f = dc.fun(scaled)
    assert (f(), f(3.0), f(d=5.0), f(s=3.0)) == (4.0, 6.0, 25.0, 6.0)
    assert dc.grad(f, argnums=1)(d=5.0) == 10.0


def test_a_word_says_which_arguments_it_takes() -> None:
    runs: list[Run] = [
        lambda: dc.foldl(np.add, 0.0, np.ones(3), reverse=True),
        of_number(lambda x: dc.foldl(np.add, x, np.ones(3), reverse=True)),
    ]
    for run in runs:
        refused(run, "foldl is called with", "argument 'reverse'; it takes f, init, xs")
    refused(lambda: dc.scan(np.add, 0.0), "scan is called", "missing", "it takes f, init, xs, rev")


def test_what_is_no_type_is_refused_by_what_takes_types() -> None:
    refused(lambda: dc.Sum(3, Real), "Sum takes objects, as Real, and 3 is not one")  # type: ignore[arg-type]
    refused(lambda: dc.Sum(x=float), "Sum takes objects")  # type: ignore[arg-type]
    refused(lambda: dc.Vector(3, Real), "Vector takes objects, as Real, and 3")  # type: ignore[arg-type]
    refused(lambda: dc.Vector(Real, -1), "Vector has a length, a number from 0 on, and this is -1")


# ---- recursive functions -------------------------------------------------------------------------


@dc.rec
def power(x: float, n: int) -> float:
    return dc.cond(n == 0, lambda: 1.0, lambda: x * power(x, n - 1))


@dc.rec
def nested(x: Any, n: Any) -> float:
    return dc.cond(n == 0, lambda: 1.0, lambda: nested((x, 1.0), n - 1))


def test_a_recursion_whose_argument_grows_in_type_names_the_types() -> None:
    grows = "calls itself on ever other types: on Real"
    refused(lambda: nested(1.0, 3), f"nested {grows} × Int, then on (Real × Real) × Int, then")
    refused(recursive(lambda f, x: dc.cond(False, lambda: 1.0, lambda: f((x, x)))), grows)
    refused(lambda: dc.grad(nested)(1.0, 3), f"nested {grows}")


def test_a_tuple_where_a_recursive_function_takes_a_number_is_refused() -> None:
    refused(lambda: power((1.0, 2.0), 3), "x : Real was given (1.0, 2.0)")
    refused(of_number(lambda x: power((x, x), 3)), "power: Real was expected here, and this is (x")


AS_NUMBERS: list[Callable[[Any, Any], Any]] = [
    lambda f, x: f + 1,
    lambda f, x: f * x,
    lambda f, x: x * f,
    lambda f, x: -f,
    lambda f, x: dc.cond(f > x, lambda: x, lambda: 1.0),
    lambda f, x: np.sin(f),
]


@pytest.mark.parametrize("body", AS_NUMBERS)
def test_a_recursive_function_taken_for_a_number_says_to_call_it(
    body: Callable[[Any, Any], Any],
) -> None:
    refused(recursive(body), "call it, as in f(x)")


def test_rec_of_what_is_no_function_nor_a_type_says_so() -> None:
    refused(lambda: dc.rec(3), "3 is no type of the language")


def test_the_order_of_what_is_no_type_says_so() -> None:
    refused(
        lambda: dc.order("a"), "order is asked of a type, as order(Fun(Real, Real)), not of 'a'"
    )
    assert dc.order(dc.Fun(Real, Real)) == 1


def carried(f: Callable[[Any], Any]) -> Run:
    return of_number(lambda x: dc.while_loop(lambda c: x > 0.0, f, x))


def test_a_loop_names_the_types_of_its_start_and_of_what_its_step_gives() -> None:
    refused(carried(lambda c: (c, c)), "while_loop carries Real", "its function gives Real × Real")
    refused(carried(lambda c: c * np.ones(2)), "while_loop carries Real", "gives Tensor[2]")
    refused(
        of_number(lambda x: dc.until(lambda c: x > 0, lambda c: (c[0], c[0] > 0), (x, x))),
        "until carries Real from step to step, but its function gives Bool as the carry[1]",
    )
    refused(
        of_list(lambda xs: dc.fold(lambda c, x: x * np.ones(2), 1.0, xs)),
        "fold carries Real from step to step, but its function gives Tensor[2]",
    )


def test_a_recursive_function_names_both_types_that_it_gives() -> None:
    def given(x: float) -> float:
        return x > 0.0  # type: ignore[return-value]

    refused(lambda: dc.rec(given)(1.0), "given calls itself for Real, and gives Bool; annotate")


# ---- functions of other arguments ----------------------------------------------------------------

TAKES: dict[str, Run] = {
    "fold takes a function f(carry, x)": of_list(lambda xs: dc.fold(lambda c: c, 0.0, xs)),
    "map takes a function of each item": of_list(lambda xs: dc.map(lambda: 1.0, xs)),
    "while_loop takes functions of the value that it": of_number(
        lambda x: dc.while_loop(lambda c: c > 0, lambda c, d: c, x)
    ),
    "until takes functions of the value that it": of_number(
        lambda x: dc.until(lambda: True, lambda c: c, x)
    ),
    "case calls the function of Node : {left: Tree, right: Tree} with the whole Node": of_tree(
        lambda t: dc.case(t, lambda leaf: 1.0, lambda left, right: 2.0)
    ),
    "case calls the function of nothing : Unit with nothing": of_maybe(
        lambda s: dc.case(s, lambda a, b: 1.0, lambda x: x)
    ),
    "case calls the function of just : Real with its value": of_maybe(
        lambda s: dc.case(s, lambda: 1.0, lambda: 2.0)
    ),
    "case calls the function of cons : Real × List[Real] with its 2 components": of_list(
        lambda xs: dc.case(xs, lambda: 1.0, lambda: 2.0)
    ),
}


@pytest.mark.parametrize("says", TAKES)
def test_a_function_that_takes_other_arguments_is_told_what_it_is_called_with(says: str) -> None:
    refused(TAKES[says], says)


def test_the_alternatives_of_a_case_are_named_with_what_their_branches_give() -> None:
    refused(
        of_tree(lambda t: dc.case(t, lambda leaf: leaf.value, lambda node: np.ones(2))),
        "Real for Leaf and Tensor[2] for Node",
    )
    refused(of_tree(lambda t: dc.case(t, lambda leaf: 1.0)), "of Node there is none")
    refused(of_tree(lambda t: dc.case(t, abs, abs, abs)), "and these are more")


# ---- choices and recursion of Python's own -------------------------------------------------------


class Signs:
    """A method that asks for a truth value."""

    def of(self, x: Any) -> Any:
        return 1.0 if x > 0 else -1.0


def asserted(x: Any) -> Any:
    assert x > 0
    return x


def halved(x: Any) -> Any:
    def inside(y: Any) -> Any:
        while y > 1:
            y = y / 2
        return y

    return inside(x)


def factorial(n: Any) -> Any:
    return n * factorial(n - 1)


IFS: dict[str, Callable[[Any], Any]] = {
    "a method": Signs().of,
    "a nested while": halved,
    "a conditional expression": lambda x: x if x > 0 else 0.0,
    "a comprehension": lambda x: [y for y in (x, 2.0) if y > 1],
    "and": lambda x: x > 0 and x < 1,
    "or": lambda x: x > 0 or x < 1,
    "not": lambda x: not x > 0,
    "a chained comparison": lambda x: 0 < x < 1,
    "min": lambda x: min(x, 1.0),
    "sorted": lambda x: sorted([x, 1.0]),
    "any": lambda x: any([x > 0, x < 1]),
    "assert": asserted,
    "filter": lambda x: list(filter(None, [x])),
    "in": lambda x: x in [1.0, 2.0],
}


@pytest.mark.parametrize("what", IFS)
def test_pythons_choices_by_a_traced_value_name_cond_case_and_while_loop(what: str) -> None:
    refused(of_number(IFS[what]), "cond(p, lambda: a, lambda: b), case(s, f, g) or while_loop(")


def test_pythons_recursion_without_end_names_rec() -> None:
    refused(of_number(factorial), "factorial calls itself", "write it with rec, as in rec(lambda")


def test_a_range_of_a_traced_value_names_while_loop() -> None:
    refused(of_number(lambda n: [i for i in range(n)]), "range(x)", "while_loop")  # noqa: C416


def test_nil_by_itself_asks_for_an_annotation_and_a_loop_may_start_from_it() -> None:
    refused(of_number(lambda x: dc.nil), "not everything is known", "-> list[float]")

    def turned(xs: list[float]) -> Any:
        return dc.fold(lambda c, x: dc.cons(x, c), dc.nil, xs)

    assert dc.fun(turned)([1.0, 2.0, 3.0]) == [3.0, 2.0, 1.0]
    assert dc.vjp(turned, [1.0, 2.0])[1]([3.0, 5.0]) == ([5.0, 3.0],)


def test_an_argument_of_another_type_names_the_function_that_is_called() -> None:
    @dc.rec
    def down(n: float) -> float:
        return dc.cond(n > 0, lambda: down(np.ones(3)), lambda: n)

    refused(lambda: down(1.0), "down: Real was expected here, and this is Tensor[3]")


def test_a_loop_is_written_with_the_users_names() -> None:
    grown = dc.fun(lambda x: dc.while_loop(lambda size: size < 9.0, lambda size: size * x, 1.0))
    assert "while size < 9.0:" in grown.source(2.0)
