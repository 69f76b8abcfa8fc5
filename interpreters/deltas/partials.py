"""The arrays of partial derivatives by which ``Scale`` scales, read off a primitive's own rule.

The rule ``λ(g, x, y, z). (scale(g, y), scale(g, x))`` of ``x * y`` says that the cotangent ``g`` is
multiplied by ``y`` and by ``x``: these are the factors. A rule of another form has none, and its
primitive moves as a whole.

>>> from combinators.objects import Real
>>> from combinators.operation import Operation, named
>>> factors(Operation(named("multiply")), (Real, Real), (0, 1))
λ(x, x1, x2). (x1, x)
>>> factors(Operation(named("add")), (Real, Real), (0, 1))
λ(x, x1, x2). ((), ())
>>> factors(Operation(named("divide")), (Real, Real), (0, 1)) is None
True
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from combinators.derivative_rules import Types, pullback_rule
from combinators.free import scopes
from combinators.operation import Operation, Pointwise
from combinators.terms import Lam, Let, Prim, Term, Tuple, Var


@cache
def factors(operation: Operation, types: Types, active: tuple[int, ...]) -> Lam | None:
    """``λ(x₁ … xₙ, y). (p, …)``, the factor of each active argument; ``()`` is 1.

    None where an argument has no factor of the shape of the result.
    """
    if not isinstance(operation.primitive.derivative, Pointwise):
        return None
    rule = pullback_rule(operation, types, active)
    if rule is None or any(types[i] is not operation.type(*types) for i in active):
        return None
    g, *given = rule.params
    bindings, body = _opened(rule.body)
    assert isinstance(body, Tuple)
    bound = {var.name: term for var, term in bindings}
    found = [_factor(item, bound, g) for item in body.items]
    if any(factor is None for factor in found):
        return None
    items = Tuple(tuple(factor for factor in found if factor is not None))
    kept = _without(bindings, g)
    lam = Lam(tuple(given), Let(kept, items) if kept else items)
    return None if scopes(lam).free else lam


def _opened(body: Term) -> tuple[tuple[tuple[Var, Term], ...], Term]:
    return (body.bindings, body.body) if isinstance(body, Let) else ((), body)


def _factor(item: Term, bound: dict[str, Term], g: Var) -> Term | None:
    """``p`` of ``scale(g, p)``; of ``g`` itself, 1."""
    term = bound.get(item.name, item) if isinstance(item, Var) else item
    if _is(term, g):
        return Tuple(())
    if isinstance(term, Prim) and term.operation.name == "scale" and _is(term.args[0], g):
        return term.args[1] if term.args[1].type is g.type else None
    return None


def _is(term: Term, var: Var) -> bool:
    return isinstance(term, Var) and term.name == var.name


def _without(bindings: Iterable[tuple[Var, Term]], g: Var) -> tuple[tuple[Var, Term], ...]:
    """The bindings that do not depend on ``g``."""
    depend, kept = {g.name}, []
    for var, term in bindings:
        if any(free.name in depend for free in scopes(term).free):
            depend.add(var.name)
        else:
            kept.append((var, term))
    return tuple(kept)
