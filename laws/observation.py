"""What can be told of an outcome, by which probes, and where two outcomes first differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from combinators.literal import Literal
from combinators.morphisms import Morphism, interpret
from combinators.objects import Fun, Mu, Object, Sum, Tagged, Tensor, Vector, components
from combinators.spaces import Space
from combinators.type_folds import parts_inside, parts_of, unfolded
from combinators.value_folds import Injected
from laws.equality import Leaf, Level, equal
from laws.functions import Function, Functions

Asked = Callable[[Object], Any]


class Probes:
    """What to try at a place in an outcome; at one place always the same.

    Both sides of an equation are observed with the same probes.
    """

    def __init__(self, argument: Callable[[Object], Morphism], cotangent: Asked) -> None:
        """``argument`` gives global elements ``1 → A``, ``cotangent`` covectors.

        A covector is a ``Literal`` at a tensor of floats, a tuple at a product, None where there
        is no tangent, and at ``A ⇒ B`` a list of calls: pairs of a global element of A and a
        covector of B. Of a sum it is a tuple, of a covector for each alternative, of which that of
        the value is meant (``at_value``); of a recursive type that of what it unfolds to, and
        further in None.
        """
        self._argument, self._cotangent = argument, cotangent
        self._known: dict[tuple[str, str, Object], Any] = {}

    def argument(self, place: str, obj: Object) -> Morphism:
        """A global element of ``obj``, to apply a function to."""
        found: Morphism = self._once("argument", place, obj, self._argument)
        return found

    def cotangent(self, place: str, obj: Object) -> Any:
        """A covector at ``obj``."""
        return self._once("cotangent", place, obj, self._cotangent)

    def within(self, place: str) -> Probes:
        """The same probes for what stands inside ``place``, whose own places begin anew."""
        return _Within(self, place)

    def features(self) -> set[str]:
        """What was asked for: a function's argument; a covector, and one that is not zero.

        Covectors count where the object has others than zero.
        """
        found = {"function"} if any(what == "argument" for what, _, _ in self._known) else set()
        for (what, _, obj), given in self._known.items():
            if what == "cotangent" and has_room(obj):
                found |= (
                    {"cotangent", "non-zero cotangent"} if is_not_zero(given) else {"cotangent"}
                )
        return found

    def answers(self, what: str) -> dict[str, Any]:
        """What was answered so far, by place: ``what`` is ``"argument"`` or ``"cotangent"``."""
        return {place: found for (asked, place, _), found in self._known.items() if asked == what}

    def _once(self, what: str, place: str, obj: Object, ask: Asked) -> Any:
        key = (what, place, obj)
        if key not in self._known:
            self._known[key] = ask(obj)
        return self._known[key]


class _Within(Probes):
    """Probes of a place inside another."""

    def __init__(self, whole: Probes, inside: str) -> None:
        self._whole, self._inside = whole, inside

    def argument(self, place: str, obj: Object) -> Morphism:
        return self._whole.argument(f"{self._inside} {place}", obj)

    def cotangent(self, place: str, obj: Object) -> Any:
        return self._whole.cotangent(f"{self._inside} {place}", obj)

    def features(self) -> set[str]:
        return self._whole.features()


DEEP = 4
"""How far into a recursive type covectors are."""


def covector_of(obj: Object, leaf: Callable[[Object], Any], depth: int = DEEP) -> Any:
    """A covector made of those of the tensors and functions in an object."""
    product = obj.product if isinstance(obj, Sum) else components(obj)
    if product is not None:
        return tuple(covector_of(part, leaf, depth) for part in product.parts)
    match obj:
        case Vector(item, length):
            return tuple(covector_of(item, leaf, depth) for _ in range(length))
        case Mu():
            return covector_of(unfolded(obj), leaf, depth - 1) if depth else None
        case _:
            return leaf(obj)


def at_value(model: Any, probe: Any, obj: Object, value: Any) -> Any:
    """A covector at a value: of a sum ``Injected``, the covector of the alternative that it is."""
    match obj:
        case _ if probe is None or (value is None and isinstance(obj, Sum)):
            return None
        case Mu():
            return at_value(model, probe, unfolded(obj), value)
        case Sum():
            inner = at_value(model, probe[value.tag], obj.parts[value.tag], value.value)
            return Injected(value.tag, inner)
        case Fun(_, cod) if has_sums(cod):
            return [
                (argument, at_value(model, covector, cod, called(model, obj, value, argument)))
                for argument, covector in probe
            ]
    types = parts_of(obj)
    if types is None:
        return probe
    return tuple(
        at_value(model, p, part, x) for p, part, x in zip(probe, types, value, strict=True)
    )


def has_sums(obj: Object) -> bool:
    """Whether a value may hold one of a sum, outside of functions."""
    return isinstance(obj, Sum | Mu) or any(map(has_sums, parts_inside(obj)))


def has_room(obj: Object) -> bool:
    """Whether an object has a covector that is not zero."""
    match obj:
        case Tensor():
            return obj.is_smooth and obj.size > 0
        case Vector(item, length):
            return length > 0 and has_room(item)
        case Fun(_, cod):
            return has_room(cod)
        case _:
            return any(map(has_room, parts_inside(obj)))


def is_not_zero(covector: Any) -> bool:
    """Whether a covector of the kit holds a number that is not zero."""
    match covector:
        case None:
            return False
        case Literal():
            return bool(covector.array.any())
        case tuple():
            return any(map(is_not_zero, covector))
        case list():
            return any(is_not_zero(cotangent) for _, cotangent in covector)
        case _:
            return True


Element = Callable[[Object, Literal], Any]
"""From an object and one of its literals to a point."""


class Elements(Functions):
    """Global elements as functions of ``()``; what a literal is the model says, or NumPy.

    >>> from combinators.morphisms import Constant, interpret, prod
    >>> from combinators.objects import Unit
    >>> pair = prod(Unit, Constant(Unit, Literal(1.0)), Constant(Unit, Literal([2, 3])))
    >>> interpret(pair, Elements(None))(())
    (np.float64(1.0), array([2, 3]))
    """

    def __init__(self, element: Element | None) -> None:
        """``element``, where the model has one of its own."""
        self._element = element or (lambda obj, literal: literal.array[()])

    def const(self, dom: Object, value: Literal) -> Function:
        """A point of a tensor."""
        made = self._element(value.type, value)
        return lambda _: made


IF = "|"
"""Before an alternative, in the place of its tangent: where nothing is told, that is zero."""
ENVIRONMENT = "pullback(…)[0]"
"""Where a call's pullback gives the cotangent of the function that was called."""


