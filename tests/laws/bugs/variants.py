"""The naive interpreter over other numbers, of fewer programs, and with less to see."""

from __future__ import annotations

from typing import Any

import numpy as np

from combinators.morphisms import Morphism
from laws.law import Law
from laws.model import Signature
from laws.observation import leaves
from laws.scene import Instance
from laws.strategies.arrows import points
from laws.strategies.choices import Choices
from laws.strategies.instances import instances
from laws.structures.primitive import PRIMITIVE, X, Y, p
from tests.laws.bugs.forms import Calls, Environments


class Floats(Environments):
    """On floats, infinities and nan among them."""

    name = "naive, floats"
    signature = Signature(special=True)

    def exact(self, array: Any) -> Any:
        made = np.empty(np.shape(array), dtype=object)
        made.flat[:] = [float(x) for x in np.ravel(array)]
        return made[()]

    def observe(self, cod: Any, outcome: Any, probes: Any) -> Any:
        for place, leaf in super().observe(cod, outcome, probes):
            yield place, np.asarray(leaf, dtype=float)


class Numbers(Environments):
    """Of programs on single numbers."""

    name = "naive, numbers"
    signature = Signature(shapes=((),), arrays=False, integers=False)


def reals(**more: Any) -> Signature:
    """Straight-line programs of real numbers, and what else is asked for."""
    nothing = dict.fromkeys(("arrays", "integers", "functions", "conditionals", "loops"), False)
    also = dict.fromkeys(("products", "records", "vectors", "lets"), False)
    return Signature(**{"shapes": ((),), **nothing, **also, **more})


class Reals(Environments):
    """Of straight-line programs of real numbers."""

    name = "naive, reals"
    signature = reals()


class Alone(Environments):
    """Of one array program: the laws are those of primitives."""

    name = "naive, one operation"
    structures = ("primitive",)
    program: Morphism

    def cast(self, law: Law, choices: Choices) -> Instance:
        """Who plays what in a law: the program the primitive, the rest at random."""
        if law.structure is not PRIMITIVE:
            return choices.draw(instances(law, self.signature))
        objects = {X: self.program.dom, Y: self.program.cod}
        given = {g: self.player(g, Instance(objects, {}), choices) for g in law.generators}
        return Instance(objects, given)

    def shown(self, value: Any) -> Any:
        """The shape of a value."""
        return np.shape(value)

    def said(self) -> Any:
        """That of the result's type."""
        return self.program.cod.shape

    def player(self, generator: Any, instance: Instance, choices: Choices) -> Morphism:
        if generator is p:
            return self.program
        return choices.draw(points(self.signature, instance.obj(generator.cod)))


class Quiet(Environments):
    """It observes values, and no pullbacks: derivatives alone tell of them."""

    name = "naive, values"

    def observe(self, cod: Any, outcome: Any, probes: Any) -> Any:
        return leaves(self, cod, outcome.rep.value, probes)


class Everything(Environments):
    """Of programs with sums, recursive types and recursion too."""

    name = "naive, everything"
    signature = Signature(sums=True, recursion=True)


class EverythingByCalls(Calls):
    """The same, by lists of calls."""

    name = "naive, everything by calls"
    signature = Everything.signature


class QuietNumbers(Quiet, Numbers):
    """Both."""


class QuietReals(Quiet, Reals):
    """Both."""
