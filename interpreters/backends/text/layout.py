r"""Python's statements and expressions as data, and their text as ``ruff format`` lays it out.

ProgramFacts are 88 wide, and brackets are split where they must be:

>>> print("\n".join(laid("x = ", Bracketed("f(", ("a" * 40, "b" * 40), ")"), "", 0)))
x = f(
    aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
)
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeAlias

from combinators.objects import Tensor
from combinators.operation import Operation

WIDTH = 88
INDENT = "    "


@dataclass(frozen=True, slots=True)
class Bracketed:
    """Items between brackets, where a line may break; ``display`` for tuples and lists."""

    open: str
    items: tuple[Text, ...]
    close: str
    display: bool = False


Text: TypeAlias = str | Bracketed
"""An expression: a piece that stays on its line, or one that may break."""


def flat(text: Text) -> str:
    """On one line."""
    if isinstance(text, str):
        return text
    return f"{text.open}{_joined(text)}{text.close}"


def _joined(text: Bracketed) -> str:
    inside = ", ".join(flat(item) for item in text.items)
    return f"{inside}," if text.display and text.open != "[" and len(text.items) == 1 else inside


def several(items: tuple[Text, ...]) -> Bracketed:
    """A tuple without its parentheses, which it gets where it breaks."""
    return Bracketed("", items, "", display=True)


def tuple_of(items: tuple[Text, ...]) -> Text:
    """A tuple with its parentheses."""
    return Bracketed("(", items, ")", display=True) if items else "()"


def call(function: str, *items: Text) -> Bracketed:
    """A call."""
    return Bracketed(f"{function}(", items, ")")


def laid(before: str, text: Text, after: str, depth: int) -> list[str]:
    """The lines of ``before text after`` at a depth of indentation."""
    space = INDENT * depth
    line = f"{space}{before}{flat(text)}{after}"
    if isinstance(text, str) or len(line) <= WIDTH or not text.items:
        return [line]
    inside = INDENT * (depth + 1) + _joined(text)
    first = f"{space}{before}{text.open or '('}"
    last = f"{space}{text.close or ')'}{after}"
    if not text.display and len(inside) <= WIDTH:
        return [first, inside, last]
    comma = "," if len(text.items) > 1 or text.display or before.startswith("def ") else ""
    lines = [line for item in text.items for line in laid("", item, comma, depth + 1)]
    return [first, *lines, last]


_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(slots=True)
class Assign:
    """``a, b = text``."""

    targets: tuple[str, ...]
    text: Text


@dataclass(slots=True)
class Do:
    """What is done for its effect, or returned."""

    text: Text
    before: str = ""


@dataclass(slots=True)
class Clause:
    """Statements below a header: ``if``, ``for``, ``with``, ``try``, ``def``."""

    before: str
    header: Text
    body: list[Statement] = field(default_factory=list)
    next: Clause | None = None


Statement: TypeAlias = Assign | Do | Clause


def words(text: Text) -> list[str]:
    """The names that stand in a text."""
    return _WORD.findall(flat(text))


def text_of(body: list[Statement], depth: int) -> Iterator[str]:
    """The lines; a function among statements stands between empty ones."""
    space = INDENT * depth
    after_function = False
    for statement in body:
        is_function = _is_function(statement)
        if after_function or (is_function and statement is not body[0]):
            yield ""
        after_function = is_function
        match statement:
            case Assign((target,), str() as text):
                yield f"{space}{target} = {text}"
            case Assign(targets, text):
                yield from laid(f"{', '.join(targets)} = ", text, "", depth)
            case Do(text, before):
                yield from laid(before, text, "", depth)
            case Clause():
                yield from _block(statement, depth)


def _is_function(statement: Statement) -> bool:
    return type(statement) is Clause and statement.before == "def "


def _block(block: Clause, depth: int) -> Iterator[str]:
    here: Clause | None = block
    while here is not None:
        yield from laid(here.before, here.header, ":", depth)
        yield from text_of(here.body, depth + 1) if here.body else [INDENT * (depth + 1) + "pass"]
        here = here.next


def _each(body: list[Statement]) -> Iterator[Statement]:
    """The statements of a body and of the blocks in it, in order."""
    for statement in body:
        yield statement
        block = statement if type(statement) is Clause else None
        while block is not None:
            yield from _each(block.body)
            block = block.next


def without_unused(body: list[Statement]) -> list[Statement]:
    """The statements without the assignments, and then the blocks, that nothing needs."""
    while True:
        each = list(_each(body))
        uses = Counter(words("\n".join(map(_looked_at, each))))
        dropped: set[int] = set()
        for statement in reversed(each):
            if type(statement) is Assign:
                if not any(map(uses.__getitem__, statement.targets)):
                    dropped.add(id(statement))
                    uses.subtract(words(statement.text))
                elif len(statement.targets) > 1:
                    statement.targets = tuple(t if uses[t] else "_" for t in statement.targets)
        if not dropped:
            return body
        body = list(_kept(body, dropped))
        if not any(type(statement) is Clause for statement in each):
            return body


def _looked_at(statement: Statement) -> str:
    """The text in which a statement names what it needs."""
    if isinstance(statement, Clause):
        return f"{statement.before}{flat(statement.header)}"
    return flat(statement.text)


def _kept(body: list[Statement], dropped: set[int]) -> Iterator[Statement]:
    for statement in body:
        if id(statement) in dropped:
            continue
        if isinstance(statement, Clause):
            block: Clause | None = statement
            empty = True
            while block is not None:
                block.body = list(_kept(block.body, dropped))
                empty = empty and not block.body
                if block.next is not None and not block.next.body and block.before != "try":
                    block.next = None
                block = block.next
            if empty:
                continue
        yield statement


def definition(
    name: str, params: tuple[str, ...], body: list[Statement], doc: str = "", decorator: str = ""
) -> str:
    """A function at the top of the module; nothing in ``doc`` can become code."""
    lines = [decorator] if decorator else []
    lines += laid("def ", Bracketed(f"{name}(", params, ")"), ":", 0)
    line = _one_line(doc)
    if line:
        lines.append(f'{INDENT}"""{line}"""')
        if body and _is_function(body[0]):
            lines.append("")
    return "\n".join([*lines, *text_of(body, 1)])


def _one_line(doc: str) -> str:
    line = " ".join(doc.split()).replace("\\", "\\\\").replace('"', "'")
    return "".join(c for c in line if c.isprintable())


LEVELS = range(13, 0, -1)
ATOM, POWER, UNARY, TIMES, PLUS, BIT_AND, BIT_XOR, BIT_OR, COMPARED, NOT, AND, OR, CHOICE = LEVELS
"""How tightly an expression holds together: Python's own order, from names to choices."""


