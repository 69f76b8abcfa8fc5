"""The way from Python to machine code: a C function object that opens its arguments itself.

    f(x, a), or f((x, a))    x : Real, a : Tensor[3]

    x a float?  a an array of float64, of shape (3,), in one piece?      else: slow(x, a)
    r = a new array of shape (3,);  run(x, data of a, data of r, work)
    nan in doubt?  slow(x, a)                                            else: r

The fields of Python's and NumPy's objects are read where CPython keeps them. What is not as it
should be, in type or shape or layout, goes to ``slow``, a function of Python that takes anything.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from interpreters.backends.llvm.border_forms import border_kinds
from interpreters.backends.llvm.effort import LONG
from interpreters.backends.llvm.emission import Emitted
from interpreters.backends.llvm.graph import FunctionGraph, Node
from interpreters.backends.llvm.growing import SIZE
from interpreters.backends.llvm.libraries import address
from interpreters.backends.llvm.native_forms import (
    ArrayForm,
    Form,
    PointerForm,
    ProductForm,
)
from interpreters.backends.llvm.object_text import DATA, ITEMS, LENGTH, TYPE, ObjectText
from interpreters.backends.llvm.record_text import RecordBorder
from interpreters.backends.llvm.scopes import WIDTHS

LINE = 64
"""Bytes of a line of the cache, at which work begins."""
STACK = 1 << 14
"""Bytes that are worked in on the stack."""
_ARRAY_TYPE, _NEW_FROM_DESCR = 2, 94
"""Places in NumPy's table of functions."""
_C_API = ctypes.pythonapi


