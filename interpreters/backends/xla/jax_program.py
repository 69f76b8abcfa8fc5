"""A closed λ as a module of JAX that stands alone, and as the function in it.

One walk over a λ writes one Python function that JAX can trace, and the few functions that it may
carry along, where JAX says it otherwise than we do.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from combinators.errors import MissingRule
from combinators.kit.memory import uncollected
from combinators.kit.recursion import Recursive, recurse
from combinators.objects import Object, Tensor
from combinators.primitives.loops import LOOP
from combinators.primitives.structural import (
    DUAL,
    OVERRIDE,
    PACK,
    PLUS,
    RECOMPUTE,
    REP,
    UNPACK,
    VECTOR,
    ZEROS,
)
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var
from interpreters.backends.analysis.captures import surveyed
from interpreters.backends.analysis.lines import CAREFUL, lines_of
from interpreters.backends.text.emitter import Bundle, as_it_is, leaf_types, zeros
from interpreters.backends.text.module import SUM_OF_TWO, Array, Module, by_name, executed
from interpreters.backends.xla import jax_arrays as arrays
from interpreters.backends.xla import jax_functions as functions
from interpreters.backends.xla.jax_arrays import plus
from interpreters.backends.xla.jax_functions import choice
from interpreters.backends.xla.jax_values import (
    JITTED,
    JaxFrame,
    JaxLeaf,
    Value,
    array_lines,
    check_first_order,
    function_name,
    reserved_names,
)
from interpreters.backends.xla.placements import JaxEmitter

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
"""

HELPERS = by_name(_SOURCE, SUM_OF_TWO)
"""The text of each, by its name."""


IMPORTS = {
    "jnp": "import jax.numpy as jnp",
    "np": "import numpy as np",
    "lax": "from jax import lax",
}
"""What each name is imported by, besides JAX itself."""
WIDE = 'jax.config.update("jax_enable_x64", True)'
"""What JAX has to be told before it keeps 64 bits."""


class JaxModule(Module):
    """Functions and constants, which need JAX."""

    def __init__(self, name: str) -> None:
        """``name`` is the entry's."""
        super().__init__(name, reserved_names(), HELPERS)

    def called(self, wish: str) -> str:
        """The name of a function."""
        return function_name(wish)

    def array(self, name: str, array: Array) -> str:
        """The lines that give a name to an array."""
        return array_lines(name, array)

    def source(self, *, wide: bool) -> str:
        """The text of the module; ``wide`` ones tell JAX that numbers have 64 bits."""
        parts = self.parts()
        imports = (line for name, line in IMPORTS.items() if parts.mention(name))
        return parts.under("\n".join(("import jax", *imports)), WIDE if wide else "")


