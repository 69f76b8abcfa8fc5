"""A program as machine code: the function that Python calls, and what it falls back to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, reduce
from operator import getitem
from typing import Any

import numpy as np

from combinators.errors import MissingRule
from combinators.kit.memory import uncollected
from combinators.objects import Fun, Object, Tensor, components
from combinators.operation import is_beyond_memory
from combinators.terms import App, Lam, Proj, Tuple, Var
from interpreters.backends.analysis.captures import Occurrences, surveyed
from interpreters.backends.analysis.facts import Fact, component
from interpreters.backends.analysis.lines import OPTIMISTIC, Hidden, hides_zeros, lines_of
from interpreters.backends.llvm.border_forms import border_kinds
from interpreters.backends.llvm.deep_stack import GAVE_UP, deeply
from interpreters.backends.llvm.effort import ASKS
from interpreters.backends.llvm.emission import emitted
from interpreters.backends.llvm.entry import LINE, ONE, Entry, function_object, symbol
from interpreters.backends.llvm.fusion import planned
from interpreters.backends.llvm.growing import FIRST, ROOM, kept_memory
from interpreters.backends.llvm.lowering import lowered
from interpreters.backends.llvm.machine_code import Loaded, lanes, whole_text
from interpreters.backends.llvm.native_forms import (
    AGAIN,
    NONE,
    ArrayForm,
    Form,
    FunctionForm,
    PackedForm,
    PointerForm,
    ProductForm,
    SumForm,
    has_functions,
    kinds,
)
from interpreters.backends.llvm.scopes import NativeModule


class NativeProgram:
    """A λ of numbers and arrays as machine code; functions among its results are such again.

    Where an argument is not of its type, or a nan is in doubt, ``slow`` is called instead, a
    function of Python of the same arguments.
    """

    backend = "llvm"

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
        if any(map(is_beyond_memory, self._survey.objects)):
            raise MissingRule("the native backend has no arrays that are larger than the memory")
        with uncollected():
            self._build(captured or {})

    def _build(self, captured: Mapping[str, Form]) -> None:
        made = lowered(self._lam, self._survey, captured)
        self.form = made.result
        """What the result is made of."""
        own = list(enumerate(made.params))[len(captured) :]
        self._opened = {place: form for place, form in own if _is_open(form)}
        """The arguments that are opened in Python, of which the entry takes the leaves."""
        watched = None if captured else _watched(self._lam, self._survey)
        module = NativeModule(lanes(), watched is None, watched or frozenset())
        module.has_records = made.has_records
        if made.has_records:
            module.declare(ROOM, "")
            module.declare(ASKS, "")
        code = emitted(module, made.function, "run", planned(made.function))
        params = [
            ProductForm(border_kinds(form)) if _is_open(form) else form for form in made.params
        ]
        shown = ProductForm(border_kinds(made.result)) if _is_open(made.result) else made.result
        entry = Entry(made.function, params, shown, code, has_records=made.has_records)
        arrays = {f"constant{i}": node.par.value for i, node in enumerate(code.constants)}
        if code.work:
            room = np.zeros(code.work + LINE, np.uint8)
            start = -room.ctypes.data % LINE
            arrays["work"] = room[start : start + code.work]
        if ROOM in module.declared:
            arrays |= kept_memory()
        self.text = whole_text(module, [code.text, entry.text()], len(code.constants))
        self._arrays = arrays

    @property
    def computes_arrays(self) -> bool:
        """Whether arrays are computed in it; what it gives it does not keep."""
        return True

    @cached_property
    def entry(self) -> Callable[..., Any]:
        """The function of the leaves of what is opened, which gives those of what is open."""
        slow = self._slow if self._is_closed else _give_up
        return function_object(self._loaded.address, self._deeper(slow), self._loaded)

    def door(self, otherwise: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """The function of a tuple of arguments, which the entry takes or ``otherwise`` does."""
        if not self._is_closed:
            return otherwise

        def slow(*args: Any) -> Any:
            return otherwise(args)

        return function_object(self._loaded.address, self._deeper(slow), self._loaded, ONE)

    def _deeper(self, slow: Callable[..., Any]) -> Callable[..., Any]:
        """What runs where machine code gave up: the same with a deep stack, where that may help."""
        if "growing" not in self._arrays:
            return slow
        noted = self._arrays["growing"][FIRST:]
        again = function_object(self._loaded.address, _give_up, self._loaded)

        def deeper(*args: Any) -> Any:
            if noted[0]:
                noted[0] = 0
                found = deeply(lambda: again(*args))
                if found is not GAVE_UP:
                    return found
            return slow(*args)

        return deeper

    @property
    def _is_closed(self) -> bool:
        """Whether the entry takes and gives what users do."""
        return not _is_open(self.form) and not self._opened

    @cached_property
    def _loaded(self) -> Loaded:
        with uncollected():
            return Loaded(self.text, self._arrays, symbol)

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The function, of Python's numbers, NumPy's arrays, and tuples of them."""
        slow, form, entry = self._slow, self.form, self.entry
        if self._is_closed:
            return entry
        functions = _FunctionResults(self._survey, self._lam, slow)
        gives_functions = has_functions(form)

        def whole(*args: Any) -> Any:
            found = entry(*self.opened(args))
            if found is GAVE_UP:
                return slow(*args)
            if gives_functions:  # which may be called when the arrays are no longer what they were
                args = _copied(args)
            return functions.shown(form, found, lambda: slow(*args), args)

        return whole

    def opened(self, args: Sequence[Any]) -> Sequence[Any]:
        """The arguments, with sums as their leaves."""
        given = list(args)
        for place, form in self._opened.items():
            given[place] = tuple(leaves_of(form, args[place]))
        return given