@cache
def numpy_symbols() -> dict[str, int]:
    """What entries need of NumPy, by name."""
    umath = import_module("numpy._core._multiarray_umath")
    get = _C_API.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(get(umath._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
    found = {"np_array_type": table[_ARRAY_TYPE] or 0, "np_new": table[_NEW_FROM_DESCR] or 0}
    found |= {"np_true": id(np.True_), "np_false": id(np.False_)}
    for name in WIDTHS:
        found[f"np_dtype_{name}"] = id(np.dtype(name))
        found[f"np_type_{name}"] = id(np.dtype(name).type)
    return found


def symbol(name: str) -> int:
    """Where a function or an object of Python's or NumPy's is."""
    known = numpy_symbols().get(name)
    return address(name) if known is None else known


class Entry(ObjectText):
    """Writes the entry of a function."""

    def __init__(
        self,
        function: FunctionGraph,
        params: Sequence[Form],
        result: Form,
        code: Emitted,
        *,
        has_records: bool,
    ) -> None:
        """``has_records`` says that it takes or gives recursive data."""
        self._function, self._params, self._result_form = function, params, result
        self._code, self._checks = code, code.gives_up or code.may_stop or has_records
        self._has_records, self._border = has_records, RecordBorder()
        self._objects: list[str] = []
        """The cells of objects that are to go, where it gives up."""
        super().__init__()
        self._left: list[str] = []
        """What is done when the work is."""

    def text(self) -> str:
        """The function ``entry`` of the object itself and the tuple of its arguments."""
        if self._has_records:
            self._head.append(f"%records = alloca [{SIZE} x i8], align 64")
            self._lines.append("call void @dc_enter(ptr %records)")
        params = iter(self._function.params)
        args = self._parts("%args", ProductForm(tuple(self._params)), params)
        made = [self._result(number, node) for number, node in enumerate(self._function.outputs)]
        results = [
            f"ptr {self._at(text, DATA)}" if node.shape else f"ptr {text}"
            for text, node in zip(made, self._function.outputs, strict=True)
        ]
        given = [*args, *results, f"ptr {self._memory()}"]
        if self._has_records:
            given.append("ptr %records")
        is_long, run = self._code.effort >= LONG, "run_in_room" if self._has_records else "run"
        state = self._op("call ptr @PyEval_SaveThread()") if is_long else ""
        failed = self._op(f"call i1 @{run}({', '.join(given)})")
        if is_long:
            self._lines.append(f"call void @PyEval_RestoreThread(ptr {state})")
        self._lines += self._left
        if self._checks:
            self._lines += [f"br i1 {failed}, label %drop, label %fine", "fine:"]
        self._show_records(made)
        pairs = iter(zip(made, self._function.outputs, strict=True))
        shown = self._shown(self._result_form, pairs)
        self._leave()
        self._lines.append(f"ret ptr {shown}")
        if self._checks or self._left:
            self._lines.append("drop:")
            for text, node in zip(made, self._function.outputs, strict=True):
                if node.shape:
                    self._lines.append(f"call void @Py_DecRef(ptr {text})")
            for cell in self._objects:
                self._lines.append(f"call void @Py_DecRef(ptr {self._op(f'load ptr, ptr {cell}')})")
            if self._code.may_stop:
                raised = self._op("call ptr @PyErr_Occurred()")
                self._need(self._op(f"icmp eq ptr {raised}, null"), otherwise="none")
            self._lines.append("br label %slow")
        self._lines.append("none:")
        self._leave()
        self._lines += ["ret ptr null", "slow:"]
        if self._has_records:
            raised = self._op("call ptr @PyErr_Occurred()")
            self._need(self._op(f"icmp eq ptr {raised}, null"), otherwise="none")
        self._leave()
        slow = self._at("%self", ITEMS)
        call = f"call ptr @PyObject_Call(ptr {slow}, ptr %args, ptr null)"
        self._lines.append(f"ret ptr {self._op(call)}")
        body = "\n".join(["entry:", *self._head, *self._lines])
        records = self._border.text()
        outside = sorted(self._outside | self._border.outside)
        declared = [f"@{name} = external global i8" for name in outside]
        return "\n".join(
            [
                *declared,
                *self._data,
                *self._border.data,
                *_DECLARED,
                records,
                f"define ptr @entry(ptr %self, ptr %args) #0 {{\n{body}\n}}\n",
            ]
        )

    def _leave(self) -> None:
        if self._has_records:
            self._lines.append("call void @dc_leave(ptr %records)")

    # ---- arguments

    def _taken(self, pointer: str, form: Form, params: Iterator[Node]) -> list[str]:
        """What the function takes for an argument: tuples are opened."""
        if isinstance(form, ArrayForm):
            node = next(params)
            return [self._array(pointer, node) if node.shape else self._number(pointer, node.dtype)]
        if isinstance(form, PointerForm):
            next(params)
            reads = self._border.name(form.sort, reads=True)
            found = self._op(f"call i64 {reads}(ptr {pointer}, ptr %records)")
            self._need(self._op(f"icmp ne i64 {found}, -1"))
            return [f"i64 {found}"]
        assert isinstance(form, ProductForm)
        self._need(self._is(self._at(pointer, TYPE), "PyTuple_Type"))
        return self._parts(pointer, form, params)

    def _parts(self, pointer: str, form: ProductForm, params: Iterator[Node]) -> list[str]:
        """What it takes for the items of a tuple."""
        self._need(self._op(f"icmp eq i64 {self._at(pointer, LENGTH, 'i64')}, {len(form.parts)}"))
        return [
            text
            for index, part in enumerate(form.parts)
            for text in self._taken(self._at(pointer, ITEMS + 8 * index), part, params)
        ]

    # ---- results

    def _result(self, number: int, node: Node) -> str:
        """A cell for a number, a new array for an array."""
        if not node.shape:
            self._head.append(f"%cell{number} = alloca i64")
            return f"%cell{number}"
        made = self._new_array(node, f"@extents{number}")
        self._need(self._op(f"icmp ne ptr {made}, null"), otherwise="none")
        return made

    def _memory(self) -> str:
        """Where it works: on the stack; or in memory that is kept, if no other call does."""
        work = self._code.work
        if not work:
            return "null"
        if work <= STACK:
            self._head.append(f"%work = alloca [{work} x i8], align {LINE}")
            return "%work"
        self._data += ["@work = external global i8", "@busy = internal global i8 0"]
        self._lines += [
            "%busy = atomicrmw xchg ptr @busy, i8 1 acquire",
            "%free = icmp eq i8 %busy, 0",
            "br i1 %free, label %own, label %other",
            "other:",
            f"%room = call ptr @PyMem_RawMalloc(i64 {work + LINE})",
            f"%behind = getelementptr i8, ptr %room, i64 {LINE}",
            f"%aligned = call ptr @llvm.ptrmask.p0.i64(ptr %behind, i64 -{LINE})",
            "%no_room = icmp eq ptr %room, null",
            "br i1 %no_room, label %drop, label %own",
            "own:",
            f"%work = phi ptr [@work, %{self._label}], [%aligned, %other]",
            f"%taken = phi ptr [null, %{self._label}], [%room, %other]",
        ]
        self._label = "own"
        self._left = [
            "br i1 %free, label %leave, label %give",
            "leave:",
            "store atomic i8 0, ptr @busy release, align 1",
            "br label %left",
            "give:",
            "call void @PyMem_RawFree(ptr %taken)",
            "br label %left",
            "left:",
        ]
        return "%work"

    def _show_records(self, made: list[str]) -> None:
        """The objects of recursive data, before others; meanwhile nobody collects garbage."""
        leaves = border_kinds(self._result_form)
        if not any(isinstance(leaf, PointerForm) for leaf in leaves):
            return
        collected = self._op("call i32 @PyGC_Disable()")
        for number, leaf in enumerate(leaves):
            if isinstance(leaf, PointerForm):
                shows = self._border.name(leaf.sort, reads=False)
                at = self._op(f"load i64, ptr {made[number]}")
                found = self._op(f"call ptr {shows}(i64 {at}, ptr %records)")
                cell = f"%object{number}"
                self._head += [f"{cell} = alloca ptr", f"store ptr null, ptr {cell}"]
                self._objects.append(cell)
                self._lines.append(f"store ptr {found}, ptr {cell}")
        self._lines += [
            f"%collected = icmp ne i32 {collected}, 0",
            "br i1 %collected, label %collect, label %shown",
            "collect:",
            "call i32 @PyGC_Enable()",
            "br label %shown",
            "shown:",
        ]
        for cell in self._objects:
            found = self._op(f"load ptr, ptr {cell}")
            self._need(self._op(f"icmp ne ptr {found}, null"), otherwise="drop")

    def _shown(self, form: Form, made: Iterator[tuple[str, Node]]) -> str:
        """An object of a result: a tuple of a product."""
        if isinstance(form, ArrayForm):
            text, node = next(made)
            return text if node.shape else self._boxed(text, node.dtype)
        if isinstance(form, PointerForm):
            text, _ = next(made)
            return self._op(f"load ptr, ptr {text.replace('cell', 'object')}")
        assert isinstance(form, ProductForm)
        items = [self._shown(part, made) for part in form.parts]
        whole = self._op(f"call ptr @PyTuple_New(i64 {len(items)})")
        for index, item in enumerate(items):
            field = self._field(whole, ITEMS + 8 * index)
            self._lines.append(f"store ptr {item}, ptr {field}")
        return whole


_DECLARED = (
    "declare ptr @np_new(ptr, ptr, i32, ptr, ptr, ptr, i32, ptr)",
    "declare ptr @PyTuple_New(i64)",
    "declare ptr @PyType_GenericAlloc(ptr, i64)",
    "declare i64 @PyLong_AsLongLongAndOverflow(ptr, ptr)",
    "declare ptr @PyObject_Call(ptr, ptr, ptr)",
    "declare ptr @PyErr_Occurred()",
    "declare ptr @PyEval_SaveThread()",
    "declare void @PyEval_RestoreThread(ptr)",
    "declare ptr @PyMem_RawMalloc(i64)",
    "declare void @PyMem_RawFree(ptr)",
    "declare ptr @llvm.ptrmask.p0.i64(ptr, i64)",
    "declare void @Py_IncRef(ptr)",
    "declare void @Py_DecRef(ptr)",
)


class _Definition(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


SEVERAL, ONE = 0x01, 0x08
"""How functions of C are called: with their arguments, or with one object."""


def function_object(
    where: int, slow: Callable[..., Any], keep: Any, flag: int = SEVERAL
) -> Callable[..., Any]:
    """Python's function of machine code; ``keep`` lives as long as it does.

    Of ``ONE`` object, it is the tuple of arguments.
    """
    definition = _Definition(b"native", where, flag, None)
    new = _C_API.PyCMethod_New
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p]
    owner = (slow, keep, definition)
    found: Callable[..., Any] = new(ctypes.addressof(definition), owner, None, None)
    return found
