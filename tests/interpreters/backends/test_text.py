"""What all writers of text share: expressions, statements, helpers, and types that are walked."""

from typing import NamedTuple

import numpy as np
import pytest

from combinators.objects import Fun, Product, Real, Tensor, Vector
from interpreters.backends.text.layout import (
    ATOM,
    OPERATORS,
    PLUS,
    TIMES,
    Assign,
    Bracketed,
    Clause,
    Do,
    definition,
    filled_in,
    slice_text,
    without_unused,
)
from interpreters.backends.text.leaves import MOST, is_broad, leaf_types
from interpreters.backends.text.module import by_name, needed
from tests.interpreters.backends.terms import DEEP


class Operand(NamedTuple):
    text: str
    level: int


def test_parentheses_stand_where_they_are_needed():
    total, name = Operand("a + b", PLUS), Operand("c", ATOM)
    assert filled_in(OPERATORS["subtract"], (total, total)) == "a + b - (a + b)"
    assert filled_in(OPERATORS["multiply"], (total, name)) == "(a + b) * c"
    assert filled_in(OPERATORS["negative"], (Operand("a * b", TIMES),)) == "-(a * b)"
    assert filled_in(OPERATORS["less"], (Operand("a < b", OPERATORS["less"].level), name)) == (
        "(a < b) < c"
    )


def test_what_nothing_needs_is_left_out_and_then_what_only_that_needed():
    inner = Clause("if ", "p", [Assign(("d",), "c")])
    body = [
        Assign(("a",), "x"),
        Assign(("b", "e"), "f(a)"),
        Assign(("p",), "x > 0"),
        Assign(("c",), "b"),
        inner,
        Do("b", "return "),
    ]
    kept = without_unused(body)
    assert kept == [Assign(("a",), "x"), Assign(("b", "_"), "f(a)"), Do("b", "return ")]


def test_a_function_among_statements_stands_between_empty_lines():
    step = Clause("def ", Bracketed("step(", ("c",), ")"), [Do("c", "return ")])
    body = [step, Assign(("y",), "step(x)"), Do("y", "return ")]
    assert definition("f", ("x",), body, 'A "doc"', "@jit") == (
        '@jit\ndef f(x):\n    """A \'doc\'"""\n\n    def step(c):\n        return c\n\n'
        "    y = step(x)\n    return y"
    )
    condition = Clause("if ", "x", [Do("x.pop()")])
    assert definition("f", ("x",), [condition, Do("x", "return ")]) == (
        "def f(x):\n    if x:\n        x.pop()\n    return x"
    )


def test_helpers_bring_those_that_they_need_in_their_own_order():
    helpers = by_name(
        "def _a(x):\n    return x\n\n\ndef _b2(x):\n    return _a(x)\n", "def _c(x): x\n"
    )
    assert needed(helpers, "y = _b2(1)") == [helpers["_a"], helpers["_b2"]]
    assert needed(helpers, "y = _b(1) + a_c") == []


@pytest.mark.parametrize("step", [1, 2, 3, -1, -2])
def test_windows_are_what_they_say(step):
    for start in range(5):
        count = 1
        while 0 <= start + step * (count - 1) < 5:
            text = slice_text((start,), (step,), (count,), (5,))
            window = start + step * np.arange(count)
            np.testing.assert_array_equal(eval(f"np.arange(5)[{text}]"), window)  # noqa: S307
            count += 1
    assert slice_text((0, 2, 0), (1, 1, 1), (4, 1, 3), (4, 5, 3), drop=True) == ":, 2"


def test_types_are_walked_as_dags_and_measured_as_trees():
    assert list(leaf_types([DEEP])) == [Real]
    vector = Vector(Fun(Real, Real), 2)
    assert set(leaf_types([Product(Real, Product(vector, Tensor((2,))))])) == {
        Real,
        vector,
        Tensor((2,)),
    }
    assert is_broad(DEEP)
    assert is_broad(Product(*[Real] * (MOST - 1)))
    assert not is_broad(Product(*[Real] * (MOST - 2)))
