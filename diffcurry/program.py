"""A function at given argument types: its λ, its combinators, its arrow in any mode, its code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from combinators.bulk import bulk, has_map
from combinators.erasure import erased
from combinators.errors import DiffcurryError, MissingRule
from combinators.literal import Literal
from combinators.morphisms import Morphism
from combinators.objects import Erased, Fun, Object, Product, Tensor, Vector
from combinators.operation import VIEWS
from combinators.primitives.loops import is_associative
from combinators.simplify import Fold, Rule, simplify
from combinators.spaces import SPACES
from combinators.terms import Const, Lam, Prim
from combinators.tracing.functions import Faces, Specialised
from combinators.translate import translate
from combinators.type_folds import fold_type, parts_inside
from diffcurry.border import At, Ats, Border, Guard
from diffcurry.closures import arrow_in, lift
from diffcurry.leaves import fits
from diffcurry.modes import CARRIER
from interpreters.backends import xla
from interpreters.backends.analysis.captures import Occurrences, surveyed
from interpreters.backends.llvm.choice import Compiled, chosen, native
from interpreters.backends.python import PythonProgram, compile_program
from interpreters.carriers.carrier import Carrier
from interpreters.carriers.fractions import Fractions
from interpreters.execution.machine import Arrow
from interpreters.execution.running import Running

EXACT = Fractions()
WRITTEN = 1024
"""Arrays of more elements are left: each that is folded is written into the program."""


def folded(node: Prim) -> Literal | None:
    """The value of a primitive of constants; None for an array, or where no float is that value.

    Arrays stay as they are: a program is as long for ten rows as for ten thousand.
    """
    return None if isinstance(node.type, Tensor) and node.type.shape else _folded(node)


def folded_when_compiled(node: Prim) -> Literal | None:
    """The same, also of an array where one of the constants is as large, and no single number."""
    cod = node.type
    whole = isinstance(cod, Tensor) and cod.shape and not _is_written(node, cod)
    return None if whole else _folded(node)


def _folded(node: Prim) -> Literal | None:
    cod = node.type
    if not isinstance(cod, Tensor):
        return None
    try:
        found = np.asarray(_computed(node, CARRIER), dtype=cod.dtype)
        if _is_seen_exact(node, found):
            return Literal(found)
        exact = _computed(node, EXACT)
    except (DiffcurryError, ArithmeticError, ValueError):
        return None
    numbers = zip(found.flat, np.asarray(exact, dtype=object).flat, strict=True)
    same = np.all(np.isfinite(found)) and all(
        Fraction(number.item()) == Fraction(int(x) if isinstance(x, bool | np.bool_) else x)
        for number, x in numbers
    )
    return Literal(found) if same else None


_RING = frozenset(("add", "plus", "subtract", "multiply", "scale", "negative"))


def _is_seen_exact(node: Prim, found: Any) -> bool:
    """Whether a value is exact that is a view, or was computed of whole numbers in their ring."""
    arrays = [found, *(arg.literal.array for arg in node.args if isinstance(arg, Const))]
    if node.operation.name in VIEWS:
        return all(map(np.all, map(np.isfinite, arrays)))
    return node.operation.name in _RING and all(
        x.dtype == np.float64 and np.all((x == np.rint(x)) & (abs(x) < 2**53)) for x in arrays
    )


def _is_written(node: Prim, cod: Tensor) -> bool:
    literals = [arg.literal for arg in node.args if isinstance(arg, Const)]
    if max(literal.type.size for literal in literals) > WRITTEN:
        return False
    return any(literal.type.size >= cod.size and any(literal.array.strides) for literal in literals)


def _computed(node: Prim, over: Carrier) -> object:
    literals = [arg.literal for arg in node.args if isinstance(arg, Const)]
    with np.errstate(all="ignore"):
        compute = over.operation(node.operation, [arg.type for arg in node.args], node.type)
        result: object = compute(*map(over.const, literals))
        return result


class Quick(NamedTuple):
    """A compiled program at its border."""

    border: Border
    compiled: Compiled

    def entry(self, guard: Guard | None) -> Callable[[tuple[Any, ...]], Any]:
        """The function of a tuple of arguments; ``NotThese`` for those that need a conversion."""
        made = self.border.entry(self.compiled.function, guard)
        door = getattr(self.compiled, "door", None)
        return door(made) if door and guard is None and self.border.is_plain else made


LARGE = 13_000
"""A program of more terms takes longer to compile than to be interpreted once."""


class Program:
    """What ``f.program(*args)`` gives: a typed term and everything that follows from it."""

    def __init__(
        self,
        made: Specialised,
        faces: Faces = (),
        *,
        simple: bool = False,
        rep: bool = False,
        backend: str | None = None,
        ats: Callable[[Program], tuple[Sequence[At | None], Ats]] = lambda _: ((), None),
    ) -> None:
        """Of a λ that captures nothing; ``faces`` are those of its arguments.

        ``simple`` says that it was simplified when it was written, as derivatives are; ``rep`` that
        its result is a value and a pullback, which is given as the compiled code gives it;
        ``backend`` what compiles it, if that was said; ``ats`` which arguments and results are
        tangents, and at what.
        """
        self.lam: Lam = made.lam
        self.face, self.faces = made.face, faces
        self._asked = 0
        self._is_simple, self._is_rep, self._ats, self._backend = simple, rep, ats, backend
        self.entry: Callable[[tuple[Any, ...]], Any] | None = None
        """What a call goes to, once it is compiled."""

    @cached_property
    def types(self) -> tuple[Object, ...]:
        """The types of the arguments."""
        return tuple(param.type for param in self.lam.params)

    @property
    def names(self) -> tuple[str, ...]:
        """What the arguments are called."""
        return tuple(param.name for param in self.lam.params)

    @property
    def cod(self) -> Object:
        """The type of the result."""
        return self.lam.body.type

    @cached_property
    def combinators(self) -> Morphism:
        """J of the body: an arrow from the product of the parameters (Fig. 1 of 004)."""
        return translate(self.lam.params, self.lam.body)

    @cached_property
    def survey(self) -> Occurrences:
        """What occurs in the λ."""
        return surveyed(self.lam)

    @cached_property
    def bulk(self) -> Lam:
        """The λ that runs: with bulk operations for its maps (003, section 5)."""
        return bulk(self.lam, trees=True) if self.survey.has_loops else self.lam

    @cached_property
    def scanning(self) -> Lam:
        """The same with associative loops as they are, which are derived, and run on XLA."""
        return bulk(self.lam) if has_map(self.lam, is_associative) else self.bulk

    @cached_property
    def _running(self) -> Morphism:
        if self.bulk is self.lam:
            return self.combinators
        return translate(self.bulk.params, self.bulk.body)

    def arrow(self, mode: Running) -> Arrow:
        """The program in ``mode``, in bulk; interpreted once."""
        return arrow_in(mode, self._running)

    def simplified(
        self,
        fold: Fold,
        *,
        fast_math: bool = False,
        rules: tuple[Rule, ...] = (),
        scanning: bool = False,
    ) -> Lam:
        """The λ that a backend compiles: a simpler one where there are functions, or bulk ones.

        What was written by a transform is simple already; ``fast_math`` and ``rules`` change it.
        One that is ``scanning`` has associative scans of its own.
        """
        lam, made = erased(self.lam) if SPACES else self.lam, self.bulk
        if lam is not self.lam:
            made = bulk(lam, trees=not scanning)
        elif scanning:
            made = self.scanning
        is_plain = made is self.lam and not fast_math and not rules
        if is_plain and (self._is_simple or not self.survey.times):
            return self.lam
        return simplify(made, fold=fold, fast_math=fast_math, rules=rules)

    @cached_property
    def _compiled(self) -> Lam:
        return self.simplified(folded_when_compiled)

    def compiled(self, name: str, doc: str = "") -> PythonProgram:
        """The program as Python that stands alone."""
        lam = self._compiled
        survey = self.survey if lam is self.lam else None
        return compile_program(lam, name=name, doc=doc, survey=survey)

    def for_xla(
        self, name: str, doc: str = "", *, fast_math: bool = False, rules: tuple[Rule, ...] = ()
    ) -> xla.JaxProgram:
        """The program as JAX, which is called ``name`` if it has no name of its own."""
        lam = self.simplified(folded, fast_math=fast_math, rules=rules, scanning=True)
        return xla.compile_program(lam, name=lam.name or name, doc=doc)

    def standing_alone(self, name: str) -> Any:
        """The program as a function of C, which is called ``name`` if it has no name of its own."""
        from interpreters.backends.llvm.c.standing_alone import StandingAlone

        return StandingAlone(self._compiled, self.lam.name or name)

    def formula(self, **options: Any) -> Any:
        """The program as a formula of SymPy, which is loaded then."""
        return _formulas().formula(erased(self.lam), self.face, **options)

    def latex(self, name: str = "") -> str | None:
        """The formula in LaTeX, where there is one that is not huge."""
        found: str | None = _formulas().latex(erased(self.lam), name)
        return found

    def lifted(self, args: tuple[Any, ...], mode: Running) -> tuple[Any, ...]:
        """The arguments as values of ``mode``."""
        for arg, param in zip(args, self.lam.params, strict=True):
            fits(arg, param.type, param.name)
        return tuple(lift(arg, obj, mode) for arg, obj in zip(args, self.types, strict=True))

    @cached_property
    def _quick(self) -> Quick | None:
        lam, types = self._compiled, (*self.types, self.cod)
        if self._is_rep and isinstance(self.cod, Product):
            value, function, *aux = self.cod.parts
            assert isinstance(function, Fun)
            types = (*self.types, value, function.dom, function.cod, *aux)
        if not all(map(is_of_data, types)):
            return None
        border = Border(self.types, self.faces, self.cod, self.face, self._ats(self))
        try:
            late = lambda *args: self._python.function(*args)  # noqa: E731, PLW0108 (when it is asked)
            return Quick(border, native(self._backend, lam, self.survey, late) or self._python)
        except MissingRule:
            return None

    @cached_property
    def _python(self) -> PythonProgram:
        return self.compiled(self._compiled.name or "f")

    def quick(self) -> Quick | None:
        """The program as compiled Python, where it takes numbers and has code.

        A large program is compiled when it is run for the second time, if it becomes Python, which
        computes what interpreters do, to the last digit.
        """
        self._asked += 1
        is_first = self._asked == 1 and self.survey.size > LARGE
        return None if is_first and chosen(self._backend) == "python" else self._quick

    @property
    def ran(self) -> str:
        """The backend that its calls ran on; empty before there was one."""
        quick = vars(self).get("_quick")
        return quick.compiled.backend if quick else "interpreter" if self._asked else ""

    def __repr__(self) -> str:
        return repr(self.lam)

    def __str__(self) -> str:
        return str(self.lam)


def is_of_data(obj: Object) -> bool:
    """Whether a type is of tensors, in products, sums and recursive types."""

    def at(part: Object, below: list[bool]) -> bool:
        return all(below) and not isinstance(part, Fun | Vector | Erased)

    return fold_type(obj, at, parts_inside, "data_")


def _formulas() -> Any:
    from diffcurry import formula  # it loads SymPy

    return formula
