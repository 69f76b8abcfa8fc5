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

from combinators.errors import TypeMismatch
from combinators.kit.memory import uncollected
from combinators.simplify.calls import fused
from combinators.simplify.forward import passed, resumed
from combinators.simplify.needs import Analysis
from combinators.simplify.patterns import Hole, Node, Rest, head, once
from combinators.simplify.rule import Fired, Fold, Rule, Step, Switches, Trace
from combinators.simplify.rules import FAST, RULES, STEPS
from combinators.simplify.sums import summed
from combinators.simplify.walks import nested_blocks
from combinators.simplify.writer import Writer
from combinators.terms import Lam

PASSES = 8
"""A program that still changes after so many passes is left as it is then."""
FUSIONS = 2
"""Two choices by one test that are not made one so many times are two."""
SUMS, TIDYING = 2, 4
"""How often sums are taken out of loops, out of loops in loops first, and the passes after that."""


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
    own = tuple(rules)
    everything = (*own, *RULES, *FAST)
    off = {*without} if fast_math else {*without, "fast_math"}
    switches = Switches(everything, STEPS, without=off, trace=trace, fold=fold, watched=own)
    with uncollected():
        if writer is not None and writer.block is not None and writer.block.is_ruled:
            switches = writer.switches
            made, last = resumed(lam, writer, writer.block)
        else:
            made, last = passed(lam, switches)
        fusions, sums = FUSIONS if switches.has("cond-fusion") else 0, SUMS
        left = 0 if last.is_flat and not switches.count_uses else PASSES
        units = last.units
        while left:
            left -= 1
            if fusions and last.is_twice:
                one = fused(made)
                if one is made:
                    fusions -= 1
                else:
                    switches.say("cond-fusion", made, one)
                    made, last = passed(one, switches)
                    units = last.units
            analysis = Analysis(made, units, switches)
            before = switches.fired
            made, last = passed(made, switches, analysis, {*map(id, units)})
            units = last.units
            is_settled = switches.fired == before and not last.placed
            if sums and (is_settled or not left):
                sums, units = sums - 1, summed(units, switches)
            if units is not last.units:
                made, left = units[-1], max(left, TIDYING)
            elif is_settled:
                break
        return nested_blocks(made, last.ids, switches, frozenset(keep))


def simplifying(fold: Fold) -> Writer:
    """What tries the rules on the lines of a program while it is written; ``simplify`` goes on."""
    return Writer(Switches((*RULES, *FAST), STEPS, without=("fast_math",), fold=fold), set())


def normal(lam: Lam) -> Lam:
    """``lam`` in let-normal form: what is used again is named, once, and nothing else changes."""
    switches = Switches((), ())
    made, last = passed(lam, switches)
    return nested_blocks(made, last.ids, switches)


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