class Form(NamedTuple):
    """An expression of ``{0}``, ``{1}``, …, each at least as tight as its ``needs``."""

    text: str
    level: int = ATOM
    needs: tuple[int, ...] = (CHOICE, CHOICE, CHOICE)
    raises: bool = False
    """Whether Python may raise where IEEE gives inf or nan."""


class Operand(Protocol):
    """What stands in a place of a form."""

    text: str
    level: int


def filled_in(form: Form, args: Sequence[Operand]) -> str:
    """The text of a form, with parentheses around what holds less tightly than it needs."""
    needs, pieces = form.needs, _between(form.text)
    # Most have one operand or two, and most of the time of writing a program goes here.
    if pieces is not None and len(args) + 1 == len(pieces):
        x = args[0]
        first = f"({x.text})" if x.level < needs[0] else x.text
        if len(pieces) == 2:
            return f"{pieces[0]}{first}{pieces[1]}"
        y = args[1]
        second = f"({y.text})" if y.level < needs[1] else y.text
        return f"{pieces[0]}{first}{pieces[1]}{second}{pieces[2]}"
    pairs = zip(args, needs, strict=False)
    return form.text.format(*[f"({x.text})" if x.level < tight else x.text for x, tight in pairs])


@functools.cache
def _between(text: str) -> tuple[str, ...] | None:
    """What stands around one operand, or two in order; None of other forms."""
    pieces = tuple(re.split(r"\{\d\}", text))
    return pieces if re.findall(r"\{(\d)\}", text) in (["0"], ["0", "1"]) else None


def enclosed(text: str) -> Form:
    """Any expression as one that stands anywhere: calls as they are, others in parentheses."""
    return Form(text) if _CALL.fullmatch(text) else Form(f"({text})", ATOM, (ATOM, ATOM, ATOM))


_CALL = re.compile(r"[\w.]+\([^()]*\)")


