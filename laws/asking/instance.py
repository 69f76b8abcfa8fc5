"""An instance of a law: objects and arrows chosen for its variables, and what they make of a side.

The choice is a functor from the free category over the law's variables, so that a side has one
meaning in a model: ``Meaning`` follows it combinator by combinator, in the model's own category.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from combinators.category import Label
from combinators.errors import TypeMismatch
from combinators.morphisms import (
    Choice,
    Compose,
    Constant,
    Curry,
    Eval,
    Extend,
    Id,
    Morphism,
    Primitive,
    Prod,
    Projection,
    interpret,
)
from combinators.objects import Fun, Object, Product, Record, Vector
from combinators.type_folds import tangent_of
from laws.language.operators import Along, At, D, Image, Inner, Plus, R, Scaled, Zero
from laws.language.variables import Generator, Space, Variable
from laws.model import ways_of
from laws.models.free import FREE


@dataclass(frozen=True)
class Instance:
    """Objects for variables and arrows for generators."""

    objects: Mapping[Variable, Object]
    arrows: Mapping[Generator, Morphism]

    def obj(self, obj: Object) -> Object:
        """An object of the law, with its variables replaced."""
        match obj:
            case Variable():
                return self.objects[obj]
            case Space(of):
                return tangent_of(self.obj(of))
            case Product():
                return Product(*map(self.obj, obj.parts))
            case Record(names, product):
                return Record.of(names, Product(*map(self.obj, product.parts)))
            case Fun(dom, cod):
                return Fun(self.obj(dom), self.obj(cod))
            case Vector(item, length):
                return Vector(self.obj(item), length)
            case _:
                return obj


class Meaning:
    """What the sides of a law mean in a model, at one instance."""

    def __init__(self, model: Any, instance: Instance) -> None:
        """``model`` has the combinators and operators that the law speaks of."""
        self.model, self.instance = model, instance
        self._known: dict[int, tuple[Morphism, Any]] = {}

    def __call__(self, side: Morphism) -> Any:
        """An arrow of the model; what stands twice in a law is one arrow."""
        if id(side) not in self._known:
            self._known[id(side)] = side, self._made(side)
        return self._known[id(side)][1]

    def _made(self, side: Morphism) -> Any:
        obj, category, model = self.instance.obj, self.model.category, self.model
        dom, cod = obj(side.dom), obj(side.cod)
        match side:
            case Generator():
                return interpret(self.instance.arrows[side], category)
            case Id():
                return category.identity(dom)
            case Compose(arrows):
                return category.compose([self(arrow) for arrow in arrows])
            case Prod(_, arrows):
                return category.prod(dom, [self(arrow) for arrow in arrows])
            case Projection(_, index):
                return category.proj(dom, index, cod)
            case Extend(arrow):
                return category.extend(dom, self(arrow))
            case Curry(body):
                return category.curry(dom, cod, self(body), Label())
            case Eval():
                return category.eval(obj(side.function))
            case Constant(_, literal):
                return category.const(dom, literal)
            case Primitive(operation):
                return category.primitive(operation, dom, cod)
            case Choice(then, other):
                return category.cond(dom, self(then), self(other))
            case D(arrow):
                return model.D(self(arrow), obj(arrow.dom), obj(arrow.cod))
            case R(arrow):
                return model.R(self(arrow), obj(arrow.dom), obj(arrow.cod))
            case Plus(left, right):
                return model.add(self(left), self(right), dom, cod)
            case Zero():
                return model.zero(dom, cod)
            case Scaled(number, arrow):
                return model.scale(self(number), self(arrow), dom, cod)
            case Inner(left, right):
                return model.inner(self(left), self(right), dom, obj(left.cod))
            case Along(function):
                return model.along(self(function), dom, obj(function.cod))
            case At(vector, argument):
                return model.at(self(vector), self(argument), dom, obj(_functions(vector)))
            case Image(way, arrow):
                return ways_of(model)[way](self.program(arrow))
            case _:
                raise TypeMismatch(f"{type(side).__name__} is no arrow that laws speak of")

    def program(self, side: Morphism) -> Morphism:
        """A side as an arrow of the free category."""
        if isinstance(side, Generator):
            return self.instance.arrows[side]
        program: Morphism = Meaning(FREE, self.instance)(side)
        return program


def _functions(vector: Morphism) -> Object:
    """The ``A ⇒ B`` of an arrow into ``T(A ⇒ B)``."""
    assert isinstance(vector.cod, Space)
    return vector.cod.of
