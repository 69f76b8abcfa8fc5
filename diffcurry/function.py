"""``fun``: what a Python function becomes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Generic, ParamSpec, TypeVar, overload

import numpy as np

from combinators.checked import checked as checks
from combinators.errors import TypeMismatch
from combinators.kit.memory import Remembered, uncollected
from combinators.objects import Object, components
from combinators.terms import Lam
from combinators.tracing.definition import Definition, traced_apart
from combinators.tracing.faces import face_of, take_apart
from combinators.tracing.functions import (
    Faces,
    Specialised,
    Types,
    argument_types,
    call,
    parameter_names,
)
from combinators.tracing.scope import current
from diffcurry.closures import lift, lower
from diffcurry.fits import fits
from diffcurry.modes import primal
from diffcurry.program import Program
from diffcurry.quick import NotThese
from diffcurry.showing import Showing
from diffcurry.signature import in_order, signature_of
from interpreters.execution.running import Running

P = ParamSpec("P")
R = TypeVar("R")


MEMORIES = frozenset({"_checks", "_closed", "_derived", "_open", "_programs", "_quick", "_running"})
"""What a function remembers of the types that it has met."""


class Function(Definition, Showing, Generic[P, R]):
    """A function of the language.

    Called on numbers it computes; called while another function is being traced, it is a function
    value, applied there and never inlined.
    """

    is_simple: ClassVar[bool] = False
    """Whether its programs are simplified when they are written."""

    def __init__(
        self,
        function: Callable[P, R],
        types: tuple[Object, ...] | None = None,
        *,
        checked: bool = False,
    ) -> None:
        """``function``, at ``types`` where they are given."""
        self.checked = checked
        self._checks: Remembered[Lam, Lam] = Remembered()
        super().__init__(function, types)
        self._programs: dict[Any, Program] = {}
        self._quick: dict[int, Callable[[tuple[Any, ...]], R]] = {}
        self._signature = signature_of(function)
        functools.update_wrapper(self, function, updated=())

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """The value at ``args``."""
        here = current()
        if here is None and not kwargs:
            try:
                return self._quick[len(args)](args)
            except (NotThese, LookupError, ArithmeticError):
                pass  # the first call, other types, or a check that fails
        values = self.positional(args, kwargs)
        value: R = self.computed(values) if here is None else call(self, values)
        return value

    def computed(self, values: tuple[Any, ...]) -> Any:
        """The value at numbers, arrays and functions."""
        if any(map(callable, values)):
            return self.evaluate(values)
        program = self.program(*values)
        compiled = program.quick()
        if compiled is None:
            return self.evaluate(values)
        self._quick[len(values)] = compiled.entry
        for value, obj, name in self.named(program, values):
            fits(value, obj, name)
        try:
            return compiled.run(values)
        except (IndexError, ArithmeticError):
            return self.evaluate(values)  # which says it in the language's own words

    def evaluate(self, values: tuple[Any, ...]) -> Any:
        """The value, by interpretation: what takes or gives functions, or has no code."""
        program = self.running(*values)
        mode = primal()
        with np.errstate(all="ignore"):
            result = program.arrow(mode).run(self.lifted(program, values, mode))
        return lower(result, program.cod, program.face)

    def specialise(self, types: Types, faces: Faces) -> Specialised:
        """The λ at these argument types; of a checked function, with its checks."""
        made = super().specialise(types, faces)
        if not self.checked:
            return made
        return made._replace(lam=self._checks.of(made.lam, lambda: checks(made.lam)))

    def running(self, *args: Any) -> Program:
        """What runs at ``args``: the program, whose parameters are what the user gives."""
        return self.program(*args)

    def programs(self) -> list[Program]:
        """Those of the types that it has met; of a function with declared types, that one."""
        if self.types is not None and not self._programs:
            self.program()
        return list(self._programs.values())

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        """A method: the function with its first argument, which is a constant to it."""
        return self if owner is None else Function(functools.partial(self.function, owner))

    def __getstate__(self) -> dict[str, Any]:
        """Without what it remembers, which is made again."""
        return {
            name: type(value)() if name in MEMORIES else value for name, value in vars(self).items()
        }

    def __repr__(self) -> str:
        """Its name, and the types at which it has been traced."""
        types = ", ".join(repr(program.lam.type) for program in self._programs.values())
        return f"<fun {self.__name__}{' : ' + types if types else ''}>"

    def __str__(self) -> str:
        """Its programs, one for each choice of types that it has met, in let-normal form."""
        return "\n\n".join(map(str, self.programs())) or repr(self)

    def positional(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The arguments in order, with Python's defaults."""
        if self._signature is None:
            return args
        return in_order(self._signature, args, kwargs, self.__name__)

    def program(self, *args: Any) -> Program:
        """The function at the types of ``args``, or at its declared types."""
        types, faces = self._types_of(args)
        key = (tuple(t if isinstance(t, Object) else None for t in types), faces)
        untyped = any(not isinstance(t, Object) for t in types)
        if untyped or key not in self._programs:
            with uncollected():
                made = traced_apart(lambda: self.specialise(types, faces))
            known = self._programs.get(key)
            if known is None or known.lam is not made.lam:
                self._programs[key] = Program(made, faces, simple=self.is_simple)
        return self._programs[key]

    def _types_of(self, args: tuple[Any, ...]) -> tuple[Types, Faces]:
        if self.types is None:
            return traced_apart(lambda: argument_types(args))
        if not args:
            return self.types, tuple(map(face_of, self.types))
        if len(args) != len(self.types):
            raise TypeMismatch(
                f"{self.__name__} takes {len(self.types)} arguments and was given {len(args)}"
            )
        for arg, obj, name in zip(
            args, self.types, parameter_names(self.function, len(args)), strict=True
        ):
            fits(arg, obj, name)
        return self.types, tuple(
            take_apart(arg)[0] if components(obj) is not None else None
            for arg, obj in zip(args, self.types, strict=True)
        )

    def lifted(self, program: Program, args: tuple[Any, ...], mode: Running) -> tuple[Any, ...]:
        """The arguments as values of ``mode``."""
        return tuple(
            lift(arg, obj, mode) if fits(arg, obj, name) else ()
            for arg, obj, name in self.named(program, args)
        )

    def named(self, program: Program, args: tuple[Any, ...]) -> Iterator[tuple[Any, Object, str]]:
        """Each argument with its type and its name."""
        names = parameter_names(self.function, len(args))
        return zip(args, program.types, names, strict=True)


