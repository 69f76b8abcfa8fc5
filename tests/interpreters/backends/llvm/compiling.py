"""Programs as C, many in one executable, which the system's compiler makes.

Each of its arrays is a piece of memory of its own, of no byte more than it needs, so that a
sanitizer sees what is read or written outside.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from combinators.objects import Object, components
from combinators.terms import Lam
from interpreters.backends.llvm.c.standing_alone import StandingAlone

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler here")
STRICT = ["-std=c99", "-O1", "-Wall", "-Wextra", "-pedantic", "-Werror"]
SANITIZED = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g"]

Run = tuple[Lam, tuple[Any, ...]]
"""A program, and its arguments."""


def ran(runs: Sequence[Run], room: Path, options: Sequence[str] = ()) -> Iterator[Any]:
    """The results of programs by C."""
    programs = [StandingAlone(lam, f"g_{number}") for number, (lam, _) in enumerate(runs)]
    files = [room / f"{program.name}.c" for program in programs]
    for file, program in zip(files, programs, strict=True):
        file.write_text(program.c, encoding="utf-8")
    main = room / "main.c"
    main.write_text(_MAIN + "\n".join([*map(_call, programs), "int main(void) {"]))
    with main.open("a") as text:
        text.writelines(f"    run_{program.name}();\n" for program in programs)
        text.write("    return 0;\n}\n")
    whole = room / "whole"
    done([COMPILER, *STRICT, *options, "-o", whole, *files, main, "-lm"])
    given = [_bytes(program, args) for program, (_, args) in zip(programs, runs, strict=True)]
    found = done([whole], b"".join(given))
    place = 0
    for program, (lam, _) in zip(programs, runs, strict=True):
        arrays = []
        for slot in program.text.slots:
            if slot.is_result:
                node = slot.node
                array = np.frombuffer(found, node.dtype, node.size, place).reshape(node.shape)
                place += array.nbytes
                is_python = node.dtype in ("float64", "int64", "bool")
                arrays.append(array if node.shape else array[()].item() if is_python else array[()])
        yield _nested(lam.body.type, iter(arrays))
    assert place == len(found)


_MAIN = """#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *room(size_t size) { return memset(malloc(size + !size), 0xAB, size + !size); }

static void *taken(size_t size) {
    void *place = room(size);
    if (size && fread(place, size, 1, stdin) != 1) abort();
    return place;
}

"""


def _call(program: StandingAlone) -> str:
    """A function that reads the arguments, calls the program, and writes the results."""
    slots, work = program.text.slots, program.text.code.work
    pointers = [f"{slot.kind} *{slot.name}" for slot in slots]
    sizes = [f"{slot.node.size} * sizeof *{slot.name}" for slot in slots]
    given = [slot.name if slot.node.shape or slot.is_result else f"*{slot.name}" for slot in slots]
    lines = [
        f"    {pointer} = {'room' if slot.is_result else 'taken'}({size});"
        for slot, pointer, size in zip(slots, pointers, sizes, strict=True)
    ]
    lines += [f"    double *work = room({work});"] * bool(work)
    call = ", ".join([*given, *["work"] * bool(work)])
    lines.append(f"    if ({program.name}({call})) abort();")
    lines += [
        f"    fwrite({slot.name}, {size}, 1, stdout);"
        for slot, size in zip(slots, sizes, strict=True)
        if slot.is_result
    ]
    lines += [f"    free({slot.name});" for slot in slots] + ["    free(work);"] * bool(work)
    head = f"{program.text.signature}\nstatic void run_{program.name}(void) {{"
    return "\n".join([head, *lines, "}\n"])


def _bytes(program: StandingAlone, args: tuple[Any, ...]) -> bytes:
    taken = (slot for slot in program.text.slots if not slot.is_result)
    return b"".join(
        np.asarray(value, slot.node.dtype).tobytes()
        for slot, value in zip(taken, flat(args), strict=True)
    )


def flat(value: Any) -> list[Any]:
    return [x for part in value for x in flat(part)] if isinstance(value, tuple) else [value]


def _nested(obj: Object, leaves: Iterator[Any]) -> Any:
    parts = components(obj)
    if parts is None:
        return next(leaves)
    return tuple([_nested(part, leaves) for part in parts.parts])


def done(words: Sequence[Any], given: bytes = b"") -> bytes:
    done = subprocess.run(list(map(str, words)), input=given, capture_output=True, check=False)
    assert not done.returncode, done.stderr.decode(errors="replace")[:4000]
    return done.stdout
