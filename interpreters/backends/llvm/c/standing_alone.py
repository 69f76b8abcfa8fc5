"""A program that leaves with its user: a file of C, LLVM's text, or a shared library.

    int f(double x, const double *a, double *out, double *work);

All three are this function. It takes numbers and arrays, and where its results go; it allocates
nothing, keeps nothing, and calls nothing but the C library's functions of numbers.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from combinators.errors import MissingRule
from combinators.objects import Object, Record, components
from combinators.terms import Lam
from interpreters.backends.analysis.captures import surveyed
from interpreters.backends.llvm.c.c_lines import TYPES, read
from interpreters.backends.llvm.c.c_operations import LIBRARY, Expression, helper, number
from interpreters.backends.llvm.c.c_writer import CWriter
from interpreters.backends.llvm.emission import Emitted, emitted
from interpreters.backends.llvm.fusion import planned
from interpreters.backends.llvm.graph import Node
from interpreters.backends.llvm.lowering import lowered
from interpreters.backends.llvm.machine_code import lanes, object_code, whole_text
from interpreters.backends.llvm.native_forms import ArrayForm, Form, ProductForm
from interpreters.backends.llvm.operations import literal
from interpreters.backends.llvm.scopes import IN_MEMORY, NativeModule
from interpreters.backends.text.layout import COMPARED
from interpreters.backends.text.module import identifier

LONG = 40
"""Lines of a term that is too long to stand above its code."""
_OURS = re.compile(
    r"[iptsw]\d+|constant\d+|dc_.*|work|main|abs|labs|div|exit|abort|malloc|calloc|free|printf|puts"
    r"|memset|memcpy|isnan|isinf|fmod|copysign|rint|auto|break|case|char|const|continue|default|do|double"
    r"|else|enum|extern|float|for|goto|if|inline|int|long|register|restrict|return|short|signed"
    r"|sizeof|static|struct|switch|typedef|union|unsigned|void|volatile|while|bool|true|false"
    r"|catch|delete|explicit|export|friend|mutable|namespace|new|operator|private|protected|public"
    r"|template|this|throw|typename|using|virtual"
)


class Slot(NamedTuple):
    """A parameter of C: a number, an array, or where a result goes."""

    name: str
    place: str
    """What it is called in LLVM's text."""
    type: Object
    node: Node
    is_result: bool = False

    @property
    def kind(self) -> str:
        """Its elements, in C."""
        return TYPES[IN_MEMORY[self.node.dtype]]

    @property
    def is_array(self) -> bool:
        """Whether it is given by its address."""
        return bool(self.node.shape) or self.is_result

    @property
    def declared(self) -> str:
        """As a parameter."""
        const = "const " * (self.is_array and not self.is_result)
        return f"{const}{self.kind} {'*' * self.is_array}{self.name}"


class StandingText(NamedTuple):
    """A function whose text is written."""

    name: str
    slots: list[Slot]
    code: Emitted
    module: NativeModule

    @property
    def params(self) -> str:
        """The parameters."""
        given = [slot.declared for slot in self.slots] + ["double *work"] * bool(self.code.work)
        return ", ".join(given) or "void"

    @property
    def signature(self) -> str:
        """The function, as C declares it."""
        return f"int {self.name}({self.params});"

    @property
    def declared(self) -> str:
        """The same, and how much memory it works in."""
        size = f"#define {self.name.upper()}_WORK {-(-self.code.work // 8)}\n"
        return f"{size * bool(self.code.work)}{self.signature}\n"

    def arrays(self) -> Iterator[tuple[int, str, list[str]]]:
        """The constants: the number, the type and the elements of each."""
        for place, node in enumerate(self.code.constants):
            kind = IN_MEMORY[node.dtype]
            dtype = "int32" if kind == "i8" else node.dtype
            yield place, kind, [literal(x, dtype) for x in node.par.value.flat]


