"""An expression that somebody typed, as a function: ``parse("sin(x*y) + x**2")``.

The text is parsed as one expression of Python and then *read*, node by node, against a list of
what is allowed; nothing of it is ever evaluated by Python. A number is a literal of the term, an
operator or a call the language's own function.
"""

from __future__ import annotations

import ast
import inspect
import operator
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from combinators.errors import DiffcurryError
from combinators.tracing.control import cond
from combinators.tracing.traced import LIBRARY
from diffcurry.expression.grammar import (
    BINARY,
    COMPARISON,
    CONSTANTS,
    TOO_DEEP,
    UNARY,
    BadExpression,
    Known,
    check,
    free_names,
    functions,
    integers,
    wrong,
)

__all__ = ["BadExpression", "parse"]

MOST_CHARACTERS = 10_000


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
    diffcurry.expression.grammar.BadExpression: column 1: there is no function __import__ ...
    """
    tree = _tree(text)
    check(tree)
    names, known = tuple(free_names(tree)), integers(tree)

    def f(*args: Any) -> Any:
        return Reader(dict(zip(names, args, strict=True)), known).read(tree)

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
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # of what Python finds doubtful, as in ``1or x``
            tree = ast.parse(source, mode="eval").body
    except SyntaxError as error:
        column = max(1, error.offset or 1) + len(flat) - len(source)
        is_long = "digits" in error.msg
        said = "an integer is too large" if is_long else f"this is no expression: {error.msg}"
        raise BadExpression(said, column) from None
    except (MemoryError, RecursionError):
        raise BadExpression(TOO_DEEP, 1) from None
    except (ValueError, Warning) as error:
        raise BadExpression(f"this is no expression: {error}", 1) from None
    for node in ast.walk(tree):
        if isinstance(node, (ast.expr, ast.keyword)):
            before = source.encode()[: node.col_offset].decode(errors="ignore")
            node.col_offset = len(before) + len(flat) - len(source)
    return tree


Environment = dict[str, Any]


class Reader:
    """Reads the nodes of a tree in an environment: the traced values of its free names."""

    def __init__(self, env: Environment, known: Known) -> None:
        """Names stand for the values in ``env``; what is ``known`` already is not read."""
        self.env, self.known = env, known
        self.functions = functions()

    def read(self, node: ast.expr) -> Any:
        """What ``node`` says, written down in the current trace; errors say where."""
        try:
            return self._read(node)
        except BadExpression:
            raise
        except DiffcurryError as error:
            raise wrong(node, str(error.args[0])) from error

    def _read(self, node: ast.expr) -> Any:
        if id(node) in self.known:
            return self.known[id(node)]
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return CONSTANTS[name] if name in CONSTANTS else self.env[name]
            case ast.BinOp():
                return self._chain(node)
            case ast.UnaryOp(op=op, operand=inner):
                return self._unary(op, self.read(inner))
            case ast.BoolOp(op=op, values=values):
                name = "logical_and" if isinstance(op, ast.And) else "logical_or"
                return self._joined(name, [self.read(value) for value in values])
            case ast.Compare():
                return self._joined("logical_and", list(self._compared(node)))
            case ast.IfExp(test=test, body=body, orelse=other):
                branches = [lambda: self.read(body), lambda: self.read(other)]
                return cond(self.read(test), *branches)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
                named = {str(keyword.arg): self.read(keyword.value) for keyword in keywords}
                return _tried(node, self.functions[name], *map(self.read, args), **named)
            case ast.Subscript(value=value, slice=key):
                return _tried(node, operator.getitem, self.read(value), self._key(key))
            case ast.Tuple(elts=items):
                return tuple([self.read(item) for item in items])
            case ast.List(elts=items):
                return [self.read(item) for item in items]
            case _:
                raise wrong(node, "this is not a value")

    def _chain(self, node: ast.BinOp) -> Any:
        """``a + b - c + …``: as long as it likes, from the left."""
        links: list[ast.BinOp] = []
        left: ast.expr = node
        while isinstance(left, ast.BinOp) and id(left) not in self.known:
            links.append(left)
            left = left.left
        total = self.read(left)
        for link in reversed(links):
            right = self.read(link.right)
            total = LIBRARY[BINARY[type(link.op)]](total, right)
        return total

    @staticmethod
    def _unary(op: ast.unaryop, value: Any) -> Any:
        if isinstance(value, (int, float)) and isinstance(op, ast.USub | ast.UAdd):
            return -value if isinstance(op, ast.USub) else value
        return LIBRARY[UNARY[type(op)]](value)

    @staticmethod
    def _joined(name: str, values: list[Any]) -> Any:
        total = values[0]
        for value in values[1:]:
            total = LIBRARY[name](total, value)
        return total

    def _compared(self, node: ast.Compare) -> Iterator[Any]:
        left = self.read(node.left)
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.read(comparator)
            yield LIBRARY[COMPARISON[type(op)]](left, right)
            left = right

    def _key(self, node: ast.expr) -> Any:
        match node:
            case ast.Slice(lower=lower, upper=upper, step=step):
                ends = (lower, upper, step)
                return slice(*(None if end is None else self.read(end) for end in ends))
            case ast.Tuple(elts=items):
                return tuple([self._key(item) for item in items])
            case _:
                return self.read(node)


def _tried(node: ast.expr, function: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """``function`` of arguments that may not be what it takes."""
    try:
        return function(*args, **named)
    except DiffcurryError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise wrong(node, str(error)) from error
