"""The category that hosts a mode's arrows beside functions of its values, such as derivatives.

``R[f]`` of a mode that runs is a function of points and covectors and no arrow of the mode. The
host holds both: what is built of the mode's arrows is one of them, all else runs point by point.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from combinators.category import Label
from combinators.errors import NotDifferentiable
from combinators.literal import Literal
from combinators.morphisms import Morphism
from combinators.objects import Fun, Object, Product
from combinators.operation import Operation
from interpreters.execution.machine import Arrow
from interpreters.execution.running import Running
from laws.free import FREE


@dataclass(frozen=True, eq=False)
class Hosted:
    """``dom → cod``: a function of values; where there are, the mode's arrow and its program."""

    dom: Object
    cod: Object
    at: Callable[[Any], Any]
    arrow: Arrow | None = None
    program: Morphism | None = None


class Host:
    """The combinators of a mode, and of functions on its values."""

    def __init__(self, mode: Running, at: Callable[[Arrow, Any], Any]) -> None:
        """``at`` gives the value of one of the mode's arrows at a point."""
        self.mode, self._at = mode, at

    def own(self, arrow: Arrow, program: Morphism) -> Hosted:
        """An arrow of the mode."""
        return Hosted(
            program.dom, program.cod, lambda point: self._at(arrow, point), arrow, program
        )

    def identity(self, dom: Object) -> Hosted:
        """``id``."""
        return self.own(self.mode.identity(dom), FREE.identity(dom))

    def relabel(self, dom: Object, cod: Object) -> Hosted:
        """Between a record and its product."""
        return self.own(self.mode.relabel(dom, cod), FREE.relabel(dom, cod))

    def compose(self, arrows: Sequence[Hosted]) -> Hosted:
        """The mode's, or one function after another."""
        mine, programs = _all(arrows)
        if mine is not None:
            return self.own(self.mode.compose(mine), FREE.compose(programs))

        def at(point: Any) -> Any:
            for arrow in arrows:
                point = arrow.at(point)
            return point

        return Hosted(arrows[0].dom, arrows[-1].cod, at)

    def prod(self, dom: Object, arrows: Sequence[Hosted]) -> Hosted:
        """The mode's, or a tuple of what the functions give."""
        mine, programs = _all(arrows)
        if mine is not None:
            return self.own(self.mode.prod(dom, mine), FREE.prod(dom, programs))
        cod = Product(*(arrow.cod for arrow in arrows))
        return Hosted(dom, cod, lambda point: tuple(arrow.at(point) for arrow in arrows))

    def proj(self, dom: Object, index: int, cod: Object) -> Hosted:
        """``πᵢ``."""
        return self.own(self.mode.proj(dom, index, cod), FREE.proj(dom, index, cod))

    def extend(self, context: Product, arrow: Hosted) -> Hosted:
        """``⟨id, e⟩``."""
        mine, program = _own(arrow)
        return self.own(self.mode.extend(context, mine), FREE.extend(context, program))

    def curry(self, captured: Product, function: Fun, body: Hosted, label: Label) -> Hosted:
        """A closure; of the mode's own arrows alone. Variables without names are named by place."""
        mine, program = _own(body)
        names = label.names or tuple(f"x{place}" for place in range(captured.width))
        labelled = Label(names, program)
        return self.own(
            self.mode.curry(captured, function, mine, labelled),
            FREE.curry(captured, function, program, label),
        )

    def eval(self, function: Fun) -> Hosted:
        """``eval``."""
        return self.own(self.mode.eval(function), FREE.eval(function))

    def const(self, dom: Object, value: Literal) -> Hosted:
        """``const c``."""
        return self.own(self.mode.const(dom, value), FREE.const(dom, value))

    def primitive(self, operation: Operation, dom: Object, cod: Object) -> Hosted:
        """A primitive of the mode."""
        return self.own(
            self.mode.primitive(operation, dom, cod), FREE.primitive(operation, dom, cod)
        )

    def cond(self, dom: Object, then: Hosted, other: Hosted) -> Hosted:
        """A choice between two arrows of the mode."""
        (mine, program), (theirs, text) = _own(then), _own(other)
        return self.own(self.mode.cond(dom, mine, theirs), FREE.cond(dom, program, text))


def _all(arrows: Sequence[Hosted]) -> tuple[list[Arrow] | None, list[Morphism]]:
    mine = [arrow.arrow for arrow in arrows if arrow.arrow is not None]
    programs = [arrow.program for arrow in arrows if arrow.program is not None]
    return (mine if len(mine) == len(arrows) else None), programs


def _own(hosted: Hosted) -> tuple[Arrow, Morphism]:
    if hosted.arrow is None or hosted.program is None:
        raise NotDifferentiable("only what a mode interprets is a body of its λs and branches")
    return hosted.arrow, hosted.program
