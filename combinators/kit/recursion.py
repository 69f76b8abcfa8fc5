"""Recursion that Python's stack does not limit.

A recursive function is written as a generator that yields its recursive calls:

>>> def depth(nested):
...     deepest = 0
...     for inner in nested:
...         deepest = max(deepest, (yield depth(inner)))
...     return 1 + deepest
>>> chain = ()
>>> for _ in range(50_000):
...     chain = (chain,)
>>> recurse(depth(chain))
50001
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

Result = TypeVar("Result")
Recursive = Generator[Any, Any, Result]
"""A computation that yields computations of its own kind and is sent their results."""


def recurse(computation: Recursive[Result]) -> Result:
    """Run ``computation``, and the computations that it yields, on a stack of our own."""
    stack: list[Recursive[Any]] = [computation]
    result: Any = None
    while stack:
        try:
            callee = stack[-1].send(result)
        except StopIteration as done:
            stack.pop()
            result = done.value
        else:
            stack.append(callee)
            result = None
    found: Result = result
    return found