class Difference(NamedTuple):
    """The first place where two outcomes differ."""

    place: str
    left: Any
    right: Any


def observed(model: Any, cod: Object, outcome: Any, probes: Probes) -> list[Leaf]:
    """All that can be told of an outcome, by the model's own ``observe`` or by structure."""
    own = getattr(model, "observe", None)
    if own is not None:
        return list(own(cod, outcome, probes))
    return list(leaves(model, cod, value_in(model, outcome), probes))


def leaves(
    model: Any, obj: Object, value: Any, probes: Probes, place: str = "value"
) -> Iterator[Leaf]:
    """A value by its components; a function by what it gives at arguments (extensionally).

    A value of a sum is ``Injected``; a tangent of one is zero where it is None.
    """
    product = components(obj)
    if product is not None:
        for index, (part, below) in enumerate(zip(value, product.parts, strict=True)):
            yield from leaves(model, below, part, probes, f"{place}[{index}]")
    elif isinstance(obj, Vector):
        for index, part in enumerate(value):
            yield from leaves(model, obj.item, part, probes, f"{place}[{index}]")
    elif isinstance(obj, Mu):
        yield from leaves(model, unfolded(obj), value, probes, place)
    elif isinstance(obj, Tagged):
        if value is not None:
            part = obj.parts[value.tag]
            yield from leaves(model, part, value.value, probes, place + IF + str(value.tag))
    elif isinstance(obj, Sum):
        yield f"{place}.tag", value.tag
        yield from leaves(model, obj.parts[value.tag], value.value, probes, f"{place}.value")
    elif isinstance(obj, Fun):
        yield from _calls(model, obj, value, probes, place)
    elif isinstance(obj, Tensor):
        yield place, value
    elif isinstance(obj, Space):
        yield place, getattr(value, "array", value)


