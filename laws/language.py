"""What laws are written in: variables, operators beside the combinators, and short words.

A law quantifies over objects and arrows that stand for any. Its two sides are arrows of the free
category over these. A choice of objects and arrows for them extends to one structure-preserving
map, which gives the instance of the law (``laws.scene``). Operators are no combinators, since no
program holds them; a model says what they are (``laws.model``). They are spelt as in the papers.

>>> A, B = Variable("A"), Variable("B")
>>> f = Generator("f", A, B)
>>> (f >> Generator("g", B, A)).cod is A
True
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

from combinators.errors import TypeMismatch
from combinators.morphisms import Curry, Eval, Id, Morphism, Projection, prod
from combinators.objects import Fun, Mu, MuVar, Object, Product, Real, Sum, Tagged, Tensor, Unit
from laws.recursion import RECURSIVE

Kind = Literal["any", "data", "vector"]
"""Which objects a variable stands for: all; those without functions; those of floats."""

Sort = Literal["arrow", "linear", "point", "sum"]
"""What a generator is: any arrow; a linear map; a global element; a function of integers."""


class Variable(Object):
    """An object variable. The tangent space of a ``"vector"`` is itself."""

    __match_args__ = ("name", "kind")
    name: str
    kind: Kind

    def __new__(cls, name: str, kind: Kind = "any") -> Self:
        """``Variable("A")``, ``Variable("V", "vector")``."""
        return cls._intern(name, kind)


class TangentSpace(Object):
    """``T A``, the tangent space of an object that is not known yet."""

    __match_args__ = ("of",)
    of: Object

    def __new__(cls, of: Object) -> Self:
        """Write ``tangent``, which leaves vectors alone."""
        return cls._intern(of)


def tangent(obj: Object) -> Object:
    """``T A``: a vector's is itself, a product's is the product of its components'.

    >>> V, D = Variable("V", "vector"), Variable("D", "data")
    >>> tangent(Product(V, V)) is Product(V, V), tangent(D) is TangentSpace(D)
    (True, True)
    """
    match obj:
        case Variable(_, "vector"):
            return obj
        case Product():
            return Product(*map(tangent, obj.parts))
        case Tensor():
            return obj if obj.is_smooth else Unit
        case Sum(names, product):
            return Tagged.of(names, Product(*map(tangent, product.parts)))
        case Mu(name, body):
            return Mu(name, tangent(body))
        case MuVar():
            return obj
        case _:
            return TangentSpace(obj)


@dataclass(frozen=True, eq=False, repr=False)
class Generator(Morphism):
    """An arrow that a law quantifies over; a ``"point"`` starts from Unit."""

    name: str
    source: Object
    target: Object
    sort: Sort = "arrow"

    def __post_init__(self) -> None:
        """Type it."""
        self._typed(self.source, self.target)


def points(names: str, obj: Object) -> tuple[Generator, ...]:
    """Global elements of ``A``, one a name."""
    return tuple(Generator(name, Unit, obj, "point") for name in names.split())


def arrows(names: str, dom: Object, cod: Object) -> tuple[Generator, ...]:
    """Parallel arrows, one a name: ``arrows("f g", A, B)`` are f and g."""
    return tuple(Generator(name, dom, cod) for name in names.split())


@dataclass(frozen=True, eq=False, repr=False)
class Operator(Morphism):
    """What laws say besides combinators: ``model.method(*arrows, *about)`` gives its arrow."""

    method: str
    arrows: tuple[Morphism, ...]
    source: Object
    target: Object
    about: tuple[Object, ...] = ()

    def __post_init__(self) -> None:
        """Type it."""
        self._typed(self.source, self.target)


def D(arrow: Morphism) -> Operator:
    """``D[f] : A × T A → T B``, the point first and then the vector (Blute, Cockett, Seely)."""
    dom, cod = arrow.dom, arrow.cod
    return Operator("D", (arrow,), Product(dom, tangent(dom)), tangent(cod), (dom, cod))


def R(arrow: Morphism) -> Operator:
    """``R[f] : A × T B → T A``, the point first and then the covector (Cockett et al. 2019)."""
    dom, cod = arrow.dom, arrow.cod
    return Operator("R", (arrow,), Product(dom, tangent(cod)), tangent(dom), (dom, cod))


def Plus(left: Morphism, right: Morphism) -> Operator:
    """``f + g`` of two parallel arrows."""
    dom, cod = left.dom, left.cod
    if dom is not right.dom or cod is not right.cod:
        raise TypeMismatch(f"only parallel arrows have a sum, not {left} and {right}")
    return Operator("add", (left, right), dom, cod, (dom, cod))


def Zero(source: Object, target: Object) -> Operator:
    """``0 : A → B``."""
    return Operator("zero", (), source, target, (source, target))


def Scaled(number: Morphism, arrow: Morphism) -> Operator:
    """``λ · f`` of a number ``λ : A → Real`` and an arrow ``f : A → B``."""
    dom, cod = arrow.dom, arrow.cod
    if number.dom is not dom or number.cod is not Real:
        raise TypeMismatch("an arrow is scaled by a number from its own domain")
    return Operator("scale", (number, arrow), dom, cod, (dom, cod))


def Inner(left: Morphism, right: Morphism) -> Operator:
    """``⟨f, g⟩``, the inner product of two vectors, as a number."""
    dom, cod = left.dom, left.cod
    if dom is not right.dom or cod is not right.cod:
        raise TypeMismatch("only two arrows of one type have an inner product")
    return Operator("inner", (left, right), dom, Real, (dom, cod))


def Along(function: Morphism) -> Operator:
    """A function ``k : X → (A ⇒ T B)`` into a vector object, as a vector in ``T(A ⇒ B)``."""
    dom, cod = function.dom, function.cod
    if not isinstance(cod, Fun) or tangent(cod.cod) is not cod.cod:
        raise TypeMismatch("only an arrow into functions into vectors is a tangent of those")
    return Operator("along", (function,), dom, tangent(cod), (dom, cod))


def At(vector: Morphism, argument: Morphism) -> Operator:
    """``t(b) : X → T B`` of a tangent ``t : X → T(A ⇒ B)`` and an argument ``b : X → A``."""
    dom = vector.dom
    match vector.cod:
        case TangentSpace(Fun() as of) if of.dom is argument.cod and dom is argument.dom:
            return Operator("at", (vector, argument), dom, tangent(of.cod), (dom, of))
    raise TypeMismatch(f"{vector} is no tangent of functions of {argument}")


def Image(way: str, arrow: Morphism) -> Operator:
    """What one of the model's ``ways``, by name, makes of a program: simplified, or compiled."""
    return Operator(f"ways:{way}", (arrow,), arrow.dom, arrow.cod)


