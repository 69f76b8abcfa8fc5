"""Formulas that share: what has grown large is given a name, once.

A program that uses a value twice would write it twice in a formula, and so double it at every step.
Here a scalar that has grown past a few nodes becomes a symbol with a definition, as ``sympy.cse``
would find it afterwards, and what is computed from it mentions the symbol. ``condensed``
then decides which of the definitions are worth keeping, and ``named`` what to call them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import sympy

from combinators.errors import DomainError
from combinators.kit.text import Names
from combinators.objects import Object, Tensor
from combinators.operation import Operation
from interpreters.carriers.carrier import Compute
from interpreters.carriers.numpy import elementwise
from interpreters.carriers.sympy import SymPy, chosen

MOST_NODES, MOST_DEEP = 24, 12
"""An expression larger than this is given a name."""

MOST_UNNAMED = 10_000
"""What stands under a variable of its own is not named, and may have so many nodes."""

MOST_OPERATIONS = 5_000
"""How many scalar operations a formula may take to write: of most, that is some seconds."""

MOVES = 10
"""To move so many numbers takes as long as one operation."""


def effort(operation: Operation, types: Sequence[Object], cod: Object) -> int:
    """How many operations on expressions an operation of the program takes."""
    tensors = [obj for obj in types if isinstance(obj, Tensor)]
    sizes = [obj.size for obj in (*tensors, cod) if isinstance(obj, Tensor)]
    return max(1, operation.primitive.cost(tensors, cod), max(sizes, default=0) // MOVES)


def too_long(most: int) -> DomainError:
    """A formula that takes more than ``most`` operations."""
    return DomainError(
        f"the formula takes more than {most} operations to write down; "
        "take that of a smaller instance or of a part of the program, or let it take more: "
        "most_operations="
    )


class Size(NamedTuple):
    """How many nodes an expression has, written out, and how deep it is."""

    nodes: int
    depth: int


Sizes = dict[Any, Size]
"""Those that are known; a symbol may count as much as what it stands for."""


def size_of(expression: Any, known: Sizes) -> Size:
    """The size of ``expression``, without recursion."""
    stack = [expression]
    while stack:
        node = stack[-1]
        if node not in known:
            unknown = [arg for arg in node.args if arg not in known]
            if unknown:
                stack.extend(unknown)
                continue
            below = [known[arg] for arg in node.args]
            deepest = max((size.depth for size in below), default=0)
            known[node] = Size(1 + sum(size.nodes for size in below), 1 + deepest)
        stack.pop()
    return known[expression]


class Shared(SymPy):
    """The carrier of expressions that names what grows; ``definitions`` holds the names, in order.

    >>> from combinators.objects import Real
    >>> from combinators.operation import named
    >>> carrier = Shared()
    >>> twice = carrier.operation(Operation(named("hypot")), (Real, Real), Real)
    >>> x, y = sympy.symbols("x y")
    >>> for _ in range(64):
    ...     x, y = twice(x, y), twice(y, x)
    >>> len(carrier.definitions) < 128
    True
    """

    def __init__(self, *, real: bool | None = True, most: int = MOST_OPERATIONS) -> None:
        """No definitions yet; whether the numbers they stand for are ``real``.

        More than ``most`` scalar operations are a ``DomainError``.
        """
        self.definitions: dict[Any, Any] = {}
        self._symbols: dict[Any, Any] = {}
        self._sizes: Sizes = {}
        self._real = real
        self._most, self.operations = most, 0
        self._is_naming = True

    def operation(self, operation: Operation, types: Sequence[Object], cod: Object) -> Compute:
        """What computes it, and names what comes out too large."""
        compute = super().operation(operation, types, cod)
        count = effort(operation, types, cod)
        dtype = cod.dtype if isinstance(cod, Tensor) else "float64"

        def shared(*xs: Any) -> Any:
            self.operations += count
            if self.operations > self._most:
                raise too_long(self._most)
            return self._names(compute(*xs), dtype)

        return shared

    def named(self, expression: Any, dtype: str) -> Any:
        """``expression``, or the symbol that stands for it if it is large."""
        size = size_of(expression, self._sizes)
        if not self._is_naming:
            if size.nodes > MOST_UNNAMED:
                raise DomainError(
                    f"a function or the body of a sum grows to {size.nodes:.3g} nodes, and no "
                    "definition can stand inside of one; apply the function, or take the formula "
                    "of a shorter loop"
                )
            return expression
        if size.nodes <= MOST_NODES and size.depth <= MOST_DEEP:
            return expression
        if expression not in self._symbols:
            symbol = sympy.Dummy("v", **self._kind(dtype))
            self._symbols[expression] = symbol
            self.definitions[symbol] = expression
        return self._symbols[expression]

    def _kind(self, dtype: str) -> dict[str, Any]:
        if dtype == "bool":
            return {}
        return {"real": self._real} if dtype.startswith("float") else {"integer": True}

    def add(self, x: Any, y: Any) -> Any:
        """Elementwise; what grows too large is named."""
        return self._names(super().add(x, y), "float64")

    def _names(self, number: Any, dtype: str) -> Any:
        return elementwise(lambda x: self.named(x, dtype))(number)

    @contextmanager
    def unnamed(self) -> Iterator[None]:
        """Name nothing meanwhile: what is computed may mention a variable that is bound here."""
        before, self._is_naming = self._is_naming, False
        try:
            yield
        finally:
            self._is_naming = before


Definitions = Sequence[tuple[Any, Any]]
"""``(symbol, what it stands for)``, each mentioning only those before it, as from ``sympy.cse``."""

READABLE = Size(256, 48)
"""A formula no larger than this is written without definitions."""

WRITABLE = Size(20_000, 96)
"""A formula larger than this cannot be written without definitions."""

_LINE = Size(64, 24)
"""A definition that is used once stands where it is used, as long as the line stays so short."""


def mentioned(expression: Any, among: Any) -> Counter[Any]:
    """How often each symbol of ``among`` stands in ``expression``."""
    found: Counter[Any] = Counter()
    stack = [expression]
    while stack:
        node = stack.pop()
        if node in among:
            found[node] += 1
        stack.extend(node.args)
    return found


def total_size(definitions: Definitions, results: Iterable[Any]) -> Size:
    """The size of the results with every definition written out."""
    known: Sizes = {}
    for symbol, expression in definitions:
        known[symbol] = size_of(expression, known)
    found = [size_of(result, known) for result in results]
    nodes = sum(size.nodes for size in found)
    return Size(nodes, max((size.depth for size in found), default=0))


def needed(definitions: Definitions, results: Sequence[Any]) -> list[tuple[Any, Any]]:
    """The definitions that the results mention, those that they mention, and so on."""
    among = {symbol for symbol, _ in definitions}
    used = {symbol for result in results for symbol in mentioned(result, among)}
    kept = []
    for symbol, expression in reversed(definitions):
        if symbol in used:
            used.update(mentioned(expression, among))
            kept.append((symbol, expression))
    return kept[::-1]


def written_out(definitions: Definitions, results: Sequence[Any]) -> list[Any]:
    """The results with every definition in its place; it raises where they would be too large."""
    size = total_size(definitions, results)
    if size.nodes > WRITABLE.nodes or size.depth > WRITABLE.depth:
        raise DomainError(
            f"written out, the formula has {size.nodes:.3g} nodes and is {size.depth} deep; let it "
            "have definitions: definitions=True"
        )
    known: dict[Any, Any] = {}
    for symbol, expression in definitions:
        known[symbol] = expression.xreplace(known)
    return [_settled(result.xreplace(known)) for result in results]


def _settled(expression: Any) -> Any:
    """A choice inside of a choice by the same test is made."""

    def is_choice(node: Any) -> bool:
        cases = node.args
        return isinstance(node, sympy.Piecewise) and len(cases) == 2 and cases[1][1] == sympy.true

    def made(choice: Any) -> Any:
        (x, test), (y, _) = choice.args
        return chosen(test, x, y)

    return expression.replace(is_choice, made) if expression.has(sympy.Piecewise) else expression


def condensed(definitions: Definitions, results: Sequence[Any]) -> tuple[Definitions, list[Any]]:
    """Fewer definitions: one that is used once stands in its place, where the line stays short."""
    among = {symbol for symbol, _ in definitions}
    uses: Counter[Any] = Counter()
    for expression in (*(body for _, body in definitions), *results):
        uses.update(mentioned(expression, among))
    sizes: Sizes = {}
    kept: list[tuple[Any, Any]] = []
    waiting: dict[Any, Any] = {}

    def completed(body: Any) -> Any:
        """``body`` with what waits for it; what does not fit is kept before it."""
        nodes, depth = size_of(body, sizes)
        placed = {}
        for symbol in mentioned(body, waiting):
            line = waiting.pop(symbol)
            more = size_of(line, sizes)
            if nodes + more.nodes <= _LINE.nodes and depth + more.depth <= _LINE.depth:
                nodes += more.nodes
                placed[symbol] = line
            else:
                kept.append((symbol, line))
        return body.xreplace(placed)

    for symbol, body in definitions:
        line = completed(body)
        if uses[symbol] == 1:
            waiting[symbol] = line
        else:
            kept.append((symbol, line))
    written = [completed(result) for result in results]
    return kept, written


def named(
    definitions: Definitions, results: Sequence[Any], taken: Iterable[str]
) -> tuple[Definitions, list[Any]]:
    """The same with names that are shown: ``v1``, ``v2``, …, in order."""
    names = Names((*taken, "v"))
    renamed: dict[Any, Any] = {}
    for symbol, _ in definitions:
        renamed[symbol] = sympy.Symbol(names.fresh("v"), **symbol.assumptions0)
    lines = [(renamed[symbol], body.xreplace(renamed)) for symbol, body in definitions]
    return lines, [result.xreplace(renamed) for result in results]
