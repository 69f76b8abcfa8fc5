"""Lines of LLVM's text as statements of C.

    %v8 = load double, ptr %v7                     for (int64_t i = 0; i < 3; ++i) {
    %v10 = load double, ptr %v9                        s1 += x[i] * w[i];
    %v11 = fmul double %v8, %v10                   }
    …

What is read once, in its block, stands where it is read, unless what it reads is written before;
what is read more often has a name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from interpreters.backends.llvm.c.c_lines import TYPES, TextLine, TextLines, no_text
from interpreters.backends.llvm.c.c_operations import INFIX, Expression, number, written
from interpreters.backends.text.layout import PLUS

MEMORY = frozenset({""})
"""What is written and is no cell."""
WIDE = 72
"""A longer expression has a name."""


class CWriter:
    """Writes the statements of a function."""

    def __init__(
        self,
        source: TextLines,
        values: Mapping[str, Expression],
        cells: Mapping[str, str],
        fixed: frozenset[str],
    ) -> None:
        """What is known from the beginning; ``fixed`` are the arrays that are only read."""
        self._source, self._values, self._cells = source, dict(values), dict(cells)
        self._fixed = fixed
        self.needed: set[str] = set()
        """The functions that C lacks."""
        self._head: list[str] = []
        self._lines: list[str] = []
        self._waiting: dict[str, str] = {}
        """The types of the values that are written where they are read."""
        self._named = {line.name: line for line in source.lines}
        self._targets: dict[str, str] = {}
        """What pointers, and cells of pointers, point to."""
        taken = {one.text for one in values.values()} | {cell[1:] for cell in cells.values()}
        self._rounds = [name for name in "ijklmnpqr" if name not in taken]
        self._open: list[str] = []
        self._count: Counter[str] = Counter()

    def write(self) -> list[str]:
        """The statements."""
        for at, line in enumerate(self._source.lines):
            if not line.name or line.op == "for" or line.name in self._source.users:
                self._line(at, line)
        return self._head + self._lines

    def _put(self, text: str) -> None:
        self._lines.append("    " * (1 + len(self._open)) + text)

    def _fresh(self, letter: str) -> str:
        self._count[letter] += 1
        return f"{letter}{self._count[letter]}"

    def _type(self, kind: str, name: str) -> str:
        inner = self._targets.get(name, "") if kind == "ptr" else kind
        if inner not in TYPES:
            raise no_text(f"numbers of {inner or 'unknown types'}")
        return f"{TYPES[inner]} {'*' * (kind == 'ptr')}"

    # ---- values

    def _value(self, name: str, kind: str) -> Expression:
        """What stands for a name; what waits for it waits no more."""
        self._waiting.pop(name, None)
        return self._values[name] if name in self._values else number(name, kind)

    def _element(self, pointer: Expression) -> Expression:
        """What a pointer points to."""
        base, _, index = pointer.text.partition(" + ")
        reads = pointer.reads | (frozenset() if base in self._fixed else MEMORY)
        return Expression(f"{base}[{index or 0}]", reads=reads, is_plain=False)

    def _settle(self, changed: frozenset[str] | None = None) -> None:
        """Name what waits and reads what is written now; None is anything."""
        for name in list(self._waiting):
            if changed is None or changed & self._values[name].reads:
                self._name(name)

    def _name(self, name: str) -> None:
        kind = self._waiting[name]
        own = self._fresh("p" if kind == "ptr" else "t")
        self._put(f"{self._type(kind, name)}{own} = {self._value(name, kind).text};")
        self._values[name] = Expression(own)

    def _know(self, line: TextLine, found: Expression, kind: str) -> None:
        """Keep a value until it is read, or under a name."""
        self._values[line.name] = found
        if not found.is_plain:
            self._waiting[line.name] = kind
            user = self._source.lines[self._source.users[line.name][0]]
            is_long = len(found.text) >= WIDE and user.op != "store"
            if is_long or not self._is_read_here(line):
                self._name(line.name)

    def _is_read_here(self, line: TextLine) -> bool:
        """Whether it is read once, and in its block."""
        first, *more = self._source.users[line.name]
        return not more and self._source.lines[first].block == line.block

    # ---- lines

    def _line(self, at: int, line: TextLine) -> None:
        match line.op:
            case "alloca":
                pass
            case "for" | "if" | "else" | "until" | "end":
                self._mark(line)
            case "getelementptr":
                self._move(line)
            case "load":
                self._load(at, line)
            case "store":
                self._store(line)
            case "ret":
                self._put(f"return {self._value(line.args[0], line.kind).text};")
            case "call" if line.par.startswith("@llvm.memset"):
                pointer = self._value(line.args[0], "ptr")
                self._settle(MEMORY)
                self._put(f"memset({pointer.text}, 0, {line.args[2]});")
            case "call" if line.par.startswith("@llvm.memcpy"):
                target, source = (self._value(x, "ptr") for x in line.args[:2])
                self._settle(MEMORY)
                self._put(f"memcpy({target.text}, {source.text}, {line.args[2]});")
            case op:
                kinds = ["i1" if op == "select" else line.kind, line.kind, line.kind]
                args = [self._value(x, kind) for x, kind in zip(line.args, kinds, strict=False)]
                is_test = op in ("fcmp", "icmp")
                kind = line.par if line.par in TYPES else "i1" if is_test else line.kind
                self._know(line, written(line, args, self.needed), kind)

    def _mark(self, line: TextLine) -> None:
        """The begin or the end of a block."""
        test = self._value(line.args[0], "i1").text if line.op in ("if", "until") else ""
        first = self._value(line.args[0], "i64").text if line.op == "for" else ""
        self._settle()
        if line.op in ("end", "else"):
            self._open.pop()
        if line.op == "for":
            step, depth = int(line.args[1]), sum(map(bool, self._open))
            i = self._rounds[depth] if depth < len(self._rounds) else self._fresh("i")
            moves = {1: f"++{i}", -1: f"--{i}"}.get(step, f"{i} += {step}")
            ends = f"{i} {'<' if step > 0 else '>'} {line.par}" * bool(line.par)
            if ends.endswith("> -1"):
                ends = f"{i} >= 0"
            is_used = line.par or line.name in self._source.users
            turns = f"int64_t {i} = {first}; {ends}; {moves}" if is_used else ";;"
            self._put(f"for ({turns}) {{")
            self._values[line.name] = Expression(i)
            self._open.append(i)
            return
        texts = {"if": f"if ({test}) {{", "until": f"if ({test}) break;", "else": "} else {"}
        self._put(texts.get(line.op, "}"))
        self._open += [""] * (line.op in ("if", "else"))

    def _move(self, line: TextLine) -> None:
        base, steps = line.args
        self._targets[line.name] = line.kind
        if base == "%work":
            of, own = f"{TYPES[line.kind]} *", self._fresh("w")
            cast = f"({of})(void *)" * (line.kind != "double")
            self._put(f"{of}{own} = {cast}work{f' + {steps}' * (steps != '0')};")
            self._values[line.name] = Expression(own)
            return
        for name in (base, steps):
            if name in self._waiting and not self._is_read_here(line):
                self._name(name)
        pointer, index = self._value(base, "ptr"), self._value(steps, "i64")
        plus = index.text if index.level >= PLUS else f"({index.text})"
        text = f"{pointer.text} + {plus}".replace(" + -", " - " if "+" in pointer.text else " + -")
        is_plain = pointer.is_plain and index.is_plain
        self._know(line, Expression(text, PLUS, pointer.reads | index.reads, is_plain), "ptr")

    def _load(self, at: int, line: TextLine) -> None:
        (source,) = line.args
        if source not in self._cells:
            self._know(line, self._element(self._value(source, "ptr")), line.kind)
            return
        stores = (n for n in self._source.users[source] if self._source.lines[n].op == "store")
        is_final = at > next(stores, at)
        reads = frozenset() if is_final else frozenset((source,))
        if line.kind == "ptr":
            self._targets[line.name] = self._targets[source]
        found = Expression(self._cells[source], reads=reads, is_plain=is_final)
        self._know(line, found, line.kind)
        if line.kind == "ptr" and line.name in self._waiting:
            self._name(line.name)

    def _store(self, line: TextLine) -> None:
        name, target = line.args
        is_cell = target in self._named and self._named[target].op == "alloca"
        if is_cell and target not in self._source.users:
            return
        value = self._value(name, line.kind)
        if line.kind == "ptr":
            self._targets[target] = self._targets[name]
        declared = ""
        if is_cell and target not in self._cells:
            declared = self._declared(line)
        if target in self._cells:
            own = self._cells[target]
            self._settle(frozenset((target,)))
        else:
            pointer = self._value(target, "ptr")
            self._settle(MEMORY)
            own = self._element(pointer).text
        made = self._named.get(name, line)
        before = self._named.get((made.args or ("",))[0], line)
        start = f"{own} {INFIX.get(made.op, '?')} "
        if before.args == (target,) and value.text.startswith(start):
            self._put(f"{start[:-1]}= {value.text.removeprefix(start)};")
        else:
            self._put(f"{declared}{own} = {value.text};")

    def _declared(self, line: TextLine) -> str:
        """Declare a cell, where the block is that of all who read it, or at the head."""
        cell = line.args[1]
        own, kind = self._fresh("s"), self._type(line.kind, cell)
        self._cells[cell] = own
        blocks = [self._source.lines[user].block for user in self._source.users[cell]]
        if line.block <= min(blocks) and max(blocks) <= self._source.ends[line.block]:
            return kind
        self._head.append(f"    {kind}{own};")
        return ""
