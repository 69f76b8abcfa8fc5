"""Between functions as users write them and the dual functions that forward mode makes of them.

A function in the result of a pushforward is a dual function ``A × T A ⇒ B × T B``. What the user
gets is the function itself, and its tangent: a function from an argument, which stands still, to
the tangent of the result.
"""

from __future__ import annotations

from itertools import count

from combinators.errors import NotDifferentiable
from combinators.objects import Fun, Object, Record, components
from combinators.operation import Operation
from combinators.primitives.loops import DUAL
from combinators.primitives.structural import ZEROS
from combinators.terms import App, Lam, Prim, Proj, Term, Tuple, Var
from combinators.type_folds import dual_function, moves, represented, velocity


def result(primal: Term, tangent: Term, obj: Object) -> tuple[Term, Term]:
    """A value of type ``obj`` and its tangent, from what forward mode gives."""
    return _Results().pair(primal, tangent, obj)


def still(term: Term, obj: Object) -> Term:
    """An argument of type ``obj`` as a dual function takes it, standing still."""
    primal = _dual(term, obj)
    if not moves(obj):
        return primal
    return Tuple((primal, Prim(Operation(ZEROS, (("of", velocity(obj)),)), ())))


def _dual(term: Term, obj: Object) -> Term:
    """A value with dual functions for its functions."""
    if represented(obj, dual_function) is obj:
        return term
    if isinstance(obj, Fun):
        return Prim(DUAL, (term,))
    product = components(obj)
    if product is None:
        raise NotDifferentiable(f"a vector of functions, {obj!r}, has no dual functions yet")
    parts = tuple(_dual(Proj(i, term), part) for i, part in enumerate(product.parts))
    return Tuple(parts, obj.names if isinstance(obj, Record) else None)


class _Results:
    """Names for the arguments of the functions in a result."""

    def __init__(self) -> None:
        self._names = (f"a{n}_" for n in count())

    def pair(self, primal: Term, tangent: Term, obj: Object) -> tuple[Term, Term]:
        if represented(obj, dual_function) is obj:
            return primal, tangent
        if isinstance(obj, Fun):
            return self._function(primal, obj)
        product = components(obj)
        if product is None:
            raise NotDifferentiable(f"a vector of functions, {obj!r}, has no tangent yet")
        pairs = [
            self.pair(Proj(i, primal), Proj(i, tangent) if moves(obj) else Tuple(()), part)
            for i, part in enumerate(product.parts)
        ]
        names = obj.names if isinstance(obj, Record) else None
        return Tuple(tuple(y for y, _ in pairs), names), Tuple(tuple(dy for _, dy in pairs), names)

    def _function(self, dual: Term, obj: Fun) -> tuple[Term, Term]:
        argument = Var(next(self._names), obj.dom)
        whole = App(dual, still(argument, obj.dom))
        primal: Term = Proj(0, whole) if moves(obj.cod) else whole
        tangent: Term = Proj(1, whole) if moves(obj.cod) else Tuple(())
        y, dy = self.pair(primal, tangent, obj.cod)
        return Lam((argument,), y), Lam((argument,), dy)
