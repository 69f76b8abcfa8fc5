"""A law that a declared primitive breaks, in words: the arguments, both sides, what to do."""

from __future__ import annotations

from typing import Any

import numpy as np

from diffcurry.models.primitives import PrimitiveModel
from laws.asking.verdict import Counterexample
from laws.comparing.equality import Difference
from laws.law import Law
from laws.structures import primitive as said

_AT_ARRAYS = (
    "write it so that arrays are taken element by element, as by NumPy's own functions, or say at "
    "which types= it is meant"
)
_ADVICE = {
    "T1": "mend typing=, or the value",
    "T5": "mend what was registered for Fractions",
    "T7a": _AT_ARRAYS,
    "T7b": _AT_ARRAYS,
}
_TRANSPOSES = "pushforward and pullback are not transposes: is the rule linear in v?"
_WRITES = "it writes into its argument: give a new array"


def explained(model: PrimitiveModel, found: Counterexample) -> str:
    """The law, the smallest arguments, and both sides."""
    law, scene = found.scene.law, found.scene
    drawn = {g: scene.at(g) for g in law.generators if g is not said.p}
    which = f"for argument {model.moved(drawn[said.v])}, " if said.v in drawn else ""
    at = "at " + ", ".join(f"{g.name} = {_shown(value)}" for g, value in drawn.items())
    head = f"{model.operation.name}: {which}"
    if found.difference is None:
        advice = f"; {_ADVICE[law.name]}" if law.name in _ADVICE else ""
        return f"{head}law {law.name} ({law.statement}) raises {found.error!r}, {at}{advice}"
    if law.name == "T4":
        x, v = drawn[said.x], drawn[said.v]
        pushed = model.run(scene.arrow(said.pushed), (x, v))
        return (
            f"{head}the rule gives {_shown(pushed)} where the value changes by "
            f"{_shown(model.slope(x, v)[0])}, {at} (law T4: {law.statement}); "
            "mend the rule, or pass check=False if it is meant so"
        )
    return head + _sides(law, found.difference, at)


def _sides(law: Law, difference: Difference, at: str) -> str:
    advice = _WRITES if "afterwards" in difference.place else _ADVICE.get(law.name, _TRANSPOSES)
    return (
        f"law {law} fails, {law.statement}: the left side gives {_shown(difference.left)}, the "
        f"right {_shown(difference.right)}, {at}; {advice}"
    )


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_shown, value))})"
    if isinstance(value, np.ndarray):
        return np.array2string(value, threshold=6, separator=", ").replace("\n", "")
    return f"{value:.9g}" if isinstance(value, float | np.floating) else str(value)