def infix(sign: str, level: int) -> Form:
    """An operator that groups from the left, or a comparison, of which Python makes chains."""
    left = level + 1 if level == COMPARED else level
    return Form(f"{{0}} {sign} {{1}}", level, (left, level + 1))


_SIGNED = (
    ("+", PLUS, ("add", "plus")),
    ("-", PLUS, ("subtract",)),
    ("*", TIMES, ("multiply", "scale")),
    ("/", TIMES, ("divide", "unscale")),
    ("//", TIMES, ("floor_divide",)),
    ("%", TIMES, ("remainder",)),
    ("@", TIMES, ("matmul",)),
    ("&", BIT_AND, ("logical_and",)),
    ("^", BIT_XOR, ("logical_xor",)),
    ("|", BIT_OR, ("logical_or",)),
    ("<", COMPARED, ("less",)),
    ("<=", COMPARED, ("less_equal",)),
    (">", COMPARED, ("greater",)),
    (">=", COMPARED, ("greater_equal",)),
    ("==", COMPARED, ("equal",)),
    ("!=", COMPARED, ("not_equal",)),
)
SIGNS = {name: sign for sign, _, names in _SIGNED for name in names}
"""The primitives of arrays that are Python's operators."""
ON_ARRAYS = {name: infix(sign, level) for sign, level, names in _SIGNED for name in names}
ON_ARRAYS["negative"] = Form("-{0}", UNARY, (UNARY + 1,))
COMPARISONS = {name: form for name, form in ON_ARRAYS.items() if form.level == COMPARED}
OPERATORS = COMPARISONS | {
    name: ON_ARRAYS[name] for name in ("add", "plus", "subtract", "multiply", "negative")
}
"""Primitives that are Python's operators, of numbers and of arrays."""


Shape = tuple[int, ...]


def slice_text(start: Shape, step: Shape, extent: Shape, shape: Shape, drop: bool = False) -> str:
    """What stands between the brackets; with ``drop``, an axis of extent 1 is an integer."""
    parts = []
    for first, stride, count, n in zip(start, step, extent, shape, strict=True):
        end = first + stride * count
        if drop and count == 1:
            parts.append(str(first))
        elif count == n and stride == 1:
            parts.append(":")
        else:
            begin = "" if first == (0 if stride > 0 else n - 1) and count else str(first)
            stop = "" if end < 0 or (stride > 0 and end >= n and count) else str(end)
            parts.append(f"{begin}:{stop}" + (f":{stride}" if stride != 1 else ""))
    while len(parts) > 1 and parts[-1] == ":":
        parts.pop()
    return ", ".join(parts) or "..."


Option = Callable[[str], str]
"""How an element type is written."""


def array_text(
    operation: Operation, x: str, args: Sequence[str], given: Tensor, cod: Tensor, dtype: Option
) -> str | None:
    """A primitive of arrays that NumPy and those who follow it write alike; None of others.

    Of narrow integers they compute sums in wide ones, unless they are told otherwise.
    """
    name, keywords = operation.name, operation.keywords
    axis: Any = keywords.get("axis")
    is_narrow = not given.is_smooth and not given.dtype.endswith("64")
    widened = [f"dtype={dtype(given.dtype)}"] * (is_narrow and name in ("sum", "prod", "cumsum"))
    match name:
        case "sum" | "prod" | "max" | "min" | "argmax" | "argmin":
            along = [f"axis={axis[0] if len(axis) == 1 else axis}"]
            along *= len(axis) < len(given.shape)
            keep = ["keepdims=True"] * keywords["keepdims"]
            return f"{x}.{name}({', '.join((*along, *keep, *widened))})"
        case "cumsum":
            return f"{x}.cumsum({', '.join((f'axis={axis}', *widened))})"
        case "reshape":
            return f"{x}.reshape({', '.join(map(str, cod.shape or ((),)))})"
        case "transpose":
            axes = keywords["axes"]
            if axes == tuple(range(len(axes))):
                return args[0]
            return f"{x}.T" if axes == tuple(range(len(axes)))[::-1] else f"{x}.transpose{axes}"
        case "slice":
            return f"{x}[{slice_text(**keywords, shape=given.shape)}]"
        case "convert":
            return f"{x}.astype({dtype(keywords['dtype'])})"
        case "matmul":
            return f"{x} @ {args[1]}"
    return None
