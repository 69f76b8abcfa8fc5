"""The stages of a program on its way to a gradient, each as text; what ``explain`` walks through.

A stage is a value, so a new one is a line: give ``explain`` other ``stages``, or add to ``STAGES``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from combinators.bulk import bulk
from combinators.errors import DomainError, NotDifferentiable
from combinators.kit.tree import distinct_nodes
from combinators.objects import Fun, Product, tangent_of
from combinators.simplify import Fired
from combinators.terms import Prim
from diffcurry.at import program_at
from diffcurry.cost import Report, cost
from diffcurry.derived import Derived, derived
from diffcurry.formula import formula
from diffcurry.function import Function
from diffcurry.program import Program

READABLE = 1_000
"""How many operations a program may have whose formula is shown."""


class Walked:
    """A function at given types, and what its stages have in common."""

    def __init__(self, function: Function[..., Any], args: tuple[Any, ...]) -> None:
        """At types, or at arguments."""
        self.function, self.args = function, args
        self.program = program_at(function, args)

    @cached_property
    def name(self) -> str:
        """What the program is called."""
        return self.program.lam.name or "λ"

    @cached_property
    def report(self) -> Report:
        """What it costs, and what its gradient does."""
        return cost(self.function, *self.args)

    @cached_property
    def bulk_fired(self) -> list[Fired]:
        """The rules that put the program in bulk, in order."""
        fired: list[Fired] = []
        bulk(self.program.lam, trace=fired.append)
        return fired

    @cached_property
    def derived(self) -> Derived:
        """Its gradient in every argument that has one, stage by stage."""
        return derived(self.program.lam)


@dataclass(frozen=True)
class Stage:
    """A title, what kind of text follows (``term``, ``python`` or ``text``), and what writes it.

    ``write`` raises a ``DiffcurryError`` where a program has no such stage, and that says why; a
    stage without text is left out.
    """

    title: str
    kind: str
    write: Callable[[Walked], str]


def rep_function(walked: Walked) -> str:
    """The type of the rep-function: the value, and the pullback of cotangents (Fig. 2 of 004)."""
    dom, cod = walked.program.lam.dom, walked.program.cod
    return repr(Fun(dom, Product(cod, Fun(tangent_of(cod), tangent_of(dom)))))


def bulk_operations(walked: Walked) -> str:
    """The program that runs, where it has maps or builds (003, section 5); elsewhere nothing."""
    program = walked.program
    return "" if program.bulk is program.lam else str(program.bulk)


def bulk_rules(walked: Walked) -> str:
    """The rules of the bulk-operation transform that fired, with what each was about, once each."""
    fired = walked.bulk_fired
    return _listed(f"{one.rule}: {one.before!r}" for one in fired) if fired else ""


def rules(walked: Walked) -> str:
    """The rules that made the gradient simpler, with what each made of what, once each."""
    return _listed(f"{one.rule}: {one.before!r} ⇝ {one.after!r}" for one in walked.derived.fired)


def _listed(all_fired: Iterable[str]) -> str:
    fired = Counter(all_fired)
    lines = [f"{line}  ({n} times)" if n > 1 else line for line, n in fired.items()]
    return "\n".join(lines) or "none"


def formula_text(walked: Walked) -> str:
    """The formulas of the program and of its gradient, each after the definitions it shares."""
    name = walked.program.lam.name or "f"
    lines = _equations(name, walked.program)
    with suppress(NotDifferentiable):
        lines += _equations(f"∇{name}", walked.derived.alone)
    return "\n".join(lines)


def _equations(name: str, program: Program) -> list[str]:
    size = sum(isinstance(node, Prim) for node in distinct_nodes(program.lam))
    if size > READABLE:
        raise DomainError(f"{size:,} operations are no formula to read; diffcurry.formula gives it")
    definitions, result = formula(
        program.lam, program.face, definitions=True, most_operations=READABLE
    )
    return [f"{symbol} = {meaning}" for symbol, meaning in [*definitions, (name, result)]]


def code(program: Program) -> str:
    """The program as a module of Python that needs NumPy and nothing of ours."""
    lam = program.lam
    return program.compiled(lam.name or "f", repr(lam.type)).source


def _certificate(walked: Walked) -> str:
    report = walked.report
    return str(report.certificate or report.remark)


def _costs(walked: Walked) -> str:
    report = walked.report
    if report.gradient is None:
        return str(report.program)
    return f"{report.program}\nwith its gradient: {report.gradient}"


STAGES: tuple[Stage, ...] = (
    Stage("term", "term", lambda walked: str(walked.program)),
    Stage("combinators", "term", lambda walked: str(walked.program.combinators)),
    Stage("bulk operations", "term", bulk_operations),
    Stage("bulk rules that fired", "text", bulk_rules),
    Stage("rep-function", "term", rep_function),
    Stage("gradient, as written", "term", lambda walked: str(walked.derived.raw)),
    Stage("rules that fired", "text", rules),
    Stage("value and gradient, simplified", "term", lambda walked: str(walked.derived.both)),
    Stage("formula", "text", formula_text),
    Stage("code", "python", lambda walked: code(walked.program)),
    Stage("the gradient's code", "python", lambda walked: code(walked.derived.alone)),
    Stage("cost", "text", _costs),
    Stage("certificate", "text", _certificate),
)
