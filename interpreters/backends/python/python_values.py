"""What a term has become while its code is written, and the function that is being written.

A value that waits has no code yet: a tuple of which only components may be asked, a λ that may be
applied at once, a number that fills an array, a cotangent that may be added where it belongs.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from combinators.literal import Literal
from combinators.objects import Bool, Int, Object, Real, Tensor, components
from combinators.operation import Operation
from combinators.terms import Lam, Tuple, Var
from interpreters.backends.analysis.captures import OFTEN, Occurrences, VariableUses
from interpreters.backends.analysis.facts import Bounds, ProgramFacts
from interpreters.backends.text.emitter import MOST, Bundle, Emitter, Frame, Spread, is_broad
from interpreters.backends.text.layout import ATOM, UNARY, Statement
from interpreters.backends.text.module import Module, as_range, names_apart

LONGEST = 20
"""How long an argument is that stands in a call."""
PYTHON = (Real, Int, Bool)
"""The types whose values are Python's float, int and bool; other numbers are NumPy's scalars."""


class Root:
    """A buffer: whether this code allocated it, and whether anything else may still look at it."""

    __slots__ = ("bound", "fresh", "reused", "shared", "size", "uses")

    def __init__(self, *, fresh: bool, uses: int = 1, size: int = 0) -> None:
        """``uses`` are those that are still to come; ``size`` is known of what is made here."""
        self.fresh, self.shared, self.uses, self.size = fresh, not fresh, uses, size
        self.bound = self.reused = False

    def again(self) -> Root:
        """The same buffer, written anew for another value."""
        self.reused = self.shared = True
        return Root(fresh=True, size=self.size)


class Listed(NamedTuple):
    """The rows of a stack where they are known as something that a loop runs over quickly."""

    forwards: str
    backwards: str


@dataclass(eq=False, slots=True)
class Leaf:
    """One Python expression."""

    text: str
    type: Object
    level: int = ATOM
    root: Root | None = None
    literal: float | None = None
    rows: Listed | None = None


@dataclass(eq=False, slots=True)
class CapturedLam:
    """A λ, and the values that it captures."""

    function: Lam
    captured: Mapping[str, Value]

    @property
    def type(self) -> Object:
        """Its function type."""
        return self.function.type


@dataclass(eq=False, slots=True)
class Placed:
    """Zeros that hold ``inner`` in some places: a ``put`` or an ``embed``.

    ``bounds`` are those of the indices; ``more`` are embedded beside it, in places that are apart.
    """

    operation: Operation
    inner: Leaf
    indices: tuple[Leaf, ...]
    bounds: tuple[Bounds, ...]
    type: Tensor
    more: tuple[Placed, ...] = ()
    uses: int = 0


Value: TypeAlias = "Leaf | Bundle[Value] | CapturedLam | Spread[Leaf] | Placed"


def leaves_of(obj: Object) -> list[Object]:
    """The leaves of a type that is not too broad; of one that is, the type itself."""
    product = components(obj)
    if product is None or is_broad(obj):
        return [obj]
    return [leaf for part in product.parts for leaf in leaves_of(part)]


def nested(leaves: Iterator[Value], obj: Object, most: int = MOST) -> Value:
    """The value of type ``obj`` with these leaves; what has ``most`` parts is a leaf."""
    product = components(obj)
    if product is None or is_broad(obj, most):
        return next(leaves)
    return Bundle(tuple([nested(leaves, part, most) for part in product.parts]), obj)


def is_array(obj: Object) -> bool:
    """Whether it is a tensor with axes."""
    return isinstance(obj, Tensor) and bool(obj.shape)


class PythonFrame(Frame[Value, Leaf]):
    """The state of writing one function."""

    def __init__(self, taken: str) -> None:
        """No variable is called ``taken``, the entry's name."""
        super().__init__(names_apart((taken,)))
        self.uses = VariableUses(Tuple(()), {})
        self.spare: list[dict[Tensor, list[tuple[str, Root]]]] = [{}]
        """The buffers of each block that nothing looks at any more."""
        self.chosen: list[str] = []
        """The variables that conditionals have given values to."""

    def named(self, leaf: Leaf, wish: str = "t") -> Leaf:
        """The same value under a name, or as a number."""
        if leaf.literal is not None or leaf.text.isidentifier():
            return leaf
        return Leaf(self.assign(leaf.text, wish), leaf.type, ATOM, leaf.root)

    def bind(self, var: Var, value: Value) -> Value:
        """From here on, ``var`` is ``value``."""
        if type(value) is Leaf:
            root = value.root
            if value.literal is None and not value.text.isidentifier():
                value = Leaf(self.assign(value.text, var.name), value.type, ATOM, root)
            if root is not None:
                root.uses, root.shared = self.uses[var.name], root.shared or root.bound
                root.bound = True
        elif isinstance(value, Placed):
            value.uses = OFTEN if value.uses else self.uses[var.name]
        self.env[var.name] = value
        return value

    def argument(self, leaf: Leaf) -> str:
        """The text that is given to a function; a long one stands on a line of its own."""
        return self.named(leaf).text if len(leaf.text) > LONGEST else leaf.text

    @contextmanager
    def block(self) -> Iterator[list[Statement]]:
        """Write into a block of its own, inside the one that is being written."""
        self.spare.append({})
        try:
            with super().block() as body:
                yield body
        finally:
            self.spare.pop()


