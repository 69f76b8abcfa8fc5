"""What is used of every value, read from the end: counts, needed components, live carries.

Of the result of

    λ(u, xs).
      p = (sin u, cos u)
      t = fold (λ((a, b), x). (a * x, a + b)) (u, 0) xs
      π0 t + π0 p

both t and p are needed as ``{0: None}``, the first component as a whole. So ``cos u`` is dead; of
the loop's carry a is live, and b is not, since a * x does not mention it; of a step's result a * x
is needed; u is counted twice, for ``sin u`` and for where the loop starts.

``LoopBody`` tells what a loop's body does with what it carries. Of
``fold (λ((c, s, k, z), x). (c * k + z, s + c, k, z · x)) (1, 0, a, 0) xs``, of which only the first
component is needed, ``live`` is {0, 2, 3}: s is never read for it. ``steady`` is {2}: k is what it
was before. ``zero`` of {1, 3}, which start at zero, is {3}: if both were zero before a step, s + c
is not known to be so after it, but z scaled by x is, and so stays. What is left is

    fold (λ(c, x). c * a + 0) 1 xs

Of a recursive function all that a call gives is needed: what is left out of one call changes the
type of all, those in its step and in pullbacks too, and what is packed has no components.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from combinators.block import opened, operands
from combinators.kit.recursion import Recursive, recurse
from combinators.objects import Object, components
from combinators.primitives.loops import LoopTerm, is_map, is_open
from combinators.simplify.patterns import ZERO_OF_ZERO, is_atom
from combinators.simplify.rule import Switches
from combinators.simplify.walks import Inside
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Term, Tuple, Var

Need = dict[int, Any] | None
"""Components, each with what is needed of it; None is the whole. It is two levels deep."""


def merged(x: Need, y: Need) -> Need:
    """What both need."""
    if x is None or y is None:
        return None
    both = dict(x)
    for index, need in y.items():
        both[index] = merged(both[index], need) if index in both else need
    return both


def shallow(need: Need) -> Need:
    """One level of it."""
    return None if need is None else dict.fromkeys(need)


def is_partial(need: Need, obj: Object) -> bool:
    """Whether a component of ``obj`` is not needed."""
    product = None if need is None else components(obj)
    if need is None or product is None:
        return False
    return len(need) < product.width or any(
        is_partial(below, product.parts[index]) for index, below in need.items()
    )


# ---- a loop's body -------------------------------------------------------------------------------

ROUNDS = 4
"""A pattern of zeros that is not settled after so many steps is taken to have none."""

_KEEP_ZERO = frozenset({*ZERO_OF_ZERO, "plus", "pack", "unpack", "concatenate"})
"""Primitives that give zero where all their arguments are."""
_ABSORB = frozenset(["scale", "unscale", "matmul", "take", "put"])
"""Primitives that give zero where their first argument is."""


class LoopBody:
    """The body of a loop, in let-normal form."""

    def __init__(self, loop: LoopTerm, lam: Lam, inside: Callable[[Term], tuple[Var, ...]]) -> None:
        """``inside`` says what each λ and conditional in it captures."""
        self.loop, self.types, self.lam, self.inside = loop, loop.types, lam, inside
        self.carry = loop.params(lam)[0]
        """What it carries, where it has a name of its own."""
        self.lines, self.result = opened(lam.body)
        self.is_pair = self.types.carry is not None and self.types.item is not None
        product = None if self.types.carry is None else components(self.types.carry)
        self.indices: list[int | None] = [None] if product is None else [*range(product.width)]
        """The components of the carry; of one that is no product, None."""
        self.defined = {var.name: term for var, term in self.lines}

    def definition(self, atom: Term) -> Term:
        """The line of a variable of the body; another atom itself."""
        return self.defined.get(atom.name, atom) if isinstance(atom, Var) else atom

    def component(self, atom: Term, index: int | None) -> Term:
        """A component of a tuple of the body; of what is no tuple, itself."""
        line = self.definition(atom)
        return line.items[index] if isinstance(line, Tuple) and index is not None else atom

    @property
    def after(self) -> Term:
        """The carry that a step gives."""
        return self.component(self.result, 0) if self.is_pair else self.result

    def is_carry(self, term: Term) -> bool:
        """Whether a variable is the carry."""
        return isinstance(term, Var) and self.carry is not None and term.name == self.carry.name

    def part(self, line: Term) -> int | None:
        """Which component of the carry a line is."""
        return line.index if isinstance(line, Proj) and self.is_carry(line.product) else None

    def reads(self, term: Term) -> list[Var]:
        """The variables that a line reads, in its λs and branches, too."""
        parts = (term.test, *self.inside(term)) if isinstance(term, Cond) else operands(term)
        atoms = [self.inside(part) if isinstance(part, Lam) else (part,) for part in parts]
        return [atom for some in atoms for atom in some if isinstance(atom, Var)]

    def live(self, need: Need) -> tuple[frozenset[int] | None, Need]:
        """The components that what is needed depends on, and what the body has to give.

        All of them are None; of a carry that is no product, none at all is the empty set.
        """
        if self.types.carry is None:
            return None, need
        wanted = need.get(0, {}) if self.is_pair and need is not None else need
        live: frozenset[int] | None = None
        if self.carry is not None and wanted is not None:
            reached = self._reach(set(wanted), need)
            if reached is not None and (self.indices != [None] or not (reached or wanted)):
                live = frozenset(reached)
        inside: Need = None if live is None else dict.fromkeys(live)
        if not self.is_pair or need is None:
            return live, inside
        body = {0: inside} if inside is None or inside else {}
        return live, body | ({1: need[1]} if 1 in need else {})

    def _reach(self, live: set[int], need: Need) -> set[int] | None:
        """Follow what is needed back through the body, from step to step; None for all."""
        todo = [self.component(self.after, index) for index in live]
        if self.is_pair and need is not None and 1 in need:
            item = self.component(self.result, 1)
            wanted = [None] if need[1] is None else need[1]
            todo += [self.component(item, index) for index in wanted]
        seen: set[str] = set()
        while todo:
            atom = todo.pop()
            if self.is_carry(atom):
                return None
            if not isinstance(atom, Var):
                todo += self.reads(atom)
            elif atom.name in self.defined and atom.name not in seen:
                seen.add(atom.name)
                index = self.part(self.defined[atom.name])
                if index is None:
                    todo += self.reads(self.defined[atom.name])
                elif index not in live:
                    live.add(index)
                    todo.append(self.component(self.after, index))
        return live

    def steady(self) -> set[int | None]:
        """The components that every step passes on."""
        if self.carry is None:
            return set()
        if self.indices == [None]:
            return {None} if self.is_carry(self.after) else set()
        every = ((i, self.definition(self.component(self.after, i))) for i in self.indices)
        return {i for i, line in every if self.part(line) == i}

    def zero(self, start: set[int | None], is_zero: Callable[[Term], bool]) -> set[int | None]:
        """Those components of ``start``, which begin at zero, that stay there.

        ``is_zero`` knows the variables from outside the loop.
        """
        for _ in range(ROUNDS):
            if not start or self.carry is None:
                break
            zeros = self._zeros(start, is_zero)
            stay = {i for i in start if zeros(self.component(self.after, i))}
            if stay == start or self.indices == [None]:
                return stay
            start = stay
        return set()

    def _zeros(
        self, start: set[int | None], is_zero: Callable[[Term], bool]
    ) -> Callable[[Term], bool]:
        """Whether an atom of the body is zero if the components ``start`` are."""
        found = {self.carry.name} if self.carry is not None and None in start else set[str]()

        def zero(atom: Term) -> bool:
            if not isinstance(atom, Var):
                return is_atom(atom) and is_zero(atom)
            inner = atom.name in self.defined or self.is_carry(atom)
            return atom.name in found or (not inner and is_zero(atom))

        for var, term in self.lines:
            match term:
                case Proj(_, product):
                    index = self.part(term)
                    holds = zero(product) if index is None else index in start
                case Tuple(items):
                    holds = bool(items) and all(map(zero, items))
                case Prim(operation, items) if operation.name in _KEEP_ZERO:
                    holds = all(map(zero, items))
                case Prim(operation, (first, *rest)) if operation.name in _ABSORB:
                    holds = zero(first) or (operation.name == "scale" and zero(rest[0]))
                case _:
                    holds = False
            if holds:
                found.add(var.name)
        return zero


# ---- uses ----------------------------------------------------------------------------------------

SMALL = 4
"""A function of at most so many lines, none of them a call, is written at each of its calls."""
_MISSING: Any = object()


class Uses:
    """How one closed λ uses its variables, by name."""

    def __init__(self) -> None:
        self.count: Counter[str] = Counter()
        self.needs: dict[str, Need] = {}
        self.fused: set[str] = set()
        """Maps, and tuples of them, that one loop of the same block reads."""
        self.loops: dict[int, tuple[frozenset[int] | None, Need]] = {}
        """The live components of a loop's carry, None of all, and what its body has to give."""

    def need(self, var: Var) -> Need:
        """What is needed of a variable that is used."""
        return self.needs.get(var.name, {})


