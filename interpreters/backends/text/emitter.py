"""What a term has become, the function that is being written, and what the writer is asked for.

A backend's values are expressions, its own parts that wait until they are asked for, and the two
that stand here. Functions and cotangents are written in the same way in every backend.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from combinators.kit.recursion import Recursive
from combinators.kit.text import Names
from combinators.literal import Literal
from combinators.objects import Object, Product, Tangent, Tensor, Vector, components
from combinators.terms import Lam, Term, Var
from interpreters.backends.analysis.captures import Occurrences
from interpreters.backends.analysis.facts import UNKNOWN, LineFact, ProgramFacts
from interpreters.backends.text.layout import Assign, Bracketed, Do, Statement, Text, several
from interpreters.backends.text.module import Module, identifier, is_uniform


class Expression(Protocol):
    """One expression of a backend."""

    text: str
    type: Object


Part_co = TypeVar("Part_co", covariant=True)
Inner_co = TypeVar("Inner_co", bound=Expression, covariant=True)


@dataclass(eq=False, slots=True)
class Bundle(Generic[Part_co]):
    """A product of which the components are known apart."""

    parts: tuple[Part_co, ...]
    type: Object


@dataclass(eq=False, slots=True)
class Spread(Generic[Inner_co]):
    """A number or an array that is to be repeated to a larger shape."""

    inner: Inner_co
    type: Tensor

    @property
    def inner_shape(self) -> tuple[int, ...]:
        """The shape of what is repeated."""
        assert isinstance(self.inner.type, Tensor)
        return self.inner.type.shape


def leaf_types(objects: Iterable[Object]) -> Iterable[Object]:
    """The types that products and records are made of, each once."""
    todo, seen = list(objects), set[int]()
    while todo:
        obj = todo.pop()
        if id(obj) in seen:
            continue
        seen.add(id(obj))
        product = components(obj)
        if product is None:
            yield obj
        else:
            todo += product.parts


MOST = 256


def is_broad(obj: Object, most: int = MOST) -> bool:
    """Whether a type has too many parts to be written out as the tree that it is."""
    todo, count = [obj], 0
    while todo and count < most:
        product = components(todo.pop())
        count += 1
        if product is not None:
            todo += product.parts
    return count >= most


V = TypeVar("V")
"""The values of a backend."""
L = TypeVar("L", bound=Expression)
"""Those of them that are one expression."""


class Frame(ABC, Generic[V, L]):
    """The state of writing one function."""

    def __init__(self, names: Names) -> None:
        """Its variables have new ones of ``names``."""
        self.names = names
        self.body: list[Statement] = []
        self.depth = 0
        self.env: dict[str, V] = {}
        self._known: list[dict[int, tuple[V, L]]] = [{}]

    @abstractmethod
    def named(self, leaf: L, wish: str = "t") -> L:
        """The same value under a name, or as a number."""

    def fresh(self, wish: str) -> str:
        """A new local name."""
        return self.names.fresh(identifier(wish))

    def assign(self, text: Text, wish: str) -> str:
        """A statement, and the name of what it gives."""
        name = self.fresh(wish)
        self.body.append(Assign((name,), text))
        return name

    def do(self, text: Text, before: str = "") -> None:
        """A statement for its effect."""
        self.body.append(Do(text, before))

    def unnamed(self, text: Text) -> Text:
        """What ends the function: what was named last needs no name there."""
        last = self.body[-1] if self.body else None
        if isinstance(last, Assign) and last.targets == (text,):
            self.body.pop()
            return last.text
        return text

    def argument(self, leaf: L) -> str:
        """The text that is given to a function."""
        return leaf.text

    @contextmanager
    def block(self) -> Iterator[list[Statement]]:
        """Write into a block of its own, inside the one that is being written."""
        outside, self.body = self.body, []
        self.depth += 1
        self._known.append({})
        try:
            yield self.body
        finally:
            self._known.pop()
            self.depth -= 1
            self.body = outside

    def find(self, value: V) -> L | None:
        """The leaf that was made of ``value`` before, where it can be seen from here."""
        for known in reversed(self._known):
            if id(value) in known:
                return known[id(value)][1]
        return None

    def remember(self, value: V, leaf: L) -> L:
        """Note the leaf that was made of ``value``."""
        self._known[-1][id(value)] = value, leaf
        return leaf


F = TypeVar("F", bound=Frame[Any, Any])
"""The frames of a backend."""


class Emitter(ABC, Generic[V, L, F]):
    """Writes the functions of one program into a module."""

    def __init__(self, module: Module, survey: Occurrences, lines: ProgramFacts) -> None:
        """The functions of the program that was surveyed, and of which these lines are known."""
        self.module, self.captured, self.lines = module, dict(survey.captured), lines
        self.functions: dict[int, str] = {}
        self._times = survey.times
        self._kept: list[Term] = []

    @abstractmethod
    def value(self, term: Term, at: F, wish: str = "t") -> Recursive[V]:
        """The value of a term, after the statements that compute it."""

    @abstractmethod
    def expression(self, text: str, obj: Object) -> L:
        """An expression of which nothing else is to be noted."""

    def opaque(self, obj: Object, text: str) -> L:
        """What a parameter or a call gives, of which nothing is known."""
        return self.expression(text, obj)

    @abstractmethod
    def number_of(self, number: Any, obj: Tensor) -> L:
        """A number of the element type of ``obj``."""

    @abstractmethod
    def constant(self, literal: Literal) -> L:
        """An array that stands at the top of the module."""

    @abstractmethod
    def component(self, whole: V, index: int, obj: Object) -> V:
        """A component of a product or a vector."""

    @abstractmethod
    def leaf(self, value: V, at: F, wish: str = "t") -> Recursive[L]:
        """The value as one expression."""

    @abstractmethod
    def define(self, name: str, function: Lam) -> Recursive[None]:
        """Write a λ at the top of the module; what it captures is given first."""

    def bundle(self, parts: tuple[V, ...], obj: Object) -> Bundle[V]:
        """A product of known parts."""
        return Bundle(parts, obj)

    def is_once(self, function: Lam) -> bool:
        """Whether a λ stands in one place only, where it may be written out."""
        return self._times[id(function)] <= 1

    def line(self, term: Term) -> LineFact:
        """What is known of a primitive."""
        return self.lines.of.get(id(term), UNKNOWN)

    def keep(self, function: Lam, captured: tuple[Var, ...]) -> Lam:
        """A λ of ours; it is kept, as nodes are known by their ids."""
        self._kept.append(function)
        self.captured[id(function)] = captured
        return function

    def literal(self, literal: Literal) -> L | Spread[L]:
        """A number, an array of one number, or an array that stands at the top of the module."""
        obj, array = literal.type, literal.array
        if not obj.shape:
            return self.number_of(array.item(), obj)
        if array.size and is_uniform(array):
            return Spread(self.number_of(array.flat[0].item(), obj), obj)
        return self.constant(literal)


FEW = 3
"""Of how many components a result is taken apart where it is given."""


def is_apart(obj: Object) -> bool:
    """Whether a function of ``obj`` takes an argument a component."""
    return isinstance(obj, Product) and obj.width != 1


def as_it_is(text: Text) -> Text:
    """A tuple that is returned needs no parentheses."""
    if isinstance(text, Bracketed) and text.open == "(" and len(text.items) > 1:
        return several(text.items)
    return text


def defined(emitter: Emitter[V, L, F], function: Lam, wish: str) -> Recursive[str]:
    """The name of the function at the top of the module that a λ is."""
    if id(function) not in emitter.functions:
        name = emitter.module.fresh(function.name or wish)
        emitter.functions[id(function)] = name
        yield emitter.define(name, function)
    return emitter.functions[id(function)]


def parameters(
    emitter: Emitter[V, L, F], captured: Iterable[Var], params: tuple[Var, ...], at: F
) -> tuple[str, ...]:
    """The parameters of a function that is written into ``at``, what it captures first."""
    names = []
    for var in (*captured, *params):
        names.append(at.fresh(var.name))
        at.env[var.name] = emitter.opaque(var.type, names[-1])
    if len(params) == 1 and is_apart(params[0].type):
        names[-1] = f"*{names[-1]}"
    return tuple(names)


def matched(emitter: Emitter[V, L, F], params: tuple[Var, ...], argument: V) -> list[tuple[Var, V]]:
    """The parameters of a λ that is written out, and what each is of its argument."""
    if len(params) == 1:
        return [(params[0], argument)]
    return [(x, emitter.component(argument, i, x.type)) for i, x in enumerate(params)]


def passed(
    emitter: Emitter[V, L, F], captured: Iterable[tuple[str, V]], at: F
) -> Recursive[list[Text]]:
    """What a function captures, as arguments."""
    texts: list[Text] = []
    for name, value in captured:
        leaf: L = yield emitter.leaf(value, at, name)
        texts.append(at.named(leaf, name).text)
    return texts


def arguments(emitter: Emitter[V, L, F], x: V, dom: Object, at: F) -> Recursive[list[Text]]:
    """The argument of a function, as Python's arguments."""
    leaf: L
    if not is_apart(dom):
        leaf = yield emitter.leaf(x, at)
        return [at.argument(leaf)]
    if not isinstance(x, Bundle):
        leaf = yield emitter.leaf(x, at)
        return [f"*{at.named(leaf).text}"]
    texts: list[Text] = []
    for part in x.parts:
        leaf = yield emitter.leaf(part, at)
        texts.append(at.argument(leaf))
    return texts


