"""What C writes for each of LLVM's operations on numbers, and the functions that C lacks."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from interpreters.backends.llvm.c.c_lines import TYPES, TextLine, no_text
from interpreters.backends.llvm.operations import LIBM
from interpreters.backends.text.layout import (
    AND,
    ATOM,
    CHOICE,
    COMPARED,
    NOT,
    OR,
    PLUS,
    TIMES,
    UNARY,
    Form,
    filled_in,
    infix,
)


@dataclass(slots=True)
class Expression:
    """Text of C."""

    text: str
    level: int = ATOM
    reads: frozenset[str] = frozenset()
    """The cells it reads; ``""`` is any memory that is written."""
    is_plain: bool = True
    """Whether it costs nothing and never changes, so that it may be written again."""


LIBRARY = frozenset(LIBM.values())
INFIX = {"add": "+", "sub": "-", "mul": "*", "fadd": "+", "fsub": "-", "fmul": "*", "fdiv": "/"}
_LESS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_FORMS = {
    **{name: infix(sign, PLUS if sign in "+-" else TIMES) for name, sign in INFIX.items()},
    **{f"{x}{name}": infix(sign, COMPARED) for x in "os" for name, sign in _LESS.items()},
    **{name: infix("==", COMPARED) for name in ("eq", "oeq")},
    **{name: infix("!=", COMPARED) for name in ("ne", "une", "xor")},
    "and": infix("&&", AND),
    "or": Form("{0} || {1}", OR, (NOT, NOT)),
    "uno": Form("isnan({0})"),
    "fneg": Form("-{0}", UNARY, (ATOM,)),
    "select": Form("{0} ? {1} : {2}", CHOICE, (OR, OR, CHOICE)),
}
_CASTS = frozenset({"sitofp", "uitofp", "fpext", "fptrunc", "sext", "zext", "trunc"})
_INTRINSICS = {"roundeven": "rint"} | {n: n for n in ("sqrt", "fabs", "floor", "ceil", "trunc")}


def number(text: str, kind: str) -> Expression:
    """A number that LLVM has written."""
    if kind == "i1":
        return Expression(str(int(text == "true")))
    if kind[0] == "i":
        if not -(1 << 31) < int(text) < 1 << 31:
            text = f"INT64_C({text})" if int(text) != -(1 << 63) else "INT64_MIN"
    else:
        (found,) = struct.unpack("<d", struct.pack("<Q", int(text, 16)))
        text = f"{np.float32(found)!s}f" if kind == "float" else repr(found)
        if not math.isfinite(found):
            text = "NAN" if math.isnan(found) else f"{text[:-3].rstrip('i')}INFINITY"
    return Expression(text, UNARY if text[0] == "-" else ATOM)


def written(line: TextLine, args: Sequence[Expression], needed: set[str]) -> Expression:
    """The operation of a line; ``needed`` collects the functions that C lacks."""
    form = _form(line, args)
    if form is None:
        name = _function(line.par) if line.op == "call" else f"dc_{line.op}_int{line.kind[1:]}"
        if name.startswith("dc_"):
            needed.add(name)
            helper(name)
        form = Form(f"{name}({', '.join(arg.text for arg in args)})")
    reads = frozenset[str]().union(*(x.reads for x in args))
    is_plain = line.par == "nsw" and all(x.is_plain for x in args)
    return Expression(filled_in(form, args), form.level, reads, is_plain)


def _form(line: TextLine, args: Sequence[Expression]) -> Form | None:
    """How an operation is written; None of a call of a function."""
    op, kind, par = line.op, line.kind, line.par
    if op == "xor" and args[1].text == "1":
        return Form("!{0}", UNARY, (UNARY,))
    if op == "trunc" and par == "i1":
        return Form("{0} != 0", COMPARED, (PLUS,))
    if op in _CASTS:
        return Form(f"({TYPES[par]}){{0}}", UNARY, (UNARY,))
    if op in ("add", "sub", "mul") and par != "nsw":
        return None
    if op in ("and", "or", "xor") and kind != "i1":
        raise no_text(f"{op} of {kind}")
    if op == "icmp" and par[1:] in _LESS and par[0] == "u":
        cast = f"(u{TYPES[kind]})" * (kind != "i1")
        return Form(f"{cast}{{0}} {_LESS[par[1:]]} {cast}{{1}}", COMPARED, (UNARY, UNARY))
    found = _FORMS.get(par if op in ("icmp", "fcmp") else op)
    if found is None and op not in ("call", "add", "sub", "mul"):
        raise no_text(f"{op} {par}")
    return found


def _function(name: str) -> str:
    """The function of C that LLVM calls by this name."""
    plain = name.removeprefix("@")
    match plain.split("."):
        case ["llvm", "fptosi", "sat", to, of]:
            return f"dc_int{to[1:]}_of_float{of[1:]}"
        case ["llvm", intrinsic, of] if intrinsic in _INTRINSICS:
            return _INTRINSICS[intrinsic] + "f" * (of == "f32")
        case [word] if word.startswith("dc_") or {word, word.removesuffix("f")} & LIBRARY:
            return word
    raise no_text(f"the function {plain}")


# ---- what C lacks

_FLOATS = {
    "maximum": "return x > y || isnan(x) ? x : y;",
    "minimum": "return x < y || isnan(x) ? x : y;",
    "scale": """{t} p = x * y;
    return isnan(p) && (x == 0 || y == 0) ? 0 : p;""",
    "unscale": """{t} q = x / y;
    return isnan(q) && (x == 0 || isinf(y)) ? 0 : q;""",
    "remainder": """{t} m = fmod{f}(x, y);
    if (m == 0) return copysign{f}(0, y);
    return (m < 0) != (y < 0) ? m + y : m;""",
    "floor_divide": """{t} m = fmod{f}(x, y), d = (x - m) / y, q;
    if (y == 0) return x / y;
    if (m != 0 && (m < 0) != (y < 0)) d -= 1;
    q = floor{f}(d);
    if (d == 0) return copysign{f}(0, x / y);
    return d - q > 0.5{f} ? q + 1 : q;""",
}
_INTS = {
    "add": "return ({t})((u{t})x + (u{t})y);",
    "sub": "return ({t})((u{t})x - (u{t})y);",
    "mul": "return ({t})((u{t})x * (u{t})y);",
    "floor_divide": """if (y == 0) return 0;
    if (y == -1) return ({t})(0 - (u{t})x);
    return x / y - (x % y != 0 && (x % y < 0) != (y < 0));""",
    "remainder": """if (y == 0 || y == -1) return 0;
    return x % y != 0 && (x % y < 0) != (y < 0) ? x % y + y : x % y;""",
    "power": """u{t} found = 1, base = (u{t})x;
    if (y < 0 && x != 1 && x != -1) return 0;
    if (y < 0) y = 2 - (y & 1);
    for (; y > 0; y >>= 1, base *= base)
        if (y & 1) found *= base;
    return ({t})found;""",
}
for _bits in (32, 64):
    _FLOATS[f"int{_bits}_of"] = f"""if (isnan(x)) return 0;
    if (x >= {2.0 ** (_bits - 1)!r}{{f}}) return INT{_bits}_MAX;
    return x <= {-(2.0 ** (_bits - 1))!r}{{f}} ? INT{_bits}_MIN : (int{_bits}_t)x;"""


def helper(name: str) -> str:
    """A function by its name, as ``dc_maximum_float64`` or ``dc_int64_of_float64``."""
    word, _, dtype = name[3:].rpartition("_")
    kind = {"float64": "double", "float32": "float"}.get(dtype, f"{dtype}_t")
    body = (_FLOATS if dtype[0] == "f" else _INTS).get(word)
    if body is None:
        raise no_text(f"{word} of {dtype}")
    text = body.replace("{t}", kind).replace("{f}", "f" * (kind == "float"))
    is_whole = word.endswith("_of")
    cod, params = (f"{word[:-3]}_t", "") if is_whole else (kind, f", {kind} y")
    return f"static {cod} {name}({kind} x{params}) {{\n    {text}\n}}\n"
