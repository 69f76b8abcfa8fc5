"""The terms of the language: a simply-typed λ-calculus (λ∂ of 004, section 3), typed when built.

Variables are names with a type, bound by λ and by let, the innermost binder first.

>>> from combinators.objects import Real
>>> x = Var("x", Real)
>>> Lam((x,), x).type
Real ⇒ Real
>>> App(Lam((x,), x), Tuple(()))
Traceback (most recent call last):
    ...
combinators.errors.TypeMismatch: ...: a function of Real is applied to Unit
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from combinators.errors import Place, TypeMismatch
from combinators.kit.recursion import Recursive, recurse
from combinators.kit.tree import Syntax, distinct_nodes
from combinators.literal import Literal
from combinators.objects import Bool, Fun, Object, Product, Record, component
from combinators.operation import Operation


class Term(Syntax):
    """A term ``e``, with its type ``τ`` in a context that its free variables name.

    ``repr`` is one short line, ``str`` the whole in let-normal form. Two terms are equal if they
    are written the same, names included: ``λx. x`` and ``λy. y`` mean the same and are two terms,
    since a gradient's environment and a printed program go by names. To compare without names,
    compare what ``translate`` makes of them.
    """

    type: Object


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Var(Term, of=()):
    """A variable ``x : τ``."""

    name: str
    obj: Object

    def __init__(self, name: str, obj: Object) -> None:
        """Γ, x:τ ⊢ x : τ."""
        known = self.__dict__
        known["name"], known["obj"], known["type"] = name, obj, obj


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Const(Term, of=()):
    """A number or an array."""

    literal: Literal

    def __init__(self, literal: Literal) -> None:
        """Γ ⊢ c : τ."""
        known = self.__dict__
        known["literal"], known["type"] = literal, literal.type


@dataclass(frozen=True, eq=False, repr=False)
class Lam(Term, of=("body",)):
    """``λx. e``; one of several parameters takes their product apart."""

    params: tuple[Var, ...]
    body: Term
    name: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        """Γ, x:σ ⊢ e : τ gives Γ ⊢ λx. e : σ ⇒ τ."""
        if len({param.name for param in self.params}) != len(self.params):
            names = ", ".join(param.name for param in self.params)
            raise TypeMismatch(f"a λ has each parameter once, and this has {names}")
        self.__dict__["type"] = Fun(self.dom, self.body.type)

    @property
    def dom(self) -> Object:
        """The type of the one argument."""
        return packed(tuple(param.type for param in self.params))


@dataclass(frozen=True, eq=False, repr=False)
class App(Term, of=("function", "argument")):
    """``f x``, the application of a function value."""

    function: Term
    argument: Term
    place: Place | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Γ ⊢ f : σ ⇒ τ and Γ ⊢ x : σ give Γ ⊢ f x : τ."""
        function = self.function.type
        if not isinstance(function, Fun):
            raise TypeMismatch(f"{function!r} is applied, and is not a function")
        if function.dom is not self.argument.type:
            raise TypeMismatch(
                f"a function of {function.dom!r} is applied to {self.argument.type!r}"
            )
        self.__dict__["type"] = function.cod


@dataclass(frozen=True, eq=False, repr=False)
class Let(Term):
    """``let x = a; y = b in e``: each binding sees those before it."""

    bindings: tuple[tuple[Var, Term], ...]
    body: Term

    def __post_init__(self) -> None:
        """Every variable has the type of what it names."""
        for var, bound in self.bindings:
            if var.type is not bound.type:
                raise TypeMismatch(f"{var.name} : {var.type!r} is bound to {bound.type!r}")
        self.__dict__["type"] = self.body.type

    def below(self) -> tuple[Term, ...]:
        """What is bound, and the body."""
        return (*[bound for _, bound in self.bindings], self.body)


@dataclass(frozen=True, eq=False, repr=False)
class Tuple(Term, of="items"):
    """``(a, b, c)``, or the record ``{x: a, y: b}`` where names are given."""

    items: tuple[Term, ...]
    names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """The product of the items' types."""
        product = Product(*[item.type for item in self.items])
        if self.names is None:
            self.__dict__["type"] = product
            return
        if len(self.names) != product.width:
            raise TypeMismatch(f"{product.width} components have {len(self.names)} names")
        self.__dict__["type"] = Record.of(self.names, product)


@dataclass(frozen=True, eq=False, repr=False)
class Proj(Term, of=("product",)):
    """The component ``index`` of a product, a record or a vector."""

    index: int
    product: Term

    def __post_init__(self) -> None:
        """Γ ⊢ e : τ₁ × … × τₙ gives Γ ⊢ πᵢ e : τᵢ."""
        self.__dict__["type"] = component(self.product.type, self.index)


@dataclass(frozen=True, eq=False, repr=False)
class Prim(Term, of="args"):
    """A primitive applied to its arguments, function values among them."""

    operation: Operation
    args: tuple[Term, ...]
    place: Place | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        self.__dict__["type"] = self.operation.type(*[arg.type for arg in self.args])


