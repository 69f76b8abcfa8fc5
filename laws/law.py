r"""A law is data: two sides, what they quantify over, the structure that has it, and its source.

>>> from laws.structures.categories import LAWS
>>> print(LAWS[0])
C1: id >> f = f
>>> latex(LAWS[0])
'\\mathrm{id} \\gg f = f'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from combinators.kit.tree import distinct_nodes
from combinators.morphisms import Morphism
from laws.language import Generator, Operator, Variable
from laws.model import signature_of
from laws.notation import latex_of, object_text, side_text


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
        order = [self]
        for structure in order:
            order += [above for above in structure.extends if above not in order]
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
    extra: tuple[Generator, ...] = ()
    """Further generators that both sides are observed with."""

    @property
    def sides(self) -> tuple[Morphism, ...]:
        """Those that are arrows."""
        return tuple(side for side in (self.lhs, self.rhs) if isinstance(side, Morphism))

    @cached_property
    def nodes(self) -> tuple[Morphism, ...]:
        """The arrows in its sides, each once a side."""
        return tuple(node for side in self.sides for node in distinct_nodes(side, kind=Morphism))

    @cached_property
    def generators(self) -> tuple[Generator, ...]:
        """The arrows and points that it quantifies over, in order."""
        found: dict[Generator, None] = {}
        for side in (self.lhs, self.rhs):
            held = side.needs if isinstance(side, Computed) else distinct_nodes(side, kind=Morphism)
            found.update((node, None) for node in held if isinstance(node, Generator))
        return tuple(found | dict.fromkeys(self.extra))

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """The objects that it quantifies over, by name."""
        objects = {obj for a in (*self.generators, *self.nodes) for obj in (a.dom, a.cod)}
        found = {v for obj in objects for v in distinct_nodes(obj) if isinstance(v, Variable)}
        return tuple(sorted(found, key=lambda variable: variable.name))

    @cached_property
    def operators(self) -> frozenset[str]:
        """The methods of a model by which its sides are made, besides combinators."""
        return frozenset(node.method for node in self.nodes if isinstance(node, Operator))

    @property
    def is_of_values(self) -> bool:
        """Whether values alone are compared: it speaks of derivatives, whose own are not asked."""
        return not self.operators.isdisjoint(("D", "R", "along", "at"))

    @property
    def is_of_combinators(self) -> bool:
        """Whether both sides are combinators alone, so that they compute the same numbers."""
        return len(self.sides) == 2 and not self.operators

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


def side_latex(side: Side) -> str:
    """One side of a law, in LaTeX."""
    if isinstance(side, Computed):
        return side.latex or rf"\text{{{escaped(side.text)}}}"
    return latex_of(side_text(side))


def equation(law: Law) -> str:
    """``lhs = rhs``, in text."""
    left, right = (
        side.text if isinstance(side, Computed) else side_text(side) for side in (law.lhs, law.rhs)
    )
    return f"{left} is refused" if law.relation == "raises" else f"{left} {law.relation} {right}"


def latex(law: Law, mark: str = "") -> str:
    """``lhs = rhs``, in LaTeX, without dollars; ``mark`` stands before what relates them."""
    left = f"{side_latex(law.lhs)} {mark}"
    if law.relation == "raises":
        return left + latex_of("is refused")
    return f"{left}{latex_of(law.relation)} {side_latex(law.rhs)}"


def escaped(text: str) -> str:
    """Plain text inside LaTeX."""
    for letter, instead in (("\\", r"\backslash "), ("⟨", "("), ("⟩", ")"), ("^", r"\^{}")):
        text = text.replace(letter, instead)
    return "".join(rf"\{letter}" if letter in "_#$%&{}" else letter for letter in text)


def quantifiers(law: Law) -> str:
    """What the law quantifies over: ``f : A → B; g : A → C; a : A``.

    Objects that are restricted stand first: ``A, B vectors``.
    """
    parts = []
    for kind, word in (("data", "without functions"), ("vector", "vectors")):
        names = ", ".join(variable.name for variable in law.variables if variable.kind == kind)
        parts += [f"{names} {word}"] if names else []
    for generator in law.generators:
        dom = "" if generator.sort == "point" else f"{object_text(generator.dom)} → "
        linear = " linear" if generator.sort == "linear" else ""
        parts.append(f"{generator.name} : {dom}{object_text(generator.cod)}{linear}")
    return "; ".join(parts)


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


def by_structure(laws: Iterable[Law]) -> dict[Structure, list[Law]]:
    """The laws of each structure, in order."""
    found: dict[Structure, list[Law]] = {}
    for law in laws:
        found.setdefault(law.structure, []).append(law)
    return found


def listing(laws: Iterable[Law]) -> str:
    """Structure by structure: a law's equation, its words and its source."""
    parts = []
    for structure, members in by_structure(laws).items():
        extends = ", ".join(above.name for above in structure.extends)
        lines = [f"{structure.title} ({structure.name}{extends and f', extends {extends}'})"]
        for law in members:
            about = quantifiers(law)
            lines.append(f"  {law.name:<8} {equation(law)}")
            lines.append(f"           {law.statement}{about and f'; for all {about}'}")
            lines.append(f"           {law.source}")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def markdown(laws: Iterable[Law]) -> str:
    """A structure after the other: a table, and the equations typeset."""
    parts = []
    for structure, members in by_structure(laws).items():
        extends = ", ".join(
            f"[{above.title}](#{'-'.join(above.title.lower().split())})"
            for above in structure.extends
        )
        needs = ", ".join(f"`{name}`" for name in (*structure.arrows, *structure.methods))
        about = [f"`{structure.name}`"]
        about += [f"extends {extends}"] if extends else []
        about += [f"claimed by a model that has {needs}"] if needs else []
        table = ["| law | equation | in words | source |", "|---|---|---|---|", *map(_row, members)]
        lines = (rf"\text{{{law.name}}}\quad & {latex(law, '&& ')}" for law in members)
        typeset = [r"\begin{aligned}", " \\\\\n".join(lines), r"\end{aligned}"]
        head = [f"### {structure.title}", "", "; ".join(about) + ".", ""]
        parts.append("\n".join([*head, *table, "", "$$", *typeset, "$$"]))
    return "\n\n".join(parts)


def _row(law: Law) -> str:
    more = f"; justifies the rule `{law.rule}`" if law.rule else ""
    more += f"; follows from {', '.join(law.implied_by)}" if law.implied_by else ""
    cells = (equation(law), law.statement, law.source)
    equals, words, source = (cell.replace("|", "\\|").replace("\n", " ") for cell in cells)
    return f"| {law.name} | `{equals}` | {words}{more} | {source} |"
