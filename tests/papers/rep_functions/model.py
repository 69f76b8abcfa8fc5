"""The figures of 004 as models of the law kit: values, and what pullbacks give of a covector."""

from collections.abc import Iterator
from functools import reduce
from typing import Any

from combinators.literal import Literal
from combinators.morphisms import Morphism
from combinators.objects import Fun, Mu, Object, Sum, Tensor
from combinators.type_folds import is_smooth, parts_of, unfolded
from combinators.value_folds import Injected
from laws.model import Signature
from laws.observation import at_value, leaves, point_of
from papers.rep_functions.closures import SimplyTyped
from papers.rep_functions.tangents import AnyDerivative, T, exT, plus, zero


class Outcome:
    def __init__(self, rep, point):
        self.rep, self.point = rep, point


class FigureModel:
    """``SimplyTyped`` or ``DependentlyTyped`` over a carrier."""

    signature = Signature(sums=True, recursion=True, vectors=True)

    def __init__(self, category):
        self.category, self.over = category, category.over
        self.name = type(category).__name__
        self.is_simple = isinstance(category, SimplyTyped)

    def run(self, arrow, point):
        return Outcome(arrow(point), point)

    def value(self, outcome):
        return outcome.rep.value if isinstance(outcome, Outcome) else outcome

    def observe(self, cod, outcome, probes) -> Iterator[Any]:
        value = self.value(outcome)
        yield from leaves(self, cod, value, probes)
        if isinstance(outcome, Outcome):
            probe = at_value(self, probes.cotangent("pullback", cod), cod, value)
            pulled = outcome.rep.pullback(self.covector(probe, cod, value))
            yield from told(pulled, "pullback")

    def covector(self, probe: Any, obj: Object, value: Any) -> Any:
        """A covector of the kit as a tangent of the paper's."""
        if isinstance(obj, Mu):
            return self.covector(probe, unfolded(obj), value)
        if not is_smooth(obj) or probe is None:
            return zero(T(obj, value), self.over)
        parts = parts_of(obj)
        if parts is not None:
            both = zip(probe, parts, value, strict=True)
            return tuple([self.covector(*each) for each in both])
        match obj:
            case Tensor():
                return self.over.const(probe) if isinstance(probe, Literal) else probe
            case Sum():
                at = obj.parts[value.tag]
                return Injected(value.tag, self.covector(probe.value, at, value.value))
            case Fun():
                return self.calls(probe, obj, value)
        raise TypeError(obj)

    def calls(self, probe: Any, obj: Fun, f: Any) -> Any:
        """Calls; or the parts of the environment that they give, added up."""
        made = []
        for argument, covector in probe:
            x = point_of(self, argument) if isinstance(argument, Morphism) else argument
            made.append((x, self.covector(covector, obj.cod, f(x).value)))
        if self.is_simple:
            return made
        assert isinstance(f, exT)
        nothing = zero(f.environment, self.over)
        given = [AnyDerivative(f.environment, f(x).pullback(g)[0]) for x, g in made]
        return reduce(lambda a, b: plus(a, b, self.over), given, nothing)


def told(tangent: Any, place: str) -> Iterator[Any]:
    """The numbers of a tangent; a function's own say nothing, since equal ones differ in them."""
    match tangent:
        case Injected(tag, below):
            yield from told(below, f"{place}|{tag}")
        case tuple() if type(tangent) is tuple:
            for i, part in enumerate(tangent):
                yield from told(part, f"{place}[{i}]")
        case list() | tuple():
            pass
        case _:
            yield place, tangent