class StandingAlone:
    """A λ as a function of C, of numbers and arrays.

    What there is no code for raises ``MissingRule``, by name.
    """

    def __init__(self, lam: Lam, name: str) -> None:
        """``name`` is that of the function."""
        self._lam = lam
        self.name = _free(identifier(name if name.isidentifier() else "f"), set())

    @cached_property
    def text(self) -> StandingText:
        """The function of which C is written, one number at a time."""
        return self._text(NativeModule(1, careful=True, is_called=False, is_read=True))

    @cached_property
    def _vectors(self) -> StandingText:
        return self._text(NativeModule(lanes(), careful=True, is_called=False))

    @cached_property
    def c(self) -> str:
        """A file of C99."""
        text, values, cells = self.text, dict[str, Expression](), dict[str, str]()
        names = [f"constant{place}" for place in range(len(text.code.constants))]
        values["%work"] = Expression("work")
        values |= {f"@{name}": Expression(name) for name in names}
        for slot in text.slots:
            is_truth = slot.node.dtype == "bool" and not slot.is_array
            values[slot.place] = Expression(slot.name)
            if is_truth:
                values[slot.place] = Expression(f"{slot.name} != 0", COMPARED)
            if slot.is_result and not slot.node.shape:
                cells[slot.place] = f"*{slot.name}"
        fixed = {slot.name for slot in text.slots if not slot.is_result}
        writer = CWriter(read(text.code.text), values, cells, frozenset(fixed | set(names)))
        body = "\n".join(writer.write())
        unused = [slot.name for slot in text.slots if not re.search(rf"\b{slot.name}\b", body)]
        return "\n".join(
            [
                self._comment(text, f"cc -std=c99 -O2 -c {self.name}.c"),
                "#include <math.h>\n#include <stdint.h>\n#include <string.h>\n",
                text.declared,
                *(_table(*array) for array in text.arrays()),
                *map(helper, sorted(writer.needed)),
                f"int {self.name}({text.params.replace('*', '*restrict ')}) {{",
                *(f"    (void){name};" for name in unused),
                f"{body}\n}}\n",
            ]
        )

    @cached_property
    def llvm(self) -> str:
        """A module of LLVM for this processor."""
        text = self._vectors
        inner = text.code.text.replace("define i1", "define internal i1", 1)
        given = inner[inner.index("(") + 1 : inner.index(")")]
        taken = given if text.code.work else given.rpartition("ptr %work")[0].rstrip(", ")
        taken = taken.replace("i1 ", "i1 zeroext ")
        given = given if text.code.work else given.replace("ptr %work", "ptr null")
        said = f"{text.signature}\0".replace("\0", r"\00")
        outer = [
            f'@{self.name}_signature = constant [{len(said) - 2} x i8] c"{said}"',
            f"define i32 @{self.name}({taken}) #0 {{\n%failed = call i1 @run({given})",
            "%status = zext i1 %failed to i32\nret i32 %status\n}",
        ]
        constants = [
            f"@constant{place} = internal constant [{len(numbers)} x {kind}] "
            f"[{', '.join(f'{kind} {x}' for x in numbers)}], align 64"
            for place, kind, numbers in text.arrays()
        ]
        head = self._comment(text, f"llc -filetype=obj -relocation-model=pic {self.name}.ll")
        comment = head[2:-4].replace("\n", "\n; ")
        return f";{comment}\n{whole_text(text.module, [*constants, inner, *outer], 0)}"

    def compile(self, path: str | PathLike[str]) -> None:
        """Write a shared library, or an object file ``.o``, and a header ``.h`` beside it.

        LLVM makes the code, for this processor, and a linker the library; where none is found, a
        ``MissingRule`` says so.
        """
        path, text, mark = Path(path), self._vectors, f"{self.name.upper()}_H"
        _, code = object_code(self.llvm)
        if path.suffix == ".o":
            path.write_bytes(code)
        else:
            _link(code, path)
        header = [
            self._comment(text, "link with the library that lies beside, and with -lm"),
            f"#ifndef {mark}\n#define {mark}\n#include <stdint.h>",
            '#ifdef __cplusplus\nextern "C" {\n#endif',
            f"{text.declared}extern const char {self.name}_signature[];",
            "#ifdef __cplusplus\n}\n#endif\n#endif\n",
        ]
        path.with_suffix(".h").write_text("\n".join(header), encoding="utf-8")

    def _text(self, module: NativeModule) -> StandingText:
        made, taken = lowered(self._lam, surveyed(self._lam)), {self.name}
        function, slots = made.function, list[Slot]()
        given = ((f"%p{node.par}", node) for node in function.params)
        for param, form in zip(self._lam.params, made.params, strict=True):
            slots += _slots(param.name, param.type, form, given, taken)
        outs = ((f"%o{place}", node) for place, node in enumerate(function.outputs))
        found = _slots("out", self._lam.body.type, made.result, outs, taken)
        slots += [slot._replace(is_result=True) for slot in found]
        code = emitted(module, function, "run", planned(function))
        return StandingText(self.name, slots, code, module)

    def _comment(self, text: StandingText, how: str) -> str:
        term = str(self._lam).splitlines()
        if len(term) > LONG:
            term = [f"λ … of {len(term)} lines"]
        listed = [(_described(slot), repr(slot.type)) for slot in text.slots]
        wide = max([0, *(len(described) for described, _ in listed)])
        work = f"double work[{self.name.upper()}_WORK], as malloc gives it, whatever is in it"
        lines = [
            *(f"{self.name} : {self._lam.type!r}", "", *(f"  {line}" for line in term), ""),
            *(text.signature, ""),
            *(f"  {described:{wide}}  {obj}" for described, obj in listed),
            *[f"  {work}"] * bool(text.code.work),
            "",
            f"It gives 0{', or 1 where a check fails, and no results then' * text.code.gives_up}.",
            "Arrays lie in one piece, row after row; truth is 0 or 1. Results go to the memory",
            "that is given for them, which nothing else may overlap. Nothing is allocated, and",
            "nothing kept between calls: many threads may call it at once.",
            "",
            f"{how}; not with -ffast-math, for nan and infinity count",
        ]
        safe = "\n   ".join(lines).replace("*/", "* /").replace("/*", "/ *")
        return re.sub(r" +\n", "\n", f"/* {safe}\n*/\n")


