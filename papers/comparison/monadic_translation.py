"""Krawiec and others: Delta terms with ``Let``, in a monad (Figures 5, 7 and 8; section 6.1).

    D{R} = R × Delta      D{A → B} = D{A} → M D{B}      M a = DeltaState → (a, DeltaState)

    D{e₁ e₂} = do {f ← D{e₁}; x ← D{e₂}; f x}
    D{×}     = pure λ((x, u₁), (y, u₂)). do {u₃ ← deltaLet (Add (Scale y u₁) (Scale x u₂));
                                             pure (x × y, Var u₃)}

The state hands out identifiers and keeps what they stand for; the wrapper puts the bindings around
the result, and ``eval`` goes to each of them once. Python evaluates in the order of these
do-blocks: the state is passed by the carrier, and all but the numbers, sums among it, means what
it means.

>>> run_delta(1, delta_let(DeltaAdd(DeltaVar(0), DeltaVar(0))))
(1, [(1, DeltaAdd(left=DeltaVar(uid=0), right=DeltaVar(uid=0)))])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from combinators.kit.recursion import Recursive, recurse
from combinators.literal import Literal
from combinators.objects import Real
from combinators.operation import Operation, named
from combinators.terms import Lam
from combinators.value_folds import map_leaves
from interpreters.carriers.carrier import Carrier
from papers.comparison.pairs import Linear, Moves, Outcome, Pairs, flat, inputs, outputs
from papers.plain_functions import evaluated

# ---- Figure 5 ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DeltaScale:
    """``Scale ℝ Delta``; between arrays the factor is a linear function."""

    factor: Any
    below: SymbolicDelta


@dataclass(frozen=True)
class DeltaAdd:
    """``Add Delta Delta``."""

    left: SymbolicDelta
    right: SymbolicDelta


@dataclass(frozen=True)
class DeltaVar:
    """``Var DeltaId``."""

    uid: int


@dataclass(frozen=True)
class DeltaLet:
    """``Let DeltaId Delta Delta``."""

    uid: int
    bound: SymbolicDelta
    body: SymbolicDelta


SymbolicDelta = DeltaScale | DeltaAdd | DeltaVar | DeltaLet
"""``Zero`` is what a number without a Delta has."""
DeltaState = tuple[int, Any]
"""The next identifier, and a list that grows at its end: ``()`` or ``(binds, (id, delta))``."""
Monadic = Callable[[DeltaState], tuple[Any, DeltaState]]
"""``M a``."""


def evaluated_delta(
    x: Any,
    delta: SymbolicDelta,
    over: Carrier,
    see: Callable[[SymbolicDelta], None] = lambda _: None,
    *,
    deletes: bool = True,
) -> dict[int, Any]:
    """``eval x delta emptyMap``; ``see`` is called with each term but the ``Let``s around.

    ``deletes=False`` leaves out the ``delete`` that footnote 7 finds superfluous.
    """
    um: dict[int, Any] = {}
    times = over.operation(Operation(named("multiply")), (Real, Real), Real)

    def eval_(x: Any, u: SymbolicDelta) -> Recursive[None]:
        if not isinstance(u, DeltaLet):
            see(u)
        match u:
            case DeltaScale(y, below):
                yield eval_(y(x) if callable(y) else times(x, y), below)
            case DeltaAdd(left, right):
                yield eval_(x, left)
                yield eval_(x, right)
            case DeltaVar(uid):
                um[uid] = over.add(um[uid], x) if uid in um else x
            case DeltaLet(uid, bound, body):
                yield eval_(x, body)
                if uid in um:
                    yield eval_(um.pop(uid) if deletes else um[uid], bound)

    recurse(eval_(x, delta))
    return um


def delta_let(delta: SymbolicDelta) -> Monadic:
    """``λ(delta_id, bs). (delta_id, (delta_id + 1, (delta_id, delta) : bs))``."""
    return lambda s: (s[0], (s[0] + 1, (s[1], (s[0], delta))))


def run_delta(delta_id: int, m: Monadic) -> tuple[Any, list[tuple[int, SymbolicDelta]]]:
    """What ``m`` gives, and the bindings, in the order in which they were made."""
    result, (_, binds) = m((delta_id, ()))
    made = []
    while binds:
        binds, bind = binds
        made.append(bind)
    return result, made[::-1]


# ---- Figure 7 ------------------------------------------------------------------------------------


class MonadicPairs(Pairs):
    """``D{R} = R × Delta``, with the state between two statements."""

    def __init__(self, over: Carrier, s: DeltaState) -> None:
        super().__init__(over)
        self.state = s

    def moved(self, y: Any, moves: Moves) -> DeltaVar:
        """``do {u ← deltaLet (Σ Scale ∂ᵢf(x) uᵢ); pure (…, Var u)}``."""
        scaled: list[SymbolicDelta] = [DeltaScale(self.factor(y, df), u) for df, u in moves]
        uid, self.state = delta_let(reduce(DeltaAdd, scaled))(self.state)
        return DeltaVar(uid)

    def factor(self, y: Any, df: Linear) -> Any:
        """``∂ᵢf(x)``: a number between numbers."""
        if np.ndim(y):
            return df
        slope = df(self.over.const(Literal(1.0)))
        return df if np.ndim(slope) else slope


def translated(lam: Lam, args: tuple[Any, ...], over: Carrier) -> Monadic:
    """``D{e}``, where what it is given is ``D{x}``."""

    def run(s: DeltaState) -> tuple[Any, DeltaState]:
        pairs = MonadicPairs(over, s)
        return evaluated(lam, pairs)(*args), pairs.state

    return run


def run_at(lam: Lam, point: tuple[Any, ...], over: Carrier) -> tuple[Any, Any, Any]:
    """The inputs, and what ``runDelta (a + 1) D{e}`` gives; a is the last input's identifier."""
    args, ids = inputs(lam, point, DeltaVar), list[int]()
    inputs(lam, point, ids.append)
    return args, *run_delta(len(ids), translated(lam, args, over))


