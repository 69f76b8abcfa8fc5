"""A function at given argument types: its λ, its combinators, its arrow in any mode."""

from __future__ import annotations

from functools import cached_property

from combinators.morphisms import Morphism
from combinators.objects import Object
from combinators.terms import Lam
from combinators.tracing.functions import Specialised
from combinators.translate import translate
from diffcurry.closures import arrow_in
from interpreters.execution.machine import Arrow
from interpreters.execution.running import Running


class Program:
    """What ``f.program(*args)`` gives: a typed term and everything that follows from it."""

    def __init__(self, made: Specialised) -> None:
        """Of a λ that captures nothing."""
        self.lam: Lam = made.lam
        self.face = made.face
        self._morphism: Morphism | None = None

    @cached_property
    def types(self) -> tuple[Object, ...]:
        """The types of the arguments."""
        return tuple(param.type for param in self.lam.params)

    @property
    def cod(self) -> Object:
        """The type of the result."""
        return self.lam.body.type

    @property
    def combinators(self) -> Morphism:
        """J of the body: an arrow from the product of the parameters (Fig. 1 of 004)."""
        if self._morphism is None:
            self._morphism = translate(self.lam.params, self.lam.body)
        return self._morphism

    def arrow(self, mode: Running) -> Arrow:
        """The program in ``mode``; interpreted once."""
        return arrow_in(mode, self.combinators)

    def __repr__(self) -> str:
        """The λ, in one line."""
        return repr(self.lam)

    def __str__(self) -> str:
        """The λ, in let-normal form."""
        return str(self.lam)
