"""A closed λ as a module of JAX that stands alone, and as the function in it.

The walk over terms writes one Python function that JAX can trace, and the few functions that it may
carry along, where JAX says it otherwise than we do.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from combinators.kit.memory import uncollected
from combinators.kit.recursion import Recursive, Step, recurse
from combinators.objects import Tensor
from combinators.primitives.sums import SUMS
from combinators.terms import Lam
from interpreters.backends.analysis.captures import surveyed
from interpreters.backends.analysis.lines import CAREFUL, lines_of
from interpreters.backends.text.layout import Bracketed, Text, call
from interpreters.backends.text.leaves import Leaf, Placed, Spread, Value, leaf_types
from interpreters.backends.text.module import (
    FEW,
    SUM_OF_TWO,
    Array,
    Module,
    as_range,
    by_name,
    diagonal,
    executed,
    identifier,
    nested,
    stepped,
)
from interpreters.backends.text.term_writer import Writer
from interpreters.backends.xla.jax_arrays import arrays, checked, in_zeros, placed, total
from interpreters.backends.xla.jax_forms import check_first_order, choice, closure, loop
from interpreters.backends.xla.jax_numbers import (
    LONG,
    elements,
    filled,
    kind,
    number,
    number_of,
    strong,
)
from interpreters.backends.xla.jax_recursion import in_place, of_sum, recursive, zero_of_sum

_SOURCE = """\
def _scale(v, p):
    p = jnp.where(v == 0, 0, p)
    return jnp.where(p == 0, 0, v * p)


def _unscale(v, p):
    p = jnp.where(v == 0, 1, p)
    return jnp.where(abs(p) == jnp.inf, 0, v / p)


def _matmul(x, y):
    z = x @ y

    def add(total, factors):
        column, row = factors
        return total + _scale(column[..., None], row[..., None, :]), None

    def absorbing():
        factors = jnp.moveaxis(x, -1, 0), jnp.moveaxis(y, -2, 0)
        return lax.scan(add, jnp.zeros_like(z), factors)[0]

    return lax.cond(jnp.isnan(z).any(), absorbing, lambda: z)


def _softmax(x, axis):
    top = x.max(axis, keepdims=True)
    e = jnp.exp(x - jnp.where(top == -jnp.inf, 0, top))
    return _unscale(e, e.sum(axis, keepdims=True))


