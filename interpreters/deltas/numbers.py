"""The carrier of dual arrays: an array, and the Delta term that says how it moves (003, 6.1).

``D[Array sh ℝ] = (Array sh ℝ, Delta sh)``, and ``D[Array sh Int] = Array sh Int``: what is not
smooth has the term Zero. The array and the arrays inside the Delta term are numbers of any carrier
(appendix D.1).

The arrays of partial derivatives by which ``Scale`` scales, read off a primitive's own rule.

The rule ``λ(g, x, y, z). (scale(g, y), scale(g, x))`` of ``x * y`` says that the cotangent ``g`` is
multiplied by ``y`` and by ``x``: these are the factors. A rule of another form has none, and its
primitive moves as a whole.

>>> from combinators.objects import Real
>>> from combinators.operation import Operation, named
>>> factors(Operation(named("multiply")), (Real, Real), (0, 1))
λ(x, x1, x2). (x1, x)
>>> factors(Operation(named("add")), (Real, Real), (0, 1))
λ(x, x1, x2). ((), ())
>>> factors(Operation(named("divide")), (Real, Real), (0, 1)) is None
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import count
from typing import Any

import numpy as np

from combinators.block import opened
from combinators.derivative_rules import Types, pullback_rule
from combinators.literal import Literal
from combinators.objects import Int, Object, Tensor
from combinators.operation import Operation, Pointwise
from combinators.primitives.indexing import TAKE
from combinators.spaces import Space
from combinators.terms import Lam, Let, Prim, Term, Tuple, Var, captured, packed
from combinators.type_folds import is_smooth, row_of
from combinators.value_folds import Injected
from interpreters.carriers.carrier import Carrier, Compute, Numbered, carrier_of
from interpreters.deltas.terms import (
    ZERO,
    Add,
    Arrived,
    Delta,
    Evaluator,
    Input,
    Push,
    Scale,
    Share,
    Stack,
    Zero,
    component,
)
from interpreters.execution.running import Closure
from interpreters.rules import program, pullback_of
from interpreters.sparse_cotangents import Cotangent, Packed
from interpreters.sparse_cotangents import opened as by_components


@cache
def factors(operation: Operation, types: Types, active: tuple[int, ...]) -> Lam | None:
    """``λ(x₁ … xₙ, y). (p, …)``, the factor of each active argument; ``()`` is 1.

    None where an argument has no factor of the shape of the result.
    """
    if not isinstance(operation.primitive.derivative, Pointwise):
        return None
    rule = pullback_rule(operation, types, active)
    if rule is None or any(types[i] is not operation.type(*types) for i in active):
        return None
    g, *given = rule.params
    bindings, body = opened(rule.body)
    assert isinstance(body, Tuple)
    bound = {var.name: term for var, term in bindings}
    items = []
    for item in body.items:
        factor = _factor(item, bound, g)
        if factor is None:
            return None
        items.append(factor)
    depend, kept = {g.name}, []
    for var, term in bindings:
        if depend.isdisjoint(free.name for free in captured(term)[0]):
            kept.append((var, term))
        else:
            depend.add(var.name)
    whole = Tuple(tuple(items))
    lam = Lam(tuple(given), Let(tuple(kept), whole) if kept else whole)
    return None if captured(lam)[0] else lam


def _factor(item: Term, bound: dict[str, Term], g: Var) -> Term | None:
    """``p`` of ``scale(g, p)``; of ``g`` itself, 1."""
    match bound.get(item.name, item) if isinstance(item, Var) else item:
        case Var(name) if name == g.name:
            return Tuple(())
        case Prim(operation, (Var(name), factor)) if operation.name == "scale" and name == g.name:
            return factor if factor.type is g.type else None
        case _:
            return None


Moved = Callable[[tuple[Any, ...], Any, tuple[Delta, ...]], Delta]
"""From the arguments, the result and the Delta terms of the active arguments to the result's."""


def _scaled(compute: Callable[..., Sequence[Any]], obj: Any) -> Moved:
    """``Add (Scale p₁ d₁) (…)``, where the partial derivatives are arrays of one shape."""

    def moved(xs: tuple[Any, ...], y: Any, deltas: tuple[Delta, ...]) -> Delta:
        pairs = zip(compute(*xs, y), deltas, strict=True)
        terms = [d if type(p) is tuple else Scale(p, d, obj) for p, d in pairs]
        return reduce(Add, terms)

    return moved


