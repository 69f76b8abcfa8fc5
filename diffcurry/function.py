"""What a Python function becomes in the language: its programs, its calls, its looks."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from contextlib import suppress
from inspect import Signature
from typing import Any, ClassVar, Generic, ParamSpec, Self, TypeVar

import numpy as np

from combinators.errors import USERS_FRAMES, DiffcurryError, TypeMismatch, check_endless
from combinators.kit.memory import Remembered, uncollected
from combinators.objects import Object
from combinators.primitives.checks import checked as checks
from combinators.terms import Lam
from combinators.tracing.definition import (
    Definition,
    call,
    traced_apart,
    types_given,
    with_static,
)
from combinators.tracing.faces import face_of
from combinators.tracing.functions import Faces, Specialised, Types
from combinators.tracing.parameters import by_position, by_position_alone, parameter_names
from combinators.tracing.scope import current
from diffcurry.arguments import (
    by_name,
    face_at,
    holds_functions,
    in_order,
    is_function,
    is_setting,
    places,
    signature_of,
)
from diffcurry.border import At, Ats
from diffcurry.closures import lower
from diffcurry.explain import Shown
from diffcurry.known import Known, NotKnown
from diffcurry.modes import primal
from diffcurry.program import Program, Quick
from diffcurry.readings import ACTIVE, Readings, traced_under
from diffcurry.recent import Recent
from diffcurry.values import NotThese

P = ParamSpec("P")
R = TypeVar("R")


class Function(Shown, Definition, Generic[P, R]):
    """A function of the language.

    Called on numbers it computes; called while another function is being traced, it is a function
    value, applied there and never inlined.
    """

    __slots__ = ("_quick",)  # what every call reads
    is_watched: bool = False
    """Whether it serves only while all that it reads is the same, as its maker sees to."""
    is_of_data: bool = False
    """Whether it stands for another at the data of its arguments."""
    is_rep: ClassVar[bool] = False
    """Whether its programs give a value and a pullback."""
    is_simple: ClassVar[bool] = False
    """Whether its programs are simplified when they are written."""

    def __init__(
        self,
        function: Callable[P, R],
        types: tuple[Object, ...] | None = None,
        *,
        checked: bool = False,
        static: Sequence[str] = (),
        backend: str | None = None,
    ) -> None:
        self.checked, self.static_names, self.backend = checked, static, backend
        self._checks: Remembered[Lam, Lam] = Remembered()
        self.reads: Readings | None = None
        self.transforms: dict[Any, Any] = {}
        self._under: Readings | None = None
        self.sources: tuple[Any, ...] = (function,)
        super().__init__(function, types)
        self.static = places(static, self._signature, self.__name__)
        self._programs: dict[Any, Program] = {}
        self._quick: dict[int, Callable[[tuple[Any, ...]], R]] = {}
        functools.update_wrapper(self, function, updated=())

    @functools.cached_property
    def _signature(self) -> Signature | None:
        return signature_of(self.function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """The value at ``args``."""
        if current() is None and not kwargs:
            try:
                return self._quick[len(args)](args)
            except (NotThese, LookupError, ArithmeticError, MemoryError, RuntimeError) as error:
                # the first call, other types, a check that fails, or closures too deep
                check_endless(error)
        with USERS_FRAMES:
            value: R = self._called(args, kwargs)
        return value

    def _called(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The value, where the quick way does not lead: the cells of ``kwargs`` would slow that."""
        is_open = kwargs and self.types is None  # one that is typed has a value for each parameter
        names = by_name(self._signature, args, kwargs, self.__name__) if is_open else ()
        if names:
            rest = {name: value for name, value in kwargs.items() if name not in names}
            values = self.positional(args, rest, partial=True)
            return self._with_names(len(values), {n: kwargs[n] for n in names}, values)
        values = with_static(self, self.positional(args, kwargs))
        return self._computed(values) if current() is None else self._in_trace(values)

    def _with_names(self, count: int, given: dict[str, Any], values: tuple[Any, ...]) -> Any:
        """The value where arguments that others stand before are given by name.

        What is static is a setting, of which there is a program each; the rest is data.
        """
        data = {name: value for name, value in given.items() if not is_setting(value)}
        settings = {name: value for name, value in given.items() if is_setting(value)}
        key = (count, tuple(data), tuple(settings.items()))
        if key not in self.transforms:
            self.transforms[key] = self._naming(count, tuple(data), settings)
        return self.transforms[key](*values, *data.values())

    def _in_trace(self, values: tuple[Any, ...]) -> Any:
        """An application of this function value, while another function is traced."""
        return call(self, values)

    def _naming(
        self, count: int, names: tuple[str, ...], settings: dict[str, Any]
    ) -> Function[..., Any]:
        """The function of ``count`` arguments by position and others by ``names``."""
        function = self.function

        def applied(*args: Any) -> Any:
            given = dict(zip(names, args[count:], strict=True))
            return function(*args[:count], **given, **settings)

        words = [*parameter_names(function, count), *names]
        whole = by_position(applied, words, self.__name__)
        static = [name for name in self.static_names if name in words]
        return Function(whole, checked=self.checked, static=static, backend=self.backend)

    def with_functions(self, values: tuple[Any, ...]) -> Any:
        """The value where functions are among the arguments: compiled for their code."""
        try:
            known = self.base.known(self.primals(values))
            result = self._of_known(known, values, known.data)
        except (NotKnown, DiffcurryError):
            return self.otherwise(values)
        again = known.again
        if not self.static:
            self._quick[len(values)] = lambda xs: self._of_known(known, xs, again(self.primals(xs)))
        return result

    @functools.cached_property
    def _made_at_data(self) -> Recent[Function[..., Any]]:
        return Recent()

    def known(self, values: tuple[Any, ...]) -> Known[Function[..., Any]]:
        """The arguments taken apart, and the function of their data; raises NotKnown."""
        return Known(self, values, self._made_at_data, self._at_data)

    def _at_data(self, applied: Any, types: Any, functions: list[Any]) -> Function[..., Any]:
        """It at the data of its arguments, compiled for the code of the ``functions`` in them."""
        made: Function[..., Any] = Function(applied, types, backend=self.backend)
        made.is_of_data = True
        return made.watched(self.function, *functions)

    def watched(self, *sources: Any) -> Self:
        """Itself, which serves only while all that it reads, as its ``sources`` do, is the same."""
        self.is_watched, self.sources = True, sources or self.sources
        self.reads = self._read_by()
        return self

    @property
    def base(self) -> Function[..., Any]:
        """The function whose arguments it takes."""
        return self

    def primals(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Those of ``values`` that are arguments of ``base``."""
        return values

    def _of_known(self, known: Known[Any], values: tuple[Any, ...], data: list[Any]) -> Any:
        """The value, by a function of data; raises NotKnown where it is of no use."""
        return known.function(*data)

    def _computed(self, values: tuple[Any, ...]) -> Any:
        """The value at numbers, arrays and functions."""
        if holds_functions(values):
            return self.with_functions(values)
        return self._of_program(self.program(*values), values)

    def _of_program(self, program: Program, values: tuple[Any, ...]) -> Any:
        """The value at numbers and arrays, by the program of their types."""
        compiled = program.quick()
        if compiled is None:
            return self.otherwise(values)
        if program.entry is None:
            program.entry = self._entry(program, compiled)
        self._quick[len(values)] = program.entry
        try:
            with suppress(NotThese, LookupError, MemoryError):
                return program.entry(values)
            return self._run(program, compiled, values)
        except (IndexError, ArithmeticError, RuntimeError) as error:
            check_endless(error)
            return self.otherwise(values)  # it says errors in our words, on a stack of its own

    def _entry(self, program: Program, quick: Quick) -> Callable[[tuple[Any, ...]], Any]:
        """The function of a tuple of arguments, which may raise ``NotThese`` or ``Changed``."""
        return quick.entry(None if self.reads is None else self.reads.guard())

    def _run(self, program: Program, quick: Quick, values: tuple[Any, ...]) -> Any:
        """The result; an argument that is not of its type is an error."""
        return quick.border.run(quick.compiled.function, values, program.names)

    def ats(self, program: Program) -> tuple[Sequence[At | None], Ats]:
        """Which of the arguments, and of what its program gives, are tangents, and at what."""
        return (), self.shown_at(program.types, program.faces)

    def shown_at(self, types: tuple[Object, ...], faces: Faces) -> Ats:
        """Which parts of what it gives of arguments of these types are at one of them."""
        return None

    def otherwise(self, values: tuple[Any, ...]) -> Any:
        """The value of what has no code; one at data raises NotKnown: the whole is run as it is."""
        if self.is_of_data:
            raise NotKnown
        return self.evaluate(values)

    def evaluate(self, values: tuple[Any, ...]) -> Any:
        """The value, by interpretation: what takes or gives functions, or has no code."""
        program = self.running(*values)
        mode = primal()
        with np.errstate(all="ignore"):
            result = program.arrow(mode).run(program.lifted(values, mode))
        return lower(result, program.cod, program.face)

    def specialise(self, types: Types, faces: Faces) -> Specialised:
        """The λ at these argument types; of a checked function, with its checks."""
        here = ACTIVE.get()
        if self._under is not None and self._under is not here:
            self._under.notice()
            if self._under.changed():
                self.forget()
        self._under = here
        made = super().specialise(types, faces)
        lam = self._checks.of(made.lam, lambda: checks(made.lam)) if self.checked else made.lam
        return made._replace(lam=lam)

    def running(self, *args: Any) -> Program:
        """What runs at ``args``: the program, whose parameters are what the user gives."""
        return self.program(*args)

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        """A method: the function with its first argument, which is a constant to it."""
        return self if owner is None else Function(functools.partial(self.function, owner))

    def __getstate__(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Without what it remembers, which is made again."""
        memories, gone = (dict, Remembered, Recent), {"reads": None, "_under": None}
        return {
            name: type(v)() if isinstance(v, memories) and name != "options" else v
            for name, v in (vars(self) | gone).items()
        }, {"_quick": {}}

    def positional(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], *, partial: bool = False
    ) -> tuple[Any, ...]:
        """The arguments in order, with Python's defaults; where ``partial``, others are missing."""
        whole = () if kwargs else by_position_alone(self.function, len(args)) or ()
        if len(whole) == len(args) > 0 or self._signature is None:
            return args
        least = 0 if self.types is None or partial else len(self.types)
        return in_order(
            self._signature, args, kwargs, self.__name__, at_least=least, partial=partial
        )

    def forget(self) -> None:
        """Forget what was traced, because it read what is something else now."""
        for memory in (self._programs, self._quick, self._closed, self._open):
            memory.clear()
        self.reads = None

    def _read_by(self) -> Readings:
        """What it reads besides its arguments."""
        return Readings(*self.sources, warns=not self.is_watched)

    def _settle(self, *, whole: bool) -> None:
        """Leave out of what it reads what tracing it changed; it may not be ``whole`` any more."""
        if self.is_watched and self.reads is not None:
            self.reads.settle()
            self.reads.whole = self.reads.whole and whole

    def traced(self, types: Types, faces: Faces) -> Specialised:
        """The λ at these types, traced apart; what the function reads is remembered."""
        if self.reads is None:
            self.reads = self._read_by()
        reads = self.reads
        with uncollected(), traced_under(reads):
            made = traced_apart(lambda: self.specialise(types, faces))
        self._settle(whole=reads.whole)
        return made

    def program(self, *args: Any) -> Program:
        """The function at the types of ``args``, or at its declared types."""
        if self.reads is not None:
            self.reads.notice()
            if self.reads.changed():
                if self.is_of_data:
                    raise NotKnown  # whoever made it sees whether another is worth it
                self.forget()
        return self.program_of(*self.types_of(args))

    def program_of(self, types: Types, faces: Faces) -> Program:
        """The program at these types, and in these containers."""
        key = (tuple(t if isinstance(t, Object) else None for t in types), faces)
        untyped = any(not isinstance(t, Object) for t in types)
        if untyped or key not in self._programs:
            made = self.traced(types, faces)
            known = self._programs.get(key)
            if known is None or known.lam is not made.lam:
                self._programs[key] = Program(
                    made,
                    faces,
                    simple=self.is_simple,
                    rep=self.is_rep,
                    backend=self.backend,
                    ats=self.ats,
                )
        return self._programs[key]

    def types_of(self, args: tuple[Any, ...]) -> tuple[Types, Faces]:
        """The types of arguments, and their containers."""
        if self.types is None:
            return self.declared(*traced_apart(lambda: types_given(self, with_static(self, args))))
        if not args:
            return self.types, tuple(map(face_of, self.types))
        if len(args) != (count := len(self.types)):
            raise TypeMismatch(f"{self.__name__} takes {count} arguments and was given {len(args)}")
        return self.types, tuple(map(face_at, args, self.types))

    def without_functions(
        self, args: tuple[Any, ...]
    ) -> tuple[Function[..., Any], tuple[Any, ...]]:
        """The function of the other arguments, where some are functions."""
        known = {index: arg for index, arg in enumerate(args) if is_function(arg)}
        if not known:
            return self, args

        def applied(*rest: Any) -> Any:
            given = iter(rest)
            return call(self, [known[i] if i in known else next(given) for i in range(len(args))])

        return Function(applied), tuple(arg for i, arg in enumerate(args) if i not in known)
