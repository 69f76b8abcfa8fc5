"""Krawiec and others: Delta terms with ``Let``, in a monad (Figures 5, 7 and 8; section 6.1).

    data Delta = Zero | Scale ℝ Delta | Add Delta Delta | Var DeltaId | Let DeltaId Delta Delta

    D{R} = R × Delta      D{A → B} = D{A} → M D{B}      M a = DeltaState → (a, DeltaState)
    D{×}     = pure λ((x, u₁), (y, u₂)). do {u₃ ← deltaLet (Add (Scale y u₁) (Scale x u₂));
                                             pure (x × y, Var u₃)}

The state hands out identifiers and keeps what they stand for; the wrapper puts the bindings around
the result, and ``eval`` goes to each of them once. A program is an arrow of the Kleisli category
``a → M b``; ``do {x ← m; …; pure y}`` is ``x = yield m; …; return y``.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import numpy as np

from combinators.kit.recursion import Recursive, recurse
from combinators.literal import Literal
from combinators.morphisms import Label
from combinators.objects import Fun, Object, Product, Real
from combinators.operation import Operation, named
from combinators.primitives.loops import LOOP
from combinators.primitives.structural import RECOMPUTE
from combinators.terms import Lam
from combinators.type_folds import is_smooth
from interpreters.carriers.carrier import Carrier
from papers.comparison import Outcome, Point, flat
from papers.comparison.linear_negation import OF_ANY_TYPE
from papers.plain_functions import (
    Arrow,
    Numbers,
    Partial,
    PlainFunctions,
    meaning,
    partials,
    types_of,
)

# ---- Figure 5 ------------------------------------------------------------------------------------

Delta = tuple[Any, ...]
"""``("Zero",)``, ``("Scale", y, u)``, and so on; between arrays ``y`` is a linear function."""
SHAPES = {
    "Zero": "Zero",
    "Scale": "Scale {} ({})",
    "Add": "Add ({}) ({})",
    "Var": "Var {}",
    "Let": "let u{} = {} in\n{}",
}
DeltaState = tuple[int, Any]
"""The next identifier, and a list of bindings: ``()`` or ``((id, delta), binds)``."""
Monadic = Callable[[DeltaState], tuple[Any, DeltaState]]
"""``M a``."""


def eval_delta(
    x: Any, delta: Delta, over: Carrier, *, deletes: bool = True
) -> tuple[dict[int, Any], int]:
    """``eval x delta emptyMap``, and how many terms it went to, the ``Let``s around left out.

    ``deletes=False`` leaves out the ``delete`` that footnote 7 finds superfluous.
    """
    um, visited = dict[int, Any](), list[Delta]()
    times = over.operation(Operation(named("multiply")), (Real, Real), Real)

    def eval_(x: Any, u: Delta) -> Recursive[None]:
        if u[0] != "Let":
            visited.append(u)
        match u:
            case ("Scale", y, below):
                yield eval_(y(x) if callable(y) else times(x, y), below)
            case ("Add", u1, u2):
                yield eval_(x, u1)
                yield eval_(x, u2)
            case ("Var", uid):
                um[uid] = over.add(um[uid], x) if uid in um else x
            case ("Let", uid, u1, u2):
                yield eval_(x, u2)
                if uid in um:
                    yield eval_(um.pop(uid) if deletes else um[uid], u1)

    recurse(eval_(x, delta))
    return um, len(visited)


def written(u: Any) -> Recursive[str]:
    """The text of a Delta term, or of a number in it."""
    if not isinstance(u, tuple):
        return "∂f" if callable(u) else str(u)
    parts = []
    for part in u[1:]:
        parts.append((yield written(part)))
    return SHAPES[u[0]].format(*parts)


def pure(x: Any) -> Monadic:
    """``λs. (x, s)``."""
    return lambda s: (x, s)


def do(block: Callable[..., Generator[Monadic, Any, Any]]) -> Callable[..., Monadic]:
    """A do-block: ``m >>= n = λs. case m s of (r, s') → n r s'``, from statement to statement."""

    def run(given: tuple[Any, ...], s: DeltaState) -> tuple[Any, DeltaState]:
        statements, r = block(*given), None
        while True:
            try:
                m = statements.send(r)
            except StopIteration as last:
                return last.value, s
            r, s = m(s)

    return lambda *given: partial(run, given)


def delta_let(u: Delta) -> Monadic:
    """``λ(delta_id, bs). (delta_id, (delta_id + 1, (delta_id, delta) : bs))``."""
    return lambda s: (s[0], (s[0] + 1, ((s[0], u), s[1])))


def run_delta(delta_id: int, m: Monadic) -> tuple[Any, Delta]:
    """What ``m`` gives, its Delta wrapped: ``foldl wrap delta binds``."""
    (value, u), (_, binds) = m((delta_id, ()))
    while binds:
        (uid, rhs), binds = binds
        u = ("Let", uid, rhs, u)
    return value, u


# ---- Figure 7 ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MonadicTranslation(PlainFunctions):
    """``D{e}``, an arrow from ``D{Γ}`` to ``M D{A}``; a number is ``(x, u)``, ``f x`` as it was."""

    def identity(self, dom: Object) -> Arrow:
        """``pure x``."""
        return pure

    def proj(self, dom: Object, index: int, cod: Object) -> Arrow:
        """``pure (fst x)``."""
        return lambda x: pure(x[index])

    def curry(self, captured: Product, function: Fun, body: Arrow, label: Label) -> Arrow:
        """``pure λx. D{e}``."""
        return lambda context: pure(lambda x: body((*context, x)))

    def const(self, dom: Object, value: Literal) -> Arrow:
        """``D{r} = pure (r, Zero)`` and ``D{k} = pure k``."""
        r = self.over.const(value)
        return lambda _: pure((r, ("Zero",)) if is_smooth(value.type) else r)

    def compose(self, arrows: Sequence[Arrow]) -> Arrow:
        """``do {y ← f x; g y}``."""

        def block(x: Any) -> Any:
            for arrow in arrows:
                x = yield arrow(x)
            return x

        return do(block)

    def prod(self, dom: Object, arrows: Sequence[Arrow]) -> Arrow:
        """``do {x ← D{e₁}; y ← D{e₂}; pure (x, y)}``."""

        def block(x: Any) -> Any:
            made = []
            for arrow in arrows:
                made.append((yield arrow(x)))
            return tuple(made)

        return do(block)

    def extend(self, context: Product, arrow: Arrow) -> Arrow:
        """``do {x ← D{e₁}; D{e₂}}``, of which this is the first statement."""

        def block(x: Any) -> Any:
            return (*x, (yield arrow(x)))

        return do(block)

    def computation(self, operation: Operation, dom: Object, cod: Object) -> Callable[..., Any]:
        """``D{inl e}``, and what moves values about; or an operation on numbers."""
        compute = super().computation(operation, dom, cod)
        if operation.primitive is LOOP or operation == RECOMPUTE:
            return compute
        if operation.primitive in OF_ANY_TYPE:
            return lambda *args: pure(compute(*args))
        moves = [*map(is_smooth, types_of(dom))]
        slopes = partials(operation, types_of(dom), cod, self.over)

        def block(*args: Any) -> Any:
            xs = tuple(x[0] if moved else x for x, moved in zip(args, moves, strict=True))
            y = compute(*xs)
            if not is_smooth(cod):
                return y
            scaled = [("Scale", factor(df, xs, y, self.over), args[i][1]) for i, df in slopes]
            u = yield delta_let(
                reduce(lambda u1, u2: ("Add", u1, u2), scaled) if scaled else ("Zero",)
            )
            return y, ("Var", u)

        return do(block)


def factor(df: Partial, xs: tuple[Any, ...], y: Any, over: Numbers) -> Any:
    """``∂ᵢf(x)``: a number between numbers."""
    slope = y if np.ndim(y) else df(over.const(Literal(1.0)), xs, y)
    return (lambda a: df(a, xs, y)) if np.ndim(slope) else slope


# ---- Figure 8 ------------------------------------------------------------------------------------


def delta_of(lam: Lam, point: Point, over: Numbers) -> tuple[Any, Delta]:
    """``runDelta (a + 1) (D{e} s₀)``: the i-th argument is ``(sᵢ, Var i)``."""
    given = enumerate(zip(lam.params, point, strict=True))
    s0 = [(s, ("Var", i)) if is_smooth(x.type) else s for i, (x, s) in given]
    return run_delta(len(point), meaning(lam, MonadicTranslation(over))(*s0))


def gradient(
    lam: Lam, point: Point, covector: Any, over: Carrier, *, deletes: bool = True
) -> Outcome:
    """``R{e}``: the wrapper, with ``eval δt u emptyMap``."""
    value, u = delta_of(lam, point, over)
    final, visits = eval_delta(covector, u, over, deletes=deletes)
    slopes = {x.name: final[i] for i, x in enumerate(lam.params) if i in final}
    return Outcome(value, flat(lam, point, slopes), visits)