@dataclass(frozen=True, slots=True, eq=False)
class DualArray:
    """``(x, d)``; an array that moves knows its type (the paper's ``shapeDelta``)."""

    primal: Any
    delta: Delta = ZERO
    obj: Object | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the primal."""
        return getattr(self.primal, "shape", ())

    def __getitem__(self, index: int) -> DualArray:
        """A component of what is no array, and moves as a whole."""
        return DualArray(self.primal[index], component(index, self.delta))


def terms(value: Any) -> Iterator[Delta]:
    """The Delta terms in a dual value; what does not move may stand for itself."""
    todo, seen = [value], set[int]()
    while todo:
        part = todo.pop()
        if isinstance(part, DualArray):
            yield part.delta
        elif isinstance(part, Packed | Injected):
            todo.append(part.value)
        elif isinstance(part, Closure | tuple | list) and id(part) not in seen:
            seen.add(id(part))
            todo += part.env if isinstance(part, Closure) else part


Call = Callable[[Any, Any], tuple[Any, Cotangent]]
"""From a function and a call of it to what it gives, and the cotangent of that."""


def arrived(value: Any, cotangent: Cotangent, call: Call | None = None) -> Iterator[Arrived]:
    """The cotangent of a dual value, at its Delta terms."""
    todo = [(value, cotangent)]
    while todo:
        part, c = todo.pop()
        if c is None:
            continue
        if isinstance(part, DualArray):
            yield c, part.delta
        elif isinstance(part, Packed):
            todo.append((part.value, c.value))
        elif isinstance(part, Injected):
            todo.append((part.value, c.get(part.tag)))
        elif call is not None and type(c) is list:
            todo += [call(part, each) for each in c]
        elif isinstance(part, Closure | tuple | list):
            inside = part.env if isinstance(part, Closure) else part
            found = by_components(c).items()
            todo += [(inside[i], below) for i, below in found if i < len(inside)]


_ROW = Operation(TAKE, (("axis", 0),))


class DualArrays:
    """The carrier; a primitive moves as it declares.

    >>> from combinators.objects import Real
    >>> from combinators.operation import named
    >>> from interpreters.carriers.numpy import NumPy
    >>> dual = DualArrays(NumPy())
    >>> times = dual.operation(Operation(named("multiply")), (Real, Real), Real)
    >>> z = times(dual.input(3.0, Real), dual.input(4.0, Real))
    >>> float(z.primal), dual.evaluator.reverse_pass([(1.0, z.delta)])
    (12.0, {0: 4.0, 1: 3.0})
    """

    def __init__(self, over: Carrier | Numbered) -> None:
        """Dual arrays whose arrays are numbers of ``over``."""
        self.over = carrier_of(over)
        self.evaluator = Evaluator(self.over)
        self._ids, self._names = count(), count()
        self._moved: dict[Any, Moved | None] = {}

    def input(self, primal: Any, obj: Tensor | Space) -> DualArray:
        """An array with respect to which is differentiated."""
        return DualArray(primal, Input(next(self._names)), obj)

    def share(self, delta: Delta) -> Delta:
        """A term that may stand in many places; identifiers grow, so those inside are smaller."""
        return delta if isinstance(delta, Zero | Input | Share) else Share(next(self._ids), delta)

    def const(self, literal: Literal) -> DualArray:
        """``D[c] = (c, Zero)``."""
        return DualArray(self.over.const(literal))

    def operation(self, operation: Operation, types: Sequence[Object], cod: Object) -> Compute:
        """The primitive (Fig. 14 and 15); a Delta term only where an argument moves."""
        compute = self.over.operation(operation, types, cod)
        given = tuple(types)
        smooth = [i for i, obj in enumerate(given) if is_smooth(obj)] if is_smooth(cod) else []

        def dual(*xs: DualArray) -> DualArray:
            primals = tuple([x.primal for x in xs])
            y = compute(*primals)
            active = tuple([i for i in smooth if xs[i].delta is not ZERO])
            moved = self._move(operation, given, active) if active else None
            if moved is None:
                return DualArray(y)
            deltas = tuple([xs[i].delta for i in active])
            return DualArray(y, self.share(moved(primals, y, deltas)), cod)

        return dual

    def _move(
        self, operation: Operation, types: tuple[Object, ...], active: tuple[int, ...]
    ) -> Moved | None:
        """By factors, or else as a whole by its arguments; None where its derivative is zero."""
        key, dom = (operation, types, active), packed(types)
        if key not in self._moved:
            lam = factors(*key)
            if lam is not None:
                self._moved[key] = _scaled(self._factors(lam), operation.type(*types))
            elif pullback_of(operation, dom, active, self.over) is None:
                self._moved[key] = None
            else:
                self._moved[key] = lambda xs, y, deltas: Push(operation, dom, xs, y, active, deltas)
        return self._moved[key]

    def _factors(self, lam: Lam) -> Callable[..., Sequence[Any]]:
        """What computes the factors; most are arguments as they are, or 1."""
        names = {param.name: i for i, param in enumerate(lam.params)}
        items = lam.body.items if isinstance(lam.body, Tuple) else ()
        one = Tuple(())
        places = [
            names.get(item.name) if isinstance(item, Var) else -1 if item == one else None
            for item in items
        ]
        if not items or None in places:
            return program(lam, self.over)
        return lambda *values: [(*values, ())[i] for i in places if i is not None]

    def add(self, x: DualArray, y: DualArray) -> DualArray:
        """Both parts."""
        primal = self.over.add(x.primal, y.primal)
        if x.obj is None or y.obj is None:
            moving = y if x.obj is None else x
            return DualArray(primal, moving.delta, moving.obj)
        return DualArray(primal, self.share(Add(x.delta, y.delta)), x.obj)

    def truth(self, number: DualArray) -> bool:
        """As the primal chooses."""
        return self.over.truth(number.primal)

    def row(self, stack: DualArray, index: int) -> DualArray:
        """``index``, at an index that is known."""
        if stack.obj is None:
            return DualArray(self.over.row(stack.primal, index))
        place = self.const(Literal(np.int64(index)))
        taken: DualArray = self.operation(_ROW, (stack.obj, Int), row_of(stack.obj))(stack, place)
        return taken

    def stack(self, rows: Sequence[DualArray], obj: Tensor) -> DualArray:
        """``LitArray``."""
        primal = self.over.stack([row.primal for row in rows], obj)
        if all(row.delta is ZERO for row in rows):
            return DualArray(primal)
        return DualArray(primal, self.share(Stack(obj, tuple([row.delta for row in rows]))), obj)

    def lift(self, value: Any, obj: Tensor) -> DualArray:
        """A number that does not move."""
        return DualArray(self.over.lift(value, obj))

    def lower(self, number: DualArray) -> Any:
        """The array."""
        return self.over.lower(number.primal)
