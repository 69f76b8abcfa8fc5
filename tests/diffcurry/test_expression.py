"""Expressions that somebody typed: parsed, never evaluated by Python."""

import inspect
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import diffcurry as dc
from combinators.errors import DiffcurryError
from diffcurry.expression import BadExpression, functions, parse


def names(text):
    return list(inspect.signature(parse(text)).parameters)


def value(text, *args):
    return dc.fun(parse(text))(*args)


def test_the_parameters_are_the_free_names_in_order():
    assert names("sin(x*y) + x**2") == ["x", "y"]
    assert names("b + a*b - pi + c if d < 0 else e") == ["b", "a", "c", "d", "e"]
    assert names("2 + inf") == []
    assert names("\n  é*x_1\n") == ["é", "x_1"]


@pytest.mark.parametrize(
    "text",
    [
        "sin(x*y) + x**2",
        "x + 2*y - x/y + -x**2 - +y",
        "x // y + x % y",
        "x**y**0.5",
        "(x - y) - (y - x) - 1",
        "exp(-abs(x)) * log(y) + sqrt(y) / 3",
        "maximum(x, y) - minimum(x, 2.5e0) + arctan2(x, y)",
        "x - y - 0x10 + 1_000",
        "pi * x / y",
    ],
)
def test_it_means_what_python_means(text):
    from_numpy = {name: getattr(np, name) for name in functions() if hasattr(np, name)}
    expected = eval(text, {}, {**from_numpy, "x": 1.25, "y": 0.75, "pi": math.pi})  # noqa: S307
    assert value(text, 1.25, 0.75) == pytest.approx(expected, rel=1e-14)


def test_conditions():
    assert value("x if 0 < x <= 1 else -x", 0.5) == 0.5
    assert value("x if 0 < x <= 1 else -x", 2.0) == -2.0
    assert value("1.0 if not x < 0 and x != 3 or x == -1 else 0.0", -1.0) == 1.0
    assert value("1.0 if not x < 0 and x != 3 or x == -1 else 0.0", 3.0) == 0.0
    assert value("log(x) if x > 0 else x", -1.0) == -1.0


def test_arrays_and_tuples():
    x, y = np.arange(6.0).reshape(2, 3), np.ones(3)
    assert value("sum(x[0] * y)", x, y) == 3.0
    np.testing.assert_array_equal(value("x[1, ::-1]", x), x[1, ::-1])
    np.testing.assert_array_equal(value("x[-1:, 1:2]", x), x[-1:, 1:2])
    np.testing.assert_array_equal(value("x[[0, 0], i]", x, np.array([1, 2])), x[[0, 0], [1, 2]])
    np.testing.assert_array_equal(value("sum(x, axis=0, keepdims=True)", x), [[3, 5, 7]])
    np.testing.assert_array_equal(value("x @ y", x, y), x @ y)
    np.testing.assert_array_equal(value("stack([y, y + 1])", y), np.stack([y, y + 1]))
    assert value("(x, (y, 2))", 1.0, 3.0) == (1.0, (3.0, 2.0))
    assert value("p[1] * p[0]", (2.0, 3.0)) == 6.0


def test_derivatives():
    x, y = dc.grad(parse("sin(x*y) + x**2"), argnums=(0, 1))(2.0, 3.0)
    assert x == pytest.approx(3 * math.cos(6) + 4)
    assert y == pytest.approx(2 * math.cos(6))


