"""``reduce`` and the scans: 000's programs, in every mode, against the loops that they mean."""

import functools
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import mpmath
import numpy as np
import pytest

import diffcurry as dc
from combinators.errors import NotAssociative, TypeMismatch
from combinators.kit.tree import distinct_nodes
from combinators.primitives.loops import is_associative, is_map, loop_of
from diffcurry import Tensor
from tests.evidence.programs.ways import EXACT, run

RANDOM = np.random.default_rng(0)
WORDS = {"reduce": dc.reduce, "scanl": dc.scanl, "scanr": dc.scanr}


def affine(f, g):
    """First f, then g, of ``x ↦ a x + b``."""
    return f[0] * g[0], g[0] * f[1] + g[1]


def drawn(*shape: int) -> Any:
    return RANDOM.uniform(0.7, 1.1, shape)


class Operator(NamedTuple):
    """An associative operator that may capture t, its unit, and how rows are drawn."""

    op: Callable[[Any], Any]
    unit: Any
    rows: Callable[[int], Any] = drawn


OPERATORS = {
    "+": Operator(lambda t: np.add, 0.0),
    "×": Operator(lambda t: np.multiply, 1.0),
    "max": Operator(lambda t: np.maximum, -np.inf),
    "u + v + t u v": Operator(
        lambda t: lambda u, v: u + v + t * u * v, 0.0, lambda n: drawn(n) / 9
    ),
    "affine maps composed": Operator(lambda t: affine, (1.0, 0.0), lambda n: (drawn(n), drawn(n))),
    "2×2 matrices": Operator(lambda t: np.matmul, np.eye(2), lambda n: drawn(n, 2, 2) / 2),
}


def total(value: Any) -> Any:
    """One number of what a word gives, that minds which number stands where."""
    parts = value if isinstance(value, tuple) else (value,)
    weights = [np.cos(np.arange(1.0, 1 + np.size(part))) for part in parts]
    return sum(np.sum(np.sin(np.ravel(p)) * w) for p, w in zip(parts, weights, strict=True))


def by_loops(word: str, op: Any, unit: Any, xs: Any) -> Any:
    """What the word means, written with the loops."""
    if word == "reduce":
        return dc.fold(op, unit, xs)
    reverse = word == "scanr"
    last, rows = dc.scan(
        lambda c, x: ((op(x, c) if reverse else op(c, x)), c), unit, xs, reverse=reverse
    )

    def joined(row: Any, stack: Any) -> Any:
        one = np.reshape(row, (1, *np.shape(row)))
        return np.concatenate([one, stack] if reverse else [stack, one])

    if isinstance(last, tuple):
        return tuple(map(joined, last, rows))
    return joined(last, rows)