def fresh_leaf(text: str, obj: Object) -> Leaf:
    """A new array that nothing else looks at."""
    size = obj.size if isinstance(obj, Tensor) else 0
    return Leaf(text, obj, ATOM, Root(fresh=True, size=size))


def share(value: Value) -> None:
    """From here on, something else may look at the buffers of ``value``."""
    todo: list[Value] = [value]
    while todo:
        match todo.pop():
            case Leaf(root=root) | Spread(inner=Leaf(root=root)):
                if root is not None:
                    root.shared = True
            case Placed() as placed:
                placed.uses = OFTEN
            case CapturedLam(captured=captured):
                todo.extend(captured.values())
            case _:
                pass  # the parts of a product were shared when it was made


def consume(*leaves: Leaf) -> None:
    """Note that these are looked at once less."""
    for leaf in leaves:
        if leaf.root is not None:
            leaf.root.uses -= 1


def bundle(parts: tuple[Value, ...], obj: Object) -> Bundle[Value]:
    """A product of known parts."""
    for part in parts:
        share(part)
    return Bundle(parts, obj)


def _range_text(rows: range) -> str:
    if rows.step != 1:
        return repr(rows)
    return f"range({rows.stop})" if not rows.start else f"range({rows.start}, {rows.stop})"


def number_text(number: Any) -> tuple[str, int]:
    """A literal, and how tightly it holds together."""
    if number - number == 0:
        text = repr(number)
        return text, UNARY if text[0] == "-" else ATOM
    if number != number:  # noqa: PLR0124 (nan)
        return "math.nan", ATOM
    return ("math.inf", ATOM) if number > 0 else ("-math.inf", UNARY)


class PythonEmitter(Emitter[Value, Leaf, PythonFrame]):
    """Writes the functions of one program into a module, quick or careful."""

    def __init__(
        self,
        module: Module,
        survey: Occurrences,
        lines: ProgramFacts,
        *,
        careful: bool,
        absorbs: bool,
    ) -> None:
        """The functions of the program that was surveyed, and of which these lines are known.

        ``careful`` code never raises; where it ``absorbs``, products hide zeros by themselves.
        """
        super().__init__(module, survey, lines)
        self.careful, self.absorbs = careful, absorbs
        self.raises = self.warns = False
        self.closers: dict[tuple[int, bool], str] = {}

    @abstractmethod
    def array(self, value: Value, at: PythonFrame) -> Leaf:
        """A tensor as an expression, or as a number."""

    @abstractmethod
    def inlined(
        self, known: CapturedLam, argument: Value, at: PythonFrame, wish: str, *, last: bool = False
    ) -> Any:
        """The body of a λ, written here; ``last`` in a block."""

    def bundle(self, parts: tuple[Value, ...], obj: Object) -> Bundle[Value]:
        """A product of known parts, which something else may look at from here on."""
        return bundle(parts, obj)

    def expression(self, text: str, obj: Object) -> Leaf:
        """An expression that holds no buffer."""
        return Leaf(text, obj)

    def component(self, whole: Value, index: int, obj: Object) -> Value:
        """A component of a product or a vector."""
        if isinstance(whole, Bundle):
            return whole.parts[index]
        assert isinstance(whole, Leaf)
        return self.opaque(obj, f"{whole.text}[{index}]")

    def opaque(self, obj: Object, text: str) -> Leaf:
        """What a parameter or a call gives, of which nothing is known."""
        return Leaf(text, obj, ATOM, Root(fresh=False) if is_array(obj) else None)

    def constant(self, literal: Literal) -> Leaf:
        """An array that stands at the top of the module."""
        obj, array = literal.type, literal.array
        leaf = Leaf(self.module.constant(literal), obj, ATOM, Root(fresh=False))
        counted = as_range(array)
        if counted is not None:
            leaf.rows = Listed(_range_text(counted), _range_text(counted[::-1]))
        return leaf

    def number_of(self, number: Any, obj: Tensor) -> Leaf:
        """A number of the element type of ``obj``."""
        obj = Tensor((), obj.dtype)
        text, level = number_text(number)
        if obj not in PYTHON:
            text, level = f"np.{obj.dtype}({text})", ATOM
        return Leaf(text, obj, level, literal=number)
