"""A function at given argument types: its λ, its combinators, its arrow in any mode."""

from __future__ import annotations

from functools import cached_property

from combinators.kit.tree import size
from combinators.morphisms import Morphism
from combinators.objects import Object
from combinators.terms import Lam
from combinators.tracing.functions import Faces, Specialised
from combinators.translate import translate
from diffcurry.closures import arrow_in
from diffcurry.quick import Quick, quick
from interpreters.backends.python import Compiled, compile_program
from interpreters.execution.machine import Arrow
from interpreters.execution.running import Running

LARGE = 20_000
"""A program of more nodes takes longer to compile than to be interpreted once."""


class Program:
    """What ``f.program(*args)`` gives: a typed term and everything that follows from it."""

    def __init__(self, made: Specialised, faces: Faces = ()) -> None:
        """Of a λ that captures nothing; ``faces`` are those of its arguments."""
        self.faces = faces
        self.lam: Lam = made.lam
        self.face = made.face
        self._morphism: Morphism | None = None
        self._asked = 0

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

    def compiled(self, name: str, doc: str = "") -> Compiled:
        """The program as Python that stands alone."""
        return compile_program(self.lam, name=name, doc=doc)

    @cached_property
    def _quick(self) -> Quick | None:
        return quick(self.lam, self.face, self.faces)

    @cached_property
    def _is_large(self) -> bool:
        return size(self.lam) > LARGE

    def quick(self) -> Quick | None:
        """The program as compiled Python, where it has code.

        A large program is compiled when it is run for the second time.
        """
        self._asked += 1
        return None if self._asked == 1 and self._is_large else self._quick

    def __repr__(self) -> str:
        """The λ, in one line."""
        return repr(self.lam)

    def __str__(self) -> str:
        """The λ, in let-normal form."""
        return str(self.lam)