def numbers(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [number for part in value for number in numbers(part)]
    return [np.asarray(value)]


def agree(found: Any, true: Any, rtol: float = 1e-9) -> None:
    for x, y in zip(numbers(found), numbers(true), strict=True):
        np.testing.assert_allclose(x, y, rtol=rtol, atol=rtol)


MODES: dict[str, Callable[[Any, Any], Any]] = {
    "values": lambda f, args: dc.fun(f)(*args),
    "grad": lambda f, args: dc.grad(f, argnums=(0, 1))(*args),
    "simple": lambda f, args: dc.vjp(f, *args, mode="simple")[1](1.0),
    "jvp": lambda f, args: dc.jvp(f, args, args),
    "hvp": lambda f, args: dc.hvp(f, args, args, argnums=(0, 1)),
    "grad of grad": lambda f, args: dc.grad(lambda t: dc.grad(f)(t, args[1]))(args[0]),
}


GENERAL = [name for name, operator in OPERATORS.items() if name not in ("+", "×", "max")]


def same(name: str, word: str, mode: str, length: int) -> None:
    op, unit, rows = OPERATORS[name]
    args = 0.3, rows(length)
    agree(
        MODES[mode](lambda t, xs: total(WORDS[word](op(t), unit, xs)), args),
        MODES[mode](lambda t, xs: total(by_loops(word, op(t), unit, xs)), args),
        rtol=1e-7,
    )


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("name", OPERATORS)
def test_a_word_is_the_loop_that_it_means_at_every_length(name, word):
    for length in (0, 1, 2, 3, 7, 300):
        same(name, word, "values", length)
    for length in (0, 1, 5):
        same(name, word, "grad", length)


@pytest.mark.parametrize("mode", list(MODES)[2:])
@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("name", GENERAL)
def test_a_word_is_the_loop_that_it_means_in_every_mode(name, word, mode):
    same(name, word, mode, 3)


@pytest.mark.slow
@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("name", GENERAL)
def test_gradients_over_many_rows(name, word):
    same(name, word, "grad", 300)


def test_the_gradient_of_the_papers_example_is_right_where_the_figure_as_printed_is_not():
    """For u + v + xuv at x = 0.3 Fig. 13 gives 19.48."""
    a = np.array([0.5, 1.2, 0.7, 2.0])

    def combined(x, a):
        return dc.reduce(lambda u, v: u + v + x * u * v, 0.0, a)

    assert dc.grad(combined)(0.3, a) == pytest.approx(9.2168)
    with mpmath.workdps(40):

        def exact(x):
            product = mpmath.mpf(1)
            for number in a:
                product *= 1 + x * mpmath.mpf(float(number))
            return (product - 1) / x

        assert float(mpmath.diff(exact, mpmath.mpf("0.3"))) == pytest.approx(9.2168)


def matmul(a, b):
    """The product of two lists of rows."""
    return [
        [sum(x * y for x, y in zip(row, column, strict=True)) for column in zip(*b, strict=True)]
        for row in a
    ]


PAPERS = {
    "+": (np.add, 0.0, lambda a, b: a + b),
    "×": (np.multiply, 1.0, lambda a, b: a * b),
    "max": (np.maximum, -np.inf, max),
    "affine maps composed": (affine, (1.0, 0.0), affine),
    "2×2 matrices": (np.matmul, np.eye(2), matmul),
}


def flat(value: Any) -> list[Any]:
    if isinstance(value, list | tuple | np.ndarray):
        return [number for part in value for number in flat(part)]
    return [value]


@pytest.mark.parametrize("length", [1, 4, 9])
@pytest.mark.parametrize("name", PAPERS)
def test_the_papers_reduces_have_the_gradients_of_forty_digits(name, length):
    op, unit, exact = PAPERS[name]
    rows = OPERATORS[name].rows(length)

    def combined(xs):
        return sum(np.sin(np.sum(p)) for p in numbers_in(dc.reduce(op, unit, xs)))

    def numbers_in(value):
        return value if isinstance(value, tuple) else (value,)

    found = flat(dc.grad(combined)(rows))
    with mpmath.workdps(40):
        given = [mpmath.mpf(number) for number in flat(rows)]

        def at(index, number):
            moved = [number if i == index else x for i, x in enumerate(given)]
            if name == "affine maps composed":
                each = list(zip(moved[:length], moved[length:], strict=True))
            elif name == "2×2 matrices":
                each = [[moved[i : i + 2], moved[i + 2 : i + 4]] for i in range(0, 4 * length, 4)]
            else:
                each = moved
            whole = functools.reduce(exact, each)
            parts = whole if isinstance(whole, tuple) else (whole,)
            return sum(mpmath.sin(sum(flat(part) if name[0] == "2" else [part])) for part in parts)

        true = [mpmath.diff(functools.partial(at, i), x, h=1e-18) for i, x in enumerate(given)]
    agree(tuple(found), tuple(map(float, true)))


def test_the_gradients_of_the_papers_introduction():
    xs, two = Tensor((5,)), (Tensor((5,)), Tensor((5,)))
    prod = dc.grad(dc.fun(lambda a: dc.reduce(np.multiply, 1.0, a), xs))
    assert "exclusive_cumprod[axis=0] a * exclusive_cumprod[axis=0, reverse=True] a" in str(
        prod.program()
    )
    dot = dc.grad(dc.fun(lambda a, b: dc.reduce(np.add, 0.0, dc.map2(np.multiply, a, b)), *two))
    assert repr(dot.program().lam.body) == "b"


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("name", ["u + v + t u v", "affine maps composed", "2×2 matrices"])
def test_derivatives_are_scans_and_maps(name, word):
    op, unit, rows = OPERATORS[name]
    gradient = dc.grad(lambda t, xs: total(WORDS[word](op(t), unit, xs)), argnums=(0, 1))
    lam = gradient.program(0.3, rows(5)).lam
    loops = [node for node in distinct_nodes(lam) if loop_of(node) is not None]
    assert any(map(is_associative, loops))
    assert all(is_associative(loop) or is_map(loop) for loop in loops)


@pytest.mark.parametrize("name", ["u + v + t u v", "affine maps composed", "2×2 matrices"])
def test_what_runs_has_no_loop_over_many_rows(name):
    op, unit, rows = OPERATORS[name]
    for word in WORDS.values():
        program = dc.fun(lambda t, xs, word=word: total(word(op(t), unit, xs))).program(
            0.3, rows(999)
        )
        loops = filter(None, map(loop_of, distinct_nodes(program.bulk)))
        assert all(loop.types.length < 100 for loop in loops)


def test_the_order_of_rows_is_kept():
    words = [
        dc.fun(lambda xs, w=w: w(lambda a, b: b, -1.0, xs, check=False)) for w in WORDS.values()
    ]
    for n in (1, 2, 3, 300):
        xs = np.arange(float(n))
        assert words[0](xs) == n - 1
        agree(words[1](xs), [-1, *xs])
        agree(words[2](xs), [-1.0] * (n + 1))


def test_over_exact_numbers():
    lam = (
        dc.fun(lambda xs: dc.reduce(lambda u, v: u + v + u * v, 0.0, xs), Tensor((3,)))
        .program()
        .lam
    )
    thirds = np.array([Fraction(1, 3)] * 3, dtype=object)
    assert run(lam, (thirds,), EXACT) == Fraction(4, 3) ** 3 - 1


def test_as_a_formula():
    f = dc.fun(lambda xs: dc.reduce(lambda u, v: u + v + u * v, 0.0, xs), Tensor((2,)))
    assert str(f.program().formula().expand()) == "xs_0*xs_1 + xs_0 + xs_1"


def test_words_of_000_beside_them():
    xs = np.array([1.0, 2.0, 3.0])
    assert dc.foldl(lambda c, x: c - x, 0.0, xs) == -6.0
    assert dc.foldr(lambda x, c: x - c, 0.0, xs) == 2.0
    agree(dc.map2(np.multiply, xs, xs), xs * xs)
    agree((dc.shift_left(xs), dc.shift_right(xs)), (xs[1:], xs[:2]))
    agree(dc.shift_left((xs, xs)), (xs[1:], xs[1:]))
    agree((dc.shift_left(xs[:0]), dc.shift_right(xs[:0])), (xs[:0], xs[:0]))
    assert dc.fold(lambda c, x: x, 0.0, xs, reverse=True) == 1.0


def test_one_inside_another_and_inside_a_map():
    square = drawn(3, 4)

    def nested(xs):
        return dc.reduce(
            np.multiply, 1.0, dc.map(lambda r: dc.reduce(affine, (1.0, 0.0), (r, r))[1], xs)
        )

    def loops(xs):
        return np.prod(dc.map(lambda r: dc.fold(affine, (1.0, 0.0), (r, r))[1], xs))

    agree(
        (nested(square), dc.grad(nested)(square)), (dc.fun(loops)(square), dc.grad(loops)(square))
    )


ROWS = np.ones(3)
WRONG = {
    "another type than its arguments": (
        lambda: dc.reduce(lambda a, b: (a, b), 0.0, ROWS),
        "Real × Real",
    ),
    "a Boolean": (lambda: dc.reduce(lambda a, b: a > b, 0.0, ROWS), "Bool"),
    "a unit of another type": (lambda: dc.reduce(np.add, (0.0, 1.0), ROWS), "Real × Real"),
    "rows of another type": (lambda: dc.scanl(np.add, 0.0, np.ones((3, 2))), "Tensor[2]"),
    "no rows": (lambda: dc.reduce(np.add, 0.0, 3.0), "Real"),
    "no function": (lambda: dc.scanr(3, 0.0, ROWS), "3"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_named(what):
    wrong, said = WRONG[what]
    with pytest.raises(
        (TypeMismatch, ValueError), match=r"test_reduce\.py:\d+: .*(reduce|scan)"
    ) as error:
        wrong()
    assert said in str(error.value)


UNLAWFUL = {
    "minus": (lambda a, b: a - b, 0.0, "not associative: for a = 2, b = 1, c = 0.5"),
    "a mean": (lambda a, b: (a + b) / 2, 0.0, "not associative"),
    "it saturates": (lambda a, b: np.clip(a + b, -100.0, 100.0), 0.0, "not associative"),
    "from another number": (
        lambda a, b: a + b + a * b,
        1.0,
        "1 is no unit: for a = 2 op(unit, a) is 5",
    ),
    "from the right only": (lambda a, b: a, 0.0, "no unit"),
    "a product from 2": (np.multiply, 2.0, "2 is no unit"),
    "a largest number from 0": (np.maximum, 0.0, "0 is no unit"),
}


@pytest.mark.parametrize("what", UNLAWFUL)
def test_an_operator_is_asked_for_the_laws_at_the_door(what):
    op, unit, said = UNLAWFUL[what]
    with pytest.raises(NotAssociative, match=r"test_reduce\.py:\d+: scanl combines") as error:
        dc.fun(lambda xs: dc.scanl(op, unit, xs)).program(ROWS)
    assert said in str(error.value)
    dc.fun(lambda xs: dc.scanl(op, unit, xs, check=False)).program(ROWS)


def test_what_an_operator_captures_is_drawn_too():
    with pytest.raises(NotAssociative, match=r"t = 3"):
        dc.grad(lambda t: dc.reduce(lambda a, b: a + t * b, 0.0, ROWS))(1.0)


LAWFUL = {
    "log of a sum": (np.logaddexp, -np.inf, ROWS),
    "velocities": (lambda a, b: (a + b) / (1 + a * b), 0.0, ROWS / 9),
    "floats of 32 bits": (lambda a, b: a + b + a * b, 0.0, ROWS.astype(np.float32)),
    "whole numbers": (lambda a, b: a * b, 1, np.arange(1, 4)),
    "Booleans": (lambda a, b: np.logical_or(a, b), False, ROWS > 0),
    "a record": (
        lambda a, b: {"n": a["n"] + b["n"], "most": np.maximum(a["most"], b["most"])},
        {"n": 0, "most": -np.inf},
        {"n": np.arange(3), "most": ROWS},
    ),
}


@pytest.mark.parametrize("what", LAWFUL)
def test_lawful_operators_pass(what):
    op, unit, xs = LAWFUL[what]
    found, true = dc.reduce(op, unit, xs), dc.fold(op, unit, xs)
    agree(*((tuple(x.values()) if isinstance(x, dict) else x) for x in (found, true)), rtol=1e-5)


def by_word(word: str, *args: Any) -> Any:
    return WORDS[word](*args)


def slope_of_the_start(make: Any, word: str, name: str, xs: Any) -> Any:
    op, unit, _ = OPERATORS[name]

    def of(t):
        start = tuple(u + t for u in unit) if isinstance(unit, tuple) else unit + t
        return total(make(word, op(0.3), start, xs))

    return dc.grad(of)(0.2)


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("name", GENERAL)
def test_derivatives_do_not_need_the_unit_to_be_one(name, word):
    """A start that is an argument is asked nothing, and has a cotangent."""
    for length in (0, 1, 4):
        given = word, name, OPERATORS[name].rows(length)
        agree(slope_of_the_start(by_word, *given), slope_of_the_start(by_loops, *given), rtol=1e-7)
