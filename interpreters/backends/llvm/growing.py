"""Memory that grows while a program runs, and goes when it ends: records lie one behind the other.

    room:  the limit of the stack; where the next record is, and its piece ends; the pieces; whether
           the first is ours; the bytes of the last; how many calls there were
    dc_stops(room)     →  whether the stack is at its limit, or Python was interrupted
    dc_room(room, 24)  →  the next 24 bytes; where the piece is at its end, those of a new one

The first piece is kept from call to call, and is one call's at a time; another that runs meanwhile,
in a thread or in a handler of a signal, has pieces of its own. Each piece is twice as large as the
one before.
"""

from __future__ import annotations

from interpreters.backends.llvm.effort import ASKS

ROOM, STOPS = "dc_room", "dc_stops"
STACK = 1 << 18
"""Bytes of the stack for functions that call themselves; deeper they are left to Python."""
FIRST = 1 << 20
"""Bytes of the first piece."""
LARGEST = 1 << 27
"""Bytes of a piece, but of one for a larger record."""
PATIENCE = 1 << 16
"""Calls after which it is asked whether to go on."""
GROWING = f"""@growing = external global i8
@in_growing = internal global i8 0
declare ptr @llvm.frameaddress.p0(i32)
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
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
  br i1 %last, label %ask, label %on
ask:
  %raised = call i1 @{ASKS}()
  br label %on
on:
  %asked = phi i1 [false, %entry], [%raised, %ask]
  %stops = or i1 %deep, %asked
  ret i1 %stops
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
  %limit = getelementptr i8, ptr %frame, i64 -{STACK}
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
        "  %room = alloca [56 x i8], align 64\n"
        "  call void @dc_enter(ptr %room)\n"
        f"  %failed = call i1 @{name}_in_room({given})\n"
        "  call void @dc_leave(ptr %room)\n"
        "  ret i1 %failed\n"
        "}\n"
    )
