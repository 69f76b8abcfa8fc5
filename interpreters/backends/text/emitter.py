"""What the writer of a program holds, and what it is asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

from combinators.kit.recursion import Recursive
from combinators.literal import Literal
from combinators.objects import Object, Tensor
from combinators.terms import Lam, Term, Var
from interpreters.backends.text.frame import Frame, L, V
from interpreters.backends.text.literals import is_uniform
from interpreters.backends.text.module import Module
from interpreters.backends.text.survey import Lambdas
from interpreters.backends.text.values import Bundle, Spread

F = TypeVar("F", bound=Frame[Any, Any])
"""The frames of a backend."""


class Emitter(ABC, Generic[V, L, F]):
    """Writes the functions of one program into a module."""

    def __init__(self, module: Module, lambdas: Lambdas) -> None:
        """The functions of the program that was surveyed."""
        self.module, self.captured = module, dict(lambdas.captured)
        self.functions: dict[int, str] = {}
        self._times = lambdas.times
        self._kept: list[Term] = []

    @abstractmethod
    def expression(self, text: str, obj: Object) -> L:
        """An expression of which nothing else is to be noted."""

    def opaque(self, obj: Object, text: str) -> L:
        """What a parameter or a call gives, of which nothing is known."""
        return self.expression(text, obj)

    @abstractmethod
    def number_of(self, number: Any, obj: Tensor) -> L:
        """A number of the element type of ``obj``."""

    @abstractmethod
    def constant(self, literal: Literal) -> L:
        """An array that stands at the top of the module."""

    @abstractmethod
    def component(self, whole: V, index: int, obj: Object) -> V:
        """A component of a product or a vector."""

    @abstractmethod
    def leaf(self, value: V, at: F, wish: str = "t") -> Recursive[L]:
        """The value as one expression."""

    @abstractmethod
    def define(self, name: str, function: Lam) -> Recursive[None]:
        """Write a λ at the top of the module; what it captures is given first."""

    def bundle(self, parts: tuple[V, ...], obj: Object) -> Bundle[V]:
        """A product of known parts."""
        return Bundle(parts, obj)

    def is_once(self, function: Lam) -> bool:
        """Whether a λ stands in one place only, where it may be written out."""
        return self._times[id(function)] <= 1

    def keep(self, function: Lam, captured: tuple[Var, ...]) -> Lam:
        """A λ of ours; it is kept, as nodes are known by their ids."""
        self._kept.append(function)
        self.captured[id(function)] = captured
        return function

    def literal(self, literal: Literal) -> L | Spread[L]:
        """A number, an array of one number, or an array that stands at the top of the module."""
        obj, array = literal.type, literal.array
        if not obj.shape:
            return self.number_of(array.item(), obj)
        if array.size and is_uniform(array):
            return Spread(self.number_of(array.flat[0].item(), obj), obj)
        return self.constant(literal)
