"""Random instances of a law: objects for its variables, arrows between them, and covectors."""

from __future__ import annotations

from typing import Any

from hypothesis import reject
from hypothesis import strategies as st

from combinators.errors import DomainError
from combinators.morphisms import Morphism
from combinators.objects import Fun, Object, Tensor, Unit
from laws.language import Generator
from laws.law import Law
from laws.model import Signature, signature_of
from laws.observation import Probes, covector_of
from laws.scene import Instance, Scene
from laws.strategies.arrows import FUEL, making
from laws.strategies.choices import Choices, chosen
from laws.strategies.making import linear
from laws.strategies.objects import any_object, literal

CALLS = (1, 0, 2, 3)
"""How many calls a covector of a function holds."""


def covectors(signature: Signature, obj: Object) -> st.SearchStrategy[Any]:
    """A covector at ``obj``; of a function, up to three calls.

    >>> from combinators.objects import Product, Real, Int
    >>> from hypothesis import find
    >>> find(covectors(Signature(), Product(Real, Int)), lambda w: True)
    (0, None)
    """
    return chosen(lambda choices: covector(choices, signature, obj))


def covector(choices: Choices, signature: Signature, obj: Object) -> Any:
    """One covector."""

    def leaf(obj: Object) -> Any:
        match obj:
            case Tensor():
                return literal(choices, obj) if obj.is_smooth else None
            case Fun(dom, cod):
                return [
                    (making(choices, signature).point(dom), covector(choices, signature, cod))
                    for _ in range(choices.pick(CALLS))
                ]
            case _:
                return None

    return covector_of(obj, leaf)


def instances(law: Law, signature: Signature) -> st.SearchStrategy[Instance]:
    """Choices of objects and arrows for a law, out of the programs of a ``signature``."""
    return chosen(lambda choices: _cast(choices, law, signature))


def scenes(law: Law, model: Any) -> st.SearchStrategy[Scene]:
    """A law in a model, at random."""
    signature = signature_of(model)
    special = signature.special and not law.tame

    def of(choices: Choices) -> Scene:
        own = getattr(model, "cast", None)
        try:
            instance = _cast(choices, law, signature) if own is None else own(law, choices)
        except DomainError:
            reject()
        dom = instance.obj(law.sides[0].dom) if law.sides else Unit

        def point(obj: Object) -> Morphism:
            return making(choices, signature, special=special).point(obj)

        probes = Probes(point, lambda obj: covector(choices, signature, obj))
        return Scene(law, model, instance, point(dom), probes)

    return chosen(of)


def _cast(choices: Choices, law: Law, signature: Signature) -> Instance:
    """Who plays what in a law."""
    objects = {v: any_object(choices, signature, v.kind, 1) for v in law.variables}
    alone, special = Instance(objects, {}), signature.special and not law.tame

    def arrow(generator: Generator) -> Morphism:
        dom, cod = alone.obj(generator.dom), alone.obj(generator.cod)
        if generator.sort == "point" and signature.constants:
            return making(choices, signature, special=special).point(cod)
        if generator.sort == "linear" and signature.constants:
            return linear(choices, dom, cod, choices.below(FUEL + 1))
        return making(choices, signature, fuel=FUEL, special=special).arrow(dom, cod)

    return Instance(objects, {g: arrow(g) for g in law.generators})