def _slots(
    name: str, obj: Object, form: Form, nodes: Iterator[tuple[str, Node]], taken: set[str]
) -> list[Slot]:
    """The numbers and arrays of a value, named by where they stand in it."""
    product = components(obj)
    if isinstance(form, ArrayForm):
        place, node = next(nodes)
        return [Slot(_free(identifier(name), taken), place, obj, node)]
    if isinstance(form, ProductForm) and product is not None:
        between = "_" if name[-1:].isdigit() or isinstance(obj, Record) else ""
        ends = obj.names if isinstance(obj, Record) else range(product.width)
        given = zip(ends, product.parts, form.parts, strict=True)
        return [
            slot
            for end, part, own in given
            for slot in _slots(f"{name}{between}{end}", part, own, nodes, taken)
        ]
    raise MissingRule(
        f"C takes and gives numbers and arrays, and {name} is of type {obj!r}; "
        "apply it or take it apart inside the function"
    )


def _described(slot: Slot) -> str:
    """A parameter with its extents."""
    extents = slot.node.shape or [1] * slot.is_result
    return slot.declared.replace("*", "") + "".join(f"[{extent}]" for extent in extents)


def _free(name: str, taken: set[str]) -> str:
    """A name that is neither one of C's, nor one of ours, nor taken."""
    while name in taken or name.removesuffix("f") in LIBRARY or _OURS.fullmatch(name):
        name = f"{name}_"
    taken.add(name)
    return name


def _table(place: int, kind: str, numbers: list[str]) -> str:
    """A constant of C."""
    texts = [number(x, kind).text for x in numbers]
    rows = "".join(f"    {', '.join(texts[i : i + 8])},\n" for i in range(0, len(texts), 8))
    return f"static const {TYPES[kind]} constant{place}[{len(texts)}] = {{\n{rows}}};\n"


def _link(code: bytes, path: Path) -> None:
    linker = next(filter(None, map(shutil.which, ("cc", "gcc", "clang", "ld"))), None)
    if linker is None:
        raise MissingRule(
            f"there is no linker here to make {path.name}, neither cc, gcc, clang nor ld; "
            f"f.compile({str(path.with_suffix('.o'))!r}) writes an object file without one"
        )
    with tempfile.TemporaryDirectory() as room:
        source = Path(room, "code.o")
        source.write_bytes(code)
        bare = ["-l:libm.so.6", *["-l:libmvec.so.1"] * (b"_ZGV" in code)]
        math = bare if Path(linker).name == "ld" else ["-lm"]
        words = [linker, "-shared", "-o", str(path), str(source), *math]
        done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 (no shell)
    if done.returncode:
        raise MissingRule(f"{linker} does not link {path.name}: {done.stderr.strip()[-500:]}")
