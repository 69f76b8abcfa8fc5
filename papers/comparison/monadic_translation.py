"""Krawiec and others: Delta terms with ``Let``, in a monad (Figures 5, 7 and 8; section 6.1).

    D{R} = R × Delta      D{A → B} = D{A} → M D{B}      M a = DeltaState → (a, DeltaState)

    D{e₁ e₂} = do {f ← D{e₁}; x ← D{e₂}; f x}
    D{×}     = pure λ((x, u₁), (y, u₂)). do {u₃ ← deltaLet (Add (Scale y u₁) (Scale x u₂));
                                             pure (x × y, Var u₃)}

The state hands out identifiers and keeps what they stand for; the wrapper puts the bindings around
the result, and ``eval`` goes to each of them once. A do-block is a generator here.

>>> run_delta(1, delta_let(DeltaAdd(DeltaVar(0), DeltaVar(0))))
(1, [(1, DeltaAdd(left=DeltaVar(uid=0), right=DeltaVar(uid=0)))])
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import reduce, wraps
from typing import Any

import numpy as np

from combinators.errors import MissingRule
from combinators.kit.recursion import Recursive, recurse
from combinators.literal import Literal
from combinators.objects import Object, Real, Tensor
from combinators.operation import Operation, named
from combinators.primitives.loops import LOOP, LoopType
from combinators.primitives.structural import FIX, VECTOR
from combinators.primitives.sums import SUMS
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var
from combinators.type_folds import is_smooth
from combinators.value_folds import map_leaves
from interpreters.carriers.carrier import Carrier
from papers.comparison.linear_negation import Outcome
from papers.comparison.plain_functions import of_sum, partials, row_of_values, stacked

# ---- Figure 5 ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DeltaZero:
    """``Zero``."""


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


SymbolicDelta = DeltaZero | DeltaScale | DeltaAdd | DeltaVar | DeltaLet
ZERO = DeltaZero()
DeltaBinds = tuple[Any, ...]
"""A list that grows at its end in constant time: ``()`` or ``(binds, (id, delta))``."""
DeltaState = tuple[int, DeltaBinds]
DeltaMap = dict[int, Any]
Monadic = Callable[[DeltaState], tuple[Any, DeltaState]]
"""``M a``."""


def evaluated_delta(
    x: Any,
    delta: SymbolicDelta,
    over: Carrier,
    see: Callable[[SymbolicDelta], None] = lambda _: None,
    *,
    deletes: bool = True,
) -> DeltaMap:
    """``eval x delta emptyMap``; ``see`` is called with each term but the ``Let``s around.

    ``deletes=False`` leaves out the ``delete`` that footnote 7 finds superfluous.
    """
    um: DeltaMap = {}
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


def pure(x: Any) -> Monadic:
    """``return x = λs. (x, s)``."""
    return lambda s: (x, s)


def do(block: Callable[..., Generator[Monadic, Any, Any]]) -> Callable[..., Monadic]:
    """``m ≻ n = λs. case m s of (r, s') → n r s'``; a ``yield`` is a ``←``."""

    @wraps(block)
    def made(*args: Any) -> Monadic:
        def run(s: DeltaState) -> tuple[Any, DeltaState]:
            statements, r = block(*args), None
            while True:
                try:
                    m = statements.send(r)
                except StopIteration as end:
                    return end.value, s
                r, s = m(s)

        return run

    return made


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


def wrapped(binds: Sequence[tuple[int, SymbolicDelta]], delta: SymbolicDelta) -> SymbolicDelta:
    """``foldl wrap delta binds``, ``wrap body (id, rhs) = Let id rhs body``."""
    for uid, rhs in reversed(binds):
        delta = DeltaLet(uid, rhs, delta)
    return delta


# ---- Figure 7 ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class SymbolicDual:
    """``(x, u) : R × Delta``."""

    primal: Any
    delta: SymbolicDelta = ZERO


@dataclass(frozen=True)
class Translation:
    """``D{e} : M D{A}``, over a carrier's numbers."""

    over: Carrier

    def term(self, e: Term, env: dict[str, Any]) -> Monadic:
        """Reverse mode on expressions."""
        match e:
            case Var(name):
                return pure(env[name])
            case Const(literal):
                return pure(self.const(literal))
            case Lam(params, body):
                return pure(lambda x: self.term(body, env | bound(params, x)))
            case Let(bindings, body):
                return self.let(bindings, body, env)
            case App(function, argument):
                return self.call(function, argument, env)
            case Cond(test, then, other):
                return self.case(test, then, other, env)
            case Tuple(items):
                return self.several(items, env)
            case Proj(index, product):
                return self.then(product, env, operator.itemgetter(index))
            case Prim(operation, args):
                return self.operation(operation, args, e.type, env)
        raise MissingRule(f"the monadic translation (002, Fig. 7) has no rule for {e!r:.80}")

    @do
    def let(self, bindings: Any, body: Term, env: dict[str, Any]) -> Any:
        """``do {x ← D{e₁}; D{e₂}}``."""
        for x, e in bindings:
            env = env | {x.name: (yield self.term(e, env))}
        return (yield self.term(body, env))

    @do
    def call(self, e1: Term, e2: Term, env: dict[str, Any]) -> Any:
        """``do {f ← D{e₁}; x ← D{e₂}; f x}``."""
        f = yield self.term(e1, env)
        x = yield self.term(e2, env)
        return (yield f(x))

    @do
    def case(self, test: Term, then: Term, other: Term, env: dict[str, Any]) -> Any:
        """``do {x ← D{e₀}; case x of inl x₁ → D{e₁}, inr x₂ → D{e₂}}``: a Bool is 1 + 1."""
        x = yield self.term(test, env)
        return (yield self.term(then if self.over.truth(x) else other, env))

    @do
    def several(self, items: Sequence[Term], env: dict[str, Any]) -> Any:
        """``do {x ← D{e₁}; y ← D{e₂}; pure (x, y)}``."""
        made = []
        for e in items:
            made.append((yield self.term(e, env)))
        return tuple(made)

    @do
    def then(self, e: Term, env: dict[str, Any], f: Callable[[Any], Any]) -> Any:
        """``do {x ← D{e}; pure (f x)}``: fst, snd, inl and inr."""
        x = yield self.term(e, env)
        return f(x)

    @do
    def operation(self, f: Operation, args: Sequence[Term], cod: Object, env: Any) -> Any:
        """A constant of the language: of sums, of loops, or of numbers."""
        given = yield self.several(args, env)
        if f.primitive in SUMS:
            return of_sum(f, self.over, *given)
        if f.primitive is LOOP:
            return (yield self.loop(LoopType.of(f, [arg.type for arg in args]), given))
        if f == FIX:
            return self.fix(*given)
        if f.primitive is VECTOR:
            return given
        if f.primitive.derivative is None:
            raise MissingRule(f"the monadic translation (002, Fig. 7) does not know {f.name}")
        return (yield self.numbers(f, [arg.type for arg in args], cod, given))

    @do
    def numbers(self, f: Operation, types: Any, cod: Object, duals: Any) -> Any:
        """``do {u ← deltaLet (Σ Scale ∂ᵢf(x) uᵢ); pure (f x, Var u)}``."""
        xs = tuple(x.primal if isinstance(x, SymbolicDual) else x for x in duals)
        y = self.over.operation(f, types, cod)(*xs)
        if not is_smooth(cod):
            return y
        moves: list[SymbolicDelta] = [
            DeltaScale(self.factor(slope, xs, y, types[i], cod), duals[i].delta)
            for i, slope in partials(f, types, cod, self.over)
            if duals[i].delta is not ZERO
        ]
        if not moves:
            return SymbolicDual(y)
        u = yield delta_let(reduce(DeltaAdd, moves))
        return SymbolicDual(y, DeltaVar(u))

    def factor(self, slope: Any, xs: Any, y: Any, dom: Object, cod: Object) -> Any:
        """``∂ᵢf(x)``: a number between numbers."""
        if isinstance(dom, Tensor) and isinstance(cod, Tensor) and not dom.shape + cod.shape:
            return slope(self.over.const(Literal(1.0, cod.dtype)), xs, y)
        return lambda a: slope(a, xs, y)

    def fix(self, step: Any) -> Callable[[Any], Monadic]:
        """``fix f = λx. f (fix f, x)``."""
        return lambda x: step((self.fix(step), x))

    @do
    def loop(self, types: LoopType, given: Any) -> Any:
        """``do {c ← f (c, x₁); c ← f (c, x₂); …}``."""
        function, *start, xs = given
        carry, kept = (start[0] if start else None), []
        for index in types.rounds:
            row = row_of_values(types.xs, xs, index, self)
            made = yield function((carry, row) if start else row)
            carry, item = types.halves(made, operator.getitem)
            kept.append(item)
        rows = kept[::-1] if types.reverse else kept
        return types.joined(carry, stacked(types.stack, rows, self), lambda *both: both)

    def const(self, literal: Literal) -> Any:
        """``D{r} = pure (r, Zero)``, ``D{k} = pure k``."""
        number = self.over.const(literal)
        return SymbolicDual(number) if is_smooth(literal.type) else number

    def row(self, stack: Any, index: int) -> Any:
        """A row moves with its place in the stack."""
        if not isinstance(stack, SymbolicDual):
            return self.over.row(stack, index)

        def placed(a: Any) -> Any:
            whole = np.zeros_like(stack.primal)
            whole[index] = a
            return whole

        return SymbolicDual(self.over.row(stack.primal, index), DeltaScale(placed, stack.delta))

    def stack(self, rows: Sequence[Any], obj: Tensor) -> Any:
        """A stack moves with each of its rows."""
        if not obj.is_smooth:
            return self.over.stack(rows, obj)

        def taken(index: int) -> Callable[[Any], Any]:
            return lambda a: self.over.row(a, index)

        delta: SymbolicDelta = ZERO
        for i, row in enumerate(rows):
            delta = DeltaAdd(delta, DeltaScale(taken(i), row.delta))
        return SymbolicDual(self.over.stack([row.primal for row in rows], obj), delta)


def bound(params: Sequence[Var], x: Any) -> dict[str, Any]:
    """What the parameters of a λ are; several take a tuple apart."""
    if len(params) == 1:
        return {params[0].name: x}
    return {param.name: part for param, part in zip(params, x, strict=True)}


# ---- Figure 8 ------------------------------------------------------------------------------------


def run_at(lam: Lam, point: tuple[Any, ...], over: Carrier) -> tuple[list[Any], Any, Any]:
    """The inputs, the result and the bindings of ``runDelta (a + 1) (D{e} s₀)``."""
    leaves: list[Any] = []

    def given(leaf: Object, number: Any) -> Any:
        if not is_smooth(leaf):
            return number
        leaves.append(number)
        return SymbolicDual(number, DeltaVar(len(leaves) - 1))

    pairs = zip(lam.params, point, strict=True)
    env = {param.name: map_leaves(given, param.type, value) for param, value in pairs}
    return leaves, *run_delta(len(leaves), Translation(over).term(lam.body, env))


def gradient(
    lam: Lam, point: tuple[Any, ...], covector: Any, over: Carrier, *, deletes: bool = True
) -> Outcome:
    """``R{e}``: the wrapper; the cotangent of each argument's numbers, in order."""
    inputs, result, binds = run_at(lam, point, over)
    visits, total = list[SymbolicDelta](), dict[int, Any]()
    for dual, w in outputs(result, covector):
        delta = wrapped(binds, dual.delta)
        found = evaluated_delta(w, delta, over, visits.append, deletes=deletes)
        for uid, x in found.items():
            total[uid] = total[uid] + x if uid in total else x
    back = [np.ravel(total.get(uid, np.zeros_like(x))) for uid, x in enumerate(inputs)]
    obj = lam.body.type
    primal = map_leaves(lambda leaf, x: x.primal if is_smooth(leaf) else x, obj, result)
    return Outcome(primal, np.concatenate(back) if back else np.zeros(0), len(visits))


def symbolic(lam: Lam, point: tuple[Any, ...], over: Carrier) -> str:
    """The Delta term of a program's number, a binding a line."""
    _, result, binds = run_at(lam, point, over)
    lines = [f"let u{uid} = {shown(rhs)} in" for uid, rhs in binds]
    return "\n".join([*lines, *(shown(dual.delta) for dual, _ in outputs(result, 0))])


def shown(delta: SymbolicDelta) -> str:
    """``Add (Scale 2 u0) (Scale 3 u1)``."""
    match delta:
        case DeltaScale(y, below):
            return f"Scale {'∂f' if callable(y) else format(float(y), 'g')} ({shown(below)})"
        case DeltaAdd(left, right):
            return f"Add ({shown(left)}) ({shown(right)})"
        case DeltaVar(uid):
            return f"Var {uid}"
    return "Zero"


def outputs(result: Any, covector: Any) -> list[tuple[SymbolicDual, Any]]:
    """The numbers of a result that move, with their cotangents."""
    if isinstance(result, SymbolicDual):
        return [(result, covector)]
    if not isinstance(result, tuple):
        return []
    return [pair for part, w in zip(result, covector, strict=True) for pair in outputs(part, w)]
