"""Recursive data across the border: Python's nested tuples are read into records, and made of them.

    (1, (2.0, (1, (3.0, (0, ())))))        the list of 2 and 3: a tag and a value, and so on
    1 2.0 ptr → 1 3.0 ptr → 0 _ _          each record a tag, and what each alternative holds

One function reads what a sort of records holds, and one makes objects of it. Where the last thing
in a value is another of its kind, it goes on with that, and so lists may be of any length;
elsewhere it calls itself, until the stack is at its limit, and Python runs the program.
"""

from __future__ import annotations

from math import prod

from interpreters.backends.llvm.growing import ROOM, STOPS
from interpreters.backends.llvm.native_forms import (
    NONE,
    ArrayForm,
    Form,
    PointerForm,
    ProductForm,
    Sort,
    SumForm,
    kinds,
    room_of,
)
from interpreters.backends.llvm.object_text import (
    DATA,
    ITEMS,
    LENGTH,
    TYPE,
    ObjectText,
)
from interpreters.backends.llvm.scopes import WIDTHS

TYPE_FLAGS, IS_TUPLE = 168, 1 << 26
"""Where a type says what it is a kind of, and of tuples, of which some have names."""
DECLARED = (
    "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
    "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
    "declare ptr @PyLong_FromLongLong(i64)",
    "declare i32 @PyGC_Disable()",
    "declare i32 @PyGC_Enable()",
)


class RecordBorder:
    """The functions of a program that read recursive data, and that make it."""

    def __init__(self) -> None:
        self._names: dict[tuple[Sort, bool], str] = {}
        self._waiting: list[tuple[Sort, bool]] = []
        self.outside: set[str] = set()
        self.data: list[str] = []

    def name(self, sort: Sort, *, reads: bool) -> str:
        """The function that reads records of a sort, or shows them."""
        key = sort.root, reads
        if key not in self._names:
            self._names[key] = f"@dc_{'reads' if reads else 'shows'}{len(self._names)}"
            self._waiting.append(key)
        return self._names[key]

    def text(self) -> str:
        """All of them."""
        found: list[str] = list(DECLARED) if self._waiting else []
        while self._waiting:
            sort, reads = self._waiting.pop()
            text = RecordText(self, sort, len(self.data))
            found.append(text.reading() if reads else text.showing())
            self.outside |= text.outside
            self.data += text.data
        return "\n".join(found)


