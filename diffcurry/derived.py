"""Derivatives as λs: what a transform writes, stage by stage, and how it is applied."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import count
from typing import NamedTuple

from combinators.block import opened
from combinators.bulk import bulk
from combinators.errors import NotDifferentiable, UnknownCode
from combinators.kit.text import Names
from combinators.objects import Fun, Mu, Object, Record, Sum, Vector, components
from combinators.operation import Operation
from combinators.primitives.structural import DUAL, REP, ZEROS
from combinators.simplify import Fired, simplify
from combinators.simplify.rule import Trace
from combinators.simplify.writer import Writer
from combinators.terms import App, Lam, Let, Prim, Proj, Term, Tuple, Var, pack
from combinators.tracing.faces import Face, face_of
from combinators.tracing.functions import Specialised
from combinators.tracing.mirrors import mirror_of, with_functions
from combinators.tracing.scope import current
from combinators.type_folds import (
    dual_function,
    is_first_order,
    is_smooth,
    moves,
    rep_function,
    represented,
    velocity,
)
from diffcurry.arguments import check_scalar
from diffcurry.program import Program, folded
from interpreters.staging.programs import gradient


class Written(NamedTuple):
    """A derivative as a closed λ of the captured variables and the arguments."""

    lam: Lam
    face: Face | None


def closed_of(made: Specialised) -> Lam:
    """The λ of a function and of what it captures of a trace."""
    return Lam((*made.captured, *made.lam.params), made.lam.body, made.lam.name)


def is_tagged(obj: Object) -> bool:
    """Whether there are tangents of sums in a type: those that mirror values are of another."""
    return not is_first_order(obj) and mirror_of(obj) is not obj


def applied(
    written: Written,
    made: Specialised,
    params: tuple[Var, ...],
    mirrored: Callable[[Var, Sequence[Var]], Term],
) -> Specialised:
    """A derivative as a λ over ``params``, in the scope where the function captures.

    Inside a trace functions are given as they are, and their rep-functions go to the derivative;
    tangents that it gives are ``mirrored`` at the values.
    """
    lam, here = written.lam, current()
    for var in made.captured:
        if here is not None and here.recurs(var):
            raise UnknownCode(
                f"{var.name} takes the derivative of itself in its own body, so that a call n deep "
                "asks for the n-th derivative, and a program holds a number of them that is known; "
                "where the depth is known while tracing, let a Python function of it make the "
                "function: def f(n): return fun(lambda x: … grad(f(n - 1))(x) …)"
            )
    given = (*made.captured, *params)
    same = all(a.type is b.type for a, b in zip(given, lam.params, strict=True))
    tagged = here is not None and is_tagged(lam.body.type)
    if not made.captured and not tagged and (same or here is None):
        return Specialised(lam, (), written.face)
    arguments = [_as_type(var, param.type) for var, param in zip(given, lam.params, strict=True)]
    body: Term = App(lam, pack(tuple(arguments)))
    if tagged:
        found = Var(Names(param.name for param in params).fresh("found"), body.type)
        body = Let(((found, body),), mirrored(found, params))
    return Specialised(Lam(params, body, lam.name), made.captured, written.face)


def finished(
    lam: Lam,
    results: Callable[[Var], Term],
    name: str,
    trace: Trace | None = None,
    writer: Writer | None = None,
) -> Lam:
    """``lam``, simplified, with ``results`` of its result instead, as every transform gives it.

    ``trace`` is called with each rule that fires; ``writer`` has written the lines of ``lam``.
    """
    lines, whole = opened(lam.body)
    both = Var(Names(param.name for param in lam.params).fresh("both"), whole.type)
    body = Let((*lines, (both, whole)), results(both))
    return simplify(Lam(lam.params, body, name), fold=folded, trace=trace, writer=writer)


NOTHING = Face(type(None), (), ())
"""The face of the tangent of what has none: None."""


def tangent_face(face: Face | None, obj: Object) -> Face | None:
    """The face of a cotangent or tangent of a value of type ``obj`` that wears ``face``."""
    product = components(obj)
    if product is None:
        return None if is_smooth(obj) else NOTHING
    if not product.width and (face is None or face.is_static):
        return NOTHING
    shown = face if face is not None else face_of(obj)
    assert shown is not None
    children = zip(shown.children, product.parts, strict=True)
    return Face(shown.kind, shown.keys, tuple(tangent_face(f, o) for f, o in children))


# ---- values with functions in them ---------------------------------------------------------------


def _whole(parts: Iterable[Term], obj: Object) -> Term:
    return Tuple(tuple(parts), obj.names if isinstance(obj, Record) else None)


def _names() -> Iterator[str]:
    """Of the arguments of functions in a result."""
    return (f"a{n}_" for n in count())


def _as_type(term: Term, obj: Object) -> Term:
    """A value as a derivative takes it: with derivatives of functions, alone or as companions."""
    if term.type is obj:
        return term
    target = components(obj)
    if isinstance(term.type, Fun):
        if target is not None:
            return Tuple(tuple(_as_type(term, companion) for companion in target.parts))
        todo = [term]
        while (made := todo.pop(0)).type is not obj:  # ``dual (rep g)`` and the like
            todo += [Prim(operation, (made,)) for operation in (REP, DUAL)]
        return made
    if isinstance(obj, Sum | Mu | Vector):
        return with_functions(term, obj, _as_type)
    assert target is not None
    return _whole((_as_type(Proj(i, term), part) for i, part in enumerate(target.parts)), obj)


def unrepresented(term: Term, obj: Object, names: Iterator[str] | None = None) -> Term:
    """A value of type ``obj``, from what reverse mode gives: functions of their rep-functions."""
    if represented(obj, rep_function) is obj:
        return term
    names = names or _names()
    if isinstance(obj, Fun):
        argument = Var(next(names), obj.dom)
        given = _as_type(argument, represented(obj.dom, rep_function))
        return Lam((argument,), unrepresented(Proj(0, App(term, given)), obj.cod, names))
    if isinstance(obj, Sum | Mu | Vector):
        return with_functions(term, obj, partial(unrepresented, names=names))
    product = components(obj)
    assert product is not None
    parts = enumerate(product.parts)
    return _whole((unrepresented(Proj(i, term), part, names) for i, part in parts), obj)


def result(
    primal: Term, tangent: Term, obj: Object, names: Iterator[str] | None = None
) -> tuple[Term, Term]:
    """A value of type ``obj`` and its tangent, from what forward mode gives."""
    if represented(obj, dual_function) is obj:
        return primal, tangent
    names = names or _names()
    if isinstance(obj, Fun):
        argument = Var(next(names), obj.dom)
        whole = App(primal, _still(argument, obj.dom))
        moved = moves(obj.cod)
        value, along = (Proj(0, whole), Proj(1, whole)) if moved else (whole, Tuple(()))
        y, dy = result(value, along, obj.cod, names)
        return Lam((argument,), y), Lam((argument,), dy)
    product = components(obj)
    if product is None:
        raise UnknownCode(
            f"a program for jvp of what gives {obj!r} is not there, as functions stand in it; give "
            "them in a tuple, or take vjp or, at numbers, jvp"
        )
    pairs = [
        result(Proj(i, primal), Proj(i, tangent) if moves(obj) else Tuple(()), part, names)
        for i, part in enumerate(product.parts)
    ]
    return _whole((y for y, _ in pairs), obj), _whole((dy for _, dy in pairs), obj)


def _still(term: Term, obj: Object) -> Term:
    """An argument of type ``obj`` as a dual function takes it, standing still."""
    primal = _as_type(term, represented(obj, dual_function))
    if not moves(obj):
        return primal
    return Tuple((primal, Prim(Operation(ZEROS, (("of", velocity(obj)),)), ())))


# ---- the gradient that one looks at --------------------------------------------------------------


@dataclass(frozen=True)
class Derived:
    """The gradient of ``lam``, a closed λ, in every argument that has one.

    >>> from combinators.objects import Real
    >>> from diffcurry.decorator import fun
    >>> derived(fun(lambda x: x * x, Real).program().lam).alone.lam
    λx. x + x
    """

    lam: Lam
    which: tuple[int, ...]
    _fired: list[Fired] = field(default_factory=list, compare=False)

    @cached_property
    def raw(self) -> Program:
        """Value and gradients as reverse mode writes them: ``λ(x…). (y, (x̄, …))``."""
        return _program(gradient(bulk(self.lam), self.which))

    @cached_property
    def both(self) -> Program:
        """Value and gradients, made simpler."""
        raw = self.raw.lam
        return _program(finished(raw, lambda whole: whole, raw.name, self._fired.append))

    @property
    def fired(self) -> list[Fired]:
        """The rules that made it simpler, in order."""
        self.both  # noqa: B018 (it is what fills the list)
        return self._fired

    @cached_property
    def alone(self) -> Program:
        """The gradients, without the value; of one argument, its gradient."""

        def results(whole: Var) -> Term:
            return Proj(0, Proj(1, whole)) if len(self.which) == 1 else Proj(1, whole)

        return _program(finished(self.raw.lam, results, f"grad_{self.lam.name or 'f'}"))


def derived(lam: Lam) -> Derived:
    """The gradient of ``lam``.

    It raises ``NotDifferentiable`` where the result is no Real, or no argument has a derivative.
    """
    check_scalar(lam.body.type)
    which = tuple(i for i, param in enumerate(lam.params) if is_smooth(param.type))
    if not which:
        raise NotDifferentiable("no argument has a derivative: let one be a float")
    return Derived(lam, which)


def _program(lam: Lam) -> Program:
    return Program(Specialised(lam, (), None))