def _floor_divide(x, y):
    return jnp.where(y == 0, 0, x // jnp.where(y == 0, 1, y))


def _remainder(x, y):
    return jnp.where(y == 0, 0, x % jnp.where(y == 0, 1, y))


def _total_power(x, y):
    x = jnp.where((y < 0) & (abs(x) != 1), 0, x)
    return x ** jnp.where(y < 0, 2 - y % 2, y)


def _within(indices, extents):
    return tuple(jnp.where((i >= 0) & (i < n), i, n) for i, n in zip(indices, extents))


def _take(x, *indices, axis=0):
    at = x.at[(slice(None),) * axis + _within(indices, x.shape[axis:])]
    return at.get(mode="fill", fill_value=0, wrap_negative_indices=False)


def _add_at(whole, x, *indices, axis=0):
    at = whole.at[(slice(None),) * axis + _within(indices, whole.shape[axis:])]
    return at.add(x, mode="drop", wrap_negative_indices=False)


def _take_inside(x, *indices, axis=0):
    at = x.at[(slice(None),) * axis + indices]
    return at.get(mode="promise_in_bounds", wrap_negative_indices=False)


def _add_inside(whole, x, *indices, axis=0):
    at = whole.at[(slice(None),) * axis + indices]
    return at.add(x, mode="promise_in_bounds", wrap_negative_indices=False)


def _shifted(x, first, axis, reverse):
    ends = (-1, 1, 0) if reverse else (1, -1, 0)
    widths = [ends if a == axis else (0, 0, 0) for a in range(x.ndim)]
    return lax.pad(x, jnp.array(first, x.dtype), widths)


def _exclusive_cumprod(x, axis, reverse):
    return _shifted(lax.cumprod(x, axis, reverse), 1, axis, reverse)


def _others(x, axis):
    x = jnp.moveaxis(x, axis, 0)
    halves = []
    while len(x) > 1:
        half = len(x) // 2
        halves.append((x[:half], x[half : 2 * half], x[2 * half :]))
        x = jnp.concatenate([x[:half] * x[half : 2 * half], x[2 * half :]])
    y = jnp.ones_like(x)
    for left, right, rest in reversed(halves):
        both = y[: len(left)]
        y = jnp.concatenate([both * right, both * left, y[len(left) :]])
    return jnp.moveaxis(y, 0, axis)


def _recurrence(a, b, axis, reverse):
    def after(x, y):
        return _scale(y[0], x[0]), _scale(y[0], x[1]) + y[1]

    y = lax.associative_scan(after, (a, b), reverse, axis)[1]
    return _shifted(y, 0, axis, reverse)


def _combined(after, unit, xs, reverse=False):
    def joined(u, x):
        u = jnp.asarray(u, x.dtype)[None]
        return jnp.concatenate([x, u] if reverse else [u, x])

    def part(index):
        return jax.tree.map(lambda row: row[index], y)

    y = lax.associative_scan(jax.vmap(after), jax.tree.map(joined, unit, xs), reverse)
    return (part(0), part(slice(1, None))) if reverse else (part(-1), part(slice(-1)))
"""

_SUMS = """\
def _plus_tagged(x, y):
    if x is None or y is None:
        return y if x is None else x
    if isinstance(x, tuple):
        return tuple(map(_plus_tagged, x, y))
    return jnp.maximum(x, y) if x.dtype == "int64" else x + y
"""
"""The sum of cotangents with alternatives in them, of which the tag is the only integer."""

HELPERS = by_name(_SOURCE, SUM_OF_TWO, _SUMS)
"""The text of each, by its name."""


WORDS = {"grad": "d", "vjp": "pullback", "jvp": "pushforward"}
"""What our names say instead, where JAX's words would promise JAX's own derivatives."""


def function_name(name: str) -> str:
    """``name`` as that of a function.

    >>> function_name("grad_grad_loss"), function_name("vjp"), function_name("upgrade")
    ('d_d_loss', 'pullback', 'upgrade')
    """
    leading = re.match(r"((grad|vjp|jvp)(_|$))*", name)
    assert leading is not None
    ours = re.sub("grad|vjp|jvp", lambda word: WORDS[word[0]], leading[0])
    return identifier(ours + name[leading.end() :])


WIDE = 'jax.config.update("jax_enable_x64", True)'
"""What JAX has to be told before it keeps 64 bits."""


class JaxModule(Module):
    """Functions and constants, which need JAX."""

    helpers = HELPERS
    imports: ClassVar = {
        "jax": "import jax",
        "jnp": "import jax.numpy as jnp",
        "np": "import numpy as np",
        "lax": "from jax import lax",
    }

    def called(self, wish: str) -> str:
        """The name of a function."""
        return function_name(wish)

    of_bytes = "jnp.frombuffer"

    def dtype(self, dtype: np.dtype[Any]) -> str:
        """An element type, as an argument."""
        return kind(dtype.name)

    def array_text(self, array: Array) -> Text | None:
        """An array of few numbers, one that counts, or a diagonal; None of others."""
        dtype = kind(array.dtype.name)
        if not array.size:
            return call("jnp.zeros", str(array.shape), dtype)
        found = diagonal(array)
        if found is not None:
            return call("jnp.array", found)  # jnp.eye would compile a program of its own
        counted = as_range(array)
        if counted is not None:
            ends = [counted.start] * bool(counted.start or counted.step != 1) + [counted.stop]
            steps = [counted.step] * (counted.step != 1)
            return call("jnp.arange", *map(str, (*ends, *steps)), f"dtype={dtype}")
        if array.size > FEW:
            table = stepped(array)
            return None if table is None else call("jnp.array", table)
        items = [nested(row, lambda item: number(item, array.dtype.name).text) for row in array]
        return call("jnp.array", Bracketed("[", tuple(items), "]", display=True), dtype)


class JaxWriter(Writer):
    """JAX as a language of the walk over terms."""

    backend, decorator, inlined_tuple = "XLA", "@jax.jit", LONG
    number_of, elements, sum = number_of, elements, total
    placed, checked, arrays = placed, checked, arrays
    closure, choice, loop, recursive = closure, choice, loop, recursive
    of_sum, zero_of_sum, in_place = of_sum, zero_of_sum, in_place

    def leaf(self, value: Value, wish: str = "t") -> Step[Leaf]:
        """The value as one expression, which has a type of its own wherever it stands."""
        found = super().leaf(value, wish)
        return strong(found) if isinstance(found, Leaf) else found

    def made(self, value: Spread | Placed, wish: str) -> Leaf:
        """The array that waited."""
        if isinstance(value, Placed):
            return self.remember(value, in_zeros(self, value, wish))
        inner, obj = value.inner, value.type
        text: Text = f"jnp.broadcast_to({inner.text}, {obj.shape})"
        if inner.literal is not None:
            text = filled(inner, obj)
        return self.remember(value, Leaf(self.assign(text, wish), obj))

    def entry(self, lam: Lam, doc: str) -> Recursive[None]:
        """The function that the module is for."""
        with self.function(lam.body):
            params = self.parameters(lam.params, captured=len(lam.params))
            value: Value = yield self.value(lam.body, "result")
            self.give((yield self.text(value)))
            self.module.define(self.module.name, params, self.at.body, doc, self.decorator)


class JaxProgram:
    """A program as JAX."""

    def __init__(self, lam: Lam, name: str, doc: str) -> None:
        """Of the closed λ ``lam``."""
        check_first_order("a parameter or the result", lam.dom, lam.body.type)
        survey = surveyed(lam)
        self.is_wide = any(
            isinstance(obj, Tensor) and obj.dtype.endswith("64")
            for obj in leaf_types(survey.objects)
        ) or not SUMS.isdisjoint(operation.primitive for operation in survey.operations)
        """Whether it has numbers of 64 bits."""
        self._module = JaxModule(name)
        self.name = self._module.name
        lines = lines_of(lam, survey, CAREFUL)
        recurse(JaxWriter(self._module, survey, lines).entry(lam, doc))

    @property
    def source(self) -> str:
        """The text of a module that imports JAX, and nothing of ours.

        Where there are numbers of 64 bits, it turns them on in JAX, for the whole process.
        """
        return self._module.source(*[WIDE] * self.is_wide)

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The function, not yet jitted, of JAX's arrays and tuples of them.

        Nothing is turned on: where there are numbers of 64 bits, ``jax.enable_x64`` must hold when
        this is read and when the function is traced.
        """
        space: dict[str, Any] = {"__name__": f"compiled_{self.name}"}
        executed(self._module.source(), self.name, space)
        function: Callable[..., Any] = space[self.name].__wrapped__
        return function


def compile_program(lam: Lam, *, name: str = "f", doc: str = "") -> JaxProgram:
    """The program ``lam``, a closed λ, as JAX.

    Its function takes an argument a parameter: numbers and tensors are arrays, products and
    records tuples. It raises MissingRule where a primitive has no code, and where a parameter, a
    result, a loop or a conditional holds functions.
    """
    with uncollected():
        return JaxProgram(lam, name, doc)