@overload
def fun(function: Callable[P, R], /, *types: Object, checked: bool = False) -> Function[P, R]: ...
@overload
def fun(*types: Object, checked: bool = False) -> Callable[[Callable[P, R]], Function[P, R]]: ...
def fun(function: Any = None, /, *types: Any, checked: bool = False) -> Any:
    """A Python function as a function of the language.

    It is typed by ``types``, one object for each parameter; or by its annotations, if every
    parameter is annotated by an object (or float, int, bool); or else by the arguments of each
    call. It is traced once for each choice of types, and free numbers and arrays of Python are
    constants from then on.

    An index that is computed reads 0 where it is outside, and puts nowhere; an integer divided by
    zero is 0, and a negative power of an integer its integer part. With ``checked`` these are
    errors, ``IndexOutOfRange``, ``DivisionByZero`` and ``DomainError``, that name the user's line,
    here and in every derivative of the function.

    >>> @fun
    ... def area(r):
    ...     return 3.0 * r * r
    >>> area(2.0)
    np.float64(12.0)
    """
    if function is None or isinstance(function, Object):
        given = (function, *types) if function is not None else ()
        return lambda f: fun(f, *given, checked=checked)
    if isinstance(function, Function) and not types and function.checked >= checked:
        return function
    for obj in types:
        if not isinstance(obj, Object):
            raise TypeMismatch(
                f"fun takes the types of the parameters as objects, as in fun(f, Real), not {obj!r}"
            )
    if not callable(function):
        raise TypeMismatch(f"fun takes a Python function, and {function!r:.60} is not callable")
    if checked and isinstance(function, Function) and type(function) is not Function:
        raise TypeMismatch(
            f"{function!r:.60} is made of another function; check that one, as in "
            "grad(fun(f, checked=True))"
        )
    if isinstance(function, Definition):
        types = types or function.types or ()
        function = function.function
    return Function(function, types or None, checked=checked)
