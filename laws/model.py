"""What the kit sees of an interpreter: four small protocols, each claimed by having its methods.

==================  ============================================  ===============================
protocol            methods                                       gives
==================  ============================================  ===============================
``Interpreting``    ``category``                                  arrows, one method a combinator
``Running``         ``run(arrow, point)``                         what an arrow gives at a point
``Observing``       ``observe(cod, outcome, probes)``             what can be told of an outcome
``Deriving``        ``D(arrow, dom, cod)``, ``R(…)``              derivatives, as arrows again
==================  ============================================  ===============================

Only the first two are needed. A class that has combinators and ``run`` is its own category, and so
a whole model is often one small class. Whatever is no model is made one by an adapter
(``adapts``): interpreters, carriers and primitives have theirs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from combinators.category import Category
from combinators.errors import TypeMismatch
from combinators.morphisms import Morphism
from combinators.objects import Object
from laws.comparing.probes import Probes

M = TypeVar("M")
Leaf = tuple[str, Any]
"""Where in an outcome something stands, and what stands there."""


class Interpreting(Protocol[M]):
    """It has arrows."""

    @property
    def category(self) -> Category[M]:
        """The combinators that it interprets; as many as it claims."""
        ...


class Running(Interpreting[M], Protocol[M]):
    """Its arrows do something at a point: a value of the domain."""

    def run(self, arrow: M, point: Any) -> Any:
        """The outcome at ``point``, a value; ``()`` is that of Unit, tuples those of products."""
        ...


class Observing(Running[M], Protocol[M]):
    """It says what can be told of an outcome."""

    def value(self, outcome: Any) -> Any:
        """The value in an outcome, which may be a point of the next arrow."""
        ...

    def observe(self, cod: Object, outcome: Any, probes: Probes) -> Iterator[Leaf]:
        """What there is to compare: numbers and arrays, each with its place."""
        ...


class Deriving(Running[M], Protocol[M]):
    """Its arrows have derivatives, which are arrows again."""

    def D(self, arrow: M, dom: Object, cod: Object) -> M:
        """``D[f] : A × T A → T B``."""
        ...

    def R(self, arrow: M, dom: Object, cod: Object) -> M:
        """``R[f] : A × T B → T A``."""
        ...


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
    vectors: bool = False
    """Of functions, as ``Vector(Real ⇒ Real, 3)``."""
    constants: bool = True
    products: bool = True
    lets: bool = True
    """Whether contexts are extended."""
    own: Callable[[Object, Object], Any] | None = None
    """Arrows of the model's own: a strategy of them from one object to another, or None.

    ``laws.models.own.own`` makes one.
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


OURS = "; of interpreters, carriers and primitives `from diffcurry import laws` makes models"
"""What there is to say as long as nobody has registered an adapter."""
Adapter = Callable[[Any], Any]
_ADAPTERS: list[tuple[Callable[[Any], bool], Adapter]] = []


def adapts(recognises: Callable[[Any], bool]) -> Callable[[Adapter], Adapter]:
    """Register what makes a model of the things that ``recognises`` is true of; the last wins."""

    def register(adapter: Adapter) -> Adapter:
        _ADAPTERS.insert(0, (recognises, adapter))
        return adapter

    return register


def model_of(thing: Any) -> Any:
    """``thing`` as a model: itself, its own instance, or what an adapter makes of it.

    A class and a function are called, without arguments. It raises ``TypeMismatch`` where ``thing``
    has neither combinators nor an adapter, or declares what makes no sense.
    """
    from laws.asking.declared import insist

    model = _adapted(thing)
    insist(model)
    return model


def _adapted(thing: Any) -> Any:
    for recognises, adapter in _ADAPTERS:
        if recognises(thing):
            return adapter(thing)
    if isinstance(thing, type) or inspect.isroutine(thing):
        return _adapted(made(thing))
    if callable(getattr(thing, "run", None)):
        if hasattr(thing, "category"):
            return thing
        if callable(getattr(thing, "compose", None)):
            return Alone(thing)
    raise TypeMismatch(
        f"{thing!r:.60} is no model: it has no run(arrow, point) and no combinators (identity, "
        f"compose, …); docs/laws.md says what a model is{'' if _ADAPTERS else OURS}"
    )


def made(maker: Callable[..., Any]) -> Any:
    """What a class or a function without arguments gives; ``TypeMismatch`` where it needs some."""
    try:
        parameters = list(inspect.signature(maker).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    optional = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    needed = [p.name for p in parameters if p.default is p.empty and p.kind not in optional]
    if needed:
        name = getattr(maker, "__name__", repr(maker))
        raise TypeMismatch(
            f"{name} takes arguments ({', '.join(needed)}); name a function that takes none, such "
            f"as `def mine(): return {name}(…)`, or, in Python, pass {name}(…) itself"
        )
    return maker()


class Alone:
    """A category that runs its own arrows."""

    def __init__(self, category: Any) -> None:
        self.category = category

    def __getattr__(self, name: str) -> Any:
        return getattr(self.category, name)

    def __repr__(self) -> str:
        return repr(self.category)


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
    return replace(
        found,
        operations=found.operations if products and primitives else {},
        arrays=found.arrays and products and primitives,
        integers=found.integers and (primitives or declared is not None),
        functions=found.functions and functions,
        conditionals=found.conditionals and _has(category, "cond", "const") and primitives,
        loops=found.loops and functions and primitives,
        records=found.records and products,
        constants=found.constants and _has(category, "const"),
        products=found.products and products,
        lets=found.lets and products and _has(category, "extend"),
    )


def _has(category: Any, *names: str) -> bool:
    return all(callable(getattr(category, name, None)) for name in names)


def ways_of(model: Any) -> Mapping[str, Callable[[Morphism], Any]]:
    """The ways from programs to arrows of the model, by name: every category's, and its own."""
    from laws.models.ways import ways_in

    return {**ways_in(model.category), **getattr(model, "ways", {})}