def _copied(value: Any) -> Any:
    """Arguments whose arrays are nobody else's."""
    if isinstance(value, tuple):
        return tuple(map(_copied, value))
    return value.copy() if isinstance(value, np.ndarray) else value


class _FunctionResults:
    """Makes functions of Python of the functions among results."""

    def __init__(self, survey: Occurrences, lam: Lam, slow: Callable[..., Any]) -> None:
        self._survey, self._lam, self._slow = survey, lam, slow
        self._applied: dict[tuple[int, ...], Callable[..., Any]] = {}
        self._known: dict[tuple[Lam, Any], NativeProgram | None] = {}

    def shown(
        self, form: Form, found: Any, again: Callable[[], Any], args: tuple[Any, ...] = ()
    ) -> Any:
        """The result of an entry of these arguments; ``again`` computes it in Python."""
        if not _is_open(form):
            return found

        def made(inner: FunctionForm, leaves: Iterator[Any], path: tuple[int, ...]) -> Any:
            if inner is AGAIN:
                return lambda *given: self.applied(path)(*args, *given)
            tag = next(leaves) if len(inner.lams) > 1 else 0
            given = [tuple(_nested(part, leaves) for part in parts) for parts in inner.captured]
            return NativeFunction(self, inner, tag, given[tag], again, path)

        return value_shown(form, iter(found), made)

    def applied(self, path: tuple[int, ...]) -> Callable[..., Any]:
        """The function at a place of the result, with the arguments of all given first.

        What captured records, which are gone, is made anew with each call: a pullback of what calls
        itself runs forwards, and then back.
        """
        if path not in self._applied:
            function = reduce(lambda term, index: Proj(index, term), path, self._lam.body)
            assert isinstance(function.type, Fun)
            each = components(function.type.dom)
            types = (function.type.dom,) if each is None else each.parts
            given = tuple(Var(f"given {number}", obj) for number, obj in enumerate(types))
            argument = given[0] if each is None else Tuple(given)
            count = len(self._lam.params)

            def slow(*args: Any) -> Any:
                found = reduce(getitem, path, self._slow(*args[:count]))
                return found(*args[count:])

            self._applied[path] = slow
            with suppress(MissingRule):
                whole = Lam((*self._lam.params, *given), App(function, argument))
                self._applied[path] = NativeProgram(whole, slow).function
        return self._applied[path]

    def compiled(self, form: FunctionForm, tag: int) -> NativeProgram | None:
        """The code of a λ, with what it captures given first; None where it has none."""
        key = form.lams[tag], form.captured[tag]
        if key not in self._known:
            captured = dict(zip(form.names[tag], form.captured[tag], strict=True))
            self._known[key] = None
            with suppress(MissingRule):
                self._known[key] = NativeProgram(form.lams[tag], _give_up, self._survey, captured)
        return self._known[key]


