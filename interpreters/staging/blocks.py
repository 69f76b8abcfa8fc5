"""Blocks: a branch, the body of a loop or of a function, written in a scope of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from combinators.kit.memory import uncollected
from combinators.objects import Fun, Object, Real, Tensor, Vector
from combinators.primitives.loops import MAP
from combinators.terms import Lam, Let, Prim, Proj, Term, Var, pack, packed
from combinators.tracing.scope import Scope, apart, entered
from combinators.type_folds import is_smooth, parts_of, tangent_of
from interpreters.execution.machine import Machine, Written
from interpreters.staging import atoms
from interpreters.staging.atoms import Atom


class Closed(NamedTuple):
    """A block that is written down: its body, and the variables that it mentions."""

    body: Term
    captured: tuple[Var, ...]

    def owned_by(self, scope: Scope) -> list[Var]:
        """The variables that are made in ``scope``: what goes there as residuals."""
        return [var for var in self.captured if scope.owns(var)]

    def beyond(self, scope: Scope, *seeds: Var) -> list[Var]:
        """The variables that are neither made in ``scope`` nor among ``seeds``."""
        return [var for var in self.captured if not scope.owns(var) and var not in seeds]


def twin(scope: Scope, parent: Scope | None) -> Scope:
    """A scope inside ``parent`` with names that are not those of ``scope`` either."""
    made = Scope(parent, scope.owner)
    made.names = scope.names
    return made


def closed(scope: Scope, *results: Atom) -> Closed:
    """The block that gives ``results``: one as it is, several as a tuple."""
    with entered(scope):
        return Closed(*scope.close(pack(tuple(result.term for result in results))))


def unbundled(whole: Atom, count: int) -> list[Atom]:
    """The terms that ``pack`` made one."""
    return [whole][:count] if count < 2 else [whole[i] for i in range(count)]


def record(variables: Iterable[Var]) -> Atom | None:
    """Residuals as one value; None of none."""
    held = [Atom(var) for var in variables]
    return bundled(held) if held else None


def bundled(held: list[Atom]) -> Atom:
    """Several terms as one: what ``pack`` is of terms that are written already."""
    return held[0] if len(held) == 1 else atoms.tuple_of(held)


def opening(variables: list[Var], whole: Term) -> list[tuple[Var, Term]]:
    """The bindings that give residuals their names again."""
    if len(variables) == 1:
        return [(variables[0], whole)]
    return [(var, Proj(index, whole)) for index, var in enumerate(variables)]


def binding(bindings: list[tuple[Var, Term]], body: Term) -> Term:
    """``let`` these bindings ``in`` a body, which may be a let itself."""
    if isinstance(body, Let):
        return Let((*bindings, *body.bindings), body.body)
    return Let(tuple(bindings), body) if bindings else body


def absent(variables: list[Var]) -> Atom | None:
    """In the place of residuals that another branch keeps."""
    return placeholder(together(variables)) if variables else None


def together(variables: list[Var]) -> Object:
    """The type of residuals as one value."""
    return packed(tuple([var.type for var in variables]))


def placeholder(obj: Object) -> Atom:
    """A value of type ``obj`` that nobody looks at."""
    if not _holds_functions(obj):
        return atoms.zeros(obj)
    if isinstance(obj, Fun):
        function = _constant(obj.dom, obj.cod)
        return atoms.write(function)
    if isinstance(obj, Vector):
        function = _constant(Real, obj.item)
        rows = atoms.zeros(Tensor((obj.length,)))
        return atoms.write(Prim(MAP, (function, rows.term)))
    parts = [placeholder(part) for part in parts_of(obj) or ()]
    return atoms.product_of(parts, obj)


def _constant(dom: Object, cod: Object) -> Lam:
    """A function of no interest."""
    scope = Scope(None, "a placeholder")
    with entered(scope):
        param = scope.parameter("x", dom)
        body = closed(scope, placeholder(cod))
    return Lam((param,), body.body)


def _holds_functions(obj: Object) -> bool:
    todo, seen = [obj], {obj}
    while todo:
        part = todo.pop()
        if isinstance(part, Fun):
            return True
        for below in parts_of(part) or ():
            if below not in seen:
                seen.add(below)
                todo.append(below)
    return False


def seed(scope: Scope, wish: str, y: Atom) -> Var:
    """The parameter that stands for the cotangent of ``y``."""
    return scope.parameter(wish, tangent_of(y.type))


def smooth(cotangent: Atom) -> Atom | None:
    """A cotangent, or None where its type can hold nothing."""
    return cotangent if is_smooth(cotangent.type) else None


def lambda_of(scope: Scope, write: Callable[[Machine], Written]) -> Lam:
    """The λ that ``write`` gives, in ``scope`` and on a machine of its own."""
    made: list[Lam] = []

    def step(machine: Machine) -> Any:
        with entered(scope):
            lam = yield from write(machine)
        made.append(lam)

    with uncollected(), apart():
        Machine().run((step,))
    return made[0]
