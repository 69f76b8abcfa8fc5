"""Random instances of a law: objects for its variables, arrows between them, and covectors."""

from __future__ import annotations

from typing import Any

from hypothesis import reject
from hypothesis import strategies as st

from combinators.errors import DomainError
from combinators.morphisms import Morphism
from combinators.objects import Fun, Object, Tensor, Unit, Vector, components
from laws.language import Generator
from laws.law import Law
from laws.model import Signature, signature_of
from laws.observation import Probes
from laws.scene import Instance, Scene
from laws.strategies.arrows import FUEL, making
from laws.strategies.choices import Choices, Draw
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

    @st.composite
    def drawn(draw: Draw) -> Any:
        return covector(Choices(draw), signature, obj)

    return drawn()


def covector(choices: Choices, signature: Signature, obj: Object) -> Any:
    """One covector."""
    product = components(obj)
    if product is not None:
        return tuple(covector(choices, signature, part) for part in product.parts)
    match obj:
        case Tensor():
            return literal(choices, obj) if obj.is_smooth else None
        case Vector(item, length):
            return tuple(covector(choices, signature, item) for _ in range(length))
        case Fun(dom, cod):
            return [
                (making(choices, signature).point(dom), covector(choices, signature, cod))
                for _ in range(choices.pick(CALLS))
            ]
        case _:
            return None


def instances(law: Law, signature: Signature) -> st.SearchStrategy[Instance]:
    """Choices of objects and arrows for a law, out of the programs of a ``signature``."""

    @st.composite
    def drawn(draw: Draw) -> Instance:
        return _Casting(Choices(draw), law, signature).instance()

    return drawn()


def scenes(law: Law, model: Any) -> st.SearchStrategy[Scene]:
    """A law in a model, at random."""
    signature = signature_of(model)

    @st.composite
    def drawn(draw: Draw) -> Scene:
        casting = _Casting(Choices(draw), law, signature)
        own = getattr(model, "cast", None)
        try:
            instance = casting.instance() if own is None else own(law, casting.choices)
        except DomainError:
            reject()
        side = law.lhs if isinstance(law.lhs, Morphism) else law.rhs
        dom = instance.obj(side.dom) if isinstance(side, Morphism) else Unit
        probes = Probes(casting.point, lambda obj: covector(casting.choices, signature, obj))
        return Scene(law, model, instance, casting.point(dom), probes)

    return drawn()


class _Casting:
    """Who plays what in a law."""

    def __init__(self, choices: Choices, law: Law, signature: Signature) -> None:
        self.choices, self.law, self.signature = choices, law, signature
        self._special = signature.special and not law.tame

    def instance(self) -> Instance:
        chosen = {
            v: any_object(self.choices, self.signature, v.kind, 1) for v in self.law.variables
        }
        alone = Instance(chosen, {})
        return Instance(chosen, {g: self._arrow(g, alone) for g in self.law.generators})

    def point(self, obj: Object) -> Morphism:
        """A global element."""
        return making(self.choices, self.signature, special=self._special).point(obj)

    def _arrow(self, generator: Generator, instance: Instance) -> Morphism:
        dom, cod = instance.obj(generator.dom), instance.obj(generator.cod)
        if generator.sort == "point" and self.signature.constants:
            return self.point(cod)
        if generator.sort == "linear" and self.signature.constants:
            return linear(self.choices, dom, cod, self.choices.below(FUEL + 1))
        make = making(self.choices, self.signature, fuel=FUEL, special=self._special)
        return make.arrow(dom, cod)