def Recursive(which: str, *arrows: Morphism) -> Operator:
    """A recursive function ``rec(f, g)``, ``unrolled(f, g)``, … of ``laws.recursion``."""
    made = RECURSIVE[which](*arrows)
    return Operator(f"rec:{which}", arrows, made.dom, made.cod)


def pair(*arrows: Morphism) -> Morphism:
    """``⟨f, g, …⟩``."""
    return prod(arrows[0].dom, *arrows)


def first(*factors: Object) -> Morphism:
    """``π0 : A × B → A``."""
    return Projection(Product(*factors), 0)


def second(*factors: Object) -> Morphism:
    """``π1 : A × B → B``."""
    return Projection(Product(*factors), 1)


def discard(obj: Object) -> Morphism:
    """``! : A → 1``."""
    return prod(obj)


def parallel(f: Morphism, g: Morphism) -> Morphism:
    """``f × g``."""
    return pair(first(f.dom, g.dom) >> f, second(f.dom, g.dom) >> g)


def copy(obj: Object) -> Morphism:
    """``Δ : A → A × A``."""
    return pair(Id(obj), Id(obj))


def swap(left: Object, right: Object) -> Morphism:
    """``σ : A × B → B × A``."""
    return pair(second(left, right), first(left, right))


def curry(body: Morphism) -> Morphism:
    """``curry(f) : A → (B ⇒ C)`` of ``f : A × B → C``."""
    if not isinstance(body.dom, Product) or body.dom.width != 2:
        raise TypeMismatch(f"curry is of an arrow out of a product of two, not from {body.dom!r}")
    return prod(body.dom.parts[0], Id(body.dom.parts[0])) >> Curry(body)


def ev(dom: Object, cod: Object) -> Morphism:
    """``eval : (A ⇒ B) × A → B``."""
    return Eval(Fun(dom, cod))


def uncurry(function: Morphism) -> Morphism:
    """``(h × id) >> eval : A × B → C`` of ``h : A → (B ⇒ C)``."""
    cod = function.cod
    if not isinstance(cod, Fun):
        raise TypeMismatch(f"only an arrow into functions is uncurried, not one into {cod!r}")
    return parallel(function, Id(cod.dom)) >> Eval(cod)


def exponential(before: Morphism, after: Morphism) -> Morphism:
    """``f ⇒ g : (A ⇒ B) → (A' ⇒ B')`` of ``f : A' → A`` and ``g : B → B'``."""
    functions = Fun(before.cod, after.dom)
    return curry(parallel(Id(functions), before) >> Eval(functions) >> after)


def into_first(left: Object, right: Object) -> Morphism:
    """``ι0 = ⟨1, 0⟩ : A → A × B``."""
    return pair(Id(left), Zero(left, right))


def into_second(left: Object, right: Object) -> Morphism:
    """``ι1 = ⟨0, 1⟩ : B → A × B``."""
    return pair(Zero(right, left), Id(right))


def associate(a: Object, b: Object, c: Object) -> Morphism:
    """``α : (A × B) × C → A × (B × C)``."""
    left, right = first(Product(a, b), c), second(Product(a, b), c)
    return pair(left >> first(a, b), pair(left >> second(a, b), right))


def everywhere(point: Morphism, dom: Object) -> Morphism:
    """``A → B``, the global element ``1 → B`` after ``! : A → 1``."""
    return point if dom is Unit else discard(dom) >> point