class JaxWriter(JaxEmitter):
    """One walk over a λ, into one Python function that JAX can trace."""

    def value(self, term: Term, at: JaxFrame, wish: str = "t") -> Recursive[Value]:
        """The value of a term, after the statements that compute it."""
        result: Value
        match term:
            case Var(name):
                return at.env[name]
            case Const(literal):
                return self.literal(literal)
            case Lam():
                result = yield functions.closure(self, term, at)
            case Let():
                result = yield self._let(term, at, wish)
            case Tuple(items):
                parts = []
                for item in items:
                    parts.append((yield self.value(item, at)))
                result = Bundle(tuple(parts), term.type)
            case Proj(index, product):
                above: Value = yield self.value(product, at)
                result = self.component(above, index, term.type)
            case App(function, argument):
                result = yield functions.applied(self, function, argument, at, wish)
            case Cond():
                result = yield choice(self, term, at, wish)
            case Prim():
                result = yield self._prim(term, at, wish)
            case _:
                raise AssertionError(term)
        return result

    def _let(self, term: Let, at: JaxFrame, wish: str) -> Recursive[Value]:
        before = [(var.name, at.env.get(var.name)) for var, _ in term.bindings]
        for var, bound in term.bindings:
            at.bind(var, (yield self.value(bound, at, var.name)))
        result: Value = yield self.value(term.body, at, wish)
        for name, old in reversed(before):
            if old is not None:
                at.env[name] = old
        return result

    def _prim(self, term: Prim, at: JaxFrame, wish: str) -> Recursive[Value]:
        primitive = term.operation.primitive
        result: Value
        if primitive is LOOP:
            result = yield functions.loop(self, term, at, wish)
            return result
        if primitive in (OVERRIDE.primitive, RECOMPUTE.primitive):
            result = yield functions.applied(self, term.args[0], term.args[-1], at, wish)
            return result
        if primitive in (REP.primitive, DUAL.primitive):
            raise MissingRule(
                "the XLA backend has no rep-functions of functions that it is given", term.place
            )
        args: list[Value] = []
        for arg in term.args:
            args.append((yield self.value(arg, at)))
        if primitive is ZEROS:
            result = yield zeros(self, term.type, at, {})
        elif primitive is PLUS:
            result = yield plus(self, args[0], args[1], term.type, at)
        elif primitive is PACK:
            packed: JaxLeaf = yield self.leaf(args[0], at)
            result = JaxLeaf(packed.text, term.type, packed.level)
        elif primitive is UNPACK:
            result = yield self._unpacked(args[0], term.type, at)
        elif primitive is VECTOR:
            result = Bundle(tuple(args), term.type)
        else:
            result = arrays.primitive(self, term, args, at, wish)
        return result

    def _unpacked(self, x: Value, obj: Object, at: JaxFrame) -> Recursive[Value]:
        """What was packed, or the zero of its type: JAX traces one of the two."""
        packed: JaxLeaf = yield self.leaf(x, at)
        zero: Value = yield zeros(self, obj, at, {})
        if packed.text == "None":
            return zero
        nothing: JaxLeaf = yield self.leaf(zero, at)
        name = at.named(packed).text
        return JaxLeaf(
            at.assign(f"{at.named(nothing).text} if {name} is None else {name}", "t"), obj
        )

    def define(self, name: str, function: Lam) -> Recursive[None]:
        """Write a λ at the top of the module."""
        return functions.define(self, name, function)


class JaxProgram:
    """A program as JAX."""

    def __init__(self, lam: Lam, name: str, doc: str) -> None:
        """Of the closed λ ``lam``."""
        check_first_order("a parameter or the result", lam.dom, lam.body.type)
        survey = surveyed(lam)
        self.is_wide = any(
            isinstance(obj, Tensor) and obj.dtype.endswith("64")
            for obj in leaf_types(survey.objects)
        )
        """Whether it has numbers of 64 bits."""
        self._module = JaxModule(name)
        self.name = self._module.name
        lines = lines_of(lam, survey, CAREFUL)
        recurse(_written(JaxWriter(self._module, survey, lines), self._module, lam, doc))

    @property
    def source(self) -> str:
        """The text of a module that imports JAX, and nothing of ours.

        Where there are numbers of 64 bits, it turns them on in JAX, for the whole process.
        """
        return self._module.source(wide=self.is_wide)

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The function, not yet jitted, of JAX's arrays and tuples of them.

        Nothing is turned on: where there are numbers of 64 bits, ``jax.enable_x64`` must hold when
        this is read and when the function is traced.
        """
        space: dict[str, Any] = {"__name__": f"compiled_{self.name}"}
        executed(self._module.source(wide=False), self.name, space)
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


def _written(emitter: JaxEmitter, module: JaxModule, lam: Lam, doc: str) -> Recursive[None]:
    at = JaxFrame(module.name)
    params = tuple(at.fresh(param.name) for param in lam.params)
    for param, text in zip(lam.params, params, strict=True):
        at.env[param.name] = emitter.opaque(param.type, text)
    value: Value = yield emitter.value(lam.body, at, "result")
    at.give(as_it_is((yield emitter.text(value, at))))
    module.define(module.name, params, at.body, doc, JITTED)
