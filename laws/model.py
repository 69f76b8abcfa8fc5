"""What the kit sees of an interpreter, each claimed by having its methods.

================================  =============================================================
``category``                      arrows, one method a combinator (``combinators.morphisms``)
``run(arrow, point)``             what an arrow gives at a point of its domain, a value: ``()``
                                  of Unit, tuples of products
``value(outcome)``                the value in that, which may be a point of the next arrow
``observe(cod, outcome, probes)`` what can be told of it: numbers and arrays, each with its place
``D(arrow, dom, cod)``            ``D[f] : A × T A → T B``, an arrow again
``R(arrow, dom, cod)``            ``R[f] : A × T B → T A``
================================  =============================================================

Only the first two are needed. A class that has combinators and ``run`` is its own category, and so
a whole model is often one small class. Whatever is no model is made one by an adapter
(``adapts``): interpreters, carriers and primitives have theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from combinators.errors import TypeMismatch
from combinators.morphisms import Morphism
from combinators.objects import Object
from laws.writing import ways_in


@dataclass(frozen=True)
class Signature:
    """Which programs a model is asked about: generated arrows hold nothing else.

    ``operations`` are pointwise primitives with their number of arguments. What is False or empty
    is not generated.
    """

    operations: Mapping[str, int] = field(
        default_factory=lambda: {"add": 2, "subtract": 2, "multiply": 2, "negative": 1}
    )
    shapes: tuple[tuple[int, ...], ...] = ((), (1,), (3,), (2, 2), (0,))
    """Of the tensors; ``()`` are numbers."""
    arrays: bool = True
    """Whether ``sum``, ``matmul``, ``reshape`` and their kin are known."""
    integers: bool = True
    functions: bool = True
    conditionals: bool = True
    loops: bool = True
    records: bool = True
    sums: bool = False
    """Whether ``inject`` and its kin are known: sums, and ``case``."""
    recursion: bool = False
    """Whether ``fix`` is known besides, and recursive types, such as lists."""
    vectors: bool = False
    """Of functions, as ``Vector(Real ⇒ Real, 3)``."""
    constants: bool = True
    products: bool = True
    lets: bool = True
    """Whether contexts are extended."""
    own: Callable[[Object, Object], Any] | None = None
    """Arrows of the model's own: a strategy of them from one object to another, or None.

    ``laws.free.own`` makes one.
    """
    extra: tuple[Object, ...] = ()
    """Objects of its own, besides, as ``Tensor((2,), "float32")``."""
    special: bool = False
    """Whether points hold infinities, nan and signed zeros where a law allows them."""

    def __post_init__(self) -> None:
        """Raise ``TypeMismatch`` for what no program could be drawn from."""
        if not isinstance(self.operations, Mapping):
            raise TypeMismatch(f"operations are as {{'add': 2}}, not {self.operations!r:.60}")
        shapes: Any = self.shapes
        for shape in shapes:
            if not isinstance(shape, tuple) or not all(isinstance(extent, int) for extent in shape):
                raise TypeMismatch(f"a shape is a tuple of whole numbers, as (3,), not {shape!r}")


def name_of(model: Any) -> str:
    """How reports call a model: its ``name``, or that of its class."""
    name = getattr(model, "name", None)
    if isinstance(name, str):
        return name
    return type(getattr(model, "category", model)).__name__


def own_signature(thing: Any) -> Signature | None:
    """The ``signature`` that a model or a carrier declares; ``TypeMismatch`` where it is none."""
    found = getattr(thing, "signature", None)
    if found is None or isinstance(found, Signature):
        return found
    brackets = "; write laws.Signature(), with brackets" if found is Signature else ""
    raise TypeMismatch(
        f"the signature of {name_of(thing)} is {found!r:.60}, and no laws.Signature{brackets}"
    )


def signature_of(model: Any) -> Signature:
    """The model's ``signature``, or the usual one, as far as its category has the combinators."""
    declared = own_signature(model)
    found = declared or Signature()
    category = getattr(model, "category", model)
    if not _has(category, "compose"):
        return found
    products, primitives = _has(category, "prod", "proj"), _has(category, "primitive")
    functions = products and _has(category, "curry", "eval")
    conditionals = _has(category, "cond", "const") and primitives
    return replace(
        found,
        operations=found.operations if products and primitives else {},
        arrays=found.arrays and products and primitives,
        integers=found.integers and (primitives or declared is not None),
        functions=found.functions and functions,
        conditionals=found.conditionals and conditionals,
        loops=found.loops and functions and primitives,
        sums=found.sums and primitives and conditionals,
        recursion=found.recursion and functions and primitives and conditionals,
        records=found.records and products,
        constants=found.constants and _has(category, "const"),
        products=found.products and products,
        lets=found.lets and products and _has(category, "extend"),
    )


def _has(category: Any, *names: str) -> bool:
    return all(callable(getattr(category, name, None)) for name in names)


def ways_of(model: Any) -> Mapping[str, Callable[[Morphism], Any]]:
    """The ways from programs to arrows of the model, by name: every category's, and its own."""
    return {**ways_in(model.category), **getattr(model, "ways", {})}
