"""Writing lines in let-normal form: rules are tried, equal lines are one, invariants move out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from combinators.block import Block
from combinators.objects import Object, Sum, Tensor
from combinators.operation import named
from combinators.primitives.shapes import BROADCAST_TO
from combinators.primitives.sums import IS, PARTIAL
from combinators.simplify.patterns import (
    COMMUTATIVE,
    SMALL,
    Facts,
    Found,
    Hole,
    Node,
    Pattern,
    is_atom,
    is_number_zero,
    is_plain_factor,
    is_typed_zero,
    unview,
    view,
)
from combinators.simplify.rule import Rule, Switches
from combinators.terms import Cond, Const, Lam, Prim, Proj, Term, Tuple, Var, prim

NESTING = 40
"""Right sides that fire rules that fire rules … so deep are left to the next pass."""

_MULTIPLY = named("multiply")
_Known = tuple[Term, int, str]
"""What is known of a variable: what it stands for, how deep its block is, its kind."""
_Seen = tuple[str, tuple[str, ...], str, Any]
"""A line's head, the kinds of its operands, its own, and what is one for equal lines."""


class Writer(Facts):
    """The lines of one closed λ, and what is known of its variables."""

    def __init__(self, switches: Switches, closed: set[int]) -> None:
        """``closed`` are the ids of closed λs, which are atoms."""
        self.switches = switches
        self.block: Block | None = None
        """Where a program is written whose every line is tried at once."""
        self._closed = closed
        self._known: dict[str, _Known] = {}
        self._uses: dict[str, int] = {}
        self._doubted: set[str] = set()
        self._choices: set[str] = set()
        """Lines that choose between two numbers."""
        self._common: dict[Any, Var] = {}
        self._has_common = switches.has("common")
        self._index = switches.index
        self._words: dict[Any, str] = {}
        self._atoms: dict[int, tuple[Any, str | None, str, bool]] = {}
        """Of what is no variable, by the id: itself, its word and kind, is it a plain factor."""
        self._nesting = 0
        self._truths: dict[str, bool] = {}
        self._left: dict[str, frozenset[int]] = {}

    def begin(self, block: Block) -> None:
        """Write a program into ``block``, a line at a time; what was begun before is forgotten."""
        self.block = block
        for known in (self._known, self._uses, self._choices, self._common):
            known.clear()

    # ---- what is known ---------------------------------------------------------------------------

    def definition(self, atom: Any) -> Any:
        """The line of a variable, where it is known; another atom itself."""
        return self._known.get(atom.name, (atom,))[0] if type(atom) is Var else atom

    def is_zero(self, atom: Term) -> bool:
        """Whether it is known to be 0 in every component."""
        if isinstance(atom, Var):
            return atom.name in self._known and self._known[atom.name][2] == "tuple#0.0"
        return is_typed_zero(atom) or is_number_zero(atom)

    def is_typed_zero(self, atom: Term) -> bool:
        """Whether it is the zero of a type, or a tuple of such."""
        line = self.definition(atom)
        if isinstance(line, Tuple):
            return bool(line.items) and all(map(is_typed_zero, line.items))
        return is_typed_zero(line)

    def is_once(self, atom: Term) -> bool:
        """Whether the line is used once, or may be: those in doubt are noted."""
        if not isinstance(atom, Var):
            return False
        if atom.name not in self._uses:
            self._doubted.add(atom.name)
        return self._uses.get(atom.name, 1) == 1

    def is_outside(self, atom: Term, block: Block) -> bool:
        """Whether ``block`` sees an atom of a block inside it."""
        if isinstance(atom, Var):
            return self._known[atom.name][1] <= block.depth
        return is_atom(atom) or id(atom) in self._closed

    def used(self, var: Var, times: int) -> None:
        """Note that a variable stands for one that was used so many times."""
        self._uses[var.name] = self._uses.get(var.name, 0) + times

    def word(self, atom: Term) -> str | None:
        """The name of a variable; of what else is known to be one value, a word that is no name."""
        return atom.name if type(atom) is Var else self._of_atom(atom)[1]

    def _of_atom(self, atom: Term) -> tuple[Any, str | None, str, bool]:
        of: Any = atom.literal if type(atom) is Const else atom
        known = self._atoms.get(id(of))
        if known is not None:
            return known
        key: Any = None
        match atom:
            case Const(literal):
                small = literal.array.size <= SMALL
                key = (literal.type, literal.array.tobytes()) if small else id(literal)
            case Lam() if id(atom) in self._closed:
                key = id(atom)
            case Prim(operation, ()):
                key = operation
        word = None if key is None else self._words.setdefault(key, f"#{len(self._words)}")
        is_plain = type(atom) is Const and is_plain_factor(of)
        made = self._atoms[id(of)] = of, word, self._index.kind(atom), is_plain
        return made

    def _seen(self, term: Term) -> _Seen | None:
        """A line as rules and other lines see it; None of what is no line of operands."""
        same: Any
        if type(term) is Prim:
            operation, operands = term.operation, term.args
            primitive = operation.primitive  # whose hash is quicker
            head, same = primitive.name, operation if operation.parameters else primitive
        else:
            seen = view(term)
            if seen is None:
                return None
            head, operands, same = seen[0], seen[1], (seen[0], seen[2])
        known, words, kinds, is_plain = self._known, list[Any](), list[str](), False
        for operand in operands:
            if type(operand) is Var:
                word: Any = operand.name
                kind = known[word][2] if word in known else ""
            else:
                _, word, kind, plain = self._of_atom(operand)
                is_plain = is_plain or plain
            words.append(word)
            kinds.append(kind)
        kind = head
        if "#" in "".join(kinds):
            is_zero = head == "tuple" and all(map(self.is_zero, operands))
            kind = "tuple#0.0" if is_zero else f"{head}*"
        if None in words:
            return head, tuple(kinds), kind, None
        if head == "scale" and is_plain:
            same = _MULTIPLY  # which it is, exactly
            words.sort()
        elif head in COMMUTATIVE or (head == "scale" and operands[0].type is operands[1].type):
            words.sort()
        return head, tuple(kinds), kind, (same, *words)

    # ---- what a branch knows ---------------------------------------------------------------------

    def _asked(self, test: Term) -> tuple[str, frozenset[int], int] | None:
        """Whose alternative a test asks for: a value, those that it may be, and the one asked."""
        line = self.definition(test)
        if not isinstance(line, Prim) or line.operation.primitive is not IS:
            return None
        (value,) = line.args
        if not isinstance(value, Var) or not isinstance(value.type, Sum):
            return None
        left = self._left.get(value.name, frozenset(range(len(value.type.parts))))
        return value.name, left, line.operation.keywords["index"]

    def truth(self, test: Term) -> bool | None:
        """How a test comes out, where a number, or the branches around, tell."""
        if isinstance(test, Const):
            return bool(test.literal.array)
        asked, known = self._asked(test), self._truths.get(getattr(test, "name", ""))
        if known is not None or asked is None:
            return known
        _, left, index = asked
        return None if index in left and len(left) > 1 else index in left

    @contextmanager
    def taking(self, test: Term, *, truth: bool) -> Iterator[None]:
        """In the branch where ``test`` comes out so; of a sum, it tells the alternative."""
        asked, name = self._asked(test), getattr(test, "name", "")
        before = self._truths.get(name)
        self._truths[name] = truth
        if asked is not None:
            value, left, index = asked
            self._left[value] = frozenset([index]) if truth else left - {index}
        yield
        if asked is not None:
            self._left[value] = left
        self._truths.pop(name)
        if before is not None:
            self._truths[name] = before

    # ---- lines -----------------------------------------------------------------------------------

    def parameter(self, wish: str, obj: Object, block: Block) -> Var:
        """A variable that ``block`` starts with."""
        var = Var(self._name(wish, block), obj)
        self.note(var, var, block.depth)
        return var

    def note(self, var: Var, line: Term, depth: int = 0, kind: str = "") -> None:
        """What a variable stands for, in a block that is so deep."""
        self._known[var.name] = line, depth, kind

    def _name(self, wish: str, block: Block) -> str:
        """A new name; a number that an earlier pass gave is given anew."""
        if wish in self._known and wish[-1].isdigit():
            wish = wish.rstrip("0123456789") or wish
        return block.names.fresh(wish)

    def emit(self, term: Term, block: Block, wish: str = "v", like: Var | None = None) -> Term:
        """An atom for ``term``, whose operands are atoms; a variable ``like`` one, where it can."""
        if type(term) is Prim and not term.args:
            return term
        seen = self._seen(term)
        if seen is not None and self._nesting < NESTING:
            head, kinds, kind, _ = seen
            rules = self._index[head, kinds]
            if rules or self._choices or kind is not head:
                made = self._rewritten(term, rules, block, wish)
                if made is not None:
                    return made
        return self._bound(term, seen, block, wish, like)

    def bind(self, term: Term, block: Block, wish: str = "v") -> Var:
        """A variable for ``term``; no rule is tried."""
        return self._bound(term, self._seen(term), block, wish, None)

    def together(
        self, atoms: tuple[Term, ...], block: Block, names: tuple[str, ...] | None = None
    ) -> Term:
        """The tuple of ``atoms``, which is no step towards a smaller program if it is there."""
        term = Tuple(atoms, names)
        seen = self._seen(term)
        known = self._common.get(seen[3]) if seen is not None else None
        return known if known is not None else self.emit(term, block)

    def _bound(
        self, term: Term, seen: _Seen | None, block: Block, wish: str, like: Var | None
    ) -> Var:
        key = None if seen is None else seen[3]
        is_new = key is not None
        if key is not None:
            known = self._common.get(key)
            if known is not None:
                is_new = False
                if known.type is term.type and self._has_common:
                    self.switches.say("common", term, known, wish)
                    return known
            if block.loop:
                block = self.outside(term, block, wish)
        name = self._name(wish, block)
        if like is None or like.name != name or like.type is not term.type:
            like = Var(name, term.type)
        block.lines.append((like, term))
        self._known[name] = term, block.depth, "" if seen is None else seen[2]
        if is_new:
            self._common[key] = like
            if block.parent is not None:
                block.keys.append(key)
        elif type(term) is Cond and type(term.then) is Const and type(term.other) is Const:
            self._choices.add(name)
        return like

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

    def outside(self, term: Term, block: Block, wish: str, inner: tuple[Var, ...] = ()) -> Block:
        """Where a line goes whose λs mention ``inner``: out of the loops that it does not need."""
        if not isinstance(term, (Prim, Proj, Tuple)):
            return block
        if isinstance(term, Prim) and term.operation.primitive in PARTIAL:
            return block
        used = (*[x for x in term.below() if isinstance(x, Var)], *inner)
        deepest = max([self._known[x.name][1] for x in used], default=0)
        outer = block
        while outer.loop and outer.parent is not None and deepest < outer.depth:
            outer = outer.parent
        if outer is not block:
            self.switches.say("hoist", term, term, wish)
        return outer

    # ---- rules -----------------------------------------------------------------------------------

    def _rewritten(self, term: Term, rules: list[Rule], block: Block, wish: str) -> Term | None:
        switches = self.switches
        for rule in rules:
            applied = rule.apply(term, self)
            if self._doubted:
                switches.asked |= self._doubted if applied is not None else set()
                self._doubted.clear()
            elif applied is not None:
                if switches.watched:
                    switches.watch(rule, *applied, self._nesting)
                after = self._built(*applied, term.type, block, wish)
                if after is not None:
                    switches.say(rule.name, term, self.definition(after), wish)
                    return after
        variables = [part for part in term.below() if type(part) is Var]
        if not variables:
            return self.switches.folded(term)
        is_chosen = len(variables) == 1 and variables[0].name in self._choices
        return self._chosen(term, variables[0], block, wish) if is_chosen else None

    def _chosen(self, term: Term, choice: Var, block: Block, wish: str) -> Term | None:
        """A primitive of numbers and of one choice between numbers: a choice between numbers."""
        line = self.definition(choice)
        if type(term) is not Prim or not self.switches.has("cond-numbers"):
            return None
        assert isinstance(line, Cond)
        numbers = []
        for branch in (line.then, line.other):
            args = [branch if type(arg) is Var else arg for arg in term.args]
            numbers.append(self.switches.folded(prim(term.type, term.operation, term.place, *args)))
        then, other = numbers
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
        return self.emit(spread(made, out.shape), block, wish)

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


def spread(atom: Term, shape: tuple[int, ...]) -> Term:
    """An atom everywhere in a shape."""
    return unview(BROADCAST_TO.name, (atom,), {"shape": shape})
