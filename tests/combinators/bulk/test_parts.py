"""A part of what is built costs what the part costs, forwards and backwards; counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import diffcurry as dc
from diffcurry.decorator import fun
from tests.combinators.bulk.running import in_bulk, operations


def cube(u: Any) -> Any:
    """An element: three products and a sine."""
    n = u.shape[0]
    return dc.build((n, n, n), lambda i, j, k: np.sin(u[i] * u[j]) * u[k] * 2.0)


def _high(x: Any) -> Any:
    for _ in range(10):
        x = np.tanh(x)
    return x


ELEMENTS: dict[str, Callable[[Any], Any]] = {
    "static": lambda u: cube(u)[1, 2, 3],
    "axis by axis": lambda u: cube(u)[1][2][3],
    "from the end": lambda u: cube(u)[-1, 0, -2],
    "traced": lambda u: cube(u)[np.argmax(u), 1, 0],
    "of what is made of it": lambda u: np.transpose(np.exp(cube(u)) + 1.0)[0, 1, 2],
    "reshaped": lambda u: np.reshape(cube(u), -1)[5],
    "of a high expression": lambda u: _high(cube(u))[1, 2, 3],
    "of a branch": lambda u: dc.cond(u[0] > 0, lambda: cube(u), lambda: -cube(u))[0, 1, 2],
    "of a window": lambda u: cube(u)[1:, ::-1][0, 0, 0],
    "at a table": lambda u: np.sum(cube(u)[[0, 1], [1, 2], 3]),
    "of a map of a build": lambda u: dc.map(np.tanh, dc.build(u.shape[0], lambda i: u[i] * 3.0))[2],
}


@pytest.mark.parametrize("name", ELEMENTS)
def test_an_element_costs_what_one_costs(name: str) -> None:
    reports = [fun(ELEMENTS[name]).cost(np.linspace(0.1, 1.0, n)) for n in (6, 60)]
    small, large = (report.program.total for report in reports)
    search = 60 - 6 if name == "traced" else 0
    assert large == small + search
    small, large = (report.gradient.total for report in reports if report.gradient)
    # cotangents of several elements of u are added up in an array of its size, at most so often
    assert large <= small + search + 4 * (60 - 6)


def test_a_whole_that_does_not_fit_into_memory() -> None:
    u = np.linspace(0.1, 1.0, 10_000)

    def element(u: Any) -> Any:
        return cube(u)[1, 2, 3]

    wanted = np.sin(u[1] * u[2]) * u[3] * 2.0
    np.testing.assert_allclose(dc.fun(element)(u), wanted)
    slopes = 2.0 * np.cos(u[1] * u[2]) * u[3] * np.array([u[2], u[1]])
    np.testing.assert_allclose(dc.grad(element)(u)[1:3], slopes)


def test_a_window_costs_its_share() -> None:
    whole, part = (
        fun(f).cost(np.ones(40)).program.total for f in (cube, lambda u: cube(u)[2:6, :, ::2])
    )
    assert part * 15 < whole


INSIDE: dict[str, Callable[[Any], Any]] = {
    "the diagonal": lambda u: _each(u, cube(u), lambda t, i: t[i, i, i]),
    "behind a function": lambda u: _each(u, fun(cube)(u), lambda t, i: t[i, 0, i]),
    "right there": lambda u: dc.build(u.shape[0], lambda i: cube(u)[i, i, 1]),
    "in a row of its own": lambda u: _each(u, np.exp(cube(u)), lambda t, i: t[2, i, 3]),
}


def _each(u: Any, t: Any, f: Callable[[Any, Any], Any]) -> Any:
    return dc.build(u.shape[0], lambda i: f(t, i))


@pytest.mark.parametrize("name", INSIDE)
def test_what_is_read_inside_another_build_is_built_alone(name: str) -> None:
    small, large = (fun(INSIDE[name]).cost(np.ones(n)).program.total for n in (8, 80))
    assert large == 10 * small
    u = np.linspace(0.1, 1.0, 8)
    made, _ = in_bulk(INSIDE[name], u)
    assert "take" not in operations(made)


def test_a_function_that_is_called_once_builds_what_is_asked() -> None:
    called = fun(cube)
    reports = [fun(lambda u: called(u)[1, 2, 3]).cost(np.ones(n)) for n in (6, 60)]
    assert reports[0].program.total == reports[1].program.total
    twice = fun(lambda u: called(u)[1, 2, 3] + called(2.0 * u)[0, 0, 0]).cost(np.ones(6))
    assert twice.program.total > 2 * 6**3


def test_what_has_another_use_is_computed_once() -> None:
    def twice(u: Any) -> Any:
        a = dc.build(u.shape[0], lambda i: np.exp(u[i]))
        return a[1] * np.sum(a)

    n = 50
    assert fun(twice).cost(np.ones(n)).program.total == n + n + 1


def test_a_table_as_long_as_the_build_reads_from_it() -> None:
    at = np.arange(12) % 4

    def repeated(u: Any) -> Any:
        return dc.build(4, lambda i: np.exp(u[i]))[at]

    made, fired = in_bulk(repeated, np.ones(4))
    assert "gather-build1" not in {one.rule for one in fired}
    assert operations(made) == ["exp", "take"]


def test_functions_that_are_indexed_twice_are_walked_over_once_each() -> None:
    def layer(inner: Any) -> Any:
        def both(t: Any) -> Any:
            rows = np.stack([t, 2.0 * t])
            return dc.map(inner, rows)[0] + dc.map(inner, 1.0 + rows)[1]

        return fun(both)

    sizes = []
    for depth in (3, 6):
        f = fun(np.sin)
        for _ in range(depth):
            f = layer(f)
        _, fired = in_bulk(f, 0.5)
        sizes.append(len(fired))
    assert sizes[1] < 3 * sizes[0]


def test_what_is_read_outside_is_0_where_the_element_is_computed() -> None:
    def element(u: Any, i: Any) -> Any:
        return dc.build(u.shape[0], lambda j: 1.0 / u[j] + 1.0)[i]

    u = np.array([1.0, 2.0, 4.0])
    for i, wanted in ((1, 1.5), (3, 0.0), (-1, 0.0)):
        assert dc.fun(element)(u, i) == wanted
        slope = np.zeros(3)
        if wanted:
            slope[i] = -1.0 / u[i] ** 2
        np.testing.assert_array_equal(dc.grad(element)(u, i), slope)
