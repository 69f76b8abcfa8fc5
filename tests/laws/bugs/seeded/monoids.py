"""Bugs of reduces and scans by an associative operator."""

from tests.laws.bugs.arrows import Arrow
from tests.laws.bugs.bug import seeded
from tests.laws.bugs.seeded.loops import Loops


class Reduces(Loops):
    """A reduce is a fold of something else."""

    def reduce(self, dom, cod, *, reverse=False):
        made = self.fold(dom, cod, reverse=reverse)
        return Arrow(dom, cod, lambda given: made.rep((given[0], *self.changed(*given[1:]))))

    def changed(self, start, rows):
        return start, rows


@seeded("reduce-empty")
class UnitThatIsNone(Reduces):
    """a reduce starts from a unit that is none."""

    def changed(self, start, rows):
        return start + 1, rows


@seeded("reduce-one")
class FirstRowTaken(Reduces):
    """a reduce forgets its first row."""

    def changed(self, start, rows):
        return start, rows[1:]


@seeded("reduce-join")
class HalvesTheSecond(Reduces):
    """a reduce combines by an operator that is not associative: it halves what comes second."""

    def changed(self, start, rows):
        halves = rows / 2
        halves[:1] = rows[:1]
        return start, halves


@seeded("reduce-fold")
class FromZero(Reduces):
    """a reduce starts from zero, wherever it is to start."""

    def changed(self, start, rows):
        return start * 0, rows


@seeded("scanl-scan")
class ScanlBackwards(Loops):
    """a scanl runs from the last row to the first."""

    def scanl(self, dom, cod):
        return self.scan(dom, cod, reverse=True)


@seeded("scanr-scan")
class ScanrForwards(Loops):
    """a scanr runs from the first row to the last."""

    def scanr(self, dom, cod, *, reverse):
        return self.scan(dom, cod)
