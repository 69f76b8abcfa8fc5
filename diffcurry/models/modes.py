"""A mode over a carrier as a model: values, and what there is to see of each kind of mode."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from combinators.literal import Literal
from combinators.objects import Object, Product, Real, Tensor, components
from combinators.operation import Operation, named
from combinators.primitives.structural import PLUS, ZEROS
from diffcurry.models.host import Host, Hosted
from diffcurry.models.ways import Way, ways_of
from interpreters.carriers.carrier import Carrier
from interpreters.carriers.numpy import NumPy
from interpreters.execution.machine import Arrow
from interpreters.execution.running import Running
from laws.comparing.equality import leaves
from laws.comparing.probes import Probes
from laws.model import Leaf, Signature, own_signature

QUIET = np.errstate(all="ignore")
"""Where infinities and nans are drawn, NumPy has nothing to warn of."""


class ModeModel:
    """A mode as a model: what arrows give, and sums of arrows."""

    def __init__(self, mode: Running) -> None:
        """Any of ``interpreters.modes``, over any carrier of numbers."""
        self.mode = mode
        self.category = Host(mode, lambda arrow, point: self.value(self.outcome(arrow, point)))

    @property
    def name(self) -> str:
        """``Pullback over Fractions``."""
        return f"{type(self.mode).__name__} over {type(self.carrier).__name__}"

    @property
    def carrier(self) -> Carrier:
        """The numbers of points and covectors."""
        return self.mode.over

    def __repr__(self) -> str:
        """Its name."""
        return f"<{self.name}>"

    @property
    def signature(self) -> Signature:
        """The carrier's own ``signature``, or the usual one; floats may be infinite, or nan."""
        own = own_signature(self.carrier)
        return own or Signature(special=isinstance(self.carrier, NumPy))

    def types(self, arrow: Hosted) -> tuple[Object, Object]:
        """The domain and the codomain."""
        return arrow.dom, arrow.cod

    @QUIET
    def run(self, arrow: Hosted, point: Any) -> Any:
        """What is to be seen of the mode's own arrows, and the value of others."""
        return arrow.at(point) if arrow.arrow is None else self.outcome(arrow.arrow, point)

    def outcome(self, arrow: Arrow, point: Any) -> Any:
        """What one of the mode's arrows gives."""
        return arrow.run(point)

    def value(self, outcome: Any) -> Any:
        """The value in an outcome."""
        return outcome

    def observe(self, cod: Object, outcome: Any, probes: Probes) -> Iterator[Leaf]:
        """The value; of a function, what it gives."""
        yield from leaves(self, cod, self.value(outcome), probes)

    def add(self, left: Hosted, right: Hosted, dom: Object, cod: Object) -> Hosted:
        """``f + g``: by the language's own ``plus``."""
        category = self.category
        both = category.prod(dom, [left, right])
        plus = category.primitive(Operation(PLUS), Product(cod, cod), cod)
        return category.compose([both, plus])

    def zero(self, dom: Object, cod: Object) -> Hosted:
        """``0``: by the language's own ``zeros``."""
        category = self.category
        zeros = category.primitive(Operation(ZEROS, (("of", cod),)), Product(), cod)
        return category.compose([category.prod(dom, []), zeros])

    def scale(self, number: Hosted, arrow: Hosted, dom: Object, cod: Object) -> Hosted:
        """``λ · f``, component by component."""

        def at(point: Any) -> Any:
            return self._scaled(number.at(point), arrow.at(point), cod)

        return Hosted(dom, cod, at)

    def _scaled(self, factor: Any, value: Any, obj: Object) -> Any:
        product = components(obj)
        if product is not None:
            pairs = zip(value, product.parts, strict=True)
            return tuple(self._scaled(factor, part, below) for part, below in pairs)
        return self._computed("multiply", (Real, obj), obj)(factor, value)

    def inner(self, left: Hosted, right: Hosted, dom: Object, obj: Object) -> Hosted:
        """``⟨f, g⟩``."""
        return Hosted(dom, Real, lambda point: self._inner(left.at(point), right.at(point), obj))

    def _inner(self, x: Any, y: Any, obj: Object) -> Any:
        total = self.carrier.const(Literal(0.0))
        product = components(obj)
        if product is not None:
            for a, b, part in zip(x, y, product.parts, strict=True):
                total = self.carrier.add(total, self._inner(a, b, part))
        elif isinstance(obj, Tensor) and obj.is_smooth:
            times = self._computed("multiply", (obj, obj), obj)(x, y)
            axes = (("axis", tuple(range(len(obj.shape)))), ("keepdims", False))
            total = self._computed("sum", (obj,), Real, axes)(times)
        return total

    def _computed(
        self,
        name: str,
        types: tuple[Object, ...],
        cod: Object,
        parameters: tuple[tuple[str, Any], ...] = (),
    ) -> Callable[..., Any]:
        return self.carrier.operation(Operation(named(name), parameters), types, cod)


class PrimalModel(ModeModel):
    """The primal mode, which programs reach by other ways too."""

    @cached_property
    def ways(self) -> dict[str, Way]:
        """Emitted Python, and formulas of SymPy."""
        return ways_of(self.carrier)
