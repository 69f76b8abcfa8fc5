"""What a function costs and what its gradient costs beside it, with the certificate."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from combinators.errors import MissingRule, NotDifferentiable
from diffcurry.at import are_types, program_at
from diffcurry.derived import Derived, derived
from diffcurry.display import framed
from diffcurry.function import Function, fun
from diffcurry.modes import CARRIER
from diffcurry.program import Program
from interpreters.cost import Certificate, Cost, certificate, counted
from interpreters.cost.moving import Moving
from interpreters.modes.primal import Primal


@dataclass(frozen=True)
class Report:
    """The cost of a program, that of its gradient, and the certificate that compares them.

    ``derived`` is the gradient itself; where there is none, ``remark`` says why.
    """

    name: str
    program: Cost
    gradient: Cost | None = None
    certificate: Certificate | None = None
    remark: str = ""
    derived: Derived | None = None

    def __str__(self) -> str:
        """A paragraph each."""
        parts = [f"{self.name}: {self.program}"]
        if self.gradient is not None:
            parts.append(f"with its gradient: {self.gradient}")
        if self.certificate is not None:
            parts.append(str(self.certificate))
        return "\n\n".join([*parts, self.remark] if self.remark else parts)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The text."""
        return framed([f"<pre>{escape(str(self))}</pre>"])


def cost(function: Function[..., Any], *args: Any) -> Report:
    """The operations of ``function`` and of its gradient, at types or at arguments.

    At types nothing is run, and where conditionals leave a choice the count is that of the dearest
    path; given arguments such a program is run and counted exactly. Functions among the arguments
    are constants here: what they cost counts, and there is no gradient in what they capture.

    >>> from combinators.objects import Real
    >>> from diffcurry.function import fun
    >>> cost(fun(lambda x, y: x * y + x), Real, Real).program.counts
    {'add': 1, 'multiply': 1}
    """
    name = _name(function)
    function, args = _with_functions(function, args)
    program = program_at(function, args)
    own = cost_at(function, program, args)
    try:
        made = derived(program.bulk)
        theirs = cost_at(function, made.both, args)
    except (NotDifferentiable, MissingRule) as error:
        return Report(name, own, remark=f"no gradient: {error.args[0]}")
    bounds = certificate(program.lam, made.both.lam, made.alone.lam, (own, theirs))
    return Report(name, own, theirs, bounds, derived=made)


def cost_at(function: Function[..., Any], program: Program, args: tuple[Any, ...]) -> Cost:
    """The cost of ``program``; counted in a run where ``args`` are values and choose the path."""
    static = counted(program.bulk)
    if static.exact or are_types(args) or not args:
        return static
    carrier = Moving(CARRIER)
    mode = Primal(carrier)
    arrow, values = program.arrow(mode), function.lifted(program, args, mode)
    carrier.reset()
    carrier.moved = 0
    with np.errstate(all="ignore"):
        mode.value(arrow, values)
    return static.run(dict(sorted(carrier.counts.items())), carrier.moved)


def _with_functions(
    function: Function[..., Any], args: tuple[Any, ...]
) -> tuple[Function[..., Any], tuple[Any, ...]]:
    """The function of the other arguments, where some are functions."""
    known = {index: arg for index, arg in enumerate(args) if callable(arg)}
    if not known:
        return function, args

    def applied(*rest: Any) -> Any:
        given = iter(rest)
        return function(*(known[i] if i in known else next(given) for i in range(len(args))))

    return fun(applied), tuple(arg for i, arg in enumerate(args) if i not in known)


def _name(function: Function[..., Any]) -> str:
    name = getattr(function, "__name__", "the program")
    return "the program" if name == "<lambda>" else name