# ---- Figure 8 ------------------------------------------------------------------------------------


def wrapped(binds: Sequence[tuple[int, SymbolicDelta]], delta: SymbolicDelta) -> SymbolicDelta:
    """``foldl wrap delta binds``, ``wrap body (id, rhs) = Let id rhs body``."""
    for uid, rhs in reversed(binds):
        delta = DeltaLet(uid, rhs, delta)
    return delta


def gradient(
    lam: Lam, point: tuple[Any, ...], covector: Any, over: Carrier, *, deletes: bool = True
) -> Outcome:
    """``R{e}``: the wrapper; the cotangent of each argument's numbers, in order."""
    args, result, binds = run_at(lam, point, over)
    value, moving = outputs(lam, result, covector)
    visits, total = list[SymbolicDelta](), dict[int, Any]()
    for delta, w in moving:
        found = evaluated_delta(w, wrapped(binds, delta), over, visits.append, deletes=deletes)
        for uid, x in found.items():
            total[uid] = total[uid] + x if uid in total else x

    def slope(_: Any, dual: Any) -> Any:
        return None if dual.star is None else total.get(dual.star.uid)

    pairs = zip(lam.params, args, strict=True)
    back = flat(lam, point, [map_leaves(slope, param.type, arg) for param, arg in pairs])
    return Outcome(value, back, len(visits))


def symbolic(lam: Lam, point: tuple[Any, ...], over: Carrier) -> str:
    """The Delta term of a program's number, a binding a line."""
    _, result, binds = run_at(lam, point, over)
    lines = [f"let u{uid} = {shown(rhs)} in" for uid, rhs in binds]
    return "\n".join([*lines, *(shown(delta) for delta, _ in outputs(lam, result, None)[1])])


def shown(delta: SymbolicDelta | None) -> str:
    """``Add (Scale 2 u0) (Scale 3 u1)``."""
    match delta:
        case DeltaScale(y, below):
            return f"Scale {'∂f' if callable(y) else format(float(y), 'g')} ({shown(below)})"
        case DeltaAdd(left, right):
            return f"Add ({shown(left)}) ({shown(right)})"
        case DeltaVar(uid):
            return f"Var {uid}"
    return "Zero"
