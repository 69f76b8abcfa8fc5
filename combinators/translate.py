"""J, the translation of terms into combinators: Figure 1 of 004.

``J⟦Δ ⊢ e : τ⟧ : Δ → τ``. Contexts are flat products that grow at their end. Two rules differ from
the figure, by laws of the closed category: ``let x = a in e`` is ``⟨id, J a⟩ >> J e`` (E7), not a
call; and a λ captures exactly its free variables, ``⟨proj …⟩ >> curry b`` (E4). Variables are
places in the context, so that a name which is bound again captures nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from combinators.errors import TypeMismatch, UnboundVariable
from combinators.kit.memory import uncollected
from combinators.kit.recursion import Recursive, recurse
from combinators.morphisms import (
    Choice,
    Constant,
    Curry,
    Eval,
    Extend,
    Morphism,
    Primitive,
    Prod,
    Projection,
    Relabel,
    compose,
)
from combinators.objects import Fun, Object, Product
from combinators.terms import (
    App,
    Captured,
    Cond,
    Const,
    Lam,
    Let,
    Prim,
    Proj,
    Term,
    Tuple,
    Var,
    captured,
)

_LISTED = 8
LINE = 32
"""So deep is a line that is translated by plain recursion, which costs half of one without end."""


def translate(context: Sequence[Var], term: Term) -> Morphism:
    """``J⟦context ⊢ term⟧``: an arrow from the product of the context to the term's type.

    Raises UnboundVariable where the context does not bind a free variable at its type.
    """
    with uncollected():
        free, inside = captured(term)
        bound = {var.name: var for var in context}
        for var in free:
            if var.name not in bound or bound[var.name].type is not var.type:
                known = ", ".join(f"{v.name} : {v.type!r}" for v in context[:_LISTED])
                more = ", …" if len(context) > _LISTED else ""
                raise UnboundVariable(
                    f"{var.name} : {var.type!r} is not bound by the context ({known}{more})"
                )
        return recurse(_block(context, term, _Translation(inside, {})))


def constant(dom: Object, value: Term) -> Morphism:
    """``const v : dom → τ`` of any closed term: ``! >> J⟦ ⊢ v⟧``.

    >>> from combinators.objects import Real
    >>> from combinators.terms import const
    >>> constant(Real, Tuple((const(1.0), Lam((Var("x", Real),), const(2.0)))))
    ⟨⟩ >> ⟨const 1, ⟨⟩ >> curry(const 2)⟩
    """
    return compose(Prod(dom, ()), translate((), value))


class _Translation(NamedTuple):
    """What each λ and branch captures, and the arrows of λs, each made once."""

    captured: Captured
    closed: dict[int, Morphism]


_primitive = lru_cache(maxsize=1 << 10)(Primitive)

_Steps = list[Morphism]
"""Arrows that follow one another, composed when a block or a component is complete."""
_Bound = tuple[int, Var]


class _Context:
    """Γ, which grows: where each variable stands in it."""

    def __init__(self, variables: Sequence[Var]) -> None:
        self.obj = Product(*(var.type for var in variables))
        self._place = {var.name: (index, var) for index, var in enumerate(variables)}
        self._made: dict[str, Morphism] = {}

    def proj(self, var: Var) -> Morphism:
        """BDVar: the projection of a variable."""
        made = self._made.get(var.name)
        if made is not None and made.cod is var.type:
            return made
        index, bound = self._place[var.name]
        if bound.type is not var.type:
            raise UnboundVariable(
                f"{var.name} : {var.type!r} is not bound, and {var.name} : {bound.type!r} is"
            )
        made = self._made[var.name] = Projection(self.obj, index, var.type)
        return made

    def select(self, variables: Sequence[Var]) -> Morphism:
        return Prod(self.obj, tuple(self.proj(var) for var in variables))

    def extend(self, var: Var, steps: _Steps) -> tuple[Morphism, _Bound | None]:
        """``⟨id, e⟩``, and what the variable's name stood for before."""
        step = Extend(compose(*steps))
        before = self._place.get(var.name)
        self._place[var.name] = self.obj.width, var
        self.obj = step.context
        self._made.clear()
        return step, before

    def leave(self, obj: Product, before: list[tuple[str, _Bound | None]]) -> None:
        """Γ as it was before the lets of an argument."""
        self.obj = obj
        self._made.clear()
        for name, bound in reversed(before):
            if bound is None:
                del self._place[name]
            else:
                self._place[name] = bound


