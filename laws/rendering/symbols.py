"""The symbols of two ways of writing: text and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from combinators.operation import Operation
from combinators.printing.printed_terms import operation_name

_GREEK = {
    "λ": r"\lambda",
    "α": r"\alpha",
    "β": r"\beta",
    "γ": r"\gamma",
    "Γ": r"\Gamma",
    "ι": r"\iota",
    "σ": r"\sigma",
    "θ": r"\theta",
}


@dataclass(frozen=True)
class Symbols:
    """What everything that laws speak of is called."""

    then: str
    times: str
    power: str
    to: str
    colon: str
    left: str
    right: str
    bang: str
    copy: str
    swap: str
    curry: str
    eval: str
    identity: str
    cond: str
    dot: str
    space: str
    refused: str
    projection: Callable[[int], str]
    injection: Callable[[int], str]
    named: Callable[[str], str]
    words: Callable[[str], str]
    operation: Callable[[Operation], str]


def _subscript(index: int) -> str:
    return "".join(chr(ord("₀") + int(digit)) for digit in str(index + 1))


def _latex_name(name: str) -> str:
    r"""``f'`` as it is, ``x1`` as ``x_{1}``, a word as ``\operatorname{word}``."""
    match = re.fullmatch(r"(.+?)_?(\d*)([′']*)", name)
    assert match is not None
    stem, digits, primes = match.groups()
    stem = _GREEK.get(stem, stem)
    if len(stem) > 1 and not stem.startswith("\\"):
        escaped = stem.replace("_", r"\_")
        stem = rf"\operatorname{{{escaped}}}"
    return stem + (f"_{{{digits}}}" if digits else "") + "'" * len(primes)


TEXT = Symbols(
    then=" >> ",
    times=" × ",
    power=" ⇒ ",
    to="→",
    colon=":",
    left="⟨",
    right="⟩",
    bang="!",
    copy="Δ",
    swap="σ",
    curry="Λ",
    eval="ev",
    identity="id",
    cond="cond",
    dot=" · ",
    space="T ",
    refused="is refused",
    projection=lambda index: f"π{_subscript(index)}",
    injection=lambda index: f"ι{_subscript(index)}",
    named=lambda name: name,
    words=lambda text: text,
    operation=operation_name,
)

LATEX = Symbols(
    then=r" \gg ",
    times=r" \times ",
    power=r" \Rightarrow ",
    to=r"\to",
    colon=":",
    left=r"\langle ",
    right=r"\rangle",
    bang="{!}",
    copy=r"\Delta",
    swap=r"\sigma",
    curry=r"\Lambda ",
    eval=r"\mathrm{ev}",
    identity=r"\mathrm{id}",
    cond=r"\mathrm{cond}",
    dot=r" \cdot ",
    space="T ",
    refused=r"\;\text{is refused}",
    projection=lambda index: rf"\pi_{{{index + 1}}}",
    injection=lambda index: rf"\iota_{{{index + 1}}}",
    named=_latex_name,
    words=lambda text: rf"\;\text{{{text}}}",
    operation=lambda operation: _latex_name(operation.name),
)
