"""What the words of the language say of wrong arguments: each test is the sentence of a defect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import diffcurry as dc
from combinators.errors import ImmutableValue, MissingRule, ShapeMismatch, TooDeep, TypeMismatch
from combinators.objects import Real, Tensor
from combinators.terms import Proj, Var

X, HUGE = np.arange(3.0), 10**12


def traced(f: Callable[..., Any], at: Any = X) -> Callable[[], Any]:
    return lambda: dc.fun(f)(at)


def refused(error: type[Exception], text: str, run: Callable[[], Any]) -> None:
    with pytest.raises(error, match=text):
        run()


COUNTS = {
    "sin takes 1 argument, and was given 2": lambda: dc.sin(1.0, 2.0),
    "maximum takes 2 arguments, and was given 3": lambda: dc.maximum(1.0, 2.0, 3.0),
    "add takes 2 arguments, and was given 1": lambda: dc.add(1.0),
    "sin takes 1 argument, and was given 0": lambda: dc.sin(),
}


@pytest.mark.parametrize("says", COUNTS)
def test_pointwise_functions_count_their_arguments(says: str) -> None:
    refused(TypeMismatch, says, COUNTS[says])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_numpys_out_argument_is_refused() -> None:
    refused(ImmutableValue, "drop out=", traced(lambda x: np.maximum(x, x, x)))
    refused(ImmutableValue, "drop out=", traced(lambda x: np.sin(x, out=x)))


NAMED = {
    r"transpose: axes \(0, 1\)": lambda x: np.transpose(x, (0, 1)),
    "no reshape to": lambda x: np.reshape(x, (2, 2)),
    "take: the index 7": lambda x: np.take(x, 7),
    "take: axis 4": lambda x: np.take(x, 1, axis=4),
    "a gather of shape": lambda x: dc.gather((3, 4), x, lambda i: i),
    "add: the shapes": lambda x: x + np.ones(2),
    "broadcast_to: ": lambda x: np.broadcast_to(x, (2, 2)),
    "hstack: the shapes": lambda x: np.hstack([x, np.ones((3, 3))]),
    "sum: axis 3": lambda x: np.sum(x, axis=3),
    "map runs over": lambda x: dc.map(lambda a, b: a + b, x, np.ones(4)),
    "fold runs over": lambda x: dc.fold(lambda c, r: c + r, 0.0, x[0]),
    "fold carries Real from step to step": lambda x: dc.fold(lambda c, r: (c, r), 0.0, x),
    "scan takes f": lambda x: dc.scan(lambda c, r: c + r, 0.0, x),
    "squeeze: axis 0": lambda x: dc.map(lambda r: np.squeeze(np.stack([r, r]), 0), x),
}


@pytest.mark.parametrize("says", NAMED)
def test_errors_name_the_operation(says: str) -> None:
    refused((ShapeMismatch, TypeMismatch), says, traced(NAMED[says]))  # type: ignore[arg-type]


def test_proj_of_what_is_no_product_says_so() -> None:
    refused(TypeMismatch, "proj takes a component of a product", lambda: Proj(0, Var("x", Real)))


LARGE = {
    "build": lambda: dc.build(HUGE, lambda i: dc.sin(1.0 * i)),
    "iota": lambda: dc.iota(HUGE),
    "broadcast_to": lambda: dc.broadcast_to(1.0, HUGE),
    "outer": traced(lambda x: np.outer(x, x), np.ones(10**6)),
    "scatter": lambda: dc.scatter(HUGE, X, lambda i: i),
    "replicate": lambda: dc.replicate(HUGE, 1.0),
    "np.zeros": traced(lambda x: np.zeros(HUGE) + x, 1.0),
    "np.ones": traced(lambda x: np.ones((10**6, 10**6)) * x, 1.0),
    "np.full": traced(lambda x: np.full(HUGE, 2.0) * x, 1.0),
    "np.eye": traced(lambda x: np.eye(10**6) * x, 1.0),
    "np.arange": traced(lambda x: np.arange(HUGE) * x, 1.0),
    "range": traced(lambda x: dc.map(lambda i: i * x, range(HUGE)), 1.0),
    "broadcast and summed": traced(lambda x: np.sum(np.broadcast_to(x, HUGE)), 1.0),
    "matmul": traced(lambda x: x[:, None] @ x[None, :], np.ones(10**6)),
    "stack of a loop": traced(
        lambda x: dc.scan(lambda c, i: (c, c), x, range(10**6)), np.ones(10**6)
    ),
    "stack of a gradient": lambda: dc.grad(grown)(1.0),
    "jacobian": lambda: dc.jacobian(np.sin)(np.ones(10**6)),
    "hessian": lambda: dc.hessian(lambda x: np.sum(x * x))(np.ones(10**6)),
}


def grown(x: Any) -> Any:
    """It keeps the carry of each of a million steps."""
    return np.sum(dc.fold(lambda c, i: np.sin(c) * x, np.zeros(10**6) + x, range(10**6)))


@pytest.mark.parametrize("word", LARGE)
def test_sizes_beyond_memory_are_refused_before_allocation(word: str) -> None:
    refused(ShapeMismatch, f"{HUGE} elements, {8 * HUGE} bytes", LARGE[word])


def test_a_part_of_what_no_memory_holds_is_computed() -> None:
    assert dc.fun(lambda x: dc.build(HUGE, lambda i: x * i)[7])(2.0) == 14.0


def test_extents_are_integers_and_as_large_as_an_index() -> None:
    refused(TypeMismatch, "a tuple of integers", lambda: Tensor((2.5,)))  # type: ignore[arg-type]
    refused(TypeMismatch, "a shape is of integers", traced(lambda x: np.reshape(x, (2.7,))))
    refused(ShapeMismatch, "below 2..63", lambda: dc.replicate(10**23, 1.0))
    refused(ShapeMismatch, "below 2..63", lambda: Tensor((2**70,)))
    twice = traced(lambda x: dc.replicate(2**32, dc.replicate(2**32, x)), 1.0)
    refused(ShapeMismatch, f"{2**64} elements", twice)


def test_a_shape_is_no_text() -> None:
    refused(TypeMismatch, "a tuple of integers as its shape, not '34'", lambda: Tensor("34"))  # type: ignore[arg-type]


def test_changing_an_array_in_place_says_what_to_write() -> None:
    def accumulated(x: Any) -> Any:
        total = seen = np.zeros(3)
        total += x
        return total + seen

    def stored(x: Any) -> Any:
        out = np.zeros(3)
        for i in range(3):
            out[i] = x[i]
        return out

    refused(ImmutableValue, r"write a = a \+ x", traced(accumulated))
    refused(ImmutableValue, r"set_at", traced(stored))


def test_a_mask_that_is_known_while_tracing_works() -> None:
    mask, grid = np.array([True, False, True]), np.eye(3) > 0
    np.testing.assert_array_equal(traced(lambda x: x[mask])(), X[mask])
    np.testing.assert_array_equal(traced(lambda x: np.outer(x, x)[grid])(), np.outer(X, X)[grid])
    gradient = dc.grad(lambda x: np.sum(x[mask] ** 2))(X)
    np.testing.assert_array_equal(gradient, [0.0, 0.0, 4.0])
    refused(ShapeMismatch, "a mask of extent 2", traced(lambda x: x[mask[:2]]))
    refused(TypeMismatch, "booleans that are computed", traced(lambda x: x[x > 0]))


def test_a_function_of_another_library_says_the_languages_own() -> None:
    class Ufunc:
        __name__ = "erf"

    def scipys(x: Any) -> Any:
        return x.__array_ufunc__(Ufunc(), "__call__", x)

    refused(MissingRule, r"write dc\.erf", traced(scipys))


def test_methods_say_what_they_take() -> None:
    refused(TypeMismatch, "x.flatten .*'order'", traced(lambda x: x.flatten(order="F")))
    refused(TypeMismatch, "too many positional arguments", traced(lambda x: np.sum(x, 1, None, 3)))
    refused(ShapeMismatch, "a number takes no index, and this has 1", traced(lambda x: x[0], 1.0))


@pytest.mark.parametrize("depth", [250, 2000])
def test_containers_too_deep_are_an_error_that_says_so(depth: int) -> None:
    def nested(x: Any) -> Any:
        for _ in range(depth):
            x = (x,)
        return x

    refused(TooDeep, "deeper than", lambda: dc.fun(nested)(1.0))
    refused(TooDeep, "deeper than", lambda: dc.grad(lambda p: 1.0)(nested(1.0)))
