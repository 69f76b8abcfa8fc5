"""All laws, listed: as text, and as the tables of docs/laws.md."""

from __future__ import annotations

from collections.abc import Iterable

from laws.law import Law, Structure, equation, quantifiers, typeset


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
