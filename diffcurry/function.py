"""``fun``: what a Python function becomes, and how it shows itself."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ClassVar, Generic, ParamSpec, TypeVar, overload

import numpy as np

from combinators.checked import checked as checks
from combinators.errors import TypeMismatch, WrongMode
from combinators.kit.memory import Remembered, uncollected
from combinators.objects import Fun, Object, components
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
from combinators.tracing.traced import Traced
from diffcurry.arguments import fits, in_order, signature_of
from diffcurry.border import NotThese
from diffcurry.closures import lower
from diffcurry.display import Report, cost, html
from diffcurry.explain import STAGES, Explanation, Stage, Walked, explain
from diffcurry.modes import primal
from diffcurry.program import Program
from diffcurry.readings import ACTIVE, Readings, traced_under

P = ParamSpec("P")
R = TypeVar("R")


MEMORIES = frozenset({"_checks", "_closed", "_derived", "_open", "_programs", "_quick", "_running"})
"""What a function remembers of the types that it has met."""


class Function(Definition, Generic[P, R]):
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
        self._reads: Readings | None = None
        self._under: Readings | None = None
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
            except (NotThese, LookupError, ArithmeticError, RecursionError):
                pass  # the first call, other types, a check that fails, or closures too deep
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
        entry = compiled.entry if self._reads is None else self._reads.guarded(compiled.entry)
        self._quick[len(values)] = entry
        for value, obj, name in program.named(values):
            fits(value, obj, name)
        try:
            return compiled.run(values)
        except (IndexError, ArithmeticError, RecursionError):
            # It says errors in the language's own words, and has a stack of its own.
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
        kept = {name: v for name, v in vars(self).items() if name not in ("_reads", "_under")}
        made = {name: type(v)() if name in MEMORIES else v for name, v in kept.items()}
        return made | {"_reads": None, "_under": None}

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

    def forget(self) -> None:
        """Forget what was traced, because it read what is something else now."""
        for memory in (self._programs, self._quick, self._closed, self._open):
            memory.clear()
        self._reads = None

    def read_by(self) -> Readings:
        """What it reads besides its arguments."""
        return Readings(self.function)

    def traced(self, types: Types, faces: Faces) -> Specialised:
        """The λ at these types, traced apart; what the function reads is remembered."""
        if self._reads is None:
            self._reads = self.read_by()
        with uncollected(), traced_under(self._reads):
            return traced_apart(lambda: self.specialise(types, faces))

    def program(self, *args: Any) -> Program:
        """The function at the types of ``args``, or at its declared types."""
        if self._reads is not None:
            self._reads.notice()
            if self._reads.changed():
                self.forget()
        types, faces = self._types_of(args)
        key = (tuple(t if isinstance(t, Object) else None for t in types), faces)
        untyped = any(not isinstance(t, Object) for t in types)
        if untyped or key not in self._programs:
            made = self.traced(types, faces)
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

    def at_types(self, args: tuple[Any, ...]) -> Program:
        """The program at ``args``: all types, all values, or none if it is typed.

        >>> from combinators.objects import Real
        >>> fun(lambda x: x * x).at_types((Real,))
        λx. x * x
        """
        if not are_types(args):
            return self.program(*args)
        if self.types is not None and self.types != args:
            raise TypeMismatch(f"{self!r} is declared at {self.types}, and asked for at {args}")
        faces = tuple(map(face_of, args))
        return Program(self.traced(args, faces))

    def source(self, *at: Any) -> str:
        """Python that stands alone: it needs ``math`` and ``numpy`` at most, and nothing of ours.

        ``source("jax", …)`` is a module of JAX instead, for XLA. It tells JAX to keep 64 bits where
        the program has numbers of 64 bits. Containers are tuples in either, in the order that the
        docstring says.

        >>> from combinators.objects import Real
        >>> print(fun(lambda x: x * x + 1.0, Real).source())
        def f(x):
            return x * x + 1.0
        <BLANKLINE>
        """
        language, at = (at[0], at[1:]) if at and isinstance(at[0], str) else ("python", at)
        program = self.at_types(at)
        name = self.__name__ if self.__name__.isidentifier() else "f"
        if language == "jax":
            return program.for_xla(name, _containers(program)).source
        if language not in ("python", "numpy"):
            raise WrongMode(
                f'sources are written in "python" and in "jax", and not in {language!r}'
            )
        doc = " ".join(filter(None, (self.__doc__, _containers(program))))
        return program.compiled(program.lam.name or name, doc).source

    def sympy(self, *at: Any, **assumptions: Any) -> Any:
        """The formula, on symbols named after the parameters.

        Containers and small tensors are structures of symbols. ``assumptions`` are SymPy's, as
        ``positive=True``. A large program gives ``(definitions, result)``, as ``sympy.cse`` does;
        ``definitions=`` decides it.

        >>> from combinators.objects import Real
        >>> fun(lambda x, y: x * y + x, Real, Real).sympy()
        x*y + x
        """
        return self.at_types(at).formula(**assumptions)

    def cost(self, *at: Any) -> Report:
        """The operations of the function and of its gradient, at types or at arguments (law K1).

        At types nothing is run, and where conditionals leave a choice the count is that of the
        dearest path; given arguments such a program is run and counted exactly. Functions among the
        arguments are constants here: what they cost counts, and there is no gradient in what they
        capture.

        >>> from combinators.objects import Real
        >>> fun(lambda x, y: x * y + x, Real, Real).cost().program.counts
        {'add': 1, 'multiply': 1}
        """
        function, args = self._without_functions(at)
        name = "the program" if self.__name__ == "<lambda>" else self.__name__
        return cost(function.at_types(args), args if not are_types(args) else (), name)

    def _without_functions(
        self, args: tuple[Any, ...]
    ) -> tuple[Function[..., Any], tuple[Any, ...]]:
        """The function of the other arguments, where some are functions."""
        known = {index: arg for index, arg in enumerate(args) if callable(arg)}
        if not known:
            return self, args

        def applied(*rest: Any) -> Any:
            given = iter(rest)
            return call(self, [known[i] if i in known else next(given) for i in range(len(args))])

        return Function(applied), tuple(arg for i, arg in enumerate(args) if i not in known)

    def explain(self, *at: Any, stages: tuple[Stage, ...] = STAGES) -> Explanation:
        """One program on its way to a gradient, stage by stage, at types or at arguments.

        A stage that the program cannot have, as the gradient of what is no Real, says so in a line.

        >>> from combinators.objects import Real
        >>> print(fun(lambda x: x * x).explain(Real, stages=STAGES[:1]))
        λ : Real ⇒ Real
        <BLANKLINE>
        ── term ──
        λ(x : Real).
          x * x
        """
        return explain(Walked(self.at_types(at), lambda: self.cost(*at)), stages)

    def _repr_html_(self) -> str:
        """The programs, coloured."""
        return html(self.programs(), repr(self))

    def _repr_latex_(self) -> str | None:
        """The formula, where there is one that is not huge."""
        programs = self.programs()
        return programs[-1].latex(self.__name__) if programs else None


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
    if isinstance(function, Traced):
        function, types = _applied(function), types or _argument_types(function)
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


def are_types(args: tuple[Any, ...]) -> bool:
    """Whether these are types; types and values do not mix."""
    if not any(isinstance(arg, Object) for arg in args):
        return False
    if not all(isinstance(arg, Object) for arg in args):
        raise TypeMismatch("give types for all arguments or values for all, not some of each")
    return True


def _containers(program: Program) -> str:
    """The types of the parameters that are containers, which are tuples in Python."""
    params = [param for param in program.lam.params if components(param.type) is not None]
    listed = ", ".join(f"{param.name} : {param.type!r}" for param in params)
    return f"Containers are tuples: {listed}." if params else ""


def _applied(value: Traced) -> Callable[..., Any]:
    """A function value, inside a trace, as a Python function."""

    def applied(*args: Any) -> Any:
        return value(*args)

    return applied


def _argument_types(value: Traced) -> tuple[Object, ...]:
    """How a function value is called in Python."""
    if not isinstance(value.type, Fun):
        raise TypeMismatch(f"a function was expected, and this is a traced {value.type!r}")
    product = components(value.type.dom)
    return product.parts if product is not None and product.width != 1 else (value.type.dom,)
