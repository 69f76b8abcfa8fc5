"""Primitives that take a function and say how it is applied, or derived.

Each mode interprets them, through its own ``eval``.
"""

from __future__ import annotations

from combinators.errors import TypeMismatch
from combinators.objects import Fun, Object, Product
from combinators.operation import Operation, declare, free
from combinators.primitives.loops import function_type
from combinators.type_folds import dual_function, rep_function, represented


def _override(f: Object, rule: Object, x: Object) -> Object:
    function = function_type(f, x, "with_derivative")
    given = function_type(rule, Product(x, function.cod), "the rule of with_derivative")
    if given.cod is not x:
        raise TypeMismatch(
            f"the rule of with_derivative gives the cotangent of {x!r}, but this gives "
            f"{given.cod!r}"
        )
    return function.cod


def _recompute(f: Object, x: Object) -> Object:
    return function_type(f, x, "recompute").cod


def _rep(f: Object) -> Object:
    if not isinstance(f, Fun):
        raise TypeMismatch(f"only a function has a rep-function, and {f!r} is none")
    return represented(f, rep_function)


def _dual(f: Object) -> Object:
    if not isinstance(f, Fun):
        raise TypeMismatch(f"only a function has a dual function, and {f!r} is none")
    return represented(f, dual_function)


OVERRIDE = Operation(declare("override", _override, None, cost=free))
RECOMPUTE = Operation(declare("recompute", _recompute, None, cost=free))
"""Applies a function, of which a pullback keeps nothing: it runs the function again."""
REP = Operation(declare("rep", _rep, None, cost=free))
"""From a function to its rep-function, ``A ⇒ B`` to ``A ⇒ B × (T B ⇒ Tangent × T A)`` (001)."""
DUAL = Operation(declare("dual", _dual, None, cost=free))
"""From a function to its dual function, ``A ⇒ B`` to ``A × T A ⇒ B × T B``."""
