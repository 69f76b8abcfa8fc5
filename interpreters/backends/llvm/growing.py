"""Memory that grows while a program runs, and goes when it ends: records lie one behind the other.

    room:  the limit of the stack; where the next record is, and its piece ends; the pieces; whether
           the first is ours; the bytes of the last; how many calls there were; when it was asked
    dc_stops(room)     →  whether the stack is at its limit, or Python was interrupted
    dc_room(room, 24)  →  the next 24 bytes; where the piece is at its end, those of a new one

The first piece is kept from call to call, and is one call's at a time; another that runs meanwhile,
in a thread or in a handler of a signal, has pieces of its own. Each piece is twice as large as the
one before.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from interpreters.backends.llvm.deep_stack import BOUNDS
from interpreters.backends.llvm.effort import ASKS

ROOM, STOPS = "dc_room", "dc_stops"
FRAME = 1 << 14
"""Bytes of the stack in which a call works at most; what works in more has memory of its own."""
SIZE = 64
"""Bytes of a room."""
STACK = 1 << 18
"""Bytes of the caller's stack for functions that call themselves; deeper ones get a deep stack."""
FIRST = 1 << 20
"""Bytes of the first piece; the one behind it notes that the stack was at its limit."""
LARGEST = 1 << 27
"""Bytes of a piece, but of one for a larger record."""
PATIENCE = 1 << 12
"""Calls after which it is asked whether to go on, if it was not lately."""
WHILE = 10_000
"""Microseconds between: who waits for Python's lock gets it when he waited for half as long."""


def kept_memory() -> dict[str, np.ndarray[Any, Any]]:
    """What of it is kept from call to call, by name."""
    growing = np.empty(FIRST + 64, np.uint8)
    growing[FIRST] = 0
    return {"growing": growing, "deep_stack": BOUNDS}


