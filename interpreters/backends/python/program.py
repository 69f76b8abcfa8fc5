"""A closed λ as a module of Python that stands alone, and as the function in it."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from typing import Any

from combinators.kit.memory import uncollected
from combinators.kit.recursion import Recursive, recurse
from combinators.objects import Fun, Object, Tensor, Vector
from combinators.terms import Lam
from interpreters.backends.python.emitter import CAREFUL, DOUBTFUL, OPTIMISTIC, Emitter, Survey
from interpreters.backends.python.finish import finished
from interpreters.backends.python.frame import Frame, Uses
from interpreters.backends.python.module import Module
from interpreters.backends.python.numbers import Escalate
from interpreters.backends.python.values import Leaf, Root, Value
from interpreters.backends.text.frame import leaf_types
from interpreters.backends.text.layout import Assign, Block, Do, Text, call


class Compiled:
    """A program as Python. What is not asked for is not written."""

    def __init__(self, lam: Lam, name: str, doc: str) -> None:
        """Of the closed λ ``lam``."""
        self._lam, self._doc, self._wish = lam, doc, name
        self._survey = Survey.of(lam)
        self._module, self._again = self._quick()
        self.name = self._module.name
        self._function: weakref.ref[Callable[..., Any]] | None = None

    @cached_property
    def source(self) -> str:
        """The text of a module that needs ``math`` and ``numpy`` at most, and nothing of ours."""
        if self._again:
            _written(self._module, self._lam, self._survey, self._again, "", CAREFUL, careful=True)
        return self._module.source()

    @property
    def function(self) -> Callable[..., Any]:
        """The function: of Python's numbers, NumPy's arrays, tuples, and functions of them.

        It raises IndexError for an index that is out of range.
        """
        known = self._function() if self._function is not None else None
        if known is None:
            known = self._loaded()
            self._function = weakref.ref(known)
        return known

    def _loaded(self) -> Callable[..., Any]:
        if "source" in vars(self) or not self._again:
            whole: Callable[..., Any] = self._executed(self.source)[self.name]
            return whole
        space = self._executed(self._module.source())
        again, this = self._again, weakref.ref(self)

        def carefully(*args: Any) -> Any:
            # The careful version is written when the quick one first needs it.
            compiled = this()
            assert compiled is not None
            space[again] = compiled._executed(compiled.source)[again]
            return space[again](*args)

        space[again] = carefully
        # The function holds the program, and nothing in its module does: they go together.
        function: Callable[..., Any] = space.pop(self.name)
        vars(function)["compiled"] = self
        return function

    def _executed(self, text: str) -> dict[str, Any]:
        space: dict[str, Any] = {"__name__": f"compiled_{self.name}"}
        with uncollected():
            exec(compile(text, f"<{self.name}>", "exec"), space)  # noqa: S102 (our own text)
        return space

    def _quick(self) -> tuple[Module, str]:
        """The module with the quick version, and the name of the careful one that it calls."""
        careful = _holds_function(self._lam.body.type)
        for level in (OPTIMISTIC, DOUBTFUL) if self._survey.scales and not careful else ():
            module = Module(self._wish)
            with suppress(Escalate):
                return module, _entry(module, self, level, careful=careful)
        module = Module(self._wish)
        return module, _entry(module, self, CAREFUL, careful=careful)


def _entry(module: Module, compiled: Compiled, level: int, *, careful: bool) -> str:
    lam, survey, doc = compiled._lam, compiled._survey, compiled._doc
    return _written(module, lam, survey, module.name, doc, level, careful=careful)


def compile_program(lam: Lam, *, name: str = "f", doc: str = "") -> Compiled:
    """The program ``lam``, a closed λ, as Python.

    Its function takes an argument a parameter. Reals, integers and booleans of 64 bits are
    Python's own, other numbers NumPy's scalars, tensors arrays, products and records tuples,
    vectors tuples, and functions Python's: of one argument a component where theirs is a product.
    A function among the results computes with care from the start, and is to be called under
    ``np.errstate(all="ignore")``. It raises MissingRule where a primitive has no code.
    """
    with uncollected():
        return Compiled(lam, name, doc)


def _written(
    module: Module, lam: Lam, survey: Survey, name: str, doc: str, level: int, *, careful: bool
) -> str:
    """Write the entry; the name of the careful version, if this one may call it."""
    emitter = Emitter(module, survey, careful=careful, level=level)
    at = Frame(module.name)
    at.uses = Uses(lam.body, emitter.captured)
    params = tuple(at.fresh(param.name) for param in lam.params)
    keeps = _holds_function(lam.body.type)
    for param, text in zip(lam.params, params, strict=True):
        at.env[param.name] = _argument(param.type, text, at, keeps=keeps)
    again = "" if careful else module.fresh(f"{name.lstrip('_')}_carefully")
    call_again = call(again, *params)
    checked = recurse(_body(emitter, lam, at, call_again))
    body = at.body
    if emitter.warns:
        body = [Block("with ", 'np.errstate(all="ignore")', "", body)]
    if emitter.raises and not careful:
        errors = "except (ArithmeticError, ValueError)"
        handler = Block(errors, "", "", [Do(call_again, "return ")])
        body = [Block("try", "", "", body, handler)]
    module.define(name, params, body, doc)
    return again if emitter.raises or checked else ""


def _argument(obj: Object, text: str, at: Frame, *, keeps: bool) -> Leaf:
    is_array = isinstance(obj, Tensor) and bool(obj.shape)
    if keeps and is_array:
        at.body.append(Assign((text,), f"{text}.copy()"))
    return Leaf(text, obj, root=Root(fresh=False) if is_array else None)


def _body(emitter: Emitter, lam: Lam, at: Frame, again: Text) -> Recursive[bool]:
    value: Value = yield emitter.value(lam.body, at, "result")
    checked: bool = yield finished(emitter, value, lam.body.type, at, again)
    return checked


def _holds_function(obj: Object) -> bool:
    """Whether a function is among values of the type."""
    objects = [obj]
    while objects:
        leaves = list(leaf_types(objects))
        if any(isinstance(leaf, Fun) for leaf in leaves):
            return True
        objects = [leaf.item for leaf in leaves if isinstance(leaf, Vector)]
    return False
