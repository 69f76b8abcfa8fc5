"""Objects of Python and NumPy, opened and made where CPython keeps their fields, as text."""

from __future__ import annotations

from interpreters.backends.llvm.graph import Node
from interpreters.backends.llvm.native_forms import ArrayForm
from interpreters.backends.llvm.scopes import TYPES

TYPE, VALUE, LENGTH, ITEMS = 8, 16, 16, 24
DATA, RANK, EXTENTS, ELEMENTS, FLAGS = 16, 24, 32, 56, 64
"""Where fields are: of an object its type, of a float its value; of a tuple its length and items;
of an array the rest."""
IN_ONE_PIECE = 0x0101
"""An array's flags: contiguous in C's order, and aligned."""


class ObjectText:
    """Writes what opens objects and makes them."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._head: list[str] = []
        self._data: list[str] = []
        self._count = 0
        self._outside: set[str] = set()
        self._label = "entry"

    def _op(self, text: str) -> str:
        self._count += 1
        self._lines.append(f"%e{self._count} = {text}")
        return f"%e{self._count}"

    def _field(self, pointer: str, offset: int) -> str:
        return self._op(f"getelementptr i8, ptr {pointer}, i64 {offset}")

    def _at(self, pointer: str, offset: int, kind: str = "ptr") -> str:
        return self._op(f"load {kind}, ptr {self._field(pointer, offset)}")

    def _need(self, test: str, otherwise: str = "slow") -> None:
        self._count += 1
        label = self._label = f"ok{self._count}"
        self._lines += [f"br i1 {test}, label %{label}, label %{otherwise}", f"{label}:"]

    def _is(self, pointer: str, name: str) -> str:
        self._outside.add(name)
        return self._op(f"icmp eq ptr {pointer}, @{name}")

    def _number(self, pointer: str, dtype: str) -> str:
        if dtype == "bool":
            true, false = (self._is(pointer, f"_Py_{word}Struct") for word in ("True", "False"))
            self._need(self._op(f"or i1 {true}, {false}"))
            return f"i1 {true}"
        kind = self._at(pointer, TYPE)
        own = self._is(kind, f"np_type_{dtype}")
        if dtype == "int64":
            self._need(self._is(kind, "PyLong_Type"))
            cell = "%overflow"
            if f"{cell} = alloca i32" not in self._head:
                self._head.append(f"{cell} = alloca i32")
            found = self._op(f"call i64 @PyLong_AsLongLongAndOverflow(ptr {pointer}, ptr {cell})")
            self._need(self._op(f"icmp eq i32 {self._op(f'load i32, ptr {cell}')}, 0"))
            return f"i64 {found}"
        if dtype == "float64":
            own = self._op(f"or i1 {self._is(kind, 'PyFloat_Type')}, {own}")
        self._need(own)
        return f"{TYPES[dtype]} {self._at(pointer, VALUE, TYPES[dtype])}"

    def _array(self, pointer: str, node: ArrayForm | Node) -> str:
        self._need(self._is(self._at(pointer, TYPE), "np_array_type"))
        self._need(self._is(self._at(pointer, ELEMENTS), f"np_dtype_{node.dtype}"))
        self._need(self._op(f"icmp eq i32 {self._at(pointer, RANK, 'i32')}, {len(node.shape)}"))
        extents = self._at(pointer, EXTENTS)
        for axis, extent in enumerate(node.shape):
            self._need(self._op(f"icmp eq i64 {self._at(extents, 8 * axis, 'i64')}, {extent}"))
        flags = self._op(f"and i32 {self._at(pointer, FLAGS, 'i32')}, {IN_ONE_PIECE}")
        self._need(self._op(f"icmp eq i32 {flags}, {IN_ONE_PIECE}"))
        return f"ptr {self._at(pointer, DATA)}"

    def _new_array(self, form: ArrayForm | Node, extents: str) -> str:
        """A new array; its extents are a constant of the name."""
        rank, dtype = len(form.shape), f"np_dtype_{form.dtype}"
        each = ", ".join(f"i64 {extent}" for extent in form.shape)
        self._data.append(f"{extents} = internal constant [{rank} x i64] [{each}]")
        self._outside |= {dtype, "np_array_type"}
        self._lines.append(f"call void @Py_IncRef(ptr @{dtype})")
        return self._op(
            f"call ptr @np_new(ptr @np_array_type, ptr @{dtype}, i32 {rank}, "
            f"ptr {extents}, ptr null, ptr null, i32 0, ptr null)"
        )

    def _boxed(self, cell: str, dtype: str) -> str:
        """A number as an object of NumPy's."""
        if dtype == "bool":
            byte = self._op(f"load i8, ptr {cell}")
            test = self._op(f"icmp ne i8 {byte}, 0")
            self._outside |= {"np_true", "np_false"}
            made = self._op(f"select i1 {test}, ptr @np_true, ptr @np_false")
            self._lines.append(f"call void @Py_IncRef(ptr {made})")
            return made
        self._outside.add(f"np_type_{dtype}")
        made = self._op(f"call ptr @PyType_GenericAlloc(ptr @np_type_{dtype}, i64 0)")
        number = self._op(f"load {TYPES[dtype]}, ptr {cell}")
        self._lines.append(f"store {TYPES[dtype]} {number}, ptr {self._field(made, VALUE)}")
        return made
