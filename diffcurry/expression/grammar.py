"""What an expression may be made of: everything that is not listed here is refused.

Arithmetic of integer literals is exact as Python's: in 64 bits it would wrap.
"""

from __future__ import annotations

import ast
import difflib
import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

from combinators.errors import DiffcurryError
from combinators.tracing.traced import LIBRARY, WORDS

MOST_DEEP, MOST_INTEGER = 50, 2**53


class BadExpression(DiffcurryError, ValueError):
    """A text that is no expression of the language, at ``column`` (from 1)."""

    def __init__(self, message: str, column: int) -> None:
        """What is wrong at ``column``."""
        super().__init__(f"column {column}: {message}")
        self.column = column

    def __str__(self) -> str:
        """The message: the text has columns, and no line of Python."""
        return str(self.args[0])


CONSTANTS = {"pi": math.pi, "inf": math.inf, "nan": math.nan}
"""Names that are numbers; every other name is a parameter."""

_NOT_OFFERED = {"getitem", "astype", "einsum", "broadcast_to", "scale", "unscale"}
_OFFERED = {id(word) for name, word in WORDS.items() if name not in _NOT_OFFERED}


def functions() -> dict[str, Callable[..., Any]]:
    """What may be called, by the names that NumPy gives it."""
    offered = {name: f for name, f in LIBRARY.items() if id(f) in _OFFERED}
    return {**offered, "abs": LIBRARY["absolute"]}


BINARY = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder",
    ast.Pow: "power",
    ast.MatMult: "matmul",
    ast.BitAnd: "logical_and",
    ast.BitOr: "logical_or",
    ast.BitXor: "logical_xor",
}
COMPARISON = {
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
}
UNARY = {
    ast.USub: "negative",
    ast.UAdd: "positive",
    ast.Not: "logical_not",
    ast.Invert: "logical_not",
}


def check(tree: ast.expr) -> None:
    """Raise where a node is not of the language, or is nested too deep."""
    _check_depth(tree)
    known = functions()
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)):
                _check_call(node, name, known)
            case ast.Name(id=name) if name in known and id(node) not in called:
                raise wrong(node, f"{name} is a function: write {name}(…)")
            case ast.Constant(value=value):
                _check_number(node, value)
            case ast.BinOp(op=op) if type(op) not in BINARY:
                raise wrong(node, f"the operator {type(op).__name__} is not in the language")
            case ast.Compare(ops=ops) if any(type(op) not in COMPARISON for op in ops):
                raise wrong(node, "comparisons are < <= > >= == !=")
            case ast.Name() | ast.BinOp() | ast.UnaryOp() | ast.BoolOp() | ast.Compare():
                pass
            case ast.IfExp() | ast.Subscript() | ast.Slice() | ast.Tuple() | ast.List():
                pass
            case ast.expr():
                raise wrong(node, f"{_KINDS.get(type(node), 'this')} is not in the language")


TOO_DEEP = f"the expression is nested deeper than {MOST_DEEP} levels"


def _check_depth(tree: ast.expr) -> None:
    """A chain ``a + b + c + …`` leans to the left, and counts as one level."""
    stack: list[tuple[ast.AST, int]] = [(tree, 1)]
    while stack:
        node, depth = stack.pop()
        if depth > MOST_DEEP:
            raise wrong(node, TOO_DEEP)
        for child in ast.iter_child_nodes(node):
            is_chain = isinstance(node, ast.BinOp) and child is node.left
            stack.append((child, depth if is_chain else depth + 1))


def _check_call(call: ast.Call, name: str, known: dict[str, Callable[..., Any]]) -> None:
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        hint = f"; did you mean {near[0]}?" if near else "; functions have NumPy's names, as sin"
        raise wrong(call, f"there is no function {name} in the language{hint}")
    if any(keyword.arg is None for keyword in call.keywords):
        raise wrong(call, "arguments are written one by one, not **unpacked")
    arity = getattr(known[name], "arity", None)
    if arity is not None and (len(call.args) != arity or call.keywords):
        plural = "s" if arity > 1 else ""
        raise wrong(call, f"{name} takes {arity} argument{plural}, and has {len(call.args)} here")


def _check_number(node: ast.expr, value: Any) -> None:
    if not isinstance(value, (bool, int, float)):
        raise wrong(node, f"literals are numbers, and this is {value!r:.40}")
    if isinstance(value, int) and abs(value) > MOST_INTEGER:
        raise too_large(node)
    if isinstance(value, float) and math.isinf(value):
        raise wrong(node, "the number is too large for a float; write inf if that is meant")


def free_names(tree: ast.expr) -> Iterator[str]:
    """The names of parameters, in order of appearance."""
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    free = [name for name in names if id(name) not in called and name.id not in CONSTANTS]
    yield from dict.fromkeys(name.id for name in sorted(free, key=lambda name: name.col_offset))


_KINDS: dict[type, str] = {
    ast.Attribute: "x.name, the attribute of a value,",
    ast.Lambda: "a lambda",
    ast.ListComp: "a comprehension",
    ast.SetComp: "a comprehension",
    ast.DictComp: "a comprehension",
    ast.GeneratorExp: "a comprehension",
    ast.JoinedStr: "an f-string",
    ast.NamedExpr: "the assignment :=",
    ast.Call: "the call of anything but a function by its name",
    ast.Starred: "*, which unpacks,",
    ast.Dict: "a dict",
    ast.Set: "a set",
    ast.Await: "await",
    ast.Yield: "yield",
    ast.YieldFrom: "yield",
}


def wrong(node: ast.AST, message: str) -> BadExpression:
    """An error at ``node``."""
    return BadExpression(message, getattr(node, "col_offset", 0) + 1)


def too_large(node: ast.AST) -> BadExpression:
    """Of an integer that a float does not hold exactly."""
    return wrong(node, "the integer is too large; write a float, as 1e20")


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
