"""Bugs of loops."""

import numpy as np

from tests.laws.bugs.arrows import Arrow, Rep
from tests.laws.bugs.bug import seeded
from tests.laws.bugs.forms import Environments
from tests.laws.bugs.variants import reals


class Loops(Environments):
    """Asked of loops over numbers, in programs that hold no others."""

    signature = reals(functions=True, arrays=True)
    structures = ("loops",)


@seeded("fold-empty")
class EmptyFold(Environments):
    """a fold over no rows gives nothing back to where it starts."""

    def initial(self, g):
        return None


@seeded("fold-empty")
class EmptyZero(Environments):
    """a fold over no rows gives zero."""

    def folded(self, carry, reps):
        return carry if reps else self.zeros_like(carry)

    def zeros_like(self, value):
        if isinstance(value, tuple):
            return tuple(map(self.zeros_like, value))
        return value * 0 if hasattr(value, "__mul__") else value


@seeded("fold-cons")
class FromTheRight(Loops):
    """a fold runs from the right."""

    def rounds(self, length, reverse):
        return super().rounds(length, not reverse)


@seeded("fold-reverse")
class ReverseForgotten(Loops):
    """a fold from the last row to the first runs from the first to the last."""

    def rounds(self, length, reverse):
        return super().rounds(length, False)


@seeded("fold-one")
class LastRow(Loops):
    """a fold forgets its last row."""

    def rounds(self, length, reverse):
        return super().rounds(length, reverse)[:-1]


@seeded("fold-join")
class RowsReversed(Environments):
    """the rows of a fold get each other's cotangents."""

    def row_cotangents(self, rows, length):
        flipped = {length - 1 - i: g for i, g in rows.items()}
        return super().row_cotangents(flipped, length)


@seeded("map-join")
class LastRound(Environments):
    """a fold forgets what its function captured, in all rounds but one."""

    def called_again(self, function, own):
        return own


@seeded("fold-empty")
class StepsCounted(Environments):
    """the carry's cotangent is scaled in every round."""

    def initial(self, g):
        return self.both(g, g)


@seeded("scan-map")
class OutputsReversed(Environments):
    """a scan gives its outputs in reverse."""

    def outputs(self, ys):
        return ys[::-1]


@seeded("scan-fold")
class CarryForgotten(Environments):
    """a scan drops the cotangent of its last carry."""

    def pulled_scan(self, reps, g, length):
        return super().pulled_scan(reps, g and (None, g[1]), length)


class Mapped(np.ndarray):
    """What a map has made."""


@seeded("map-map")
class Fused(Loops):
    """a map after a map is taken for one map, and what the second captured is forgotten."""

    def map(self, dom, cod):
        made = super().map(dom, cod)

        def rep(x):
            value, pull, push = made.rep(x)
            fused = isinstance(x[1], Mapped)
            forgetful = lambda g: (None, pull(g)[1])
            return Rep(value.view(Mapped), pull and (forgetful if fused else pull), push)

        return Arrow(dom, cod, rep)


@seeded("map-join")
class OneMapped(Loops):
    """a map over one row gives it nothing back."""

    def pulled_map(self, reps, g, length):
        function, rows = super().pulled_map(reps, g, length)
        return function, rows * (length > 1)


@seeded("map-id")
class MappedRows(Environments):
    """a map gives nothing back to its rows."""

    def pulled_map(self, reps, g, length):
        function, rows = super().pulled_map(reps, g, length)
        return function, rows * 0
