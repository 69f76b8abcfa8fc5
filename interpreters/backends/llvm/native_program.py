"""A program as machine code: the function that Python calls, and what it falls back to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from combinators.errors import MissingRule
from combinators.kit.memory import uncollected
from combinators.objects import Object, components
from combinators.terms import Lam
from interpreters.backends.analysis.captures import Occurrences, surveyed
from interpreters.backends.analysis.facts import Fact, component
from interpreters.backends.analysis.lines import OPTIMISTIC, Hidden, hides_zeros, lines_of
from interpreters.backends.llvm.emission import emitted
from interpreters.backends.llvm.entry import Entry, function_object, symbol
from interpreters.backends.llvm.fusion import planned
from interpreters.backends.llvm.lowering import lowered
from interpreters.backends.llvm.machine_code import Loaded, lanes, whole_text
from interpreters.backends.llvm.native_values import Form, FunctionForm, ProductForm, kinds
from interpreters.backends.llvm.scopes import NativeModule

LINE = 64
"""Bytes of a line of the cache, at which work begins."""


class NativeProgram:
    """A λ of numbers and arrays as machine code; functions among its results are such again.

    Where an argument is not of its type, or a nan is in doubt, ``slow`` is called instead, a
    function of Python of the same arguments.
    """

    def __init__(
        self,
        lam: Lam,
        slow: Callable[..., Any],
        survey: Occurrences | None = None,
        captured: Mapping[str, Form] | None = None,
    ) -> None:
        """``captured`` are the skeletons of what it captures, which is given first, each in turn.

        Raises ``MissingRule`` where something in it has no code.
        """
        self._lam, self._slow, self._survey = lam, slow, survey or surveyed(lam)
        with uncollected():
            self._build(captured or {})

    def _build(self, captured: Mapping[str, Form]) -> None:
        made = lowered(self._lam, self._survey, captured)
        self._form = made.result
        watched = None if captured else _watched(self._lam, self._survey)
        module = NativeModule(lanes(), watched is None, watched or frozenset())
        code = emitted(module, made.function, "run", planned(made.function))
        params = [
            ProductForm(tuple(kinds(form))) if _is_open(form) else form for form in made.params
        ]
        shown = ProductForm(tuple(kinds(made.result))) if _is_open(made.result) else made.result
        entry = Entry(made.function, params, shown, code.work, checks=bool(watched))
        arrays = {f"constant{i}": node.par.value for i, node in enumerate(code.constants)}
        if code.work:
            room = np.zeros(code.work + LINE, np.uint8)
            start = -room.ctypes.data % LINE
            arrays["work"] = room[start : start + code.work]
        self.text = whole_text(module, [code.text, entry.text()], len(code.constants))
        self._arrays = arrays

    @property
    def computes_arrays(self) -> bool:
        """Whether arrays are computed in it; what it gives it does not keep."""
        return True

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The function, of Python's numbers, NumPy's arrays, and tuples of them."""
        with uncollected():
            loaded = Loaded(self.text, self._arrays, symbol)
        slow, form = self._slow, self._form
        if not _is_open(form):
            return function_object(loaded.address, slow, loaded)
        quick = function_object(loaded.address, lambda *args: _Slow(slow(*args)), loaded)
        functions = _FunctionResults(slow, self._survey)

        def whole(*args: Any) -> Any:
            found = quick(*args)
            if type(found) is _Slow:
                return found.result
            return functions.value(form, iter(found), args, ())

        return whole


class _Slow(NamedTuple):
    """A result that ``slow`` gave."""

    result: Any


class _FunctionResults:
    """Makes functions of Python of the functions among results."""

    def __init__(self, slow: Callable[..., Any], survey: Occurrences) -> None:
        self.slow, self._survey = slow, survey
        self._known: dict[tuple[Lam, Any], Callable[..., Any]] = {}

    def value(self, form: Form, leaves: Iterator[Any], args: Any, path: tuple[int, ...]) -> Any:
        """The value of a skeleton; ``path`` says where it stands in the result at ``args``."""
        match form:
            case ProductForm(parts):
                each = enumerate(parts)
                return tuple([self.value(p, leaves, args, (*path, i)) for i, p in each])
            case FunctionForm(lams):
                tag = next(leaves) if len(lams) > 1 else 0
                given = [tuple(_nested(part, leaves) for part in parts) for parts in form.captured]
                return NativeFunction(self, form, tag, given[tag], args, path)
            case _:
                return next(leaves)

    def compiled(self, form: FunctionForm, tag: int) -> Callable[..., Any]:
        """The code of a λ, with what it captures given first."""
        key = form.lams[tag], form.captured[tag]
        if key not in self._known:
            captured = dict(zip(form.names[tag], form.captured[tag], strict=True))
            try:
                made = NativeProgram(form.lams[tag], _give_up, self._survey, captured)
                self._known[key] = made.function
            except MissingRule:
                self._known[key] = _give_up
        return self._known[key]


class NativeFunction:
    """A function among the results of a program: its code, and what it captured."""

    __slots__ = ("_args", "_captured", "_form", "_functions", "_path", "_tag")

    def __init__(
        self,
        functions: _FunctionResults,
        form: FunctionForm,
        tag: int,
        captured: tuple[Any, ...],
        args: tuple[Any, ...],
        path: tuple[int, ...],
    ) -> None:
        """``path`` says where it stands in the result at ``args``."""
        self._functions, self._form, self._tag = functions, form, tag
        self._captured, self._args, self._path = captured, args, path

    def __call__(self, *given: Any) -> Any:
        """Its value; the components of a product are given one by one."""
        whole = (given,) if _is_whole(self._form.lams[self._tag]) else given
        found = self._functions.compiled(self._form, self._tag)(*self._captured, *whole)
        if found is not _GIVEN_UP:
            return found
        function = self._functions.slow(*self._args)
        for index in self._path:
            function = function[index]
        return function(*given)


_GIVEN_UP = object()


def _give_up(*_: Any) -> Any:
    return _GIVEN_UP


def _is_whole(lam: Lam) -> bool:
    """Whether its one parameter is a product, whose components Python gives one by one."""
    return len(lam.params) == 1 and components(lam.params[0].type) is not None


def _nested(form: Form, leaves: Iterator[Any]) -> Any:
    """What an entry takes for a value of this skeleton."""
    if _is_open(form):
        return tuple([next(leaves) for _ in kinds(form)])
    if isinstance(form, ProductForm):
        return tuple([_nested(part, leaves) for part in form.parts])
    return next(leaves) if form is not None else ()


def _is_open(form: Form) -> bool:
    """Whether there are functions in it."""
    match form:
        case FunctionForm():
            return True
        case ProductForm(parts):
            return any(map(_is_open, parts))
        case _:
            return False


def _watched(lam: Lam, survey: Occurrences) -> frozenset[int] | None:
    """The results in which a nan is in doubt; None where products are to be careful."""
    if not any(map(hides_zeros, survey.operations)):
        return frozenset()
    with suppress(Hidden):
        known = lines_of(lam, survey, OPTIMISTIC).result
        return frozenset(
            number for number, fact in enumerate(_facts(lam.body.type, known)) if fact.doubtful
        )
    return None


def _facts(obj: Object, known: Fact) -> list[Fact]:
    """What is known of each tensor of a value."""
    parts = components(obj)
    if parts is None:
        return [known]
    return [
        fact
        for index, part in enumerate(parts.parts)
        for fact in _facts(part, component(known, index, part))
    ]
