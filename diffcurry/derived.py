"""The gradient of a program as a program, stage by stage: as it is written, and made simpler."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from combinators.bulk import bulk
from combinators.errors import NotDifferentiable
from combinators.objects import is_smooth
from combinators.simplify import Fired
from combinators.terms import Lam, Proj, Term, Var
from combinators.tracing.functions import Specialised
from diffcurry.derivative import finished
from diffcurry.program import Program
from diffcurry.scalar import check_scalar
from interpreters.staging.programs import gradient


@dataclass(frozen=True)
class Derived:
    """The gradient of ``lam``, a closed λ, in every argument that has one.

    >>> from combinators.objects import Real
    >>> from diffcurry.function import fun
    >>> derived(fun(lambda x: x * x, Real).program().lam).alone.lam
    λx. x + x
    """

    lam: Lam
    which: tuple[int, ...]

    @cached_property
    def raw(self) -> Program:
        """Value and gradients as reverse mode writes them: ``λ(x…). (y, (x̄, …))``."""
        return _program(gradient(bulk(self.lam), self.which))

    @cached_property
    def fired(self) -> list[Fired]:
        """The rules that made it simpler, in order."""
        self._simplified  # noqa: B018 (it is what fills the list)
        return self._fired

    @cached_property
    def both(self) -> Program:
        """Value and gradients, made simpler."""
        return _program(self._simplified)

    @cached_property
    def alone(self) -> Program:
        """The gradients, without the value; of one argument, its gradient."""

        def results(whole: Var) -> Term:
            return Proj(0, Proj(1, whole)) if len(self.which) == 1 else Proj(1, whole)

        return _program(finished(self.raw.lam, results, f"grad_{self.lam.name or 'f'}"))

    @cached_property
    def _fired(self) -> list[Fired]:
        return []

    @cached_property
    def _simplified(self) -> Lam:
        raw = self.raw.lam
        return finished(raw, lambda whole: whole, raw.name, self._fired.append)


def derived(lam: Lam) -> Derived:
    """The gradient of ``lam``.

    It raises ``NotDifferentiable`` where the result is no Real, or no argument has a derivative.
    """
    check_scalar(lam.body.type)
    which = tuple(i for i, param in enumerate(lam.params) if is_smooth(param.type))
    if not which:
        raise NotDifferentiable("no argument has a derivative: let one be a float")
    return Derived(lam, which)


def _program(lam: Lam) -> Program:
    return Program(Specialised(lam, (), None))
