"""A stack for calls that are deep: a thread's, which is as large as one asks for.

    f(x)      gives up, a quarter of a megabyte down the caller's stack
    f(x)      again, in a thread with a gigabyte, of which only what is used is memory

One call at a time has it; another one, and what is deeper still, is Python's.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

SIZE = 1 << 30
"""Bytes of the stack, of a million calls and more."""
MARGIN = 1 << 23
"""Bytes at its end that nobody reaches."""
BOUNDS = np.zeros(3, np.int64)
"""From where to where the stack is, and whether what runs there is to stop; 0 where none runs."""
_ONE = threading.Lock()
GAVE_UP = object()
"""What a call gives that Python has to make."""


def deeply(call: Callable[[], Any]) -> Any:
    """The result of a call that gave up where the stack was at its limit; ``GAVE_UP``, of some."""
    if not _ONE.acquire(blocking=False):
        return GAVE_UP
    found: list[Any] = []
    ready, done = threading.Event(), threading.Event()

    def run() -> None:
        ready.wait()  # that threads have their usual stacks again
        with suppress(Exception):
            BOUNDS[:2] = _own_stack()
            found.append(call())
        BOUNDS[:2] = 0
        _ONE.release()
        done.set()

    thread = threading.Thread(target=run, daemon=True)
    BOUNDS[2] = 0
    try:
        before = threading.stack_size(SIZE)
        try:
            thread.start()
        finally:
            threading.stack_size(before)
            ready.set()
        done.wait()
    except (ValueError, RuntimeError):  # the system has no such thread
        _ONE.release()
        return GAVE_UP
    except BaseException:
        BOUNDS[2] = 1
        raise
    return found[0] if found else GAVE_UP


def _own_stack() -> tuple[int, int]:
    """From where to where the stack of this thread may be used."""
    library, own = ctypes.CDLL(None), threading.get_ident()
    attributes = ctypes.create_string_buffer(256)
    start, size = ctypes.c_void_p(), ctypes.c_size_t()
    if library.pthread_getattr_np(ctypes.c_ulong(own), attributes):
        raise OSError
    library.pthread_attr_getstack(attributes, ctypes.byref(start), ctypes.byref(size))
    library.pthread_attr_destroy(attributes)
    low = start.value or 0
    return low + MARGIN, low + size.value
