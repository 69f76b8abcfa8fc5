"""J, the translation of terms into combinators: Figure 1 of 004.

``J⟦Δ ⊢ e : τ⟧ : Δ → τ``. Contexts are flat products that grow at their end. Two rules differ from
the figure, by laws of the closed category: ``let x = a in e`` is ``⟨id, J a⟩ >> J e`` (E7), not a
call; and a λ captures exactly its free variables, ``⟨proj …⟩ >> curry b`` (E4). A ``let`` inside an
argument is done before the argument's siblings (P3), so that a context only ever grows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from combinators.errors import TypeMismatch, UnboundVariable
from combinators.free import Captured, captured
from combinators.kit.collector import uncollected
from combinators.kit.recursion import Recursive, recurse
from combinators.lift import lift_lets
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
from combinators.objects import Fun, Product
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var
from combinators.unfolding import check_unfolding

_LISTED = 8


def translate(context: Sequence[Var], term: Term) -> Morphism:
    """``J⟦context ⊢ term⟧``: an arrow from the product of the context to the term's type.

    Raises UnboundVariable where the context does not bind a free variable at its type.
    """
    with uncollected():
        check_unfolding(term)
        lifted = lift_lets(term)
        free, inside = captured(lifted)
        bound = {var.name: var for var in context}
        for var in free:
            if var.name not in bound or bound[var.name].type is not var.type:
                raise _unbound(var, context)
        return recurse(_block(context, lifted, _Translation(inside, {})))


def _unbound(var: Var, context: Sequence[Var]) -> UnboundVariable:
    known = ", ".join(f"{v.name} : {v.type!r}" for v in context[:_LISTED])
    more = ", …" if len(context) > _LISTED else ""
    return UnboundVariable(f"{var.name} : {var.type!r} is not bound by the context ({known}{more})")


class _Translation(NamedTuple):
    """What each λ and branch captures, and the arrows of the closed λs, each made once."""

    captured: Captured
    closed: dict[int, Morphism]


_Steps = list[Morphism]
"""Arrows that follow one another, composed when a block or a component is complete."""


class _Context:
    """Γ, which grows: where each variable stands in it."""

    def __init__(self, variables: Sequence[Var]) -> None:
        self.obj = Product(*(var.type for var in variables))
        self.width = len(variables)
        self._place = {var.name: (index, var) for index, var in enumerate(variables)}

    def proj(self, var: Var) -> Morphism:
        """BDVar: the projection of a variable."""
        index, bound = self._place[var.name]
        if bound.type is not var.type:
            raise UnboundVariable(
                f"{var.name} : {var.type!r} is not bound, and {var.name} : {bound.type!r} is"
            )
        return Projection(self.obj, index, var.type)

    def select(self, variables: Sequence[Var]) -> Morphism:
        return Prod(self.obj, tuple(self.proj(var) for var in variables))

    def extend(self, var: Var, steps: _Steps) -> Morphism:
        step = Extend(compose(*steps))
        self.obj = self.obj.snoc(var.type)
        self._place[var.name] = self.width, var
        self.width += 1
        return step


def _block(
    variables: Sequence[Var], term: Term, known: _Translation, parameters: Sequence[Var] = ()
) -> Recursive[Morphism]:
    """A block in a context of its own; ``parameters`` take the context's last product apart."""
    context = _Context(variables)
    block: _Steps = []
    for index, param in enumerate(parameters):
        whole = context.proj(variables[-1])
        part = Projection(whole.cod, index, param.type)
        block.append(context.extend(param, [whole, part]))
    while isinstance(term, Let):
        for var, bound in term.bindings:
            steps: _Steps = yield _steps(bound, context, known)
            block.append(context.extend(var, steps))
        term = term.body
    result: _Steps = yield _steps(term, context, known)
    return compose(*block, *result)


def _steps(term: Term, context: _Context, known: _Translation) -> Recursive[_Steps]:
    match term:
        case Var():
            return [context.proj(term)]
        case Const(literal):
            return [Constant(context.obj, literal)]
        case Lam():
            closure: _Steps = yield _lam(term, context, known)
            return closure
        case App(function, argument):
            applied: Morphism = yield _pair((function, argument), context, known)
            return [applied, Eval(_function(function))]
        case Tuple(items, names):
            pair: Morphism = yield _pair(items, context, known)
            return [pair] if names is None else [pair, Relabel(pair.cod, term.type)]
        case Proj(index, product):
            whole: _Steps = yield _steps(product, context, known)
            return _then(whole, Projection(product.type, index, term.type))
        case Prim(operation, (arg,)) if not isinstance(arg.type, Product):
            source: _Steps = yield _steps(arg, context, known)
            return _then(source, Primitive(operation, (arg.type,)))
        case Prim(operation, args):
            arguments: Morphism = yield _pair(args, context, known)
            return [arguments, Primitive(operation, tuple(arg.type for arg in args))]
        case Cond():
            choice: _Steps = yield _cond(term, context, known)
            return choice
        case _:
            raise TypeMismatch(f"{type(term).__name__} is no term that J translates")


def _then(steps: _Steps, last: Morphism) -> _Steps:
    steps.append(last)
    return steps


def _pair(terms: Sequence[Term], context: _Context, known: _Translation) -> Recursive[Morphism]:
    """BDProd: every component in the same context."""
    arrows: _Steps = []
    for term in terms:
        steps: _Steps = yield _steps(term, context, known)
        arrows.append(compose(*steps))
    return Prod(context.obj, tuple(arrows))


def _cond(term: Cond, context: _Context, known: _Translation) -> Recursive[_Steps]:
    chosen = known.captured[id(term)]
    test: _Steps = yield _steps(term.test, context, known)
    then: Morphism = yield _block(chosen, term.then, known)
    other: Morphism = yield _block(chosen, term.other, known)
    return [
        Prod(context.obj, (compose(*test), context.select(chosen))),
        Choice(then, other),
    ]


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


def _function(term: Term) -> Fun:
    if not isinstance(term.type, Fun):
        raise TypeMismatch(f"{term.type!r} is applied, and is not a function")
    return term.type
