"""Rules of the transform: what is written, what for, and what carries it out.

``left ⇝ right`` is written in the notation of 003. A rule acts on a *site*: a line, the block into
which what replaces it goes, and what the operands of the line stand for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from combinators.bulk.block import Block
from combinators.bulk.masking import Key
from combinators.bulk.values import Rep
from combinators.errors import Place
from combinators.objects import Tensor
from combinators.operation import Operation
from combinators.terms import Prim, Term


@dataclass(frozen=True, slots=True)
class Site:
    """An operation on what its operands stand for, and where lines go."""

    block: Block
    operation: Operation
    reps: Sequence[Any]
    place: Place | None

    @property
    def parameters(self) -> dict[str, Any]:
        """The operation's own."""
        return self.operation.keywords

    @property
    def type(self) -> Tensor:
        """The type of one value of the line, which is a tensor."""
        obj = self.operation.type(*[rep.type for rep in self.reps])
        assert isinstance(obj, Tensor)
        return obj

    def of(self, *reps: Rep, **parameters: Any) -> Site:
        """The same operation on other operands, with other parameters."""
        known = tuple(
            (name, parameters.get(name, value)) for name, value in self.operation.parameters
        )
        return Site(self.block, Operation(self.operation.primitive, known), reps, self.place)


Carry = Callable[[Site], Rep | None]
"""What the line stands for, with the lines that it takes; None where there is no bulk form."""


@dataclass(frozen=True, slots=True)
class Pushed:
    """What an index becomes: operands with indices of their own, and what is made of those."""

    operands: Sequence[tuple[Term, Key]]
    combine: Callable[[Sequence[Any]], Rep]


Push = Callable[[Block, Prim, Key], Pushed | None]
"""What the index of a line becomes; None where it is in normal form."""


@dataclass(frozen=True)
class Rule:
    """``left ⇝ right``, by name, with the figure of 003 where it stands."""

    name: str
    figure: str
    left: str
    right: str

    def __repr__(self) -> str:
        """On one line."""
        return f"{self.name}: {self.left} ⇝ {self.right}"


@dataclass(frozen=True, repr=False)
class BuildRule(Rule):
    """A rule for ``build1`` of the operations of these names."""

    heads: tuple[str, ...]
    carry: Carry


@dataclass(frozen=True, repr=False)
class IndexRule(Rule):
    """A rule for ``index`` of the operations of these names."""

    heads: tuple[str, ...]
    push: Push
