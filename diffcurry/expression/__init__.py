"""An expression that somebody typed, as a function: ``parse("sin(x*y) + x**2")``.

The text is parsed as one expression of Python and then *read*, node by node, against a list of
what is allowed; nothing of it is ever evaluated by Python. A number is a literal of the term, an
operator or a call the language's own function.
"""

from __future__ import annotations

import ast
import inspect
import warnings
from collections.abc import Callable
from typing import Any

from diffcurry.expression.grammar import TOO_DEEP, BadExpression, check, free_names
from diffcurry.expression.integers import integers
from diffcurry.expression.reader import Reader

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
