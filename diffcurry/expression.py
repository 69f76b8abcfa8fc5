"""An expression that somebody typed, as a function: ``parse("sin(x*y) + x**2")``.

The text is parsed as one expression of Python and then *read*, node by node, against a list of
what is allowed; nothing of it is ever evaluated by Python, and what is not listed is refused. A
number is a literal of the term, an operator or a call the language's own function. Arithmetic of
integer literals is exact as Python's: in 64 bits it would wrap.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import math
import operator
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import reduce
from typing import Any

from combinators.errors import DiffcurryError
from combinators.tracing.cases import cond
from combinators.tracing.traced import LIBRARY, WORDS

MOST_CHARACTERS, MOST_DEEP, MOST_INTEGER = 10_000, 50, 2**53
TOO_DEEP = f"the expression is nested deeper than {MOST_DEEP} levels"


class BadExpression(DiffcurryError, ValueError):
    """A text that is no expression of the language, at ``column`` (from 1)."""

    def __init__(self, message: str, column: int) -> None:
        """What is wrong at ``column``."""
        super().__init__(f"column {column}: {message}")
        self.column = column

    def __str__(self) -> str:
        """The message: the text has columns, and no line of Python."""
        return str(self.args[0])


def parse(text: str) -> Callable[..., Any]:
    """A Python function of the free names of ``text``, in order of appearance; for ``fun``.

    The text is an expression in Python's notation: numbers, names, ``+ - * / // % ** @``,
    comparisons, ``and or not``, ``a if p else b``, NumPy's functions by name, indices and tuples.
    Anything else is a ``BadExpression``, as are texts that are too long or too deep, and integers
    that are too large. Arithmetic of integers alone is exact, as Python's: ``2**-1`` is 0.5.

    >>> import diffcurry as dc
    >>> f = parse("sin(x*y) + x**2")
    >>> dc.fun(f)(2.0, 0.0)
    np.float64(4.0)
    >>> parse("__import__('os')")
    Traceback (most recent call last):
        ...
    diffcurry.expression.BadExpression: column 1: there is no function __import__ ...
    """
    tree = _tree(text)
    _check(tree)
    names, known = tuple(_free_names(tree)), _integers(tree)

    def f(*args: Any) -> Any:
        return _Reader(dict(zip(names, args, strict=True)), known).read(tree)

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind) for name in names]
    f.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # inspect asks
    f.__doc__ = text
    return f


def _tree(text: str) -> ast.expr:
    if len(text) > MOST_CHARACTERS:
        raise BadExpression(
            f"the text has {len(text)} characters, and an expression at most {MOST_CHARACTERS}",
            MOST_CHARACTERS + 1,
        )
    flat = "".join(" " if letter.isspace() else letter for letter in text)
    source = flat.lstrip(" ")
    indent = len(flat) - len(source)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # of what Python finds doubtful, as in ``1or x``
            tree = ast.parse(source, mode="eval").body
    except SyntaxError as error:
        is_long = "digits" in error.msg
        said = "an integer is too large" if is_long else f"this is no expression: {error.msg}"
        raise BadExpression(said, max(1, error.offset or 1) + indent) from None
    except (MemoryError, RecursionError):
        raise BadExpression(TOO_DEEP, 1) from None
    except (ValueError, Warning) as error:
        raise BadExpression(f"this is no expression: {error}", 1) from None
    for node in ast.walk(tree):
        if isinstance(node, (ast.expr, ast.keyword)):
            before = source.encode()[: node.col_offset].decode(errors="ignore")
            node.col_offset = len(before) + indent
    return tree


def _wrong(node: ast.AST, message: str) -> BadExpression:
    return BadExpression(message, getattr(node, "col_offset", 0) + 1)


# ---- what an expression may be made of


CONSTANTS = {"pi": math.pi, "inf": math.inf, "nan": math.nan}
"""Names that are numbers; every other name is a parameter."""

_NOT_OFFERED = {"getitem", "astype", "einsum", "broadcast_to", "scale", "unscale"}
_OFFERED = {id(word) for name, word in WORDS.items() if name not in _NOT_OFFERED}


def functions() -> dict[str, Callable[..., Any]]:
    """What may be called, by the names that NumPy gives it."""
    offered = {name: f for name, f in LIBRARY.items() if id(f) in _OFFERED}
    return {**offered, "abs": LIBRARY["absolute"]}


OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder",
    ast.Pow: "power",
    ast.MatMult: "matmul",
    ast.BitAnd: "bitwise_and",
    ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor",
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
    ast.USub: "negative",
    ast.UAdd: "positive",
    ast.Not: "invert",
    ast.Invert: "invert",
    ast.And: "bitwise_and",
    ast.Or: "bitwise_or",
}
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_KINDS: dict[type, str] = {
    **dict.fromkeys(_COMPREHENSIONS, "a comprehension"),
    ast.Attribute: "x.name, the attribute of a value,",
    ast.Lambda: "a lambda",
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


def _check(tree: ast.expr) -> None:
    """Raise where a node is not of the language, or is nested too deep."""
    stack: list[tuple[ast.AST, int]] = [(tree, 1)]
    while stack:
        node, depth = stack.pop()
        if depth > MOST_DEEP:
            raise _wrong(node, TOO_DEEP)
        for child in ast.iter_child_nodes(node):  # ``a + b + c + …`` leans to the left: one level
            is_chain = isinstance(node, ast.BinOp) and child is node.left
            stack.append((child, depth if is_chain else depth + 1))
    known, called = functions(), _called(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)):
                _check_call(node, name, known)
            case ast.Name(id=name) if name in known and id(node) not in called:
                raise _wrong(node, f"{name} is a function: write {name}(…)")
            case ast.Constant(value=value):
                _check_number(node, value)
            case ast.BinOp(op=op) if type(op) not in OPERATORS:
                raise _wrong(node, f"the operator {type(op).__name__} is not in the language")
            case ast.Compare(ops=ops) if any(type(op) not in OPERATORS for op in ops):
                raise _wrong(node, "comparisons are < <= > >= == !=")
            case ast.Name() | ast.BinOp() | ast.UnaryOp() | ast.BoolOp() | ast.Compare():
                pass
            case ast.IfExp() | ast.Subscript() | ast.Slice() | ast.Tuple() | ast.List():
                pass
            case ast.expr():
                raise _wrong(node, f"{_KINDS.get(type(node), 'this')} is not in the language")


def _check_call(call: ast.Call, name: str, known: dict[str, Callable[..., Any]]) -> None:
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        hint = f"; did you mean {near[0]}?" if near else "; functions have NumPy's names, as sin"
        raise _wrong(call, f"there is no function {name} in the language{hint}")
    if any(keyword.arg is None for keyword in call.keywords):
        raise _wrong(call, "arguments are written one by one, not **unpacked")
    arity = getattr(known[name], "arity", None)
    if arity is not None and (len(call.args) != arity or call.keywords):
        plural = "s" if arity > 1 else ""
        raise _wrong(call, f"{name} takes {arity} argument{plural}, and has {len(call.args)} here")


def _check_number(node: ast.AST, value: Any) -> None:
    """Of literals, and of what integers come to."""
    if not isinstance(value, (bool, int, float)):
        raise _wrong(node, f"literals are numbers, and this is {value!r:.40}")
    if abs(value) > MOST_INTEGER and isinstance(value, int):
        raise _wrong(node, "the integer is too large; write a float, as 1e20")
    if isinstance(value, float) and math.isinf(value):
        raise _wrong(node, "the number is too large for a float; write inf if that is meant")


def _called(tree: ast.expr) -> set[int]:
    return {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}


def _free_names(tree: ast.expr) -> Iterator[str]:
    """The names of parameters, in order of appearance."""
    called = _called(tree)
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    free = [name for name in names if id(name) not in called and name.id not in CONSTANTS]
    yield from dict.fromkeys(name.id for name in sorted(free, key=lambda name: name.col_offset))


# ---- integers


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


def _integers(tree: ast.expr) -> Known:
    """What the integer literals of a checked ``tree`` come to, and all that is made of them alone.

    One that is too large is a ``BadExpression``, found before it is computed. A negative power is a
    float, as in Python; what Python does not define is left to the language.
    """
    known: Known = {}
    for node in reversed(list(ast.walk(tree))):  # parts come before what they are parts of
        match node:
            case ast.Constant(value=int() as literal) if not isinstance(literal, bool):
                known[id(node)] = literal
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as op, operand=x) if id(x) in known:
                value = known[id(x)]
                known[id(node)] = -value if isinstance(op, ast.USub) else value
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
                m, n = known.get(id(left)), known.get(id(right))
                if isinstance(m, int) and isinstance(n, int):
                    if isinstance(op, ast.Pow) and abs(m) > 1 and n > MOST_INTEGER.bit_length():
                        _check_number(node, MOST_INTEGER + 1)
                    with suppress(ZeroDivisionError):
                        found = known[id(node)] = _ARITHMETIC[type(op)](m, n)
                        _check_number(node, found)
    return known


# ---- reading


class _Reader:
    """Reads the nodes of a tree in an environment: the traced values of its free names."""

    def __init__(self, env: dict[str, Any], known: Known) -> None:
        """Names stand for the values in ``env``; what is ``known`` already is not read."""
        self.env, self.known = env | CONSTANTS, known
        self.functions = functions()

    def read(self, node: ast.expr) -> Any:
        """What ``node`` says, written down in the current trace; errors say where."""
        try:
            return self._read(node)
        except BadExpression:
            raise
        except DiffcurryError as error:
            raise _wrong(node, str(error.args[0])) from error

    def _read(self, node: ast.expr) -> Any:
        if id(node) in self.known:
            return self.known[id(node)]
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self.env[name]
            case ast.BinOp():
                return self._chain(node)
            case ast.UnaryOp(op=op, operand=inner):
                value = self.read(inner)
                if isinstance(value, (int, float)) and isinstance(op, ast.USub | ast.UAdd):
                    return -value if isinstance(op, ast.USub) else value
                return self._applied(op, value)
            case ast.BoolOp(op=op, values=values):
                return reduce(LIBRARY[OPERATORS[type(op)]], [self.read(value) for value in values])
            case ast.Compare(left=left, ops=ops, comparators=others):
                values = [self.read(value) for value in (left, *others)]
                return reduce(LIBRARY["logical_and"], map(self._applied, ops, values, values[1:]))
            case ast.IfExp(test=test, body=body, orelse=other):
                branches = [lambda: self.read(body), lambda: self.read(other)]
                return cond(self.read(test), *branches)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
                by_name = {str(keyword.arg): self.read(keyword.value) for keyword in keywords}
                return _tried(node, self.functions[name], *map(self.read, args), **by_name)
            case ast.Subscript(value=value, slice=key):
                return _tried(node, operator.getitem, self.read(value), self._key(key))
            case ast.Tuple(elts=items):
                return tuple(map(self.read, items))
            case ast.List(elts=items):
                return list(map(self.read, items))
            case _:
                raise _wrong(node, "this is not a value")

    @staticmethod
    def _applied(op: ast.AST, *values: Any) -> Any:
        return LIBRARY[OPERATORS[type(op)]](*values)

    def _chain(self, node: ast.BinOp) -> Any:
        """``a + b - c + …``: as long as it likes, from the left."""
        links: list[ast.BinOp] = []
        left: ast.expr = node
        while isinstance(left, ast.BinOp) and id(left) not in self.known:
            links.append(left)
            left = left.left
        total = self.read(left)
        for link in reversed(links):
            total = self._applied(link.op, total, self.read(link.right))
        return total

    def _key(self, node: ast.expr) -> Any:
        match node:
            case ast.Slice(lower=lower, upper=upper, step=step):
                ends = (lower, upper, step)
                return slice(*(None if end is None else self.read(end) for end in ends))
            case ast.Tuple(elts=items):
                return tuple(map(self._key, items))
            case _:
                return self.read(node)


def _tried(node: ast.expr, function: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """``function`` of arguments that may not be what it takes."""
    try:
        return function(*args, **named)
    except DiffcurryError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise _wrong(node, str(error)) from error