def given_back(
    text: Text, obj: Object, at: Frame[Any, L], wish: str, leaf: Callable[[Object, str], L]
) -> L | Bundle[L]:
    """What a call gives, under names; a product of few components is taken apart."""
    if not isinstance(obj, Product) or not 1 < obj.width <= FEW:
        return leaf(obj, at.assign(text, wish))
    names = tuple(at.fresh(f"{wish}_{i}") for i in range(obj.width))
    at.body.append(Assign(names, text))
    return Bundle(tuple(map(leaf, obj.parts, names)), obj)


Made: TypeAlias = dict[tuple[int, int], V]
"""The sums that have been made, by the ids of what was added."""
AsOne: TypeAlias = Callable[[V, V, Object], Recursive[V | None]]
"""The sum of two values that is written as one; None where it is one by components."""


def zeros(emitter: Emitter[V, L, F], obj: Object, at: F, made: dict[int, V]) -> Recursive[V]:
    """The zero of a type; equal parts are made once. That of ``Tangent`` is None."""
    if id(obj) not in made:
        made[id(obj)] = yield _zero(emitter, obj, at, made)
    return made[id(obj)]


def _zero(
    emitter: Emitter[V, L, F], obj: Object, at: F, made: dict[int, V]
) -> Recursive[L | Spread[L] | Bundle[V]]:
    product = components(obj)
    if product is not None:
        parts: list[V] = []
        for part in product.parts:
            parts.append((yield zeros(emitter, part, at, made)))
        return emitter.bundle(tuple(parts), obj)
    if isinstance(obj, Tensor):
        number = emitter.number_of(0.0 if obj.is_smooth else 0, obj)
        return Spread(number, obj) if obj.shape else number
    if isinstance(obj, Vector):
        item: V = yield zeros(emitter, obj.item, at, made)
        leaf: L = yield emitter.leaf(item, at)
        text = f"({at.named(leaf).text},) * {obj.length}"
        return emitter.expression(at.assign(text, "zeros"), obj)
    return emitter.expression("None", Tangent)


def plus(
    emitter: Emitter[V, L, F], x: V, y: V, obj: Object, as_one: AsOne[V], made: Made[V]
) -> Recursive[V]:
    """The sum of two cotangents of one type; of parts that are shared, once."""
    whole: V | None = yield as_one(x, y, obj)
    if whole is not None:
        return whole
    key = id(x), id(y)
    if key not in made:
        made[key] = yield _by_components(emitter, x, y, obj, as_one, made)
    return made[key]


def _by_components(
    emitter: Emitter[V, L, F], x: V, y: V, obj: Object, as_one: AsOne[V], made: Made[V]
) -> Recursive[Bundle[V]]:
    product = components(obj)
    assert product is not None
    parts: list[V] = []
    for index, part in enumerate(product.parts):
        left, right = (emitter.component(z, index, part) for z in (x, y))
        parts.append((yield plus(emitter, left, right, part, as_one, made)))
    return emitter.bundle(tuple(parts), obj)


def are_added_apart(x: object, y: object, obj: Object) -> bool:
    """Whether the sum of two values of a type is written by components."""
    if components(obj) is None:
        return False
    return not is_broad(obj) or (isinstance(x, Bundle) and isinstance(y, Bundle))