class RecordText(ObjectText):
    """Writes one of them."""

    def __init__(self, border: RecordBorder, sort: Sort, number: int) -> None:
        super().__init__()
        self._border, self._sort, self._number_of_data = border, sort, number
        self._is_over = False
        """Whether it went on with the next record."""

    @property
    def outside(self) -> set[str]:
        """What it takes from elsewhere."""
        return self._outside

    @property
    def data(self) -> list[str]:
        """The constants that it reads."""
        return self._data

    def _whole(self, head: str, begins: str, failed: str, result: str) -> str:
        begin = [
            f"%stops = call i1 @{STOPS}(ptr %room)",
            "br i1 %stops, label %slow, label %loop",
            "loop:",
        ]
        end = ["done:", *result.splitlines(), "slow:", *failed.splitlines()]
        body = [*self._head, *begins.splitlines(), *begin, *self._lines, *end]
        return "\n".join([f"{head} #0 {{", "entry:", *body, "}", ""])

    # ---- from objects to records

    def reading(self) -> str:
        """The function of an object, which gives a pointer, or −1 where it is not of its type."""
        form = self._sort.form
        obj = self._op("load ptr, ptr %object")
        slot = self._op("load ptr, ptr %slot")
        is_none = self._is_none(obj)
        self._lines += [f"br i1 {is_none}, label %none, label %some", "none:"]
        self._lines += [f"store i64 0, ptr {slot}", "br label %done", "some:"]
        size = size_of(form)
        record = self._op(f"call ptr @{ROOM}(ptr %room, i64 {size})")
        self._need(self._op(f"icmp ne ptr {record}, null"))
        self._do(f"call void @llvm.memset.p0.i64(ptr {record}, i8 0, i64 {size}, i1 false)")
        self._do(f"store i64 {self._op(f'ptrtoint ptr {record} to i64')}, ptr {slot}")
        self._read(obj, form, record, 0, is_last=True)
        self._go("done")
        return self._whole(
            f"define internal i64 {self._border.name(self._sort, reads=True)}"
            "(ptr %start, ptr %room)",
            "%first = alloca i64\n%object = alloca ptr\n%slot = alloca ptr\n"
            "store ptr %start, ptr %object\nstore ptr %first, ptr %slot",
            "ret i64 -1",
            "%found = load i64, ptr %first\nret i64 %found",
        )

    def _read(self, obj: str, form: Form, record: str, offset: int, *, is_last: bool) -> None:
        """Put what an object is into a record."""
        match form:
            case ArrayForm(shape, dtype):
                place = self._field(record, offset)
                if shape:
                    given = self._array(obj, form)
                    self._copy(place, given, form)
                    return
                text = self._number(obj, dtype)
                if dtype == "bool":
                    text = f"i8 {self._op(f'zext {text} to i8')}"
                self._do(f"store {text}, ptr {place}")
            case ProductForm(parts):
                self._open(obj, len(parts))
                for index, part in enumerate(parts):
                    item = self._at(obj, ITEMS + 8 * index)
                    last = is_last and index == len(parts) - 1
                    self._read(item, part, record, offset, is_last=last)
                    offset += size_of(part)
            case SumForm(parts):
                self._read_sum(obj, parts, record, offset, is_last=is_last)
            case PointerForm(sort):
                place = self._field(record, offset)
                if is_last and sort.root is self._sort.root:
                    self._do(f"store ptr {obj}, ptr %object")
                    self._do(f"store ptr {place}, ptr %slot")
                    self._go("loop")
                    self._is_over = True
                    return
                name = self._border.name(sort, reads=True)
                found = self._op(f"call i64 {name}(ptr {obj}, ptr %room)")
                self._need(self._op(f"icmp ne i64 {found}, -1"))
                self._do(f"store i64 {found}, ptr {place}")

    def _is_none(self, obj: str) -> str:
        return self._is(obj, "_Py_NoneStruct") if self._sort.may_be_none else "false"

    def _open(self, obj: str, count: int) -> None:
        """See that it is a tuple of as many."""
        flags = self._at(self._at(obj, TYPE), TYPE_FLAGS, "i64")
        kind = self._op(f"and i64 {flags}, {IS_TUPLE}")
        self._need(self._op(f"icmp ne i64 {kind}, 0"))
        self._need(self._op(f"icmp eq i64 {self._at(obj, LENGTH, 'i64')}, {count}"))

    def _read_sum(
        self, obj: str, parts: tuple[Form, ...], record: str, offset: int, *, is_last: bool
    ) -> None:
        place, end = self._field(record, offset), self._fresh("end")
        none, some = self._fresh("none"), self._fresh("some")
        is_none = self._is_none(obj)
        self._lines += [f"br i1 {is_none}, label %{none}, label %{some}", f"{none}:"]
        self._lines += [f"store i64 {NONE}, ptr {place}", f"br label %{end}", f"{some}:"]
        self._open(obj, 2)
        tag = self._number(self._at(obj, ITEMS), "int64").removeprefix("i64 ")
        self._do(f"store i64 {tag}, ptr {place}")
        inner = self._at(obj, ITEMS + 8)
        offset += 8
        for label, part in self._each(tag, parts):
            self._lines.append(f"{label}:")
            self._read(inner, part, record, offset, is_last=is_last)
            self._go(end)
            offset += size_of(part)
        self._lines.append(f"{end}:")

    def _each(self, tag: str, parts: tuple[Form, ...]) -> list[tuple[str, Form]]:
        """A label for each alternative, and the jump to the one of the tag."""
        labels = [self._fresh("case") for _ in parts]
        cases = " ".join(f"i64 {i}, label %{label}" for i, label in enumerate(labels))
        self._lines.append(f"switch i64 {tag}, label %slow [{cases}]")
        return list(zip(labels, parts, strict=True))

    # ---- from records to objects

    def showing(self) -> str:
        """The function of a pointer, which gives an object; where it gives up, none."""
        form = self._sort.form
        at = self._op("load i64, ptr %record")
        slot = self._op("load ptr, ptr %slot")
        none, some = self._fresh("none"), self._fresh("some")
        is_none = self._op(f"icmp eq i64 {at}, 0")
        self._lines += [f"br i1 {is_none}, label %{none}, label %{some}", f"{none}:"]
        self._show_none(slot)
        self._go("done")
        self._lines.append(f"{some}:")
        record = self._op(f"inttoptr i64 {at} to ptr")
        self._show(slot, form, record, 0, is_last=True)
        self._go("done")
        return self._whole(
            f"define internal ptr {self._border.name(self._sort, reads=False)}"
            "(i64 %start, ptr %room)",
            "%first = alloca ptr\n%record = alloca i64\n%slot = alloca ptr\n"
            "store i64 %start, ptr %record\nstore ptr %first, ptr %slot\n"
            "store ptr null, ptr %first",
            "%rest = load ptr, ptr %first\ncall void @Py_DecRef(ptr %rest)\nret ptr null",
            "%found = load ptr, ptr %first\nret ptr %found",
        )

    def _show(self, slot: str, form: Form, record: str, offset: int, *, is_last: bool) -> None:
        """Put the object of what is in a record into a slot, before what it holds is made."""
        match form:
            case ArrayForm(shape, dtype):
                place = self._field(record, offset)
                made = self._copied(place, form) if shape else self._boxed(place, dtype)
                self._do(f"store ptr {made}, ptr {slot}")
            case ProductForm(parts):
                whole = self._tuple(len(parts), slot)
                for index, part in enumerate(parts):
                    item = self._field(whole, ITEMS + 8 * index)
                    last = is_last and index == len(parts) - 1
                    self._show(item, part, record, offset, is_last=last)
                    offset += size_of(part)
            case SumForm(parts):
                self._show_sum(slot, parts, record, offset, is_last=is_last)
            case PointerForm(sort):
                at = self._at(record, offset, "i64")
                if is_last and sort.root is self._sort.root:
                    self._do(f"store i64 {at}, ptr %record")
                    self._do(f"store ptr {slot}, ptr %slot")
                    self._go("loop")
                    self._is_over = True
                    return
                name = self._border.name(sort, reads=False)
                made = self._op(f"call ptr {name}(i64 {at}, ptr %room)")
                self._need(self._op(f"icmp ne ptr {made}, null"))
                self._do(f"store ptr {made}, ptr {slot}")

    def _show_none(self, slot: str) -> None:
        self._outside.add("_Py_NoneStruct")
        self._do("call void @Py_IncRef(ptr @_Py_NoneStruct)")
        self._do(f"store ptr @_Py_NoneStruct, ptr {slot}")

    def _show_sum(
        self, slot: str, parts: tuple[Form, ...], record: str, offset: int, *, is_last: bool
    ) -> None:
        tag, end = self._at(record, offset, "i64"), self._fresh("end")
        none, some = self._fresh("none"), self._fresh("some")
        is_none = self._op(f"icmp eq i64 {tag}, {NONE}")
        self._lines += [f"br i1 {is_none}, label %{none}, label %{some}", f"{none}:"]
        self._show_none(slot)
        self._lines += [f"br label %{end}", f"{some}:"]
        whole = self._tuple(2, slot)
        number = self._op(f"call ptr @PyLong_FromLongLong(i64 {tag})")
        self._do(f"store ptr {number}, ptr {self._field(whole, ITEMS)}")
        inner = self._field(whole, ITEMS + 8)
        offset += 8
        for label, part in self._each(tag, parts):
            self._lines.append(f"{label}:")
            self._show(inner, part, record, offset, is_last=is_last)
            self._go(end)
            offset += size_of(part)
        self._lines.append(f"{end}:")

    def _tuple(self, count: int, slot: str) -> str:
        made = self._op(f"call ptr @PyTuple_New(i64 {count})")
        self._need(self._op(f"icmp ne ptr {made}, null"))
        self._do(f"store ptr {made}, ptr {slot}")
        return made

    def _copied(self, place: str, form: ArrayForm) -> str:
        """A new array of what is in a record."""
        name = f"@row_extents{self._number_of_data + len(self._data)}"
        made = self._new_array(form, name)
        self._need(self._op(f"icmp ne ptr {made}, null"))
        self._copy(self._at(made, DATA), f"ptr {place}", form)
        return made

    def _copy(self, to: str, given: str, form: ArrayForm) -> None:
        size = prod(form.shape) * WIDTHS[form.dtype]
        self._do(f"call void @llvm.memcpy.p0.p0.i64(ptr {to}, {given}, i64 {size}, i1 false)")

    # ---- lines

    def _do(self, text: str) -> None:
        self._lines.append(text)

    def _go(self, label: str) -> None:
        """A jump, unless it jumped already."""
        if not self._is_over:
            self._lines.append(f"br label %{label}")
        self._is_over = False

    def _fresh(self, wish: str) -> str:
        self._count += 1
        return f"{wish}{self._count}"


def size_of(form: Form) -> int:
    """How many bytes it takes in a record."""
    return sum(map(room_of, kinds(form)))
