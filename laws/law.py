r"""A law is data: two sides, what they quantify over, the structure that has it, and its source.

>>> from laws.structures.categories import LAWS
>>> print(LAWS[0])
C1: id >> f = f
>>> latex(LAWS[0])
'\\mathrm{id} \\gg f = f'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from combinators.kit.tree import distinct_nodes
from combinators.morphisms import Morphism
from combinators.objects import Fun, Object, Product
from laws.language import (
    Along,
    At,
    D,
    Generator,
    Image,
    Inner,
    Plus,
    R,
    Scaled,
    TangentSpace,
    Variable,
    Zero,
)
from laws.model import signature_of
from laws.notation import LATEX, TEXT, Notation, write, written


@dataclass(frozen=True, eq=False)
class Structure:
    """A kind of category, which inherits the laws of those that it ``extends``."""

    name: str
    title: str
    extends: tuple[Structure, ...] = ()
    arrows: tuple[str, ...] = ()
    """The methods that its laws use of a model's category."""
    methods: tuple[str, ...] = ()
    """The methods that its laws use of the model itself."""
    features: tuple[str, ...] = ()
    """What its laws use of the model's signature: ``"loops"``."""

    def lineage(self) -> Iterator[Structure]:
        """Those that it extends, first, and itself; each once."""
        seen: set[Structure] = set()
        todo = [self]
        order: list[Structure] = []
        while todo:
            structure = todo.pop()
            if structure not in seen:
                seen.add(structure)
                order.append(structure)
                todo.extend(structure.extends)
        return reversed(order)

    def is_claimed_by(self, model: Any) -> bool:
        """Whether ``model`` has every method that the structure and its lineage use."""
        return all(
            all(_has(model.category, name) for name in structure.arrows)
            and all(_has(model, name) for name in structure.methods)
            and all(getattr(signature_of(model), name) for name in structure.features)
            for structure in self.lineage()
        )


def _has(thing: Any, name: str) -> bool:
    """A method, or a table with the key after the colon: ``ways:simplify``."""
    attribute, _, key = name.partition(":")
    found = getattr(thing, attribute, None)
    return key in found if key and found is not None else found not in (None, False)


Relation = Literal["=", "≤", "raises"]
"""What holds between the sides. ``"raises"`` says that the left side is refused."""


@dataclass(frozen=True)
class Computed:
    """A side that is no arrow: a value, computed of a scene of the law.

    ``needs`` are the generators that it is computed of; ``text`` is how it reads.
    """

    text: str
    value: Callable[[Any], Any]
    needs: tuple[Generator, ...] = ()
    latex: str = ""


Side = Morphism | Computed


@dataclass(frozen=True, eq=False)
class Law:
    """``lhs = rhs``, for every choice of what they quantify over."""

    name: str
    statement: str
    """In words."""
    lhs: Side
    rhs: Side
    structure: Structure
    source: str
    """Who says so: a paper and a place in it."""
    relation: Relation = "="
    rule: str = ""
    """The rule of ``combinators.simplify`` that it justifies, where it is directed."""
    tame: bool = False
    """Whether it is asked at moderate finite numbers alone."""
    implied_by: tuple[str, ...] = ()
    """Names of laws from which it follows."""
    extra: tuple[Generator, ...] = field(default=())
    """Further generators that both sides are observed with."""

    @cached_property
    def generators(self) -> tuple[Generator, ...]:
        """The arrows and points that it quantifies over, in order."""
        found: dict[Generator, None] = {}
        for side in (self.lhs, self.rhs):
            needed = side.needs if isinstance(side, Computed) else _generators(side)
            found.update(dict.fromkeys(needed))
        found.update(dict.fromkeys(self.extra))
        return tuple(found)

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """The objects that it quantifies over, by name."""
        found: dict[Variable, None] = {}
        for generator in self.generators:
            for obj in (generator.dom, generator.cod):
                found.update(dict.fromkeys(_variables(obj)))
        for side in (self.lhs, self.rhs):
            if isinstance(side, Morphism):
                for node in distinct_nodes(side, kind=Morphism):
                    found.update(dict.fromkeys(_variables(node.dom)))
                    found.update(dict.fromkeys(_variables(node.cod)))
        return tuple(sorted(found, key=lambda variable: variable.name))

    @cached_property
    def is_of_values(self) -> bool:
        """Whether values alone are compared: it speaks of derivatives, whose own are not asked."""
        sides = (side for side in (self.lhs, self.rhs) if isinstance(side, Morphism))
        nodes = (node for side in sides for node in distinct_nodes(side, kind=Morphism))
        return any(isinstance(node, D | R | Along | At) for node in nodes)

    @cached_property
    def is_of_combinators(self) -> bool:
        """Whether both sides are combinators alone, so that they compute the same numbers."""
        own = (D, R, Along, At, Plus, Zero, Scaled, Inner, Image)
        return all(
            isinstance(side, Morphism)
            and not any(isinstance(node, own) for node in distinct_nodes(side, kind=Morphism))
            for side in (self.lhs, self.rhs)
        )

    @property
    def quantifiers(self) -> tuple[Variable | Generator, ...]:
        """All that it quantifies over: objects, then arrows and points."""
        return (*self.variables, *self.generators)

    def __str__(self) -> str:
        """``C1: id >> f = f``."""
        return f"{self.name}: {equation(self)}"

    def _repr_latex_(self) -> str:
        """The equation, for notebooks."""
        return f"$\\displaystyle {latex(self)}$"


Equation = Callable[..., Law]
"""From both sides to the law; a side that is computed may be a pair, its text and its function."""


