r"""Laws as they are written on paper: in text and in LaTeX.

>>> from laws.structures.cartesian import LAWS
>>> equation(LAWS[0]), latex(LAWS[0])
('⟨f, g⟩ >> π₁ = f', '\\langle f, g\\rangle \\gg \\pi_{1} = f')
"""

from __future__ import annotations

from collections.abc import Iterable

from laws.language.variables import Generator, Variable
from laws.law import Computed, Law, Side
from laws.rendering.objects import written
from laws.rendering.sides import write
from laws.rendering.symbols import LATEX, TEXT, Symbols

_RELATIONS = {TEXT: {"=": "=", "≤": "≤"}, LATEX: {"=": "=", "≤": r"\leq"}}


def side(what: Side, symbols: Symbols = TEXT) -> str:
    """One side of a law."""
    if isinstance(what, Computed):
        return what.text if symbols is TEXT else what.latex or rf"\text{{{escaped(what.text)}}}"
    return write(what, symbols)


def equation(law: Law) -> str:
    """``lhs = rhs``, in text."""
    return _equation(law, TEXT)


def latex(law: Law) -> str:
    """``lhs = rhs``, in LaTeX, without dollars."""
    return _equation(law, LATEX)


def typeset(laws: Iterable[Law]) -> str:
    """A display of LaTeX, a law a line, one relation under the other."""
    lines = (rf"\text{{{law.name}}}\quad & {_equation(law, LATEX, '&& ')}" for law in laws)
    return "\n".join([r"\begin{aligned}", " \\\\\n".join(lines), r"\end{aligned}"])


def quantifiers(law: Law, symbols: Symbols = TEXT) -> str:
    """What the law quantifies over: ``f : A → B; g : A → C; a : A``.

    Objects that are restricted stand first: ``A, B vectors``.
    """
    parts = [
        *_restricted(law, symbols),
        *(_declared(generator, symbols) for generator in law.generators),
    ]
    return "; ".join(parts)


def escaped(text: str) -> str:
    """Plain text inside LaTeX."""
    for letter, instead in (("\\", r"\backslash "), ("⟨", "("), ("⟩", ")"), ("^", r"\^{}")):
        text = text.replace(letter, instead)
    return "".join(rf"\{letter}" if letter in "_#$%&{}" else letter for letter in text)


def _equation(law: Law, symbols: Symbols, mark: str = "") -> str:
    """Both sides; ``mark`` stands before what relates them."""
    left = f"{side(law.lhs, symbols)} {mark}"
    if law.relation == "raises":
        return f"{left}{symbols.refused}"
    return f"{left}{_RELATIONS[symbols][law.relation]} {side(law.rhs, symbols)}"


def _restricted(law: Law, symbols: Symbols) -> list[str]:
    by_kind: dict[str, list[Variable]] = {}
    for variable in law.variables:
        by_kind.setdefault(variable.kind, []).append(variable)
    words = {"data": "without functions", "vector": "vectors"}
    return [
        f"{', '.join(written(v, symbols) for v in by_kind[kind])} {symbols.words(word)}"
        for kind, word in words.items()
        if kind in by_kind
    ]


def _declared(generator: Generator, symbols: Symbols) -> str:
    name = symbols.named(generator.name)
    cod = written(generator.cod, symbols)
    if generator.sort == "point":
        return f"{name} {symbols.colon} {cod}"
    arrow = f"{name} {symbols.colon} {written(generator.dom, symbols)} {symbols.to} {cod}"
    return f"{arrow} {symbols.words('linear')}" if generator.sort == "linear" else arrow
