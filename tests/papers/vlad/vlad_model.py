"""VLAD as a model of the law kit: an arrow is the text of a function, a product is a list.

A value, and what is pulled back to a point, are got by ``J``, as ``gradient`` gets them. Booleans
are t and f, which are CAR and CDR. A covector of a function is what its calls, pulled back, give of
its environment, added up.
"""

from collections.abc import Iterator
from functools import reduce
from typing import Any, NamedTuple

from combinators.kit.recursion import recurse
from combinators.literal import Literal
from combinators.morphisms import Morphism
from combinators.objects import Fun, Object, Product, components
from laws.observation import leaves, point_of
from papers.vlad.evaluator import BASIS, Vlad
from papers.vlad.values import FunctionValue, Pair, Primitive, force, j, j_inverse, plus, zero
from tests.papers.asking import NUMBERS

ARITHMETIC = {"add": "+", "subtract": "-", "multiply": "*", "negative": "negate"}
RELATIONS = {"less": "<", "greater": ">", "less_equal": "<=", "greater_equal": ">=", "equal": "="}
WORDS: dict[str, Any] = ARITHMETIC | RELATIONS
WORDS["logical_not"] = ["lambda", ["b"], ["if", "b", "cdr", "car"]]


def at(index: int) -> Any:
    """A component of the list ``x``."""
    return ["car", reduce(lambda rest, _: ["cdr", rest], range(index), "x")]


def of(body: Any) -> Any:
    return ["lambda", ["x"], body]


class TextsOfVlad:
    """The category: s-expressions."""

    def identity(self, dom):
        return of("x")

    def compose(self, arrows):
        return of(reduce(lambda x, arrow: [arrow, x], arrows, "x"))

    def prod(self, dom, arrows):
        return of(["list", *([arrow, "x"] for arrow in arrows)])

    def proj(self, dom, index, cod):
        return of(at(index))

    def extend(self, context, arrow):
        return of(["list", *map(at, range(context.width)), [arrow, "x"]])

    def curry(self, captured, function, body, label):
        return of(["lambda", ["y"], [body, ["list", *map(at, range(captured.width)), "y"]]])

    def eval(self, function):
        return of([at(0), at(1)])

    def const(self, dom, value):
        number = value.array.item()
        return of(("cdr", "car")[number] if isinstance(number, bool) else str(number))

    def cond(self, dom, then, other):
        return of(["if", at(0), [then, at(1)], [other, at(1)]])

    def primitive(self, operation, dom, cod):
        given = map(at, range(dom.width)) if isinstance(dom, Product) else ["x"]
        return of([WORDS[operation.name], *given])


class VladOutcome(NamedTuple):
    """A value as the kit has it, the point, and the backpropagator."""

    value: Any
    point: Any
    back: Any


class VladModel:
    """Functions, pairs, choice and numbers; it has no arrays and no integers."""

    name = "VLAD"
    signature = NUMBERS

    def __init__(self, real: type) -> None:
        self.category, self.session = TextsOfVlad(), Vlad(real)

    def called(self, f: Any, x: Any) -> Any:
        """``f x``, by ``A``."""
        if isinstance(f, FunctionValue):
            return recurse(self.session.apply(f, x))
        return force(self.session.given(f, x))

    def run(self, arrow, point):
        return self.outcome(self.session.value(arrow), point)

    def outcome(self, f: Any, point: Any) -> VladOutcome:
        both = self.called(j(f), j(lowered(point)))
        return VladOutcome(raised(j_inverse(force(both.left))), point, force(both.right))

    def value(self, outcome):
        return outcome.value if isinstance(outcome, VladOutcome) else outcome

    def observe(self, cod, outcome, probes) -> Iterator[Any]:
        value = self.value(outcome)
        yield from leaves(self, cod, value, probes)
        if isinstance(outcome, VladOutcome):
            covector = self.covector(probes.cotangent("pullback", cod), cod, value)
            pulled = self.called(outcome.back, covector).right
            yield from told(outcome.point, pulled, "pullback")

    def covector(self, probe: Any, obj: Object, value: Any) -> Any:
        """A covector of the kit as a sensitivity."""
        product = components(obj)
        if product is not None:
            parts = zip(probe, product.parts, value, strict=True)
            return listed(self.covector(*each) for each in parts)
        if isinstance(probe, Literal):
            return self.session.real(probe.array.item())
        if not isinstance(obj, Fun) or probe is None:
            return zero(lowered(value))
        parts = [self.of_environment(value, obj, *call) for call in probe]
        return reduce(plus, map(force, parts), zero(value))

    def of_environment(self, f: Any, obj: Fun, argument: Any, covector: Any) -> Any:
        x = point_of(self, argument) if isinstance(argument, Morphism) else argument
        y = self.outcome(f, x)
        return self.called(y.back, self.covector(covector, obj.cod, y.value)).left


def listed(parts: Any) -> Any:
    return reduce(lambda rest, part: Pair(part, rest), reversed([*parts]), ())


def lowered(value: Any) -> Any:
    """A value of the kit in VLAD: tuples are lists, booleans are CAR and CDR."""
    if isinstance(value, tuple):
        return listed(map(lowered, value))
    return BASIS["car" if value else "cdr"] if isinstance(value, bool) else value


def raised(value: Any) -> Any:
    """The inverse."""
    match force(value):
        case Pair(left, right):
            return raised(left), *raised(right)
        case Primitive(name) if name in ("car", "cdr"):
            return name == "car"
        case other:
            return other


def told(value: Any, sensitivity: Any, place: str) -> Iterator[Any]:
    """The numbers; those of a function say nothing, since equal ones differ in them."""
    found = force(sensitivity)
    if isinstance(value, tuple):
        for i, part in enumerate(value):
            yield from told(part, found.left, f"{place}[{i}]")
            found = force(found.right)
    elif not isinstance(value, bool | FunctionValue | Primitive):
        yield place, found
