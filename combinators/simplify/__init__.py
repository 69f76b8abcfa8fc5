"""Partial evaluation (000, section 5): programs made smaller by rules that are laws.

``simplify`` gives a program of the same type and the same values that costs no more to run;
``normal`` only brings it into let-normal form. The rules stand in ``simplify/rules``, one a line.

>>> from combinators.operation import Operation, named
>>> from combinators.objects import Real
>>> from combinators.terms import Lam, Prim, Var, const
>>> x = Var("x", Real)
>>> product = Prim(Operation(named("multiply")), (x, const(1.0)))
>>> simplify(Lam((x,), product))
λx. x
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from combinators.block import Block, Uses, count, opened
from combinators.errors import TypeMismatch, UnboundVariable
from combinators.kit.memory import uncollected
from combinators.kit.recursion import recurse
from combinators.primitives.loops import LOOP
from combinators.primitives.structural import FIX
from combinators.simplify.calls import call, choice, fused, recursive
from combinators.simplify.loop_parts import loop
from combinators.simplify.needs import Analysis
from combinators.simplify.passes import Form, Frame, Pass, Value, function
from combinators.simplify.patterns import Hole, Node, Rest, head, once
from combinators.simplify.rule import Fired, Fold, Rule, Step, Switches, Trace
from combinators.simplify.rules import FAST, RULES, STEPS
from combinators.simplify.sums import summed
from combinators.simplify.walks import closed_in, nested_blocks
from combinators.simplify.writer import Writer
from combinators.terms import App, Cond, Lam, Let, Term, captured

PASSES = 8
"""A program that still changes after so many passes is left as it is then."""
FUSIONS = 2
"""Two choices by one test that are not made one so many times are two."""
SUMS, TIDYING = 2, 4
"""How often sums are taken out of loops, out of loops in loops first, and the passes after that."""

FORMS: dict[Any, Form] = {
    App: call,
    Cond: choice,
    Lam: function,
    LOOP: loop,
    FIX.primitive: recursive,
}
"""How what is no line of primitives is written."""


def simplify(
    lam: Lam,
    *,
    without: Iterable[str] = (),
    rules: Iterable[Rule] = (),
    fast_math: bool = False,
    fold: Fold | None = None,
    keep: Iterable[str] = (),
    trace: Trace | None = None,
    writer: Writer | None = None,
) -> Lam:
    """The closed λ ``lam`` after partial evaluation (000, section 5.1 and Fig. 12).

    ``without`` names rules or groups that are left out, ``rules`` are the user's own and tried
    first, ``fast_math`` adds the group of that name, which holds for real numbers only. ``fold``
    computes a primitive of numbers; ``trace`` is called whenever a rule fires. Lines of the names
    ``keep`` keep their names, where something uses them, even if that is one place. It raises
    ``UnboundVariable`` for a λ that captures, and ``TypeMismatch`` for a name that is no rule, or
    for rules of the user's that fire for ever on what they write. A ``writer`` that ``simplifying``
    made has written all the lines but the last.
    """
    if isinstance(without, str):
        raise TypeMismatch(
            f"without={without!r} is one word, and takes several; write without=[{without!r}]"
        )
    with uncollected():
        if writer is not None and writer.block is not None and writer.block.is_ruled:
            switches = writer.switches
            made, last = _resumed(lam, writer, writer.block)
        else:
            own, off = tuple(rules), {*without} if fast_math else {*without, "fast_math"}
            every = (*own, *RULES, *FAST)
            switches = Switches(every, STEPS, without=off, trace=trace, fold=fold, watched=own)
            made, last = _passed(lam, switches)
        fusions, sums = FUSIONS if switches.has("cond-fusion") else 0, SUMS
        left = 0 if last.is_flat and not _is_any_once(switches.asked, made.body) else PASSES
        units = last.units
        while left:
            left -= 1
            if fusions and last.is_twice:
                one = fused(made)
                if one is made:
                    fusions -= 1
                else:
                    switches.say("cond-fusion", made, one)
                    made, last = _passed(one, switches)
                    units = last.units
            before = switches.fired
            made, last = _passed(made, switches, units)
            units = last.units
            is_settled = switches.fired == before and not last.placed
            if sums and (is_settled or not left):
                sums, one = sums - 1, summed(made, switches)
                if one is not made:
                    made, units, left = one, closed_in(one), max(left, TIDYING)
                    continue
            if is_settled:
                break
        return nested_blocks(made, last.ids, switches, frozenset(keep))


def _is_any_once(names: set[str], body: Term) -> bool:
    """Whether one of these lines of a block is used once."""
    uses: Uses = {}
    if names:
        lines, result = opened(body)
        count(result, uses)
        for var, term in reversed(lines):
            if var.name in uses:
                count(term, uses)
    return any(uses.get(name) == 1 for name in names)


def simplifying(fold: Fold) -> Writer:
    """What tries the rules on the lines of a program while it is written; ``simplify`` goes on."""
    return Writer(Switches((*RULES, *FAST), STEPS, without=("fast_math",), fold=fold), set())


def normal(lam: Lam) -> Lam:
    """``lam`` in let-normal form: what is used again is named, once, and nothing else changes."""
    switches = Switches((), ())
    made, last = _passed(lam, switches)
    return nested_blocks(made, last.ids, switches)


def _passed(lam: Lam, switches: Switches, units: list[Lam] | None = None) -> tuple[Lam, Pass]:
    """The program after one pass, and the pass; it knows the uses where it is told the units."""
    if units is not None:
        run = Pass(switches, FORMS, Analysis(lam, units, switches), set(map(id, units)))
        return recurse(run.unit(lam)), run
    free, inside = captured(lam)
    if free:
        names = ", ".join(var.name for var in free)
        raise UnboundVariable(f"{names} is not bound; simplify takes a closed λ")
    run = Pass(switches, FORMS, None, {key for key, variables in inside.items() if not variables})
    return recurse(run.unit(lam)), run


def _resumed(lam: Lam, writer: Writer, before: Block) -> tuple[Lam, Pass]:
    """The program of which ``writer`` has written all the lines but the last, into ``before``."""
    lines, result = opened(lam.body)
    run = Pass(writer.switches, FORMS, None, set())
    run.writer = writer
    block = Block(names=before.names)
    block.lines = list(lines[:-1])
    env: dict[str, Value] = {var.name: var for var in lam.params}
    env.update([(var.name, var) for var, _ in block.lines])
    atom: Term = recurse(run.operand(Let(lines[-1:], result), Frame(env, None), block))
    return run.finished(Lam(lam.params, writer.close(block, atom), lam.name)), run


__all__ = [
    "FAST",
    "RULES",
    "STEPS",
    "Fired",
    "Fold",
    "Hole",
    "Node",
    "Rest",
    "Rule",
    "Step",
    "head",
    "normal",
    "once",
    "simplify",
    "simplifying",
]
