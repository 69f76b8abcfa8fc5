"""A function of LLVM's text in lines whose parts have names, and in blocks as C has them.

    br label %bodyv4                                                       block 0
    bodyv4:
    %roundv4 = phi i64 [0, %entry], [%afterv4, %bodyv4]      for 0 3 1     block 0
    %v8 = load double, ptr %v7                               load %v7      block 1
    …
    br i1 %countedv4, label %endv4, label %bodyv4            end           block 1

It reads what ``scopes`` and ``emission`` write of numbers; other jumps have no text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import takewhile

from combinators.errors import MissingRule

TYPES = {
    "double": "double",
    "float": "float",
    "i64": "int64_t",
    "i32": "int32_t",
    "i8": "unsigned char",
    "i1": "int",
}
"""What C calls LLVM's types of numbers."""


@dataclass(eq=False)
class TextLine:
    """An operation, or a mark of a block: ``for``, ``if``, ``else``, ``until``, ``end``."""

    op: str
    name: str = ""
    """Of what it gives."""
    kind: str = ""
    """The type of its operands."""
    args: tuple[str, ...] = ()
    par: str = ""
    """What else it says: how it compares, what is called, what it converts to, how far it runs."""
    block: int = 0


@dataclass(eq=False)
class TextLines:
    """A function that was read."""

    lines: list[TextLine] = field(default_factory=list)
    ends: list[int] = field(default_factory=lambda: [0])
    """Of each block the last of those inside it; they have their numbers in order."""
    users: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    """Which of the lines that are needed read a name, from the last to the first."""

    def find_users(self) -> None:
        """Say who reads what; what gives a value that nobody reads is not needed."""
        read = {line.args[0] for line in self.lines if line.op == "load"}
        for number in range(len(self.lines) - 1, -1, -1):
            line = self.lines[number]
            is_read = line.op != "store" or line.args[1] in read or "%cell" not in line.args[1]
            if is_read and (line.name in self.users or not line.name or line.op == "for"):
                for arg in line.args:
                    self.users[arg].append(number)


def no_text(what: str) -> MissingRule:
    """What says that there is no C."""
    return MissingRule(f"C has no text for {what} of machine code; f.source('llvm') has")


def read(text: str) -> TextLines:
    """The lines of a function, from its ``define`` to its end."""
    found, stack = TextLines(), [(0, "")]
    split = [_words(row) for row in text.strip().splitlines()[1:-1]]
    known = {words[0] or words[-1]: words for words in split}

    def put(line: TextLine) -> None:
        line.block = stack[-1][0]
        found.lines.append(line)

    def begin(line: TextLine, label: str = "") -> None:
        put(line)
        stack.append((len(found.ends), label))
        found.ends.append(0)
        for block, _ in stack:
            found.ends[block] = stack[-1][0]

    for words in split:
        match words:
            case ["", label] if label.endswith(":"):
                _, ends = stack[-1]
                if label == ends:
                    put(TextLine("end"))
                    stack.pop()
                elif label.startswith("else"):
                    stack.pop()
                    begin(TextLine("else"), ends)
            case ["", "br", "label", _]:
                pass
            case ["", "br", "i1", test, "label", then, "label", _] if then.startswith("%then"):
                begin(TextLine("if", "", "i1", (test,)), f"end{then[5:]}:")
            case ["", "br", "i1", test, "label", _, "label", body] if body.startswith("%body"):
                if not test.startswith("%counted"):
                    put(TextLine("until", "", "i1", (test,)))
                put(TextLine("end"))
                stack.pop()
            case [name, "phi", "i64", first, _, after, _] if after.startswith("%after"):
                test = known[f"%body{after[6:]}"][3]
                last = known[test][-1] if test.startswith("%counted") else ""
                begin(TextLine("for", name, "i64", (first, known[after][-1]), last))
            case [name, *_] if name.startswith(("%after", "%counted")):
                pass
            case _:
                put(_operation(words))
    if len(stack) > 1:
        raise no_text("a jump")
    found.find_users()
    return found


def _words(row: str) -> list[str]:
    """A line in words; the first is the name of what it gives, or empty."""
    name, equals, rest = row.partition(" = ")
    words = re.findall(r"[^\s,()\[\]]+", rest if equals else row)
    return [name if equals else "", *words]


def _operation(words: list[str]) -> TextLine:
    name, op, *rest = words
    kinds = [word for word in rest if word in TYPES or word in ("ptr", "void")]
    args = [word for word in takewhile(lambda word: word != "align", rest) if word not in kinds]
    par = args.pop(0) if args and (op in ("fcmp", "icmp", "call") or args[0] == "nsw") else ""
    if args[-1:] == ["to"]:
        par, args = kinds[-1], args[:-1]
    if not kinds:
        raise no_text(op)
    return TextLine(op, name, kinds[op == "select"], tuple(args), par)
