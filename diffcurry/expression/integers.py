"""Arithmetic of integer literals, exact as Python's: in 64 bits it would wrap.

>>> tree = ast.parse("2**3 - 1", mode="eval").body
>>> integers(tree)[id(tree)]
7
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from diffcurry.expression.grammar import MOST_INTEGER, too_large

Known = dict[int, int | float]
"""What nodes come to, by their ids."""

_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], int | float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_DIVIDES = (ast.FloorDiv, ast.Mod)
_MOST_BITS = MOST_INTEGER.bit_length()


def integers(tree: ast.expr) -> Known:
    """What the integer literals of a checked ``tree`` come to, and all that is made of them alone.

    One that is too large is a ``BadExpression``, found before it is computed. A negative power is a
    float, as in Python; what Python does not define is left to the language.
    """
    known: Known = {}
    for node in reversed(list(ast.walk(tree))):  # parts come before what they are parts of
        found = _value(node, known)
        if found is not None:
            known[id(node)] = found
    return known


def _value(node: ast.AST, known: Known) -> int | float | None:
    match node:
        case ast.Constant(value=int() as literal) if not isinstance(literal, bool):
            return literal
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as op, operand=inner):
            value = known.get(id(inner))
            return -value if value is not None and isinstance(op, ast.USub) else value
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            x, y = known.get(id(left)), known.get(id(right))
            return _computed(node, x, y) if isinstance(x, int) and isinstance(y, int) else None
        case _:
            return None


def _computed(node: ast.BinOp, x: int, y: int) -> int | float | None:
    is_power = isinstance(node.op, ast.Pow)
    if (y == 0 and isinstance(node.op, _DIVIDES)) or (is_power and x == 0 and y < 0):
        return None
    if is_power and abs(x) > 1 and y > _MOST_BITS:
        raise too_large(node)
    found = _ARITHMETIC[type(node.op)](x, y)
    if abs(found) > MOST_INTEGER:
        raise too_large(node)
    return found
