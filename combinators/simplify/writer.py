"""Writing lines in let-normal form: rules are tried, equal lines are one, invariants move out."""

from __future__ import annotations

from typing import Any

import numpy as np

from combinators.block import Block
from combinators.errors import DiffcurryError
from combinators.objects import Object, Tensor, Unit
from combinators.operation import PRIMITIVES, Operation, Primitive
from combinators.primitives.shapes import BROADCAST_TO
from combinators.simplify.holes import is_number_zero, is_plain_factor, is_typed_zero, zeros
from combinators.simplify.patterns import (
    COMMUTATIVE,
    SMALL,
    Found,
    Hole,
    Node,
    Pattern,
    View,
    atom_marks,
    is_atom,
    unview,
    view,
)
from combinators.simplify.rule import Switches
from combinators.terms import Cond, Const, Lam, Prim, Proj, Term, Tuple, Var, prim

_TYPED_ZERO = zeros(Unit)
NESTING = 40
"""Right sides that fire rules that fire rules … so deep are left to the next pass."""
FOLDED = 1024
"""A computed literal has at most so many elements, or as many as what it is computed from."""


_Known = tuple[Term, int, tuple[str, ...]]
"""What is known of a variable: what it stands for, how deep its block is, its marks."""


class Writer:
    """The lines of one closed λ, and what is known of its variables."""

    def __init__(self, switches: Switches, closed: set[int]) -> None:
        """``closed`` are the ids of closed λs, which are atoms."""
        self.switches = switches
        self.block: Block | None = None
        """Where a program is written whose every line is tried at once."""
        self._closed = closed
        self._known: dict[str, _Known] = {}
        self._zero: set[str] = set()
        self._uses: dict[str, int] = {}
        self._choices: set[str] = set()
        """Lines that choose between two numbers."""
        self._common: dict[Any, Var] = {}
        self._has_common = switches.has("common")
        self._words: dict[Any, str] = {}
        self._word_of: dict[int, tuple[Term, str]] = {}
        """The words of atoms that are no variables, by their id; the atoms live as long."""
        self._nesting = 0

    def begin(self, block: Block) -> None:
        """Write a program into ``block``, a line at a time; what was begun before is forgotten."""
        self.block = block
        for known in (self._known, self._zero, self._uses, self._choices, self._common):
            known.clear()

    def definition(self, atom: Term) -> Term:
        """The line of a variable, where it is known; another atom itself."""
        return self._known.get(atom.name, (atom,))[0] if type(atom) is Var else atom

    def is_zero(self, atom: Term) -> bool:
        """Whether it is known to be 0 in every component."""
        if isinstance(atom, Var):
            return atom.name in self._zero
        return is_typed_zero(atom) or is_number_zero(atom)

    def is_typed_zero(self, atom: Term) -> bool:
        """Whether it is the zero of a type, or a tuple of such."""
        line = self.definition(atom)
        if isinstance(line, Tuple):
            return bool(line.items) and all(map(is_typed_zero, line.items))
        return is_typed_zero(line)

    def is_once(self, atom: Term) -> bool:
        """Whether the line is used once."""
        return isinstance(atom, Var) and self._uses.get(atom.name) == 1

    def is_outside(self, atom: Term, block: Block) -> bool:
        """Whether ``block`` sees an atom of a block inside it."""
        if isinstance(atom, Var):
            return self._known[atom.name][1] <= block.depth
        return is_atom(atom) or id(atom) in self._closed

    def parameter(self, wish: str, obj: Object, block: Block) -> Var:
        """A variable that ``block`` starts with."""
        var = Var(self._name(wish, block), obj)
        self._known[var.name] = var, block.depth, ()
        return var

    def used(self, var: Var, times: int) -> None:
        """Note that a variable stands for one that was used so many times."""
        known = self._uses.get(var.name, 0)
        self._uses[var.name] = known + times

    def _name(self, wish: str, block: Block) -> str:
        """A new name; a number that an earlier pass gave is given anew."""
        if wish[-1:].isdigit() and wish in self._known:
            wish = wish.rstrip("0123456789") or wish
        return block.names.fresh(wish)

    def emit(self, term: Term, block: Block, wish: str = "v", like: Var | None = None) -> Term:
        """An atom for ``term``, whose operands are atoms; a variable ``like`` one, where it can."""
        seen: View | None
        if type(term) is Prim:
            if not term.args:
                return term
            seen = term.operation.primitive.name, term.args, term.operation.parameters
        else:
            seen = view(term)
        made = None if seen is None else self._rewritten(term, seen, block, wish)
        return self._bound(term, seen, block, wish, like) if made is None else made

    def bind(self, term: Term, block: Block, wish: str = "v") -> Var:
        """A variable for ``term``; no rule is tried."""
        return self._bound(term, view(term), block, wish, None)

    def together(
        self, atoms: tuple[Term, ...], block: Block, names: tuple[str, ...] | None = None
    ) -> Term:
        """The tuple of ``atoms``, which is no step towards a smaller program if it is there."""
        term = Tuple(atoms, names)
        known = self._common.get(self._key(("tuple", atoms, (("names", names),))))
        return known if known is not None else self.emit(term, block)

    def _bound(
        self, term: Term, seen: View | None, block: Block, wish: str, like: Var | None
    ) -> Var:
        key = known = None
        is_a = term.operation.primitive if isinstance(term, Prim) else None
        if seen is not None and (key := self._key(seen, is_a)) is not None:
            known = self._common.get(key)
            if known is not None and known.type is term.type and self._has_common:
                self.switches.say("common", term, known, wish)
                return known
            if block.loop:
                block = self._out_of_loops(term, block, wish)
        name = self._name(wish, block)
        is_like = like is not None and like.name == name and like.type is term.type
        var = like if like is not None and is_like else Var(name, term.type)
        block.lines.append((var, term))
        marks: tuple[str, ...] = () if seen is None else seen[:1]
        if type(term) is Tuple and term.items and all(map(self.is_zero, term.items)):
            self._zero.add(name)
            marks = ("tuple", *atom_marks(_TYPED_ZERO))
        self._known[name] = term, block.depth, marks
        if key is not None and known is None:
            self._common[key] = var
            if block.parent is not None:
                block.keys.append(key)
        elif type(term) is Cond and type(term.then) is Const and type(term.other) is Const:
            self._choices.add(name)
        return var

    def leave(self, block: Block) -> None:
        """What is outside the block does not see its lines."""
        for key in block.keys:
            del self._common[key]
        block.keys.clear()

    def spliced(self, inner: Block, block: Block) -> None:
        """Put the lines of a block inside ``block`` there."""
        for var, term in inner.lines:
            block.lines.append((var, term))
            self._known[var.name] = term, block.depth, self._known[var.name][2]

    def close(self, block: Block, result: Term) -> Term:
        """The block as a term."""
        self.leave(block)
        return block.term(result)

    def _out_of_loops(self, term: Term, block: Block, wish: str) -> Block:
        if not block.loop or not isinstance(term, (Prim, Proj, Tuple)):
            return block
        seen = view(term)
        assert seen is not None
        depths = [self._known[atom.name][1] for atom in seen[1] if isinstance(atom, Var)]
        deepest = max(depths, default=0)
        outer = block
        while outer.loop and outer.parent is not None and deepest < outer.depth:
            outer = outer.parent
        if outer is not block:
            self.switches.say("hoist", term, term, wish)
        return outer

    def _key(self, seen: View, is_a: Primitive | None = None) -> Any:
        """Equal for equal lines; None for what has a block of its own.

        ``is_a`` is the primitive of a line that is one: two primitives may have one name.
        """
        head, operands, parameters = seen
        keys: list[Any] = [
            operand.name if type(operand) is Var else self.word(operand) for operand in operands
        ]
        if None in keys:
            return None
        if head in COMMUTATIVE:
            keys.sort()
        elif head == "scale":
            if any(map(is_plain_factor, operands)):
                head = "multiply"  # which it is, exactly
                keys.sort()
            elif operands[0].type is operands[1].type:
                keys.sort()

        if is_a is not None and PRIMITIVES.get(seen[0]) is not is_a:
            return is_a, parameters, *keys
        return head, parameters, *keys

    def word(self, atom: Term) -> str | None:
        """The name of a variable; of what else is known to be one value, a word that is no name."""
        if type(atom) is Var:
            return atom.name
        known = self._word_of.get(id(atom))
        if known is not None:
            return known[1]
        match atom:
            case Const(literal):
                small = literal.array.size <= SMALL
                key: Any = (literal.type, literal.array.tobytes()) if small else id(literal)
            case Lam() if id(atom) in self._closed:
                key = id(atom)
            case Prim(operation, ()):
                key = operation
            case _:
                return None
        word = self._words.setdefault(key, f"#{len(self._words)}")
        self._word_of[id(atom)] = atom, word
        return word

    def _rewritten(self, term: Term, seen: View, block: Block, wish: str) -> Term | None:
        if self._nesting >= NESTING:
            return None
        head, operands, _ = seen
        asked = self.switches.marks.get(head)
        variables = sum([type(operand) is Var for operand in operands])
        if asked is not None:
            marks = ""
            for operand in operands:
                if type(operand) is Var:
                    known = self._known.get(operand.name)
                    found = known[2] if known is not None else ()
                else:
                    found = atom_marks(operand)
                for mark in found:
                    if mark in asked:
                        marks += mark + " "
            for rule in self.switches.tried(head, marks):
                self.switches.count_uses |= rule.is_counted
                applied = rule.apply(term, self)
                if applied is not None:
                    if self.switches.watched:
                        self.switches.watch(rule, *applied, self._nesting)
                    after = self._built(*applied, term.type, block, wish)
                    if after is not None:
                        self.switches.say(rule.name, term, self.definition(after), wish)
                        return after
        if not variables:
            return self._folded(term)
        return self._chosen(term, block, wish) if variables == 1 and self._choices else None

    def _chosen(self, term: Term, block: Block, wish: str) -> Term | None:
        """A primitive of numbers and of one choice between numbers: a choice between numbers."""
        if type(term) is not Prim or self.switches.fold is None:
            return None
        chosen = [arg for arg in term.args if type(arg) is Var]
        if len(chosen) != 1:
            return None
        line = self.definition(chosen[0])
        if chosen[0].name not in self._choices or not self.switches.has("cond-numbers"):
            return None
        assert isinstance(line, Cond)

        def number(branch: Term) -> Term | None:
            args = [branch if type(arg) is Var else arg for arg in term.args]
            return self._folded(prim(term.type, term.operation, term.place, *args))

        then, other = number(line.then), number(line.other)
        if then is None or other is None:
            return None
        self.switches.say("cond-numbers", term, line, wish)
        return self.bind(Cond(line.test, then, other, line.place), block, wish)

    def _built(
        self, pattern: Pattern, found: Found, out: Object, block: Block, wish: str
    ) -> Term | None:
        """The right side as an atom of type ``out``, spread to its shape where need be."""
        self._nesting += 1
        made = self._made(pattern, found, block, wish)
        self._nesting -= 1
        if made.type is out:
            return made
        if not isinstance(out, Tensor) or not isinstance(made.type, Tensor):
            return None
        if made.type.dtype != out.dtype:
            return None
        spread = Operation(BROADCAST_TO, (("shape", out.shape),))
        return self.emit(Prim(spread, (made,)), block, wish)

    def _made(self, pattern: Pattern, found: Found, block: Block, wish: str) -> Term:
        match pattern:
            case Hole(name):
                atom: Term = found[name]
                return atom
            case Node(head, operands, parameters):
                terms = tuple([self._made(part, found, block, "v") for part in operands])
                given = {
                    name: found[value.name] if isinstance(value, Hole) else value
                    for name, value in parameters
                }
                return self.emit(unview(head, terms, given), block, wish)
            case _:
                assert isinstance(pattern, Term)
                return pattern

    def _folded(self, term: Term) -> Term | None:
        """A primitive of numbers as a number."""
        if type(term) is not Prim or not term.args or self.switches.fold is None:
            return None
        sizes: list[int] = []
        for arg in term.args:
            if type(arg) is not Const:
                return None
            sizes.append(arg.literal.array.size)
        if not isinstance(term.type, Tensor) or term.type.size > max(FOLDED, *sizes):
            return None
        if not self.switches.has("fold-constants"):
            return None
        try:
            with np.errstate(all="ignore"):
                literal = self.switches.fold(term)
        except DiffcurryError:
            return None
        if literal is None or literal.type is not term.type:
            return None
        self.switches.say("fold-constants", term, Const(literal))
        return Const(literal)