GROWING = f"""@growing = external global i8
@deep_stack = external global i8
@in_growing = internal global i8 0
declare ptr @llvm.frameaddress.p0(i32)
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @clock()
declare ptr @PyMem_RawMalloc(i64)
declare void @PyMem_RawFree(ptr)
define internal i1 @{STOPS}(ptr %room) #1 {{
entry:
  %frame = call ptr @llvm.frameaddress.p0(i32 0)
  %limit = load ptr, ptr %room
  %deep = icmp ult ptr %frame, %limit
  %calls = getelementptr i8, ptr %room, i64 48
  %before = load i64, ptr %calls
  %count = add i64 %before, 1
  store i64 %count, ptr %calls
  %part = and i64 %count, {PATIENCE - 1}
  %last = icmp eq i64 %part, 0
  %look = or i1 %deep, %last
  br i1 %look, label %ask, label %on
ask:
  %stops = call i1 @dc_looks(ptr %room, i1 %deep)
  ret i1 %stops
on:
  ret i1 false
}}
define internal i1 @dc_looks(ptr %room, i1 %deep) noinline cold {{
  br i1 %deep, label %note, label %late
note:
  %note_at = getelementptr i8, ptr @growing, i64 {FIRST}
  store i8 1, ptr %note_at
  ret i1 true
late:
  %asked_at = getelementptr i8, ptr %room, i64 56
  %asked = load i64, ptr %asked_at
  %now = call i64 @clock()
  %since = sub i64 %now, %asked
  %soon = icmp ult i64 %since, {WHILE}
  br i1 %soon, label %go, label %ask
go:
  ret i1 false
ask:
  store i64 %now, ptr %asked_at
  %frame = call ptr @llvm.frameaddress.p0(i32 0)
  %limit = call ptr @dc_limit(ptr %frame)
  %told_at = getelementptr i8, ptr @deep_stack, i64 16
  %told = load i64, ptr %told_at
  %low = load ptr, ptr @deep_stack
  %is_deep = icmp eq ptr %limit, %low
  %is_told = icmp ne i64 %told, 0
  %ends = and i1 %is_deep, %is_told
  br i1 %ends, label %end, label %on
end:
  ret i1 true
on:
  %raised = call i1 @{ASKS}()
  ret i1 %raised
}}
define internal ptr @dc_limit(ptr %frame) noinline {{
  %low = load ptr, ptr @deep_stack
  %high_at = getelementptr i8, ptr @deep_stack, i64 8
  %high = load ptr, ptr %high_at
  %above = icmp uge ptr %frame, %low
  %below = icmp ult ptr %frame, %high
  %is_deep = and i1 %above, %below
  %usual = getelementptr i8, ptr %frame, i64 -{STACK}
  %limit = select i1 %is_deep, ptr %low, ptr %usual
  ret ptr %limit
}}
define internal ptr @{ROOM}(ptr %room, i64 %size) #1 {{
  %next = getelementptr i8, ptr %room, i64 8
  %end = getelementptr i8, ptr %room, i64 16
  %at = load ptr, ptr %next
  %to = load ptr, ptr %end
  %after = getelementptr i8, ptr %at, i64 %size
  %fits = icmp ule ptr %after, %to
  br i1 %fits, label %fine, label %full
full:
  %new = call ptr @dc_more_room(ptr %room, i64 %size)
  ret ptr %new
fine:
  store ptr %after, ptr %next
  ret ptr %at
}}
define internal ptr @dc_more_room(ptr %room, i64 %size) noinline cold {{
  %next = getelementptr i8, ptr %room, i64 8
  %end = getelementptr i8, ptr %room, i64 16
  %pieces = getelementptr i8, ptr %room, i64 24
  %own = getelementptr i8, ptr %room, i64 40
  %before = load i64, ptr %own
  %twice = mul i64 %before, 2
  %bounded = call i64 @llvm.umin.i64(i64 %twice, i64 {LARGEST})
  store i64 %bounded, ptr %own
  %needed = add i64 %size, 16
  %bytes = call i64 @llvm.umax.i64(i64 %bounded, i64 %needed)
  %piece = call ptr @PyMem_RawMalloc(i64 %bytes)
  %none = icmp eq ptr %piece, null
  br i1 %none, label %out, label %fine
out:
  ret ptr null
fine:
  %last = load ptr, ptr %pieces
  store ptr %last, ptr %piece
  store ptr %piece, ptr %pieces
  %at = getelementptr i8, ptr %piece, i64 16
  %after = getelementptr i8, ptr %at, i64 %size
  %to = getelementptr i8, ptr %piece, i64 %bytes
  store ptr %after, ptr %next
  store ptr %to, ptr %end
  ret ptr %at
}}
define internal void @dc_enter(ptr %room) noinline {{
  %frame = call ptr @llvm.frameaddress.p0(i32 0)
  %limit = call ptr @dc_limit(ptr %frame)
  store ptr %limit, ptr %room
  %busy = atomicrmw xchg ptr @in_growing, i8 1 acquire
  %ours = icmp eq i8 %busy, 0
  %next = getelementptr i8, ptr %room, i64 8
  %end = getelementptr i8, ptr %room, i64 16
  %pieces = getelementptr i8, ptr %room, i64 24
  %mine = getelementptr i8, ptr %room, i64 32
  %bytes = getelementptr i8, ptr %room, i64 40
  %to = getelementptr i8, ptr @growing, i64 {FIRST}
  %first = select i1 %ours, ptr @growing, ptr null
  %last = select i1 %ours, ptr %to, ptr null
  store ptr %first, ptr %next
  store ptr %last, ptr %end
  store ptr null, ptr %pieces
  store i1 %ours, ptr %mine
  store i64 {FIRST}, ptr %bytes
  %calls = getelementptr i8, ptr %room, i64 48
  store i64 0, ptr %calls
  %asked_at = getelementptr i8, ptr %room, i64 56
  store i64 0, ptr %asked_at
  ret void
}}
define internal void @dc_leave(ptr %room) noinline {{
entry:
  %pieces = getelementptr i8, ptr %room, i64 24
  %mine = getelementptr i8, ptr %room, i64 32
  %ours = load i1, ptr %mine
  %first = load ptr, ptr %pieces
  br i1 %ours, label %give, label %look
give:
  store atomic i8 0, ptr @in_growing release, align 1
  br label %look
look:
  %piece = phi ptr [%first, %entry], [%first, %give], [%before, %free]
  %none = icmp eq ptr %piece, null
  br i1 %none, label %done, label %free
free:
  %before = load ptr, ptr %piece
  call void @PyMem_RawFree(ptr %piece)
  br label %look
done:
  ret void
}}
"""


def in_room(name: str, params: str, given: str) -> str:
    """The function that has a room while it runs the one inside."""
    return (
        f"define i1 @{name}({params}) #0 {{\n"
        f"  %room = alloca [{SIZE} x i8], align 64\n"
        "  call void @dc_enter(ptr %room)\n"
        f"  %failed = call i1 @{name}_in_room({given})\n"
        "  call void @dc_leave(ptr %room)\n"
        "  ret i1 %failed\n"
        "}\n"
    )


def at_work(name: str, params: str, given: str, work: int) -> str:
    """The function that has memory to work in while it runs the one inside."""
    return (
        f"define i1 @{name}({params}) #0 {{\n"
        f"  %own = call ptr @PyMem_RawMalloc(i64 {work + 128})\n"
        "  %none = icmp eq ptr %own, null\n"
        "  br i1 %none, label %out, label %fine\n"
        "out:\n"
        "  ret i1 true\n"
        "fine:\n"
        "  %behind = getelementptr i8, ptr %own, i64 64\n"
        "  %work = call ptr @llvm.ptrmask.p0.i64(ptr %behind, i64 -64)\n"
        f"  %failed = call i1 @{name}_at_work({given})\n"
        "  call void @PyMem_RawFree(ptr %own)\n"
        "  ret i1 %failed\n"
        "}\n"
        "declare ptr @llvm.ptrmask.p0.i64(ptr, i64)\n"
    )