class NativeFunction:
    """A function among the results of a program: its code, and what it captured."""

    __slots__ = ("_again", "_captured", "_form", "_functions", "_path", "_tag")

    def __init__(
        self,
        functions: _FunctionResults,
        form: FunctionForm,
        tag: int,
        captured: tuple[Any, ...],
        again: Callable[[], Any],
        path: tuple[int, ...],
    ) -> None:
        """``path`` says where it stands in the result, which Python computes ``again``."""
        self._functions, self._form, self._tag = functions, form, tag
        self._captured, self._again, self._path = captured, again, path

    def __call__(self, *given: Any) -> Any:
        """Its value; the components of a product are given one by one."""
        program = self._functions.compiled(self._form, self._tag)
        if program is not None:
            whole = (given,) if _is_whole(self._form.lams[self._tag]) else given
            found = program.entry(*program.opened((*self._captured, *whole)))
            if found is not GAVE_UP:
                return self._functions.shown(program.form, found, lambda: self._python(given))
        return self._python(given)

    def _python(self, given: tuple[Any, ...]) -> Any:
        function = self._again()
        for index in self._path:
            function = function[index]
        return function(*given)


def _no_functions(form: FunctionForm, leaves: Iterator[Any], path: tuple[int, ...]) -> Any:
    raise AssertionError("a result of data holds no functions")


def value_shown(
    form: Form,
    leaves: Iterator[Any],
    function: Callable[[FunctionForm, Iterator[Any], tuple[int, ...]], Any] = _no_functions,
    path: tuple[int, ...] = (),
) -> Any:
    """The value of a skeleton, as Python has it; a ``function`` is made with where it stands."""
    match form:
        case ProductForm(parts):
            each = enumerate(parts)
            return tuple([value_shown(p, leaves, function, (*path, i)) for i, p in each])
        case FunctionForm():
            return function(form, leaves, path)
        case SumForm():
            tag = next(leaves)
            inside = [value_shown(part, leaves, function, (*path, 1)) for part in form.parts]
            return None if tag == NONE else (tag, inside[tag])
        case PackedForm(_, (part,)):
            return value_shown(part, leaves, function, path)
        case None:
            return None
        case _:
            return next(leaves)


def _give_up(*_: Any) -> Any:
    return GAVE_UP


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
    """Whether it is opened and made in Python: there are functions or sums in it."""
    match form:
        case ProductForm(parts):
            return any(map(_is_open, parts))
        case ArrayForm() | PointerForm():
            return False
        case _:
            return True


def leaves_of(form: Form, value: Any) -> Iterator[Any]:
    """The numbers and arrays of a value of a sum, or of what there are such in."""
    match form:
        case ArrayForm() | PointerForm():
            yield value
        case ProductForm(parts):
            for part, inner in zip(parts, value, strict=True):
                yield from leaves_of(part, inner)
        case SumForm(parts):
            tag, inner = (NONE, None) if value is None else value
            yield tag
            for number, part in enumerate(parts):
                if number == tag:
                    yield from leaves_of(part, inner)
                else:
                    for leaf in border_kinds(part):
                        if isinstance(leaf, PointerForm):
                            yield None
                            continue
                        zero = np.zeros(leaf.shape, leaf.dtype)
                        yield zero if leaf.shape or leaf.dtype[-2:] == "32" else zero.item()


def _watched(lam: Lam, survey: Occurrences) -> frozenset[int] | None:
    """The results in which a nan is in doubt; None where products are to be careful."""
    if not any(map(hides_zeros, survey.operations)):
        return frozenset()
    if not _is_plain(lam.body.type):
        return None
    with suppress(Hidden):
        known = lines_of(lam, survey, OPTIMISTIC).result
        return frozenset(
            number for number, fact in enumerate(_facts(lam.body.type, known)) if fact.doubtful
        )
    return None


def _is_plain(obj: Object) -> bool:
    """Whether a type is of tensors, in products."""
    parts = components(obj)
    return isinstance(obj, Tensor) if parts is None else all(map(_is_plain, parts.parts))


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
