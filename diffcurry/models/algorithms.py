"""Our algorithms, side by side: one gradient by every mode, and by the programs they write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

import numpy as np

from combinators.literal import Literal
from combinators.morphisms import Morphism, interpret
from combinators.objects import Object, Tensor, components
from interpreters.carriers.carrier import Carrier
from interpreters.modes.delta import Deltas
from interpreters.modes.dependent import Dependent
from interpreters.modes.primal import Primal
from interpreters.modes.pullback import Pullback
from interpreters.modes.pushforward import Pushforward
from interpreters.reverse import Reverse
from interpreters.tangents.dense import dense, sparse

Form = Callable[[Any], Reverse | Deltas]


def gradients(
    carrier: Carrier, program: Morphism, point: Any, covector: Any
) -> dict[str, Iterator[Any]]:
    """``R[f](a, w)`` of an arrow between vectors, its numbers in order."""
    modes: tuple[Reverse | Deltas, ...] = (Dependent(carrier), Pullback(carrier), Deltas(carrier))
    found = {
        type(mode).__name__: _elements(
            carrier, _pulled(carrier, mode, program, point, covector), program.dom
        )
        for mode in modes
    }
    found["Pushforward"] = _by_forward(carrier, program, point, covector)
    forms: dict[str, Form] = {"program": Dependent, "delta program": Deltas}
    for name, form in forms.items():
        pulled = _by_program(carrier, form, program, point, covector)
        found[name] = _elements(carrier, pulled, program.dom)
    return found


def _pulled(
    carrier: Carrier, mode: Reverse | Deltas, program: Morphism, point: Any, covector: Any
) -> Any:
    pulled = mode.rep(interpret(program, mode), point)[1](sparse(covector, program.cod))
    return dense(carrier, pulled, program.dom)


def _by_program(carrier: Carrier, form: Form, program: Morphism, point: Any, covector: Any) -> Any:
    from diffcurry.models.programs import Programs

    gradient = Programs(carrier, form).R(program, program.dom, program.cod)
    return interpret(gradient, Primal(carrier)).run((point, covector))


def _by_forward(carrier: Carrier, program: Morphism, point: Any, covector: Any) -> Iterator[Any]:
    """A number of the gradient for each basis vector."""
    mode = Pushforward(carrier)
    arrow = interpret(program, mode)
    weights = list(_elements(carrier, covector, program.cod))
    for vector in _basis(carrier, program.dom):
        tangent = _filled(carrier, mode.push(arrow, point, vector)[1], program.cod)
        moved = list(_elements(carrier, tangent, program.cod))
        products = (x * y for x, y in zip(moved, weights, strict=True))
        yield reduce(carrier.add, products, carrier.const(Literal(0.0)))


def _filled(carrier: Carrier, tangent: Any, obj: Object) -> Any:
    product = components(obj)
    if product is None:
        return dense(carrier, tangent, obj)
    parts = tangent or (None,) * product.width
    return tuple(_filled(carrier, t, part) for t, part in zip(parts, product.parts, strict=True))


def _elements(carrier: Carrier, value: Any, obj: Object) -> Iterator[Any]:
    product = components(obj)
    if product is not None:
        for part, below in zip(value, product.parts, strict=True):
            yield from _elements(carrier, part, below)
    else:
        yield from np.asarray(value).flat


def _basis(carrier: Carrier, obj: Object) -> Iterator[Any]:
    """The unit vectors."""
    product = components(obj)
    if product is not None:
        for at, part in enumerate(product.parts):
            for unit in _basis(carrier, part):
                yield tuple(unit if i == at else None for i in range(product.width))
    elif isinstance(obj, Tensor):
        for index in np.ndindex(obj.shape):
            one = np.zeros(obj.shape, dtype=obj.dtype)
            one[index] = 1
            yield carrier.const(Literal(one))
