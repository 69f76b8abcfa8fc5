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
from combinators.kit.tree import Syntax
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
        """By the primitive's own rule."""
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


def const(value: Any, dtype: Any = None) -> Const:
    """A number or an array as a term."""
    return Const(Literal(value, dtype))
