"""Primitives that take function values: loops, and what is said of a function's derivative.

They are typed here and interpreted by each mode, through its own ``eval``.
"""

from __future__ import annotations

from combinators.errors import TypeMismatch
from combinators.objects import Fun, Object, Product, components
from combinators.operation import Operation, declare, free
from combinators.rows import length_of, row_of, stack_of
from combinators.type_folds import dual_function, rep_function, represented


def _function(f: Object, dom: Object, what: str) -> Fun:
    if not isinstance(f, Fun):
        raise TypeMismatch(f"{what} takes a function, and {f!r} is not one")
    if f.dom is not dom:
        raise TypeMismatch(f"{what} calls its function with {dom!r}, but it takes {f.dom!r}")
    return f


def _fold(f: Object, init: Object, xs: Object, reverse: bool = False) -> Object:
    length_of(xs)
    function = _function(f, Product(init, row_of(xs)), "fold")
    if function.cod is not init:
        raise TypeMismatch(
            f"fold carries {init!r} from step to step, but its function gives {function.cod!r}"
        )
    return init


def _scan(f: Object, init: Object, xs: Object, reverse: bool = False) -> Object:
    length = length_of(xs)
    function = _function(f, Product(init, row_of(xs)), "scan")
    result = components(function.cod)
    if result is None or result.width != 2:
        raise TypeMismatch(f"scan takes f(carry, x) -> (carry, y), but f gives {function.cod!r}")
    carry, item = result.parts
    if carry is not init:
        raise TypeMismatch(f"scan carries {init!r} from step to step, but f gives {carry!r}")
    return Product(init, stack_of(item, length))


def _map(f: Object, xs: Object) -> Object:
    length = length_of(xs)
    return stack_of(_function(f, row_of(xs), "map").cod, length)


def _override(f: Object, rule: Object, x: Object) -> Object:
    function = _function(f, x, "with_derivative")
    given = _function(rule, Product(x, function.cod), "the rule of with_derivative")
    if given.cod is not x:
        raise TypeMismatch(
            f"the rule of with_derivative gives the cotangent of {x!r}, but this gives "
            f"{given.cod!r}"
        )
    return function.cod


def _recompute(f: Object, x: Object) -> Object:
    return _function(f, x, "recompute").cod


def _rep(f: Object) -> Object:
    if not isinstance(f, Fun):
        raise TypeMismatch(f"only a function has a rep-function, and {f!r} is none")
    return represented(f, rep_function)


def _dual(f: Object) -> Object:
    if not isinstance(f, Fun):
        raise TypeMismatch(f"only a function has a dual function, and {f!r} is none")
    return represented(f, dual_function)


FOLD = Operation(declare("fold", _fold, None, cost=free))
SCAN = Operation(declare("scan", _scan, None, cost=free))
MAP = Operation(declare("map", _map, None, cost=free))
OVERRIDE = Operation(declare("override", _override, None, cost=free))
RECOMPUTE = Operation(declare("recompute", _recompute, None, cost=free))
"""Applies a function, of which a pullback keeps nothing: it runs the function again."""
REP = Operation(declare("rep", _rep, None, cost=free))
"""From a function to its rep-function, ``A ⇒ B`` to ``A ⇒ B × (T B ⇒ Tangent × T A)`` (001)."""
DUAL = Operation(declare("dual", _dual, None, cost=free))
"""From a function to its dual function, ``A ⇒ B`` to ``A × T A ⇒ B × T B``."""

BACKWARDS = (("reverse", True),)
"""The parameter of a fold or scan that runs from the last row to the first."""
FOLD_BACKWARDS = Operation(FOLD.primitive, BACKWARDS)
SCAN_BACKWARDS = Operation(SCAN.primitive, BACKWARDS)
LOOPS = frozenset({FOLD.primitive, SCAN.primitive, MAP.primitive})
