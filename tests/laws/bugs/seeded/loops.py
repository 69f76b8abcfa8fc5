"""Bugs of loops."""

from tests.laws.bugs.bug import seeded
from tests.laws.bugs.forms import Environments
from tests.laws.bugs.variants import Numbers


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
class FromTheRight(Environments):
    """a fold runs from the right."""

    def rounds(self, length, reverse):
        return super().rounds(length, not reverse)


@seeded("fold-reverse")
class ReverseForgotten(Environments):
    """a fold from the last row to the first runs from the first to the last."""

    def rounds(self, length, reverse):
        return super().rounds(length, False)


@seeded("fold-join")
class LastRow(Numbers):
    """a fold forgets its last row."""

    def rounds(self, length, reverse):
        return super().rounds(length, reverse)[:-1]


@seeded("fold-join")
class RowsReversed(Environments):
    """the rows of a fold get each other's cotangents."""

    def row_cotangents(self, rows, length):
        flipped = {length - 1 - i: g for i, g in rows.items()}
        return super().row_cotangents(flipped, length)


@seeded("scan-map")
class LastRound(Environments):
    """a fold forgets what its function captured, in all rounds but one."""

    def called_again(self, function, own):
        return own


@seeded("fold-steady")
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


@seeded("map-id")
class MappedRows(Environments):
    """a map gives nothing back to its rows."""

    def pulled_map(self, reps, g, length):
        function, rows = super().pulled_map(reps, g, length)
        return function, rows * 0