HOSTILE = {
    "__import__('os').system('true')": "column 1: the call of anything but a function",
    "__import__(x)": "column 1: there is no function __import__ in the language",
    "eval(x)": "there is no function eval",
    "x.__class__": "column 1: x.name, the attribute of a value,",
    "1 + x.real": "column 5: x.name",
    "lambda: 1": "a lambda is not",
    "[a for a in x]": "a comprehension is not",
    "{a for a in x}": "a comprehension is not",
    "{a: a for a in x}": "a comprehension is not",
    "sum(a for a in x)": "column 4: a comprehension is not",
    "f'{x}'": "an f-string is not",
    "(x := 1)": "column 2: the assignment := is not",
    "x; y": "column 2: this is no expression",
    "x = 1": "column 3: this is no expression",
    "import os": "this is no expression",
    "await x": "await is not",
    "(yield x)": "yield is not",
    "{x}": "a set is not",
    "{x: x}": "a dict is not",
    "x << 2": "the operator LShift is not",
    "x in y": "comparisons are",
    "x is y": "comparisons are",
    "'a'": "literals are numbers, and this is 'a'",
    "b'a'": "literals are numbers",
    "1j": "literals are numbers",
    "...": "literals are numbers",
    "None": "literals are numbers",
    "x[None]": "column 3: literals are numbers",
    "9" * 30: "the integer is too large",
    "9" * 5000: "an integer is too large",
    "y + 10**20*x": "column 5: the integer is too large; write a float, as 1e20",
    "2**64*x": "column 1: the integer is too large",
    "x**2**3**4": "column 4: the integer is too large",
    "9**9**9**9*x": "column 4: the integer is too large",
    "x + 7**7**7**7 * 9**999999999": "the integer is too large",
    "(2**53 + 1) * x": "column 2: the integer is too large",
    "(-3)**9007199254740992 + x": "column 1: the integer is too large",
    "1e999": "the number is too large",
    "sin(*x)": r"column 5: \*, which unpacks",
    "sin(**x)": "arguments are written one by one",
    "sin(x)(y)": "the call of anything but a function",
    "sin": "sin is a function: write sin",
    "sn(x)": "there is no function sn in the language; did you mean sin",
    "sin(x, y)": "sin takes 1 argument, and has 2 here",
    "sigmoid(x, y, z)": "sigmoid takes 1 argument, and has 3 here",
    "arctan2(x)": "arctan2 takes 2 arguments, and has 1 here",
    "broadcast_to(x, (1000000, 1000000))": "there is no function broadcast_to",
    "fold(sin, x, x)": "there is no function fold",
    "": "column 1: this is no expression",
    "x +": "this is no expression",
    "x\0y": "this is no expression",
    "1or x": "this is no expression",
    "(" * 10_000: "this is no expression",
    "(" * 5000 + ")" * 5000: "this is no expression",
    "-" * 9_999 + "x": "nested deeper than 50 levels",
    "not " * 2_000 + "x": "nested deeper than 50 levels",
    "x" + "**x" * 3_000: "nested deeper than 50 levels",
    "x" + "+x" * 4_999: "nested deeper than 50 levels",
    "sin(" * 60 + "x" + ")" * 60: "column 201: the expression is nested deeper",
    "x if x > 0 else " * 60 + "x": "nested deeper than 50 levels",
    "x" + " " * 10_000: "column 10001: the text has 10001 characters",
}


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_refused(text):
    with pytest.raises(BadExpression, match=HOSTILE[text]) as caught:
        parse(text)
    assert isinstance(caught.value, DiffcurryError)
    assert f"column {caught.value.column}: " in str(caught.value)


WRONG = {
    "1 + sum(x, axis=7)": "column 5: sum: axis 7",
    "y + x[5, 5, 5]": "column 5:",
    "y + sum(x, wrong=1)": "column 5: .*wrong",
    "x if y else x": "column 1: cond chooses by a Bool",
    "2.0 * (x & y)": "column 8: logic",
    "y[1.5]": "column 1:",
    "1.0[y] + x": "column 1:",
    "reshape(x, (2, 2)) + y": "column 1:",
    "reshape(x, y)": "column 1:",
    "0 ** -1 + x + y": "column 1: an integer has no integer power",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_fails_at_the_types(text):
    with pytest.raises(BadExpression, match=WRONG[text]):
        value(text, *[np.ones(3)] * len(names(text)))


def test_long_chains_and_deep_conditions():
    assert value("x" + "+x" * 500, 1.0) == 501.0
    assert value("x if x < 0 else " * 45 + "2*x", 1.0) == 2.0
    assert value("sin(" * 45 + "x" + ")" * 45, 0.0) == 0.0


def test_arithmetic_of_integers_is_pythons():
    assert value("2**-1 * x", 3.0) == 1.5
    assert value("2**53 - 3**2 * x", 1.0) == 2**53 - 9
    assert value("(-1)**9007199254740991 * x", 2.0) == -2.0
    assert value("-7 // 2 + -7 % 4 * x + 2**--3", 1.0) == -4 + 1 + 8
    assert value("x**-2", 2.0) == 0.25
    assert value("x[3 - 2**2]", np.arange(3.0)) == 2.0


def test_an_integer_literal_is_a_real_where_it_meets_one():
    assert "convert" not in str(dc.fun(parse("7//2*x")).program(1.0))


SIGNS = st.sampled_from(["+", "-", "*", "//", "%", "**"])


def _of_two(parts):
    return st.tuples(parts, SIGNS, parts).map(lambda three: f"({' '.join(three)})")


@given(st.recursive(st.integers(0, 40).map(str), _of_two, max_leaves=6))
def test_what_is_said_of_integers_is_what_python_says(text):
    try:
        found = value(f"x + 0.0 * x if x < 0 else {text} * 1.0", 1.0)
    except BadExpression:
        return
    try:
        expected = eval(text)  # noqa: S307
    except ArithmeticError:
        return
    assert found == expected or not isinstance(expected, int)


WORDS = st.sampled_from(
    [*"xyz0123456789+-*/%()[],.<>=!&|^~:'\"{}@ \n\\", "sin", "sum", " if ", " else ", "lambda "]
)


@given(st.lists(WORDS, max_size=30).map("".join))
def test_any_text_is_a_function_or_an_error_of_ours(text):
    try:
        parse(text)
    except BadExpression as error:
        column = error.column
    else:
        column = 1
    assert 1 <= column <= len(text) + 2
