"""Times machine code beside C written by hand, and beside emitted NumPy, in one run, one thread.

``python benchmarks/native.py [--markdown FILE] [WORKLOAD …]`` compiles the C in ``benchmarks/c``
by gcc, with libmvec's functions declared, and checks the three against the derivative by hand in
NumPy; then they take turns, and the shortest time counts. The C allocates nothing, and is timed
twice: called from Python by ctypes, its pointers bound before (what a call costs), and repeated in
C (what the work costs). Machine code is called from Python in both, and gives fresh arrays.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from math import exp, log
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import bundle
import mixture
from gradients import on_one_thread, same
from loops import workloads as of_loops
from peers import flat
from programs import workloads
from systems import derivative
from targets import duration
from workload import Workload

SOURCES = sorted((Path(__file__).parent / "c").glob("*.c"))
OPTIONS = ("-O3", "-march=native", "-fopenmp-simd", "-fno-math-errno", "-mprefer-vector-width=512")
ROUNDS, SECONDS = 12, 0.03
MANY = (bundle.OBSERVATIONS, bundle.CAMERAS, bundle.POINTS)
MIXTURE = (mixture.POINTS, mixture.COMPONENTS, mixture.DIMENSIONS)
WRITTEN: dict[str, tuple[str, tuple[int, ...]]] = {
    "x*y + sin(x)": ("tiny", ()),
    "x*y + sin(x), both": ("both", ()),
    "1,000 steps": ("steps", (1000,)),
    "LSTM, 32 steps": ("lstm", (32,)),
    "MLP": ("mlp", (64,)),
    "GMM": ("gmm", MIXTURE),
    "BA, Jacobian": ("jacobian", MANY),
    "BA, gradient": ("gradient", MANY),
    "Rosenbrock, Hessian": ("hessian", (20,)),
    "Rosenbrock, Hessian times vector": ("hvp", (100,)),
}
"""The name of the function in C, and the numbers that it is given beside the arguments."""
SIZED = {
    "dot": "dot",
    "sum": "total",
    "prod": "prod",
    "chain": "chain",
    "self-convolution": "convolved",
    "pointwise matmul": "matmul",
    "scalar chain": "steps",
    "ADBench's LSTM": "lstm_ad",
}
"""The same of those whose names end in their size."""


UNWRITTEN = ("BA by rows, gradient", "hand tracking")
"""What nobody has written in C."""


class Timed(NamedTuple):
    """The shortest times of a call, in seconds."""

    c: float
    """Called from Python."""
    work: float
    """Repeated in C."""
    native: float
    python: float
    first: float
    """From the program to the first result of its machine code."""


def compiled_c() -> ctypes.CDLL:
    """All sources as one library."""
    target = Path(tempfile.mkdtemp()) / "byhand.so"
    command = ["gcc", *OPTIONS, "-shared", "-fPIC", "-o", str(target), *map(str, SOURCES), "-lm"]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(target))


def dgemm() -> int:
    """BLAS's product of matrices, from SciPy."""
    from scipy.linalg import cython_blas

    name, get = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    capsule = cython_blas.__pyx_capi__["dgemm"]
    return get(capsule, name(capsule)) or 0


class ByHand:
    """A function in C with its pointers bound."""

    def __init__(self, library: ctypes.CDLL, work: Workload, expected: Any) -> None:
        """``expected`` has the shapes of what it gives."""
        name, numbers = written(work)
        self._given = [np.array([*numbers, dgemm()], np.int64)]
        self._given += [np.array(x, order="C") for x in flat(work.args)]
        self._found = [np.empty(np.shape(x)) for x in flat(expected)]
        arrays = [*self._given, *self._found]
        pointers = (ctypes.c_void_p * len(arrays))(*(x.ctypes.data for x in arrays))
        function = getattr(library, name)
        function.restype = None
        self.call = partial(function, pointers)
        self._keep = pointers
        self.repeat = partial(library.repeat, function, pointers)

    @property
    def found(self) -> tuple[Any, ...]:
        """What it gave."""
        return tuple(self._found)


def written(work: Workload) -> tuple[str, tuple[int, ...]]:
    """Its function in C, and the numbers of that."""
    if work.name in WRITTEN:
        return WRITTEN[work.name]
    words, _, size = work.name.removesuffix(", a zero").rpartition(" ")
    return SIZED[words], (int(size.replace(",", "")),)