def stating(structure: Structure, source: str, **common: Any) -> Callable[..., Equation]:
    """What states laws of a structure: a name and words, and then both sides.

    >>> from combinators.morphisms import Compose, Id
    >>> from laws.structures.categories import CATEGORY, A, f
    >>> law = stating(CATEGORY, "Mac Lane, I.1")
    >>> print(law("C1", "the identity, and then f, is f")(Compose((Id(A), f)), f))
    C1: id >> f = f

    What is said of one law may be said of all in ``common``; ``implied_by`` are names with blanks
    between, and ``of`` the generators of sides that are computed.
    """

    def law(name: str, statement: str, **own: Any) -> Equation:
        given = {"structure": structure, "source": source, **common, **own}
        of, names = given.pop("of", ()), given.pop("implied_by", "")

        def equation(*sides: Side | tuple[str, Callable[[Any], Any]]) -> Law:
            lhs, rhs = (Computed(*one, of) if isinstance(one, tuple) else one for one in sides)
            return Law(name, statement, lhs, rhs, implied_by=tuple(names.split()), **given)

        return equation

    return law


def _generators(side: Morphism) -> Iterator[Generator]:
    return (node for node in distinct_nodes(side, kind=Morphism) if isinstance(node, Generator))


def _variables(obj: Object) -> Iterator[Variable]:
    match obj:
        case Variable():
            yield obj
        case TangentSpace(of):
            yield from _variables(of)
        case Product():
            for part in obj.parts:
                yield from _variables(part)
        case Fun(dom, cod):
            yield from _variables(dom)
            yield from _variables(cod)


_RELATIONS = {TEXT: {"=": "=", "≤": "≤"}, LATEX: {"=": "=", "≤": r"\leq"}}


def side(what: Side, symbols: Notation = TEXT) -> str:
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


def quantifiers(law: Law, symbols: Notation = TEXT) -> str:
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


def _equation(law: Law, symbols: Notation, mark: str = "") -> str:
    """Both sides; ``mark`` stands before what relates them."""
    left = f"{side(law.lhs, symbols)} {mark}"
    if law.relation == "raises":
        return f"{left}{symbols.refused}"
    return f"{left}{_RELATIONS[symbols][law.relation]} {side(law.rhs, symbols)}"


def _restricted(law: Law, symbols: Notation) -> list[str]:
    by_kind: dict[str, list[Variable]] = {}
    for variable in law.variables:
        by_kind.setdefault(variable.kind, []).append(variable)
    words = {"data": "without functions", "vector": "vectors"}
    return [
        f"{', '.join(written(v, symbols) for v in by_kind[kind])} {symbols.words(word)}"
        for kind, word in words.items()
        if kind in by_kind
    ]


def _declared(generator: Generator, symbols: Notation) -> str:
    name = symbols.named(generator.name)
    cod = written(generator.cod, symbols)
    if generator.sort == "point":
        return f"{name} {symbols.colon} {cod}"
    arrow = f"{name} {symbols.colon} {written(generator.dom, symbols)} {symbols.to} {cod}"
    return f"{arrow} {symbols.words('linear')}" if generator.sort == "linear" else arrow


def law_record(law: Law) -> dict[str, Any]:
    """A law as a dict."""
    return {
        "law": law.name,
        "structure": law.structure.name,
        "statement": law.statement,
        "equation": equation(law),
        "latex": latex(law),
        "quantifiers": quantifiers(law),
        "source": law.source,
        "rule": law.rule,
        "implied_by": list(law.implied_by),
    }


def listing(laws: Iterable[Law]) -> str:
    """Structure by structure: a law's equation, its words and its source."""
    parts = []
    for structure, members in by_structure(laws).items():
        lines = [_title(structure)]
        for law in members:
            lines.append(f"  {law.name:<8} {equation(law)}")
            about = quantifiers(law)
            lines.append(f"           {law.statement}" + (f"; for all {about}" if about else ""))
            lines.append(f"           {law.source}")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def markdown(laws: Iterable[Law]) -> str:
    """A structure after the other: a table, and the equations typeset."""
    parts = []
    for structure, members in by_structure(laws).items():
        extends = ", ".join(f"[{above.title}](#{_anchor(above)})" for above in structure.extends)
        needs = ", ".join(f"`{name}`" for name in (*structure.arrows, *structure.methods))
        heading = f"### {structure.title}"
        about = [f"`{structure.name}`"]
        about += [f"extends {extends}"] if extends else []
        about += [f"claimed by a model that has {needs}"] if needs else []
        table = ["| law | equation | in words | source |", "|---|---|---|---|"]
        table += [_row(law) for law in members]
        parts.append(
            "\n".join(
                [heading, "", "; ".join(about) + ".", "", *table, "", "$$", typeset(members), "$$"]
            )
        )
    return "\n\n".join(parts)


def by_structure(laws: Iterable[Law]) -> dict[Structure, list[Law]]:
    """The laws of each structure, in order."""
    found: dict[Structure, list[Law]] = {}
    for law in laws:
        found.setdefault(law.structure, []).append(law)
    return found


def _title(structure: Structure) -> str:
    extends = ", ".join(above.name for above in structure.extends)
    return f"{structure.title} ({structure.name}{f', extends {extends}' if extends else ''})"


def _row(law: Law) -> str:
    more = f"; justifies the rule `{law.rule}`" if law.rule else ""
    more += f"; follows from {', '.join(law.implied_by)}" if law.implied_by else ""
    equals = f"`{_cell(equation(law))}`"
    return f"| {law.name} | {equals} | {_cell(law.statement)}{more} | {_cell(law.source)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _anchor(structure: Structure) -> str:
    return "-".join(structure.title.lower().split())
