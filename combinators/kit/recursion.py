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
from types import GeneratorType
from typing import Any, TypeAlias, TypeVar

Result = TypeVar("Result")
Recursive = Generator[Any, Any, Result]
"""A computation that yields computations of its own kind and is sent their results."""
Step: TypeAlias = Result | Generator[Any, Any, Result]
"""A result that is there already, or the computation of one: what a computation yields."""


def recurse(computation: Recursive[Result]) -> Result:
    """Run ``computation``, and the computations that it yields, on a stack of our own."""
    stack: list[Recursive[Any]] = [computation]
    result: Any = None
    while stack:
        try:
            result = stack[-1].send(result)
        except StopIteration as done:
            stack.pop()
            result = done.value
        else:
            if type(result) is GeneratorType:
                stack.append(result)
                result = None
    found: Result = result
    return found