def _calls(model: Any, function: Fun, value: Any, probes: Probes, place: str) -> Iterator[Leaf]:
    """What a function gives, and what its call's pullback gives of the argument.

    Equal functions may have captured different things, and so their own cotangents say nothing.
    """
    outcome = _called(model, function, value, probes.argument(place, function.dom))
    for rest, leaf in observed(model, function.cod, outcome, probes.within(f"{place}(…)")):
        if not rest.startswith(ENVIRONMENT):
            inside = rest.removeprefix("value")
            yield f"{place}(…)" + (inside if inside != rest else f".{rest}"), leaf


def _called(model: Any, function: Fun, value: Any, argument: Any) -> Any:
    given = point_of(model, argument) if isinstance(argument, Morphism) else argument
    return model.run(model.category.eval(function), (value, given))


def called(model: Any, function: Fun, value: Any, argument: Any) -> Any:
    """What a function gives of an argument, a point or a global element."""
    return value_in(model, _called(model, function, value, argument))


def point_of(model: Any, element: Any) -> Any:
    """A global element of the free category as a point: a value of the model.

    Where the model has an ``element`` of its own, or no ``const``, points are no arrows.
    """
    if hasattr(model, "element") or not hasattr(model.category, "const"):
        category: Any = Elements(getattr(model, "element", None))
        return interpret(element, category)(())
    return value_in(model, model.run(interpret(element, model.category), ()))


def value_in(model: Any, outcome: Any) -> Any:
    """The value in an outcome."""
    own = getattr(model, "value", None)
    return outcome if own is None else own(outcome)


def _together(left: list[Leaf], right: list[Leaf]) -> tuple[list[Leaf], list[Leaf]]:
    """Both with zero where the other has what is told of a tangent that is not zero alone."""
    places, others = dict(left), dict(right)
    if places.keys() == others.keys() or not any(IF in place for place in {**places, **others}):
        return left, right
    more, rest = (
        [(place, leaf * 0) for place, leaf in given.items() if IF in place and place not in known]
        for given, known in ((others, places), (places, others))
    )
    order = {place: number for number, (place, _) in enumerate([*left, *more])}
    return [*left, *more], sorted([*right, *rest], key=lambda leaf: order.get(leaf[0], len(order)))


def compare(
    left: list[Leaf],
    right: list[Leaf],
    slack: dict[str, Any] | None = None,
    epsilon: float = 0.0,
) -> tuple[Difference | None, Level]:
    """The first place where they differ, and the weakest level that was needed.

    ``slack`` is how far floats may be apart at a place, besides roundings of their own precision
    or of ``epsilon``, whichever is coarser.
    """
    level = Level.NORMAL
    left, right = _together(left, right)
    for (place, a), (elsewhere, b) in zip(left, right, strict=False):
        if place != elsewhere:
            return Difference(place, f"something at {place}", f"something at {elsewhere}"), level
        same, how = equal(a, b, 0.0 if slack is None else slack.get(place, 0.0), epsilon)
        level = max(level, how)
        if not same:
            return Difference(place, a, b), level
    if len(left) != len(right):
        longer = left if len(left) > len(right) else right
        place, leaf = longer[min(len(left), len(right))]
        return Difference(
            place, *((leaf, "nothing") if longer is left else ("nothing", leaf))
        ), level
    return None, level
