"""Machine code held against emitted Python; its arrays stand between guards."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import diffcurry as dc
from combinators.terms import Lam
from interpreters.backends.analysis.captures import surveyed

pytest.importorskip("llvmlite", reason="LLVM is not installed: pip install 'diffcurry[native]'")

from interpreters.backends.llvm.emission import emitted
from interpreters.backends.llvm.fusion import planned
from interpreters.backends.llvm.graph import FunctionGraph
from interpreters.backends.llvm.growing import FIRST, ROOM, kept_memory
from interpreters.backends.llvm.lowering import lowered
from interpreters.backends.llvm.machine_code import Loaded, lanes, llvm, whole_text
from interpreters.backends.llvm.native_program import NativeProgram, leaves_of, value_shown
from interpreters.backends.llvm.scopes import NativeModule

NUMBERS = {
    "float64": ctypes.c_double,
    "float32": ctypes.c_float,
    "int64": ctypes.c_int64,
    "int32": ctypes.c_int32,
    "bool": ctypes.c_bool,
}
GUARD, LINE, PATTERN = 4096, 64, 0xAB


class Guarded:
    """An array before and behind which nothing is to be written; what is in it is no number."""

    def __init__(self, shape: tuple[int, ...], dtype: str, value: Any = None) -> None:
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        room = np.full(size + 2 * GUARD + LINE, PATTERN, np.uint8)
        start = -room.ctypes.data % LINE + GUARD
        self.before, self.behind = room[:start], room[start + size :]
        self.array = room[start : start + size].view(dtype).reshape(shape)
        if value is not None:
            self.array[...] = value

    @property
    def where(self) -> int:
        return self.array.ctypes.data

    def hold(self) -> None:
        assert (self.before == PATTERN).all()
        assert (self.behind == PATTERN).all()


class Bare:
    """The machine code of a λ without its entry."""

    def __init__(self, lam: Lam) -> None:
        self.lam = lam
        self._made = lowered(lam, surveyed(lam))
        function: FunctionGraph = self._made.function
        module = NativeModule(lanes(), careful=True)
        code = emitted(module, function, "run", planned(function))
        arrays = {f"constant{i}": node.par.value for i, node in enumerate(code.constants)}
        text = whole_text(module, [code.text], len(arrays))
        if ROOM in module.declared:
            arrays |= kept_memory() | {"growing": Guarded((FIRST + 64,), "uint8").array}
        llvm().parse_assembly(text).verify()
        loaded = self._loaded = Loaded(text, arrays, function="run")
        self._params, self._outputs, self._work = function.params, function.outputs, code.work
        kinds = [ctypes.c_void_p if p.shape else NUMBERS[p.dtype] for p in function.params]
        kinds += [ctypes.c_void_p] * (len(function.outputs) + 1)
        self._run = ctypes.CFUNCTYPE(ctypes.c_bool, *kinds)(loaded.address)

    def __call__(self, *args: Any) -> Any:
        given = [
            Guarded(p.shape, p.dtype, value) if p.shape else value
            for p, value in zip(self._params, self._flat(args), strict=True)
        ]
        outputs = [Guarded(node.shape, node.dtype) for node in self._outputs]
        work = Guarded((self._work,), "uint8")
        places = [x.where if isinstance(x, Guarded) else x for x in given]
        self._run(*places, *(out.where for out in outputs), work.where)
        for each in (*given, *outputs, work):
            if isinstance(each, Guarded):
                each.hold()
        leaves = (out.array if out.array.shape else out.array[()].item() for out in outputs)
        return value_shown(self._made.result, leaves)

    def _flat(self, args: tuple[Any, ...]) -> Iterator[Any]:
        for form, value in zip(self._made.params, args, strict=True):
            yield from leaves_of(form, value)


def same(found: Any, true: Any, rtol: float = 1e-12) -> None:
    """Equal in structure, types and numbers, to rounding; nans and infs are."""
    if isinstance(true, tuple):
        assert isinstance(found, tuple)
        assert len(found) == len(true)
        for a, b in zip(found, true, strict=True):
            same(a, b, rtol)
        return
    assert isinstance(found, np.ndarray) == isinstance(true, np.ndarray)
    assert np.asarray(found).dtype == np.asarray(true).dtype
    np.testing.assert_allclose(found, true, rtol=rtol, atol=rtol)


def agrees(function: Any, *args: Any, rtol: float = 1e-12) -> NativeProgram:
    """The machine code of a function, which gives what emitted Python gives."""
    whole = dc.fun(function).program(*args)
    python = whole.compiled("f").function
    native = NativeProgram(whole.lam, not_called)
    same(native.function(*args), python(*args), rtol)
    same(Bare(whole.lam)(*args), python(*args), rtol)
    return native


def not_called(*args: Any) -> Any:
    raise AssertionError("machine code gave up")
