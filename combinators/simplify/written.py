"""From one line an operation to the house's let-normal form, as a trace writes it.

What nothing uses is dropped, what is used once stands where it is used, up to a height, and what
is used again is named. Nothing moves into a λ or a branch.
"""

from __future__ import annotations

from combinators.block import Uses, count, count_inside, nested, opened, operands, remade
from combinators.kit.recursion import Recursive, recurse
from combinators.objects import Tensor, Unit
from combinators.simplify.holes import filled, is_typed_zero
from combinators.simplify.patterns import is_atom
from combinators.simplify.rule import Switches
from combinators.terms import Lam, Term, Tuple, Var


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
            body: tuple[Term, Uses] = yield self._block(lam.body)
            self._done[id(lam)] = Lam(lam.params, body[0], lam.name)
        return self._done[id(lam)]

    def _block(self, body: Term) -> Recursive[tuple[Term, Uses]]:
        """The block written, and how often it uses each name of outside."""
        lines, result = opened(body)
        uses: Uses = {}
        written: dict[str, Term] = {}
        count(result, uses)
        end: tuple[Term, ...] = yield self._scopes((result,), uses)
        for var, term in reversed(lines):
            if var.name in uses and not count(term, uses):
                parts: tuple[Term, ...] = yield self._scopes(operands(term), uses)
                written[var.name] = remade(term, parts)
        if written:
            lines = tuple([(var, written.get(var.name, term)) for var, term in lines])
        made = nested(lines, end[0], uses, self._keep)
        for var, _ in lines:
            uses.pop(var.name, None)
        return made, uses

    def _scopes(self, parts: tuple[Term, ...], uses: Uses) -> Recursive[tuple[Term, ...]]:
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
                    count_inside(names.keys() - {param.name for param in params}, uses)
                    found.append(Lam(params, made, part.name))
                case _ if is_atom(part):
                    found.append(self._number(part))
                case _:
                    made, names = yield self._block(part)
                    count_inside(names, uses)
                    found.append(made)
        return tuple(found)

    def _number(self, atom: Term) -> Term:
        """A zero of numbers as a number, which reads better."""
        if not is_typed_zero(atom) or not self._switches.has("zeros-number"):
            return atom
        if isinstance(atom.type, Tensor):
            return filled(0, atom.type)
        return Tuple(()) if atom.type is Unit else atom