def _block(
    variables: Sequence[Var], term: Term, known: _Translation, parameters: Sequence[Var] = ()
) -> Recursive[Morphism]:
    """A block in a context of its own; ``parameters`` take the context's last product apart."""
    context = _Context(variables)
    block: _Steps = []
    for index, param in enumerate(parameters):
        whole = context.proj(variables[-1])
        part = Projection(whole.cod, index, param.type)
        block.append(context.extend(param, [whole, part])[0])
    block += yield _lets(term, context, known)
    return compose(*block)


def _line(term: Term, context: _Context, known: _Translation, depth: int = LINE) -> _Steps | None:
    """``_steps`` by plain recursion, of a term that is not deep and holds no block."""
    kind = type(term)
    if kind is Var:
        return [context.proj(term)]  # type: ignore[arg-type]  # a variable
    if kind is Lam or kind is Cond or kind is Let or not depth:
        return None
    parts: list[_Steps] = []
    for part in term.below():
        steps = _line(part, context, known, depth - 1)
        if steps is None:
            return None
        parts.append(steps)
    return _made(term, parts, context, known)


def _steps(term: Term, context: _Context, known: _Translation) -> Recursive[_Steps]:
    made: _Steps
    match term:
        case Var():
            return [context.proj(term)]
        case Let():
            made = yield _lets(term, context, known)
            return made
        case Lam():
            made = yield _lam(term, context, known)
            return made
        case Cond(test, then, other):
            chosen = known.captured[id(term)]
            made = yield _steps(test, context, known)
            branches = (yield _block(chosen, then, known)), (yield _block(chosen, other, known))
            pair = Prod(context.obj, (compose(*made), context.select(chosen)))
            return [pair, Choice(*branches)]
    parts: list[_Steps] = []
    for part in term.below():
        parts.append((yield _steps(part, context, known)))
    return _made(term, parts, context, known)


def _lets(term: Term, context: _Context, known: _Translation) -> Recursive[_Steps]:
    """The lets of a block or of an argument, each in a context with those before it."""
    outside, before = context.obj, list[tuple[str, _Bound | None]]()
    made: _Steps = []
    while isinstance(term, Let):
        for var, bound in term.bindings:
            steps = _line(bound, context, known)
            if steps is None:
                steps = yield _steps(bound, context, known)
            step, stood = context.extend(var, steps)
            made.append(step)
            before.append((var.name, stood))
        term = term.body
    last = _line(term, context, known)
    made += last if last is not None else (yield _steps(term, context, known))
    context.leave(outside, before)
    return made


def _made(term: Term, parts: list[_Steps], context: _Context, known: _Translation) -> _Steps:
    """A form that binds nothing, of the arrows of its parts."""
    if isinstance(term, Prim):
        types = tuple([arg.type for arg in term.args])
        primitive = _primitive(term.operation, types)
        if len(types) == 1 and not isinstance(types[0], Product):
            return _then(parts[0], primitive)
        return [_pair(parts, context), primitive]
    match term:
        case Const(literal):
            return [Constant(context.obj, literal)]
        case Proj(index, product):
            return _then(parts[0], Projection(product.type, index, term.type))
        case App(function):
            if not isinstance(function.type, Fun):
                raise TypeMismatch(f"{function.type!r} is applied, and is not a function")
            return [_pair(parts, context), Eval(function.type)]
        case Tuple(_, names):
            pair = _pair(parts, context)
            return [pair] if names is None else [pair, Relabel(pair.cod, term.type)]
        case _:
            raise TypeMismatch(f"{type(term).__name__} is no term that J translates")


def _then(steps: _Steps, last: Morphism) -> _Steps:
    steps.append(last)
    return steps


def _pair(parts: list[_Steps], context: _Context) -> Morphism:
    """BDProd: every component in the same context."""
    arrows = [steps[0] if len(steps) == 1 else compose(*steps) for steps in parts]
    return Prod(context.obj, tuple(arrows))


def _lam(term: Lam, context: _Context, known: _Translation) -> Recursive[_Steps]:
    """BDLam: ``curry`` of the body, out of exactly what it captures."""
    free = known.captured[id(term)]
    arrow = known.closed.get(id(term))
    if arrow is None:
        if len(term.params) == 1:
            body: Morphism = yield _block((*free, term.params[0]), term.body, known)
        else:
            whole = Var("", term.dom)
            body = yield _block((*free, whole), term.body, known, term.params)
        names, parameters = (tuple(var.name for var in vs) for vs in (free, term.params))
        arrow = known.closed[id(term)] = Curry(body, names, parameters, term.name)
    return [context.select(free), arrow]