def timed(library: ctypes.CDLL, work: Workload) -> Timed:
    """The three in turns, after a look at what they give."""
    from interpreters.backends.llvm.native_program import NativeProgram

    expected = work.by_hand(*work.args)
    begin = time.perf_counter()
    program = derivative(work).program(*work.args)
    numpy = program.compiled("derivative").function
    native = NativeProgram(program._compiled, numpy).function
    found = native(*work.args)
    first = time.perf_counter() - begin
    c = ByHand(library, work, expected)
    c.call()
    for who, value in (
        ("C", c.found),
        ("machine code", tuple(flat(found))),
        ("NumPy", tuple(flat(numpy(*work.args)))),
    ):
        if not same(value, tuple(flat(expected))):
            raise SystemExit(f"{who}: the derivative of {work.name} is wrong")
    calls: list[Callable[[int], Any]] = [
        partial(_often, c.call, ()),
        c.repeat,
        partial(_often, native, work.args),
        partial(_often, numpy, work.args),
    ]
    counts = [max(1, int(2e-4 / _once(call))) for call in calls]
    least = [float("inf")] * len(calls)
    for _ in range(ROUNDS):
        for number, (call, count) in enumerate(zip(calls, counts, strict=True)):
            until = time.perf_counter() + SECONDS
            while True:
                least[number] = min(least[number], _once(partial(call), count) / count)
                if time.perf_counter() > until:
                    break
    return Timed(*least, first)


def _often(function: Callable[..., Any], args: tuple[Any, ...], count: int) -> None:
    for _ in range(count):
        function(*args)


def _once(call: Callable[[int], Any], count: int = 1) -> float:
    begin = time.perf_counter()
    call(count)
    return time.perf_counter() - begin


HEAD = (
    *("derivative", "C, called", "C, its work", "machine code"),
    *("/ C, called", "/ its work", "NumPy", "/ C, called", "first result"),
)


def row(name: str, t: Timed) -> list[str]:
    """A line of the table."""
    return [
        name,
        *map(duration, (t.c, t.work, t.native)),
        *(f"{t.native / t.c:.2f}", f"{t.native / t.work:.2f}"),
        *(duration(t.python), f"{t.python / t.c:.2f}", duration(t.first)),
    ]


def mean(ratios: list[float]) -> float:
    """The geometric mean."""
    return exp(sum(map(log, ratios)) / len(ratios))


def means(names: list[str], results: dict[str, Timed]) -> str:
    """The geometric means of some workloads' ratios."""
    them = [results[name] for name in names if name in results]
    if not them:
        return "nothing was timed"
    called, work = mean([t.native / t.c for t in them]), mean([t.native / t.work for t in them])
    numpy = mean([t.python / t.c for t in them])
    return (
        f"{len(them)} derivatives: machine code takes {called:.2f} of the C that is called, "
        f"{work:.2f} of its work alone; NumPy takes {numpy:.2f} of the C that is called."
    )


def main() -> None:
    """Print the table and the means, and write them down if asked."""
    parser = argparse.ArgumentParser(description="Times machine code beside C.")
    parser.add_argument("workloads", nargs="*", help="only those whose names begin so")
    parser.add_argument("--markdown", type=Path, help="the file to write the table to")
    options = parser.parse_args()
    library = compiled_c()
    page, more = [w for w in workloads() if w.name not in UNWRITTEN], of_loops()
    results: dict[str, Timed] = {}
    for work in (*page, *more):
        if options.workloads and not work.name.startswith(tuple(options.workloads)):
            continue
        results[work.name] = timed(library, work)
        print(" | ".join(row(work.name, results[work.name])), flush=True)
    said = [f"Of docs/benchmarks.md, {means([w.name for w in page], results)}"]
    said += [f"Of loops, {means([w.name for w in more], results)}"]
    print("\n".join(said))
    if options.markdown is not None:
        lines = [list(HEAD), ["---"] * len(HEAD), *(row(*item) for item in results.items())]
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        options.markdown.write_text(f"{table}\n\n" + "\n\n".join(said) + "\n", encoding="utf-8")


if __name__ == "__main__":
    on_one_thread()
    main()
