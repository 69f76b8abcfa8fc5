"""A function at given argument types: its λ, its combinators, its arrow in any mode."""

from __future__ import annotations

from functools import cached_property

from combinators.bulk import bulk
from combinators.kit.tree import distinct_nodes, size
from combinators.morphisms import Morphism
from combinators.objects import Object
from combinators.simplify import Fold, Rule, simplify
from combinators.terms import Lam
from combinators.tracing.functions import Faces, Specialised
from combinators.translate import translate
from diffcurry.closures import arrow_in
from diffcurry.folding import folded_when_compiled
from diffcurry.quick import Quick, quick
from interpreters.backends.python import Compiled, compile_program
from interpreters.execution.machine import Arrow
from interpreters.execution.running import Running

LARGE = 20_000
"""A program of more nodes takes longer to compile than to be interpreted once."""


class Program:
    """What ``f.program(*args)`` gives: a typed term and everything that follows from it."""

    def __init__(self, made: Specialised, faces: Faces = (), *, simple: bool = False) -> None:
        """Of a λ that captures nothing; ``faces`` are those of its arguments.

        ``simple`` says that it was simplified when it was written, as derivatives are.
        """
        self.faces = faces
        self.lam: Lam = made.lam
        self.face = made.face
        self._morphism: Morphism | None = None
        self._asked = 0
        self._is_simple = simple

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

    @cached_property
    def bulk(self) -> Lam:
        """The λ that runs: with bulk operations for its maps (003, section 5)."""
        return bulk(self.lam)

    @cached_property
    def _running(self) -> Morphism:
        if self.bulk is self.lam:
            return self.combinators
        return translate(self.bulk.params, self.bulk.body)

    def arrow(self, mode: Running) -> Arrow:
        """The program in ``mode``, in bulk; interpreted once."""
        return arrow_in(mode, self._running)

    def simplified(
        self, fold: Fold, *, fast_math: bool = False, rules: tuple[Rule, ...] = ()
    ) -> Lam:
        """The λ that a backend compiles: a simpler one where there are functions, or bulk ones.

        What was written by a transform is simple already; ``fast_math`` and ``rules`` change it.
        """
        is_plain = self._is_simple or not any(
            isinstance(n, Lam) for n in distinct_nodes(self.lam.body)
        )
        if is_plain and self.bulk is self.lam and not fast_math and not rules:
            return self.lam
        return simplify(self.bulk, fold=fold, fast_math=fast_math, rules=rules)

    @cached_property
    def _compiled(self) -> Lam:
        return self.simplified(folded_when_compiled)

    def compiled(self, name: str, doc: str = "") -> Compiled:
        """The program as Python that stands alone."""
        return compile_program(self._compiled, name=name, doc=doc)

    @cached_property
    def _quick(self) -> Quick | None:
        return quick(self._compiled, self.face, self.faces)

    @cached_property
    def _is_large(self) -> bool:
        return size(self.bulk) > LARGE

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
