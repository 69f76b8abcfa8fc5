"""Tracing functions that call functions that call functions …, however long the chain.

A function is traced when it is called, inside the trace of its caller, on Python's stack. Below a
certain depth a function that was defined outside all traces is traced first, by itself, and its
callers again: then their calls find it done.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextvars import ContextVar
from typing import Any, TypeVar

from combinators.errors import TooDeep, TypeMismatch
from combinators.tracing.scope import apart, current

R = TypeVar("R")

DEEP = 16
"""So many functions stand inside one another on Python's stack."""
LONGEST = 1_000_000
"""A longer chain of functions, each waiting for the next, never ends."""


class TraceFirst(BaseException):
    """Asks to run ``trace`` before its callers are traced again."""

    def __init__(self, key: Hashable, trace: Callable[[], Any]) -> None:
        """``trace`` is run apart from every other trace; ``key`` tells what it traces."""
        super().__init__()
        self.key, self.trace = key, trace


_CAN_WAIT: ContextVar[bool] = ContextVar("can_wait", default=False)
"""Whether ``traced_apart`` stands below, to catch what asks to be traced first."""


def is_deep() -> bool:
    """Whether another function inside this one had better be traced first."""
    scope = current()
    return _CAN_WAIT.get() and scope is not None and scope.depth >= DEEP


def traced_apart(make: Callable[[], R]) -> R:
    """What ``make`` gives apart from every trace; what asks to be traced first is."""
    token = _CAN_WAIT.set(True)
    try:
        return _in_turn(make)
    finally:
        _CAN_WAIT.reset(token)


def _in_turn(make: Callable[[], R]) -> R:
    waiting: list[Callable[[], Any]] = [make]
    keys: list[Hashable] = [None]
    known: set[Hashable] = set()
    while True:
        try:
            with apart():
                made: R = waiting[-1]()
        except TraceFirst as first:
            if first.key in known:
                raise TypeMismatch(
                    "functions call each other in a circle; recursion is not in the language yet: "
                    "write a fold or a scan"
                ) from None
            waiting.append(first.trace)
            keys.append(first.key)
            known.add(first.key)
        except RecursionError as error:
            raise error if isinstance(error, TooDeep) else _too_deep() from None
        else:
            waiting.pop()
            known.discard(keys.pop())
            if not waiting:
                return made
        if len(waiting) > LONGEST:
            raise _too_deep()


def _too_deep() -> TooDeep:
    return TooDeep(
        "containers, λs, branches or calls stand inside one another deeper than Python's stack "
        "allows while tracing; define functions with fun outside the traced function, and write "
        "long chains as a fold"
    )