class Analysis:
    """The uses in a program in let-normal form, of a λ and of the closed λs that it reaches."""

    def __init__(self, root: Lam, units: Sequence[Lam], switches: Switches) -> None:
        """``units`` are the closed λs, each after those that it mentions; ``root`` is the last."""
        self._switches = switches
        self.units: dict[int, Uses] = {}
        self.calls: Counter[int] = Counter()
        self.values: set[int] = {id(root)}
        """The closed λs that are more than called."""
        self.results: dict[int, Need] = {id(root): None}
        self.small = {id(lam) for lam in units if _is_small(lam)}
        self._closed = {id(lam) for lam in units}
        self._inside = Inside()
        self._uses = Uses()
        for lam in reversed(units):
            if id(lam) in self.results:
                self._uses = self.units[id(lam)] = Uses()
                recurse(self._block(lam.body, self.results[id(lam)]))

    def used_params(self, lam: Lam) -> list[int]:
        """The parameters of a closed λ that have to be given: of one that is only called, used."""
        every = list(range(len(lam.params)))
        if id(lam) in self.values or not self._switches.has("call-parts"):
            return every
        count = self.units[id(lam)].count
        return [i for i in every if count[lam.params[i].name]] or every[:1]

    def _mark(self, atom: Term, need: Need = None) -> Recursive[None]:
        match atom:
            case Var():
                self._count(atom, need)
            case Lam() if id(atom) in self._closed:
                self._call(atom, None)
                self.values.add(id(atom))
            case Lam(_, body):
                yield self._block(body, None)

    def _count(self, var: Var, need: Need) -> None:
        uses = self._uses
        uses.count[var.name] += 1
        known = uses.needs.get(var.name, _MISSING)
        if known is None or need is None or components(var.type) is None:
            uses.needs[var.name] = None
            return
        mine = uses.needs.setdefault(var.name, {})
        assert mine is not None
        for index, below in need.items():
            mine[index] = merged(mine[index], below) if index in mine else shallow(below)

    def _call(self, lam: Lam, need: Need) -> None:
        need = need if self._switches.has("call-parts") else None
        self.calls[id(lam)] += 1
        known = self.results.get(id(lam), _MISSING)
        self.results[id(lam)] = need if known is _MISSING else merged(known, need)

    def _block(self, body: Term, need: Need) -> Recursive[None]:
        lines, result = opened(body)
        yield self._mark(result, need)
        read: set[str] = set()
        for var, term in reversed(lines):
            if self._uses.count[var.name]:
                self._fuse(var, term, read)
                need = self._uses.needs[var.name]
                if not self._is_plain(term, need):
                    yield self._line(term, need)

    def _fuse(self, var: Var, term: Term, read: set[str]) -> None:
        """Note which lines of this block one loop reads, and nothing else."""
        is_loop = type(term) is Prim and is_open(term)
        is_alone = var.name in read and self._uses.count[var.name] == 1
        is_alone = is_alone and not is_partial(self._uses.needs[var.name], var.type)
        if is_alone and (is_map(term) or isinstance(term, Tuple)):
            self._uses.fused.add(var.name)
        if is_loop or (is_alone and isinstance(term, Tuple)):
            parts = term.below()[-1:] if is_loop else term.below()
            read.update(part.name for part in parts if isinstance(part, Var))

    def _is_plain(self, term: Term, need: Need) -> bool:
        """Count what a line of atoms uses, which most lines are, without a computation for it."""
        kind = type(term)
        if kind is Prim or (kind is Tuple and need is None):
            parts = term.below()
            if Lam in map(type, parts):
                return False
            for part in parts:
                if type(part) is Var:
                    self._count(part, None)
            return True
        if kind is Proj:
            (product,) = term.below()
            if type(product) is Var:
                index = term.index  # type: ignore[attr-defined]  # of a projection
                self._count(product, None if components(product.type) is None else {index: need})
                return True
        return False

    def _line(self, term: Term, need: Need) -> Recursive[None]:
        match term:
            case Prim(_, (Lam() as lam, *_)) if (
                is_open(term) and id(lam) not in self._closed and self._switches.has("loop-parts")
            ):
                yield self._loop(LoopTerm(term), lam, need)
            case Tuple(items):
                for index, item in enumerate(items):
                    if need is None or index in need:
                        yield self._mark(item, None if need is None else need[index])
            case App(Lam() as lam, argument) if id(lam) in self._closed:
                self._call(lam, need)
                yield self._mark(argument)
            case App(Lam(_, body), argument):
                yield self._block(body, need)
                yield self._mark(argument)
            case Prim() | App():
                for part in term.below():
                    yield self._mark(part)
            case Cond(test, then, other):
                inside = need if self._switches.has("cond-parts") else None
                yield self._block(then, inside)
                yield self._block(other, inside)
                yield self._mark(test)
            case _:
                yield self._mark(term, need)

    def _loop(self, loop: LoopTerm, lam: Lam, need: Need) -> Recursive[None]:
        live, inside = LoopBody(loop, lam, self._inside).live(need)
        self._uses.loops[id(loop.term)] = live, inside
        yield self._block(lam.body, inside)
        yield self._mark(loop.xs, row_need(loop, lam, self._uses))
        if loop.init is not None:
            yield self._mark(loop.init, None if live is None else dict.fromkeys(live))


def row_need(loop: LoopTerm, lam: Lam, uses: Uses) -> Need:
    """What the body of a loop needs of a row; of one that it does not use, something."""
    product, params = components(loop.types.row), loop.params(lam)[1]
    need: Need = None
    if product is None:
        return None
    if len(params) > 1:
        need = {i: shallow(uses.need(p)) for i, p in enumerate(params) if uses.count[p.name]}
    elif params:
        need = uses.need(params[0])
    return need if need is None or need else dict.fromkeys(range(min(1, product.width)))


def _is_small(lam: Lam) -> bool:
    if not isinstance(lam.body, Let):
        return not isinstance(lam.body, Lam)
    lines = [term for _, term in lam.body.bindings]
    return len(lines) <= SMALL and all(
        isinstance(line, (Prim, Tuple, Proj)) and not any(isinstance(x, Lam) for x in line.below())
        for line in lines
    )
