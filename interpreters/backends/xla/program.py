"""A closed λ as a module of JAX that stands alone, and as the function in it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from combinators.kit.collector import uncollected
from combinators.kit.recursion import Recursive, recurse
from combinators.terms import Lam
from interpreters.backends.text.calls import as_it_is
from interpreters.backends.xla.emitter import Emitter, Survey
from interpreters.backends.xla.frame import Frame
from interpreters.backends.xla.module import JITTED, Module
from interpreters.backends.xla.values import Value, check_first_order


class Compiled:
    """A program as JAX."""

    def __init__(self, lam: Lam, name: str, doc: str) -> None:
        """Of the closed λ ``lam``."""
        check_first_order("a parameter or the result", lam.dom, lam.body.type)
        survey = Survey.of(lam)
        self.is_wide = survey.is_wide
        """Whether it has numbers of 64 bits."""
        self._module = Module(name)
        self.name = self._module.name
        recurse(_written(Emitter(self._module, survey.lambdas), self._module, lam, doc))

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
        exec(compile(self._module.source(wide=False), f"<{self.name}>", "exec"), space)  # noqa: S102 (our own text)
        function: Callable[..., Any] = space[self.name].__wrapped__
        return function


def compile_program(lam: Lam, *, name: str = "f", doc: str = "") -> Compiled:
    """The program ``lam``, a closed λ, as JAX.

    Its function takes an argument a parameter: numbers and tensors are arrays, products and
    records tuples. It raises MissingRule where a primitive has no code, and where a parameter, a
    result, a loop or a conditional holds functions.
    """
    with uncollected():
        return Compiled(lam, name, doc)


def _written(emitter: Emitter, module: Module, lam: Lam, doc: str) -> Recursive[None]:
    at = Frame(module.name)
    params = tuple(at.fresh(param.name) for param in lam.params)
    for param, text in zip(lam.params, params, strict=True):
        at.env[param.name] = emitter.opaque(param.type, text)
    value: Value = yield emitter.value(lam.body, at, "result")
    at.give(as_it_is((yield emitter.text(value, at))))
    module.define(module.name, params, at.body, doc, JITTED)
