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
from combinators.recursion import Recursive, recurse
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var


def translate(context: Sequence[Var], term: Term) -> Morphism:
    """``J⟦context ⊢ term⟧``: an arrow from the product of the context to the term's type."""
    lifted = lift_lets(term)
    free, inside = captured(lifted)
    bound = {var.name: var for var in context}
    for var in free:
        if var.name not in bound or bound[var.name].type is not var.type:
            known = ", ".join(f"{v.name} : {v.type!r}" for v in context)
            raise UnboundVariable(
                f"{var.name} : {var.type!r} is not bound by the context ({known})"
            )
    return recurse(_block(context, lifted, _Translation(inside, {})))


class _Translation(NamedTuple):
    """What each λ and branch captures, and the arrows of the closed λs, each made once."""

    captured: Captured
    closed: dict[int, Morphism]


class _Context:
    """Γ, which grows: where each variable stands in it."""

    def __init__(self, variables: Sequence[Var]) -> None:
        self.obj = Product(*(var.type for var in variables))
        self.width = len(variables)
        self.place = {var.name: index for index, var in enumerate(variables)}

    def proj(self, var: Var) -> Morphism:
        """BDVar: the projection of a variable."""
        return Projection(self.obj, self.place[var.name], var.type)

    def select(self, variables: Sequence[Var]) -> Morphism:
        return Prod(self.obj, tuple(self.proj(var) for var in variables))

    def extend(self, var: Var, arrow: Morphism) -> Morphism:
        step = Extend(arrow)
        self.obj = self.obj.snoc(arrow.cod)
        self.place[var.name] = self.width
        self.width += 1
        return step


def _block(
    variables: Sequence[Var], term: Term, known: _Translation, parameters: Sequence[Var] = ()
) -> Recursive[Morphism]:
    """A block in a context of its own; ``parameters`` take the context's last product apart."""
    context = _Context(variables)
    steps: list[Morphism] = []
    for index, param in enumerate(parameters):
        whole = context.proj(variables[-1])
        steps.append(context.extend(param, whole >> Projection(whole.cod, index, param.type)))
    bindings, body = (term.bindings, term.body) if isinstance(term, Let) else ((), term)
    for var, bound in bindings:
        steps.append(context.extend(var, (yield _arrow(bound, context, known))))
    steps.append((yield _arrow(body, context, known)))
    return compose(*steps)


def _arrow(term: Term, context: _Context, known: _Translation) -> Recursive[Morphism]:
    match term:
        case Var():
            return context.proj(term)
        case Const(literal):
            return Constant(context.obj, literal)
        case Lam():
            return (yield _lam(term, context, known))
        case App(function, argument):
            pair = yield _pair((function, argument), context, known)
            return pair >> Eval(_function(function))
        case Tuple(items, names):
            pair = yield _pair(items, context, known)
            return pair if names is None else pair >> Relabel(pair.cod, term.type)
        case Proj(index, product):
            whole = yield _arrow(product, context, known)
            return whole >> Projection(whole.cod, index, term.type)
        case Prim(operation, args):
            types = tuple(arg.type for arg in args)
            if len(args) == 1:
                return (yield _arrow(args[0], context, known)) >> Primitive(operation, types)
            return (yield _pair(args, context, known)) >> Primitive(operation, types)
        case Cond(test, then, other):
            chosen = known.captured[id(term)]
            branches = Choice(
                (yield _block(chosen, then, known)), (yield _block(chosen, other, known))
            )
            test_arrow = yield _arrow(test, context, known)
            return Prod(context.obj, (test_arrow, context.select(chosen))) >> branches
        case _:
            raise TypeMismatch(f"{type(term).__name__} is no term that J translates")


def _pair(terms: Sequence[Term], context: _Context, known: _Translation) -> Recursive[Morphism]:
    """BDProd: every component in the same context."""
    arrows = []
    for term in terms:
        arrows.append((yield _arrow(term, context, known)))
    return Prod(context.obj, tuple(arrows))


def _lam(term: Lam, context: _Context, known: _Translation) -> Recursive[Morphism]:
    """BDLam: ``curry`` of the body, out of exactly what it captures."""
    free = known.captured[id(term)]
    arrow = known.closed.get(id(term))
    if arrow is None:
        if len(term.params) == 1:
            body = yield _block((*free, term.params[0]), term.body, known)
        else:
            whole = Var("", term.dom)
            body = yield _block((*free, whole), term.body, known, term.params)
        arrow = known.closed[id(term)] = Curry(body, tuple(var.name for var in free))
    return context.select(free) >> arrow


def _function(term: Term) -> Fun:
    if not isinstance(term.type, Fun):
        raise TypeMismatch(f"{term.type!r} is applied, and is not a function")
    return term.type
