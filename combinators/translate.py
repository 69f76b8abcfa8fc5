"""J, the translation of terms into combinators: Figure 1 of 004.

``J⟦Δ ⊢ e : τ⟧ : Δ → τ``. Contexts are flat products that grow at their end. Two rules differ from
the figure, by laws of the closed category: ``let x = a in e`` is ``⟨id, J a⟩ >> J e`` (E7), not a
call; and a λ captures exactly its free variables, ``⟨proj …⟩ >> curry b`` (E4). A ``let`` inside an
argument is done before the argument's siblings (P3), so that a context only ever grows:
``f(let x = a in b)`` is first made ``let x = a in f(b)``, and a name that would capture another is
renamed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from combinators.errors import TypeMismatch, UnboundVariable
from combinators.free import Captured, captured, scopes
from combinators.kit.memory import uncollected
from combinators.kit.recursion import Recursive, recurse
from combinators.kit.text import Names
from combinators.kit.tree import distinct_nodes
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
from combinators.operation import Operation
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var

_Renamed = dict[str, Var]
"""What stands for a name that would capture another."""


def lift_lets(term: Term) -> Term:
    """An equal term in which no let stands in an argument."""
    lifting = _Lifting(term)
    return recurse(lifting.block(term, {}, lifting.free))


class _LiftedBlock:
    """What a block has bound so far, and the names that it must not bind again."""

    def __init__(self, renamed: _Renamed, names: Iterable[str]) -> None:
        self.bindings: list[tuple[Var, Term]] = []
        self.renamed = renamed
        self.names = set(names)

    def rename(self, name: str, var: Var | None) -> None:
        """From here on ``var`` stands for ``name``, or the name for itself."""
        if var is None or var.name == name:
            self.renamed.pop(name, None)
        else:
            self.renamed[name] = var


class _Lifting:
    """One pass over a term."""

    def __init__(self, term: Term) -> None:
        self.free, self._captured = captured(term)
        self._term = term
        self._fresh: Names | None = None
        self._done: dict[int, Term] = {}

    def block(self, term: Term, renamed: _Renamed, seen: Iterable[Var]) -> Recursive[Term]:
        """A block that sees the variables ``seen``, some of which are ``renamed``."""
        block = _LiftedBlock(renamed, [renamed.get(var.name, var).name for var in seen])
        body: Term = yield self._walk(term, block)
        bindings = tuple(block.bindings)
        if isinstance(term, Let) and body is term.body and _are_same(bindings, term.bindings):
            return term
        return Let(bindings, body) if bindings else body

    def _walk(self, term: Term, block: _LiftedBlock) -> Recursive[Term]:
        match term:
            case Var(name):
                return block.renamed.get(name, term)
            case Let():
                lifted: Term = yield self._let(term, block)
                return lifted
            case Lam():
                function: Term = yield self._lam(term, block)
                return function
            case Cond():
                choice: Term = yield self._cond(term, block)
                return choice
        old = term.below()
        new: list[Term] = []
        for part in old:
            new.append((yield self._walk(part, block)))
        same = all(a is b for a, b in zip(new, old, strict=True))
        return term if same else _rebuilt(term, new)

    def _let(self, term: Let, block: _LiftedBlock) -> Recursive[Term]:
        before = [(var.name, block.renamed.get(var.name)) for var, _ in term.bindings]
        for var, bound in term.bindings:
            value: Term = yield self._walk(bound, block)
            new = self._unused(var, block)
            block.names.add(new.name)
            block.bindings.append((new, value))
            block.rename(var.name, new)
        result: Term = yield self._walk(term.body, block)
        for name, var_before in reversed(before):
            block.rename(name, var_before)
        return result

    def _unused(self, var: Var, block: _LiftedBlock) -> Var:
        """``var``, under a name that is nowhere else where its own is taken in the block."""
        if var.name not in block.names:
            return var
        if self._fresh is None:
            nodes = distinct_nodes(self._term)
            self._fresh = Names(node.name for node in nodes if isinstance(node, Var))
        return Var(self._fresh.fresh(var.name), var.type)

    def _lam(self, term: Lam, block: _LiftedBlock) -> Recursive[Term]:
        free = self._captured[id(term)]
        renamed = _among(free, block.renamed)
        if not renamed and id(term) in self._done:
            return self._done[id(term)]
        body: Term = yield self.block(term.body, renamed, (*free, *term.params))
        new = term if body is term.body else Lam(term.params, body, term.name)
        if not renamed:
            self._done[id(term)] = new
        return new

    def _cond(self, term: Cond, block: _LiftedBlock) -> Recursive[Term]:
        free = self._captured[id(term)]
        test: Term = yield self._walk(term.test, block)
        then: Term = yield self.block(term.then, _among(free, block.renamed), free)
        other: Term = yield self.block(term.other, _among(free, block.renamed), free)
        if test is term.test and then is term.then and other is term.other:
            return term
        return Cond(test, then, other, term.place)


def _among(free: tuple[Var, ...], renamed: _Renamed) -> _Renamed:
    return {var.name: renamed[var.name] for var in free if var.name in renamed} if renamed else {}


def _are_same(new: tuple[tuple[Var, Term], ...], old: tuple[tuple[Var, Term], ...]) -> bool:
    return len(new) == len(old) and all(
        var is was and bound is before for (var, bound), (was, before) in zip(new, old, strict=True)
    )


def _rebuilt(term: Term, parts: list[Term]) -> Term:
    match term:
        case App(_, _, place):
            return App(parts[0], parts[1], place)
        case Tuple(_, names):
            return Tuple(tuple(parts), names)
        case Prim(operation, _, place):
            return Prim(operation, tuple(parts), place)
        case Proj(index):
            return Proj(index, parts[0])
        case _:
            return term


_LISTED = 8
LINE = 32
"""So deep is a line that is translated by plain recursion, which costs half of one without end."""


def translate(context: Sequence[Var], term: Term) -> Morphism:
    """``J⟦context ⊢ term⟧``: an arrow from the product of the context to the term's type.

    Raises UnboundVariable where the context does not bind a free variable at its type.
    """
    with uncollected():
        known = scopes(term)
        if not known.are_plain:
            term = lift_lets(term)
            known = scopes(term)
        bound = {var.name: var for var in context}
        for var in known.free:
            if var.name not in bound or bound[var.name].type is not var.type:
                raise _unbound(var, context)
        return recurse(_block(context, term, _Translation(known.captured, {}, {})))


def _unbound(var: Var, context: Sequence[Var]) -> UnboundVariable:
    known = ", ".join(f"{v.name} : {v.type!r}" for v in context[:_LISTED])
    more = ", …" if len(context) > _LISTED else ""
    return UnboundVariable(f"{var.name} : {var.type!r} is not bound by the context ({known}{more})")


class _Translation(NamedTuple):
    """What each λ and branch captures, and the arrows of λs and primitives, each made once."""

    captured: Captured
    closed: dict[int, Morphism]
    primitives: dict[tuple[Operation, tuple[Object, ...]], Morphism]

    def primitive(self, operation: Operation, types: tuple[Object, ...]) -> Morphism:
        key = operation, types
        found = self.primitives.get(key)
        if found is None:
            found = self.primitives[key] = Primitive(operation, types)
        return found


_Steps = list[Morphism]
"""Arrows that follow one another, composed when a block or a component is complete."""


class _Context:
    """Γ, which grows: where each variable stands in it."""

    def __init__(self, variables: Sequence[Var]) -> None:
        self.obj = Product(*(var.type for var in variables))
        self.width = len(variables)
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

    def extend(self, var: Var, steps: _Steps) -> Morphism:
        step = Extend(compose(*steps))
        self.obj = step.context
        self._place[var.name] = self.width, var
        self._made.clear()
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
            steps = _line(bound, context, known)
            if steps is None:
                steps = yield _steps(bound, context, known)
            block.append(context.extend(var, steps))
        term = term.body
    result = _line(term, context, known)
    if result is None:
        result = yield _steps(term, context, known)
    return compose(*block, *result)


def _line(term: Term, context: _Context, known: _Translation, depth: int = LINE) -> _Steps | None:
    """``_steps`` by plain recursion, of a term that is not deep and holds no λ and no choice."""
    kind = type(term)
    if kind is Lam or kind is Cond or not depth:
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
    if isinstance(term, Lam):
        made = yield _lam(term, context, known)
        return made
    if isinstance(term, Cond):
        made = yield _cond(term, context, known)
        return made
    parts: list[_Steps] = []
    for part in term.below():
        parts.append((yield _steps(part, context, known)))
    return _made(term, parts, context, known)


def _made(term: Term, parts: list[_Steps], context: _Context, known: _Translation) -> _Steps:
    """A form that binds nothing, of the arrows of its parts."""
    if isinstance(term, Var):
        return [context.proj(term)]
    if isinstance(term, Prim):
        types = tuple([arg.type for arg in term.args])
        primitive = known.primitive(term.operation, types)
        if len(types) == 1 and not isinstance(types[0], Product):
            return _then(parts[0], primitive)
        return [_pair(parts, context), primitive]
    match term:
        case Const(literal):
            return [Constant(context.obj, literal)]
        case Proj(index, product):
            return _then(parts[0], Projection(product.type, index, term.type))
        case App(function):
            return [_pair(parts, context), Eval(_function(function))]
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
    return Prod(context.obj, tuple([compose(*steps) for steps in parts]))


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
