"""Krawiec and others: Delta terms with ``Let``, in a monad (Figures 5, 7 and 8; section 6.1).

    data Delta = Zero | Scale ℝ Delta | Add Delta Delta | Var DeltaId | Let DeltaId Delta Delta

    D{R} = R × Delta      D{A → B} = D{A} → M D{B}      M a = DeltaState → (a, DeltaState)
    D{×}     = pure λ((x, u₁), (y, u₂)). do {u₃ ← deltaLet (Add (Scale y u₁) (Scale x u₂));
                                             pure (x × y, Var u₃)}

The state hands out identifiers and keeps what they stand for; the wrapper puts the bindings around
the result, and ``eval`` goes to each of them once. Python evaluates in the order of these
do-blocks: the state is passed by the carrier, and all but the numbers, sums among it, means what
it means.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from combinators.kit.recursion import Recursive, recurse
from combinators.literal import Literal
from combinators.objects import Real
from combinators.operation import Operation, named
from combinators.terms import Lam
from interpreters.carriers.carrier import Carrier
from papers.comparison import Outcome, Point, flat
from papers.comparison.forms import Form, form
from papers.comparison.linear_negation import Linear, Moves, Pairs, inputs
from papers.plain_functions import Numbers, evaluated

# ---- Figure 5 ------------------------------------------------------------------------------------

Delta = Form
DeltaState = tuple[int, Any]
"""The next identifier, and a list of bindings: ``()`` or ``((id, delta), binds)``."""
Monadic = Callable[[DeltaState], tuple[Any, DeltaState]]
"""``M a``."""


def eval_delta(
    x: Any,
    delta: Delta,
    over: Carrier,
    see: Callable[[Delta], None] = lambda _: None,
    *,
    deletes: bool = True,
) -> dict[int, Any]:
    """``eval x delta emptyMap``; ``see`` is called with each term but the ``Let``s around.

    ``deletes=False`` leaves out the ``delete`` that footnote 7 finds superfluous. Between arrays
    ``Scale`` holds a linear function.
    """
    um: dict[int, Any] = {}
    times = over.operation(Operation(named("multiply")), (Real, Real), Real)

    def eval_(x: Any, u: Delta) -> Recursive[None]:
        if u.kind != "Let":
            see(u)
        match u:
            case Form("Scale", (y, below)):
                yield eval_(y(x) if callable(y) else times(x, y), below)
            case Form("Add", (u1, u2)):
                yield eval_(x, u1)
                yield eval_(x, u2)
            case Form("Var", (uid,)):
                um[uid] = over.add(um[uid], x) if uid in um else x
            case Form("Let", (uid, u1, u2)):
                yield eval_(x, u2)
                if uid in um:
                    yield eval_(um.pop(uid) if deletes else um[uid], u1)

    recurse(eval_(x, delta))
    return um


def delta_let(delta: Delta) -> Monadic:
    """``λ(delta_id, bs). (delta_id, (delta_id + 1, (delta_id, delta) : bs))``."""
    return lambda s: (s[0], (s[0] + 1, ((s[0], delta), s[1])))


def run_delta(delta_id: int, m: Monadic) -> tuple[Any, Delta]:
    """What ``m`` gives, its Delta wrapped: ``foldl wrap delta binds``."""
    result, (_, binds) = m((delta_id, ()))
    delta = result.star or form("Zero")
    while binds:
        (uid, rhs), binds = binds
        delta = form("Let", uid, rhs, delta)
    return result.primal, delta


# ---- Figure 7 ------------------------------------------------------------------------------------


class MonadicPairs(Pairs):
    """``D{R} = R × Delta``, with the state between two statements."""

    def __init__(self, over: Numbers, s: DeltaState) -> None:
        super().__init__(over)
        self.state = s

    def moved(self, y: Any, moves: Moves) -> Delta:
        """``do {u ← deltaLet (Σ Scale ∂ᵢf(x) uᵢ); pure (…, Var u)}``."""
        scaled = [form("Scale", self.factor(y, df), u) for df, u in moves]
        made = reduce(lambda u1, u2: form("Add", u1, u2), scaled)
        uid, self.state = delta_let(made)(self.state)
        return form("Var", uid)

    def factor(self, y: Any, df: Linear) -> Any:
        """``∂ᵢf(x)``: a number between numbers."""
        slope = df(self.over.const(Literal(1.0))) if not np.ndim(y) else y
        return df if np.ndim(slope) else slope


# ---- Figure 8 ------------------------------------------------------------------------------------


def delta_of(lam: Lam, point: Point, over: Numbers) -> tuple[Any, Delta]:
    """``runDelta (a + 1) (D{e} s₀)``: the i-th argument is ``(sᵢ, Var i)``."""
    s0 = inputs(lam, point, lambda i: form("Var", i))

    def translated(s: DeltaState) -> tuple[Any, DeltaState]:
        pairs = MonadicPairs(over, s)
        return evaluated(lam, pairs)(*s0), pairs.state

    return run_delta(len(point), translated)


def gradient(
    lam: Lam, point: Point, covector: Any, over: Carrier, *, deletes: bool = True
) -> Outcome:
    """``R{e}``: the wrapper, with ``eval δt u emptyMap``."""
    value, u = delta_of(lam, point, over)
    visits = list[Delta]()
    final = eval_delta(covector, u, over, visits.append, deletes=deletes)
    found = flat(lam, point, [final.get(i) for i in range(len(point))])
    return Outcome(value, found, len(visits))
