"""A law is data: two sides, what they quantify over, the structure that has it, and its source."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from combinators.kit.tree import distinct_nodes
from combinators.morphisms import Morphism
from combinators.objects import Fun, Object, Product
from laws.language.operators import Along, At, D, Image, Inner, Plus, R, Scaled, Zero
from laws.language.variables import Generator, Space, Variable
from laws.structure import Structure

Relation = Literal["=", "≤", "raises"]
"""What holds between the sides. ``"raises"`` says that the left side is refused."""


@dataclass(frozen=True)
class Computed:
    """A side that is no arrow: a value, computed of a scene of the law.

    ``needs`` are the generators that it is computed of; ``text`` is how it reads.
    """

    text: str
    value: Callable[[Any], Any]
    needs: tuple[Generator, ...] = ()
    latex: str = ""


Side = Morphism | Computed


@dataclass(frozen=True, eq=False)
class Law:
    """``lhs = rhs``, for every choice of what they quantify over."""

    name: str
    statement: str
    """In words."""
    lhs: Side
    rhs: Side
    structure: Structure
    source: str
    """Who says so: a paper and a place in it."""
    relation: Relation = "="
    rule: str = ""
    """The rule of ``combinators.simplify`` that it justifies, where it is directed."""
    tame: bool = False
    """Whether it is asked at moderate finite numbers alone."""
    implied_by: tuple[str, ...] = ()
    """Names of laws from which it follows."""
    extra: tuple[Generator, ...] = field(default=())
    """Further generators that both sides are observed with."""

    @cached_property
    def generators(self) -> tuple[Generator, ...]:
        """The arrows and points that it quantifies over, in order."""
        found: dict[Generator, None] = {}
        for side in (self.lhs, self.rhs):
            needed = side.needs if isinstance(side, Computed) else _generators(side)
            found.update(dict.fromkeys(needed))
        found.update(dict.fromkeys(self.extra))
        return tuple(found)

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """The objects that it quantifies over, by name."""
        found: dict[Variable, None] = {}
        for generator in self.generators:
            for obj in (generator.dom, generator.cod):
                found.update(dict.fromkeys(_variables(obj)))
        for side in (self.lhs, self.rhs):
            if isinstance(side, Morphism):
                for node in distinct_nodes(side, kind=Morphism):
                    found.update(dict.fromkeys(_variables(node.dom)))
                    found.update(dict.fromkeys(_variables(node.cod)))
        return tuple(sorted(found, key=lambda variable: variable.name))

    @cached_property
    def is_of_values(self) -> bool:
        """Whether values alone are compared: it speaks of derivatives, whose own are not asked."""
        sides = (side for side in (self.lhs, self.rhs) if isinstance(side, Morphism))
        nodes = (node for side in sides for node in distinct_nodes(side, kind=Morphism))
        return any(isinstance(node, D | R | Along | At) for node in nodes)

    @cached_property
    def is_of_combinators(self) -> bool:
        """Whether both sides are combinators alone, so that they compute the same numbers."""
        own = (D, R, Along, At, Plus, Zero, Scaled, Inner, Image)
        return all(
            isinstance(side, Morphism)
            and not any(isinstance(node, own) for node in distinct_nodes(side, kind=Morphism))
            for side in (self.lhs, self.rhs)
        )

    @property
    def quantifiers(self) -> tuple[Variable | Generator, ...]:
        """All that it quantifies over: objects, then arrows and points."""
        return (*self.variables, *self.generators)

    def __str__(self) -> str:
        """``C1: id >> f = f``."""
        from laws.rendering.notation import equation

        return f"{self.name}: {equation(self)}"

    def _repr_latex_(self) -> str:
        """The equation, for notebooks."""
        from laws.rendering.notation import latex

        return f"$\\displaystyle {latex(self)}$"


def _generators(side: Morphism) -> Iterator[Generator]:
    return (node for node in distinct_nodes(side, kind=Morphism) if isinstance(node, Generator))


def _variables(obj: Object) -> Iterator[Variable]:
    match obj:
        case Variable():
            yield obj
        case Space(of):
            yield from _variables(of)
        case Product():
            for part in obj.parts:
                yield from _variables(part)
        case Fun(dom, cod):
            yield from _variables(dom)
            yield from _variables(cod)
