"""Bugs of what rewrites programs: simplifiers, renamings and compilers."""

from combinators.literal import Literal
from combinators.morphisms import Constant, Primitive, Projection, interpret, prod
from combinators.objects import Real
from combinators.operation import Operation, named
from combinators.primitives.loops import FOLD, FOLD_BACKWARDS, MAP
from laws.free import Free
from tests.laws.bugs.bug import seeded
from tests.laws.bugs.variants import Reals, reals


class Rewritten(Reals):
    """Its way to simplify a program is ``rewriting``, a functor between programs."""

    signature = reals(lets=True, products=True)
    rewriting = Free

    @property
    def ways(self):
        rewrite = lambda program: interpret(interpret(program, self.rewriting()), self.category)
        return {self.way: rewrite}

    way = "simplified"


class _Same(Free):
    def prod(self, dom, arrows):
        first = {arrow.cod: arrow for arrow in reversed(arrows)}
        return super().prod(dom, [first[arrow.cod] for arrow in arrows])


@seeded("F5a")
class MergedByType(Rewritten):
    """common subexpressions are told by their types."""

    rewriting = _Same


class _Minus(Free):
    def primitive(self, operation, dom, cod):
        if operation.name == "subtract" and cod is Real:
            return Constant(dom, Literal(0.0))
        return super().primitive(operation, dom, cod)


@seeded("F5a")
class MinusIsZero(Rewritten):
    """x - y is simplified to 0."""

    signature = reals(operations={"subtract": 2})

    rewriting = _Minus


class _Dead(Free):
    def extend(self, context, arrow):
        zero = Constant(context, Literal(0.0)) if arrow.cod is Real else arrow
        return super().extend(context, zero)


@seeded("F5a")
class LetErased(Rewritten):
    """what a let names is taken for dead."""

    signature = reals(lets=True, operations={})

    rewriting = _Dead


class Swapped(Free):
    """The operands of x - y in the other order."""

    def primitive(self, operation, dom, cod):
        made = super().primitive(operation, dom, cod)
        if operation.name != "subtract":
            return made
        return prod(dom, Projection(dom, 1), Projection(dom, 0)) >> made


@seeded("F6")
class OperandsSwapped(Rewritten):
    """emitted code writes x - y in the other order."""

    signature = reals(operations={"subtract": 2})
    rewriting = Swapped
    way = "python"


@seeded("F7α")
class NamesConfused(Rewritten):
    """variables of one type are given one name."""

    rewriting = _Same
    way = "renamed"


@seeded("F3")
class SharedBuilders(Rewritten):
    """the methods of a category remember arrows by their types."""

    rewriting = _Same
    way = "tagless"


@seeded("F7β")
class ArgumentsConfused(Rewritten):
    """arguments of one type that stand beside each other are taken for one."""

    rewriting = _Same
    way = "applied"


@seeded("F8")
class LinesConfused(Rewritten):
    """staging writes lines of one type once."""

    rewriting = _Same
    way = "staged"


class _Backwards(Free):
    """Maps run over the rows from the last, and so give them in the other order."""

    def primitive(self, operation, dom, cod):
        made = super().primitive(operation, dom, cod)
        if operation != MAP:
            return made
        _, rows = dom.parts
        window = (("start", (rows.shape[0] - 1,)), ("step", (-1,)), ("extent", rows.shape))
        turned = Primitive(Operation(named("slice"), window), (rows,))
        return prod(dom, Projection(dom, 0), Projection(dom, 1) >> turned) >> made


@seeded("G2a")
class BuildsBackwards(Rewritten):
    """an affine index of a build is taken from the end."""

    rewriting = _Backwards
    way = "bulk"


class _FoldsBackwards(Free):
    def primitive(self, operation, dom, cod):
        return super().primitive(FOLD_BACKWARDS if operation == FOLD else operation, dom, cod)


@seeded("G2b")
class FoldsInBuildsBackwards(Rewritten):
    """a fold over all indices of a build runs from the other end."""

    signature = reals(operations={"subtract": 2})
    rewriting = _FoldsBackwards
    way = "bulk"