@dataclass(frozen=True, eq=False, repr=False)
class Cond(Term, of=("test", "then", "other")):
    """``if p then a else b``, of which only the branch taken is computed."""

    test: Term
    then: Term
    other: Term
    place: Place | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """A Bool, and two branches of one type."""
        if self.test.type is not Bool:
            raise TypeMismatch(f"cond chooses by a Bool, not by {self.test.type!r}")
        if self.then.type is not self.other.type:
            raise TypeMismatch(
                f"the branches of a cond have one type, but these have {self.then.type!r} "
                f"and {self.other.type!r}"
            )
        self.__dict__["type"] = self.then.type


def packed(types: tuple[Object, ...]) -> Object:
    """The one argument that several make: their product; one stands for itself."""
    return types[0] if len(types) == 1 else Product(*types)


def pack(args: tuple[Term, ...]) -> Term:
    """Several arguments as one."""
    return args[0] if len(args) == 1 else Tuple(args)


def prim(obj: Object, operation: Operation, place: Place | None, *args: Term) -> Prim:
    """A primitive that is known to give an ``obj``, and is not typed again."""
    made: Prim = object.__new__(Prim)
    known = made.__dict__
    known["operation"], known["args"], known["place"], known["type"] = operation, args, place, obj
    return made


def let(bindings: tuple[tuple[Var, Term], ...], body: Term) -> Term:
    """A block of bindings that are known to have the types of their variables."""
    if not bindings:
        return body
    made: Let = object.__new__(Let)
    known = made.__dict__
    known["bindings"], known["body"], known["type"] = bindings, body, body.type
    return made


def const(value: Any, dtype: Any = None) -> Const:
    """A number or an array as a term."""
    return Const(Literal(value, dtype))


# ---- what λs and branches capture ----------------------------------------------------------------

MOST = 10_000_000


def check_unfolding(term: Term) -> None:
    """Raise where a term without its sharing has more than ten million nodes."""
    size: dict[int, int] = {}
    node: Term
    for node in distinct_nodes(term, kind=Term):
        total = 1 + sum([size[id(part)] for part in node.below()])
        if total > MOST:
            raise TypeMismatch(
                f"a term holds {len(size)} nodes in more than {MOST} places; "
                "name what is used again: Let(((x, shared),), body)"
            )
        # a function is translated once, wherever it stands
        size[id(node)] = 1 if isinstance(node, Lam) else total


Captured = dict[int, tuple[Var, ...]]
"""What each λ and each conditional captures, by the node's ``id``."""

MANY = 1 << 16
"""A walk over more places than these may be one over a small term that shares its nodes."""


def captured(term: Term, known: Captured | None = None) -> tuple[tuple[Var, ...], Captured]:
    """The free variables of ``term``, and those of every λ and conditional in it.

    What is ``known`` is not looked into, and what is found is put there. It raises TypeMismatch
    where a term without its sharing is too large to be walked over.
    """
    walk, scope = _Walk(term, {} if known is None else known), _Scope()
    recurse(walk.over(term, scope))
    return tuple(scope.free.values()), walk.found


@dataclass(slots=True)
class _Scope:
    """The names bound in a λ or a branch, how often, and the variables not found in it."""

    bound: dict[str, int] = field(default_factory=dict)
    free: dict[str, Var] = field(default_factory=dict)

    def use(self, term: Any, depth: int = 6) -> bool:
        """Use what an atom, or a primitive that is not deep, uses; whether the term is one."""
        kind = type(term)
        if kind is Var:
            if not self.bound.get(term.name):
                self.free.setdefault(term.name, term)
            return True
        if kind is not Prim or not depth:
            return kind is Const
        for part in term.args:  # noqa: SIM110 (a generator takes twice as long)
            if not self.use(part, depth - 1):
                return False
        return True


class _Walk:
    """One walk over a program, with what is found."""

    def __init__(self, root: Term, found: Captured) -> None:
        self.found = found
        self._root, self._places = root, 0

    def over(self, term: Any, scope: _Scope) -> Recursive[None]:
        """Walk over a term; what its lets bind is bound in it alone."""
        names: list[str] = []
        while isinstance(term, Let):
            for var, bound in term.bindings:
                if not scope.use(bound):
                    yield self._compound(bound, scope)
                scope.bound[var.name] = scope.bound.get(var.name, 0) + 1
                names.append(var.name)
            term = term.body
        if not scope.use(term):
            yield self._compound(term, scope)
        for name in names:
            scope.bound[name] -= 1

    def _compound(self, term: Term, scope: _Scope) -> Recursive[None]:
        self._places += 1
        if self._places == MANY:
            check_unfolding(self._root)
        match term:
            case Let():
                yield self.over(term, scope)
            case Lam(params, body):
                yield self._scoped(term, _Scope({param.name: 1 for param in params}), (body,))
            case Cond(test, then, other):
                if not scope.use(test):
                    yield self._compound(test, scope)
                yield self._scoped(term, _Scope(), (then, other))
            case _:
                for part in term.below():
                    if not scope.use(part, 1):
                        yield self._compound(part, scope)
        for var in self.found.get(id(term), ()):
            scope.use(var)

    def _scoped(self, node: Term, scope: _Scope, blocks: tuple[Term, ...]) -> Recursive[None]:
        """Find what a λ or the branches of a choice capture, once."""
        if id(node) not in self.found:
            for block in blocks:
                yield self.over(block, scope)
            self.found[id(node)] = tuple(scope.free.values())
