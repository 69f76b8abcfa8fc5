"""From one line an operation to the house's let-normal form, as a trace writes it.

What nothing uses is dropped, what is used once stands where it is used, up to a height, and what
is used again is named. Nothing moves into a λ or a branch.
"""

from __future__ import annotations

from combinators.kit.recursion import Recursive, recurse
from combinators.objects import Tensor, Unit
from combinators.simplify.holes import filled, is_typed_zero
from combinators.simplify.patterns import is_atom
from combinators.simplify.rebuilt import operands, remade
from combinators.simplify.rule import Switches
from combinators.terms import Const, Lam, Let, Term, Tuple, Var
from combinators.tracing.scope import LINE


def written(
    lam: Lam, closed: set[int], switches: Switches, keep: frozenset[str] = frozenset()
) -> Lam:
    """The program of closed λs ``closed`` with its lines put into each other, but ``keep``."""
    return recurse(_Writing(closed, switches, keep).unit(lam))


class _Writing:
    def __init__(self, closed: set[int], switches: Switches, keep: frozenset[str]) -> None:
        self._closed = closed
        self._keep = keep
        self._switches = switches
        self._done: dict[int, Lam] = {}

    def unit(self, lam: Lam) -> Recursive[Lam]:
        """A closed λ, once."""
        if id(lam) not in self._done:
            body: tuple[Term, dict[str, int]] = yield self._block(lam.body)
            self._done[id(lam)] = Lam(lam.params, body[0], lam.name)
        return self._done[id(lam)]

    def _block(self, body: Term) -> Recursive[tuple[Term, dict[str, int]]]:
        """The block written, and how often it uses each name of outside."""
        lines, result = (body.bindings, body.body) if isinstance(body, Let) else ((), body)
        uses: dict[str, int] = {}
        scoped: dict[str, tuple[Term, ...]] = {}
        _note((result,), uses)
        end: tuple[Term, ...] = yield self._scopes((result,), uses)
        for var, term in reversed(lines):
            if var.name in uses:
                parts = operands(term)
                if not _note(parts, uses):
                    scoped[var.name] = yield self._scopes(parts, uses)
        inside: dict[str, tuple[Term, int]] = {}
        named: list[tuple[Var, Term]] = []
        for var, term in lines:
            name = var.name
            times = uses.get(name)
            if times is None:
                continue
            made, height = _placed(term, scoped.get(name), inside)
            if times == 1 and height <= LINE and name not in self._keep:
                inside[name] = made, height
            else:
                named.append((var, made))
        last = end[0]
        if isinstance(last, Var) and last.name in inside:
            last = inside[last.name][0]
        for var, _ in lines:
            uses.pop(var.name, None)
        return (Let(tuple(named), last) if named else last), uses

    def _scopes(self, parts: tuple[Term, ...], uses: dict[str, int]) -> Recursive[tuple[Term, ...]]:
        """The parts of a line with their own scopes written; names used there are used twice."""
        found: list[Term] = []
        for part in parts:
            match part:
                case Var():
                    found.append(part)
                case Lam() if id(part) in self._closed:
                    found.append((yield self.unit(part)))
                case Lam(params, body):
                    made, names = yield self._block(body)
                    _use(names, {param.name for param in params}, uses)
                    found.append(Lam(params, made, part.name))
                case _ if is_atom(part):
                    found.append(self._number(part))
                case _:
                    made, names = yield self._block(part)
                    _use(names, set(), uses)
                    found.append(made)
        return tuple(found)

    def _number(self, atom: Term) -> Term:
        """A zero of numbers as a number, which reads better."""
        if not is_typed_zero(atom) or not self._switches.has("zeros-number"):
            return atom
        if isinstance(atom.type, Tensor):
            return filled(0, atom.type)
        return Tuple(()) if atom.type is Unit else atom


def _note(parts: tuple[Term, ...], uses: dict[str, int]) -> bool:
    """Count the uses of variables among the parts of a line; whether the others are numbers."""
    is_plain = True
    for part in parts:
        if type(part) is Var:
            uses[part.name] = uses.get(part.name, 0) + 1
        elif type(part) is not Const:
            is_plain = False
    return is_plain


def _use(names: dict[str, int], bound: set[str], uses: dict[str, int]) -> None:
    for name in names:
        if name not in bound:
            uses[name] = uses.get(name, 0) + 2


def _placed(
    term: Term, scoped: tuple[Term, ...] | None, inside: dict[str, tuple[Term, int]]
) -> tuple[Term, int]:
    """The line with what is used once put into it, and its height; ``scoped`` are its new parts."""
    made: list[Term] = []
    height = 0
    for part in operands(term) if scoped is None else scoped:
        found = inside.get(part.name) if type(part) is Var else None
        if found is None:
            made.append(part)
        else:
            below, tall = found
            made.append(below)
            height = max(height, tall)
    if not height and scoped is None:
        return term, 1
    return remade(term, tuple(made)), height + 1
