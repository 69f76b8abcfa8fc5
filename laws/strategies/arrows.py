"""Random well-typed arrows: identities, projections and constants first, loops last.

Points are arrows from Unit, and terms are those of arrows, so that all shrink alike.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from combinators.morphisms import Morphism
from combinators.objects import Bool, Object, Real, Tensor, Unit
from combinators.terms import Lam, packed
from laws.model import Signature
from laws.strategies import arrays
from laws.strategies.arrays import folded, mapped, reduced, scanned
from laws.strategies.cases import cased, counted_down, down_a_list
from laws.strategies.choices import Choices, chosen
from laws.strategies.making import POINT_FUEL, Making, Way, called, choice, compared, given, shared
from laws.strategies.making import linear as linear_map
from laws.writing import term_of_several as term_of

FUEL = 4
"""How many ways to larger arrows are gone at most in one arrow."""


def arrows(
    signature: Signature,
    dom: Object,
    cod: Object,
    *,
    fuel: int = FUEL,
    special: bool = False,
    plain: bool = False,
    linear: bool = False,
) -> st.SearchStrategy[Morphism]:
    """Arrows ``dom → cod`` of the programs in ``signature``.

    ``special`` constants hold infinities and nans; ``plain`` arrows hold no operations outside λs,
    as points; ``linear`` ones are linear maps between vectors.

    >>> from combinators.objects import Product, Real
    >>> from hypothesis import find
    >>> find(arrows(Signature(), Product(Real, Real), Real), lambda f: True)
    π0
    """

    def of(choices: Choices) -> Morphism:
        if linear:
            return linear_map(choices, dom, cod, choices.below(fuel + 1))
        make = making(choices, signature, fuel=fuel, special=special)
        return make.point(cod) if plain else make.arrow(dom, cod)

    return chosen(of)


def points(
    signature: Signature, obj: Object, *, special: bool = False
) -> st.SearchStrategy[Morphism]:
    """Global elements ``1 → A``: constants, tuples and closed functions.

    >>> from combinators.objects import Fun, Real
    >>> from hypothesis import find
    >>> find(points(Signature(), Fun(Real, Real)), lambda element: True)
    curry(π0)
    """
    return arrows(signature, Unit, obj, fuel=2, special=special, plain=True)


def making(
    choices: Choices, signature: Signature, *, fuel: int = POINT_FUEL, special: bool = False
) -> Making:
    """The making of one arrow, with up to so much ``fuel``."""
    given = choices.below(fuel) + 1 if is_whole(signature) else choices.below(fuel + 1)
    return Making(choices, signature, ways_into, fuel=given, special=special)


def ways_into(make: Making, cod: Object) -> list[Way]:
    """The ways to an arrow into ``cod``, the likely ones more than once, the simplest first."""
    has = make.signature
    ways: list[Way] = []
    if isinstance(cod, Tensor):
        ways += [arrays.pointwise] * 3 if has.operations and cod.is_smooth else []
        ways += [compared] * 2 if has.operations and cod is Bool else []
        ways += _array_ways(cod) if has.arrays else []
    ways += [shared] if has.lets else []
    ways += [given] * 3 if has.own else []
    ways += [called] * 2 if has.functions else []
    ways += [choice] * 2 if has.conditionals and has.operations else []
    ways += [folded] * 2 if has.loops else []
    ways += [cased] * 3 if has.sums else []
    ways += [down_a_list, counted_down] if has.recursion and has.constants else []
    if isinstance(cod, Tensor) and cod.shape and has.loops:
        ways += [scanned, mapped]
    return [*ways, *(_further_ways(make, cod) if is_whole(has) else ())]


def is_whole(has: Signature) -> bool:
    """Whether there are so many forms that each has to be favoured to be in a third of arrows."""
    return has.recursion and has.loops and has.constants


def _further_ways(make: Making, cod: Object) -> list[Way]:
    has = make.signature
    if not isinstance(cod, Tensor):
        return [counted_down, folded]
    if cod is Real and {"add", "multiply"} <= {*has.operations}:
        return [down_a_list, counted_down, reduced, *[counted_down, folded, reduced, reduced] * 2]
    many = 3 if cod.shape and has.arrays else 2
    return [*[down_a_list, counted_down] * (many - 1), *[counted_down, folded] * many]


def _array_ways(cod: Tensor) -> list[Way]:
    ways: list[Way] = [arrays.summed] if cod.is_smooth and len(cod.shape) < 2 else []
    ways += [arrays.reshaped] if cod.shape else []
    ways += [arrays.spread, arrays.joined, arrays.cut, arrays.taken] * 2 if cod.shape else []
    ways += [arrays.transposed] if len(cod.shape) > 1 else []
    ways += [arrays.multiplied] if cod.is_smooth and len(cod.shape) > 1 else []
    return ways


def terms(
    signature: Signature,
    params: Sequence[Object],
    cod: Object,
    *,
    fuel: int = FUEL,
    special: bool = False,
) -> st.SearchStrategy[Lam]:
    """Closed λs of parameters of these types, which give a ``cod``.

    >>> from combinators.objects import Real
    >>> from hypothesis import find
    >>> find(terms(Signature(), (Real, Real), Real), lambda e: True)
    λ(x, y). x
    """
    dom = packed(tuple(params))
    drawn = arrows(signature, dom, cod, fuel=fuel, special=special)
    return drawn.map(lambda arrow: term_of(arrow, params))
