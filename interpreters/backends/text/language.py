"""What a language that programs are written in says for itself, and what all of them share.

A language has numbers and arrays of its own, and a handful of forms: a conditional, a loop, a
function value. Names, statements, blocks and tuples are Python's in all of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, NamedTuple

from combinators.kit.recursion import Recursive, Step
from combinators.literal import Literal
from combinators.objects import Mu, Object, Sum, Tensor, components
from combinators.primitives.structural import FIX
from combinators.primitives.sums import SUMS
from combinators.terms import Cond, Lam, Prim, Term, Tuple, Var
from interpreters.backends.analysis.captures import OFTEN, Occurrences, VariableUses
from interpreters.backends.analysis.facts import LineFact, ProgramFacts
from interpreters.backends.text.layout import (
    ATOM,
    Assign,
    Bracketed,
    Do,
    Statement,
    Text,
    call,
    flat,
    several,
    tuple_of,
)
from interpreters.backends.text.leaves import (
    Buffer,
    Bundle,
    CapturedLam,
    Leaf,
    Listed,
    Placed,
    Spread,
    Value,
    bundle,
    held,
    is_broad,
    share,
)
from interpreters.backends.text.module import Module, as_range, identifier, is_uniform


class Compound(NamedTuple):
    """Several primitives that a language has as one, or that are quicker as one."""

    args: tuple[Term, ...]
    write: Callable[[Any, Sequence[Value], str], Value]


class Frame:
    """The state of writing one function."""

    def __init__(self, module: Module, body: Term) -> None:
        """Its variables have names that nothing in ``module`` has."""
        self.names = module.local_names()
        self.body: list[Statement] = []
        self.depth = self.rounds = 0
        """How many blocks, and how many loops, stand around what is written."""
        self.env: dict[str, Value] = {}
        self.known: list[dict[int, tuple[Value, Leaf]]] = [{}]
        """What leaf was made of a value, by blocks."""
        self.uses = VariableUses(body, {})
        self.spare: list[dict[Tensor, list[tuple[str, Buffer]]]] = [{}]
        """The buffers of each block that nothing looks at any more."""
        self.chosen: list[str] = []
        """The variables that conditionals have given values to."""


class Language(ABC):
    """The functions of one program, while they are written into a module."""

    backend: ClassVar[str]
    decorator: ClassVar[str] = ""
    """What stands above a function of arrays."""
    inlined_tuple: ClassVar[int] = 0
    """How long a tuple is that stands inside another expression."""

    def __init__(
        self,
        module: Module,
        survey: Occurrences,
        lines: ProgramFacts,
        *,
        careful: bool = False,
        absorbs: bool = True,
    ) -> None:
        """The functions of the program that was surveyed, and of which these lines are known.

        ``careful`` code never raises; where it ``absorbs``, products hide zeros by themselves.
        """
        self.module, self.captured, self.lines = module, dict(survey.captured), lines
        self.careful, self.absorbs = careful, absorbs
        self.raises = self.warns = False
        self.deep: list[str] = []
        """The functions that may call themselves, or each other, deeply."""
        self.recurses = FIX in survey.operations
        self.has_sums = any(operation.primitive in SUMS for operation in survey.operations)
        self.at = Frame(module, Tuple(()))
        self._functions: dict[int, str] = {}
        self.survey = survey
        self._written: set[int] = set()
        self.kept: list[Term] = []
        """Terms that were made while writing: nodes are known by their ids."""
        self._outlines: dict[int, tuple[Lam, Term]] = {}
        self.zero_values: dict[int, Value] = {}

    # What a language has of its own.

    @abstractmethod
    def number_of(self, value: Any, obj: Tensor) -> Leaf:
        """A number of the element type of ``obj``."""

    @abstractmethod
    def elements(
        self, name: str, args: Sequence[Leaf], cod: Tensor, wish: str, line: LineFact
    ) -> Leaf:
        """An elementwise primitive, of numbers or of arrays."""

    @abstractmethod
    def sum(self, x: Value, y: Value, obj: Tensor, wish: str) -> Value:
        """The sum of two tensors, which may be zero but in some places."""

    @abstractmethod
    def placed(self, term: Prim, args: Sequence[Value]) -> Value:
        """What is put, or embedded, into zeros."""

    @abstractmethod
    def checked(self, term: Prim, args: Sequence[Value], wish: str) -> Value:
        """The first argument, where a check of it holds."""

    @abstractmethod
    def arrays(self, term: Prim, args: Sequence[Value], wish: str) -> Value:
        """Another primitive of arrays."""

    @abstractmethod
    def made(self, value: Spread | Placed, wish: str) -> Leaf:
        """The array that waited."""

    def compound(self, term: Prim) -> Compound | None:
        """Several primitives that are written as one; None where ``term`` is one like others."""
        return None

    @abstractmethod
    def closure(self, known: CapturedLam, wish: str) -> Recursive[Leaf]:
        """A function value."""

    @abstractmethod
    def choice(self, term: Cond, wish: str) -> Recursive[Value]:
        """A conditional; only the branch that is taken is computed."""

    @abstractmethod
    def recursive(self, term: Prim, wish: str) -> Recursive[Value]:
        """A function that calls itself."""

    def in_place(self, fixed: Prim, argument: Term, wish: str) -> Step[Value | None]:
        """What a function that calls itself gives, where a loop does without it; else None."""
        return None

    @abstractmethod
    def loop(self, term: Prim, wish: str) -> Recursive[Value]:
        """A loop; of no rounds, what it starts from."""

    @abstractmethod
    def of_sum(self, term: Prim, x: Value, wish: str) -> Recursive[Value]:
        """What makes or opens a value of a sum or of a recursive type."""

    @abstractmethod
    def zero_of_sum(self, obj: Sum) -> Step[Value]:
        """The tangent of a sum that is zero, whatever the alternative."""

    # The function that is being written.

    @contextmanager
    def function(self, body: Term) -> Iterator[None]:
        """Write another function."""
        outside, self.at = self.at, Frame(self.module, body)
        self.at.uses = VariableUses(body, self.captured)
        yield
        self.at = outside

    @contextmanager
    def block(self) -> Iterator[list[Statement]]:
        """Write into a block of its own, inside the one that is being written."""
        at, outside = self.at, self.at.body
        at.body = []
        at.depth += 1
        at.known.append({})
        at.spare.append({})
        yield at.body
        at.spare.pop()
        at.known.pop()
        at.depth -= 1
        at.body = outside

    def fresh(self, wish: str) -> str:
        """A new local name."""
        return self.at.names.fresh(identifier(wish))

    def assign(self, text: Text, wish: str) -> str:
        """A statement, and the name of what it gives."""
        name = self.at.names.fresh(identifier(wish))
        self.at.body.append(Assign((name,), text))
        return name

    def do(self, text: Text, before: str = "") -> None:
        """A statement for its effect."""
        self.at.body.append(Do(text, before))

    def give(self, text: Text) -> None:
        """The end of a function: what was named last needs no name, nor a tuple parentheses."""
        last = self.at.body[-1] if self.at.body else None
        if isinstance(last, Assign) and last.targets == (text,):
            text = last.text
            self.at.body.pop()
        self.do(as_it_is(text), "return ")

    def named(self, leaf: Leaf, wish: str = "t") -> Leaf:
        """The same value under a name, or as a number."""
        if leaf.literal is not None or leaf.text.isidentifier():
            return leaf
        name = self.assign(leaf.text, wish)
        return Leaf(name, leaf.type, ATOM, leaf.buffer, origin=leaf.origin)

    def bind(self, var: Var, value: Value) -> None:
        """From here on, ``var`` is ``value``."""
        if type(value) is Leaf:
            value = self.named(value, var.name)
            buffer = value.buffer
            if buffer is not None:
                buffer.uses, buffer.shared = self.at.uses[var.name], buffer.shared or buffer.bound
                buffer.bound = True
        elif isinstance(value, Placed):
            value.uses = OFTEN if value.uses else self.at.uses[var.name]
        elif type(value) is Bundle and not value.shared and var.name in self.at.uses.whole:
            share(value)
        self.at.env[var.name] = value

    def find(self, value: Value) -> Leaf | None:
        """The leaf that was made of ``value`` before, where it can be seen from here."""
        for known in reversed(self.at.known):
            if id(value) in known:
                return known[id(value)][1]
        return None

    def remember(self, value: Value, leaf: Leaf) -> Leaf:
        """Note the leaf that was made of ``value``."""
        self.at.known[-1][id(value)] = value, leaf
        return leaf

    def argument(self, leaf: Leaf) -> str:
        """The text that is given to a function."""
        return leaf.text

    def component(self, whole: Value, index: int, obj: Object) -> Value:
        """A component of a product or a vector."""
        if isinstance(whole, Bundle):
            return whole.parts[index]
        assert isinstance(whole, Leaf)
        return self.opaque(obj, f"{whole.text}[{index}]")

    def taken_apart(self, whole: Leaf) -> Bundle:
        """A product that has a name, by its components."""
        product = components(whole.type)
        assert product is not None
        parts = [self.component(whole, i, part) for i, part in enumerate(product.parts)]
        return Bundle(tuple(parts), whole.type)

    def opaque(self, obj: Object, text: str) -> Leaf:
        """What a parameter or a call gives, of which nothing is known."""
        return held(text, obj)

    def literal(self, literal: Literal) -> Leaf | Spread:
        """A number, an array of one number, or an array that stands at the top of the module."""
        obj, array = literal.type, literal.array
        if not obj.shape:
            return self.number_of(array.item(), obj)
        if array.size and is_uniform(array):
            return Spread(self.number_of(array.flat[0].item(), obj), obj)
        counted, rows = as_range(array), None
        if counted is not None:
            rows = Listed(_range_text(counted), _range_text(counted[::-1]))
        return Leaf(self.module.constant(literal), obj, ATOM, Buffer(fresh=False), rows=rows)

    def stands_first(self, function: Lam) -> bool:
        """Whether a λ is written where it stands, which is done once."""
        is_first = id(function) not in self._written
        self._written.add(id(function))
        return is_first and self.survey.is_once(function)

    def is_once(self, function: Term) -> bool:
        """Whether a λ stands in one place only, where it may be written out."""
        return isinstance(function, Lam) and self.survey.is_once(function)

    # Values as expressions.

    def array(self, value: Value, wish: str = "t") -> Leaf:
        """A tensor as an expression, or as a number."""
        if isinstance(value, Leaf):
            return value
        assert isinstance(value, Spread | Placed)
        return self.find(value) or self.made(value, wish)

    def leaf(self, value: Value, wish: str = "t") -> Step[Leaf]:
        """The value as one object."""
        if isinstance(value, Leaf):
            return value
        found = self.find(value)
        if found is not None:
            return found
        if isinstance(value, CapturedLam):
            return self.closure(value, wish)
        return self.whole(value, wish) if isinstance(value, Bundle) else self.array(value, wish)

    def whole(self, value: Bundle, wish: str) -> Recursive[Leaf]:
        """A product as a tuple."""
        text: Text = yield self.text(value)
        short = flat(text)
        if len(short) > self.inlined_tuple and value.parts and not short.isidentifier():
            short = self.assign(text, wish)
        return self.remember(value, Leaf(short, value.type))

    def text(self, value: Value, wish: str = "t") -> Recursive[Text]:
        """The value as text that may break into lines."""
        leaf: Leaf
        if not isinstance(value, Bundle) or self.find(value) is not None:
            leaf = yield self.leaf(value, wish)
            return leaf.text
        texts: list[Text] = []
        for part in value.parts:
            leaf = yield self.leaf(part)
            share(leaf)
            texts.append(self.argument(leaf))
        return tuple_of(tuple(texts))

    def plus(
        self, x: Value, y: Value, obj: Object, wish: str, made: dict[tuple[int, int], Value]
    ) -> Recursive[Value]:
        """The sum of two cotangents of one type, by components; of parts that are shared, once."""
        product = components(obj)
        if product is not None and not product.width:
            return x
        if isinstance(obj, Tensor):
            return self.sum(x, y, obj, wish)
        are_known = isinstance(x, Bundle) and isinstance(y, Bundle)
        if product is None or (is_broad(obj) and not are_known):
            texts: list[str] = []
            for value in (x, y):
                leaf: Leaf = yield self.leaf(value)
                share(leaf)
                texts.append(self.named(leaf).text)
            is_tagged = self.has_sums or isinstance(obj, Sum | Mu)
            text = call("_plus_tagged" if is_tagged else "_plus", *texts)
            return Leaf(self.assign(text, wish), obj)
        key = id(x), id(y)
        if key not in made:
            parts: list[Value] = []
            for index, part in enumerate(product.parts):
                left, right = (self.component(z, index, part) for z in (x, y))
                parts.append((yield self.plus(left, right, part, wish, made)))
            made[key] = bundle(tuple(parts), obj)
        return made[key]


def _range_text(rows: range) -> str:
    if rows.step != 1:
        return repr(rows)
    return f"range({rows.stop})" if not rows.start else f"range({rows.start}, {rows.stop})"


def as_it_is(text: Text) -> Text:
    """A tuple that is returned needs no parentheses."""
    if isinstance(text, Bracketed) and text.open == "(" and len(text.items) > 1:
        return several(text.items)
    return text
