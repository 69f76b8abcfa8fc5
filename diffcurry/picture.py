"""A program as a picture: its string diagram, as SVG and as DOT."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from combinators.errors import NotDifferentiable, WrongMode
from combinators.simplify import simplify
from combinators.terms import Lam
from combinators.type_folds import is_smooth
from interpreters.diagrams.dot import dot
from interpreters.diagrams.drawing import string_diagram
from interpreters.diagrams.strings import Diagram
from interpreters.diagrams.svg import svg
from interpreters.staging.programs import pullback


@dataclass(frozen=True)
class Picture:
    """The string diagram of a program; notebooks show it.

    Wires are values, named and typed; a triangle copies, a half circle applies a function, a box
    with a diagram inside is a λ, the branches of a choice or a loop, whose carry is led back. Wires
    of cotangents are dashed (002, section 4).
    """

    lam: Lam
    pulls: bool = False
    """Whether it gives a pullback, whose argument is a cotangent."""

    @classmethod
    def of(cls, lam: Lam, *, derivative: bool = False) -> Picture:
        """That of a program, or of its rep-function: the value, and the pullback."""
        if not derivative:
            return cls(lam)
        which = [index for index, param in enumerate(lam.params) if is_smooth(param.type)]
        if not which:
            raise NotDifferentiable("no argument of this program has a cotangent to be pulled back")
        return cls(simplify(pullback(lam, which)), pulls=True)

    @cached_property
    def diagram(self) -> Diagram:
        """Boxes and wires, before they have places."""
        return string_diagram(self.lam, pulls=self.pulls)

    @property
    def svg(self) -> str:
        """The picture in SVG."""
        return svg(self.diagram)

    @property
    def dot(self) -> str:
        """The graph in Graphviz's language."""
        return dot(self.diagram)

    def save(self, path: str | Path) -> None:
        """Write the picture to a file, in the language that its ending says: .svg or .dot."""
        written = {".svg": svg, ".dot": dot, ".gv": dot}.get(Path(path).suffix)
        if written is None:
            raise WrongMode(f"a diagram is saved as .svg or as .dot, and this is {str(path)!r}")
        Path(path).write_text(written(self.diagram), encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        boxes = sum(len(page.boxes) for page in self.diagram.pages())
        return f"<diagram of {self.lam.name or 'a function'}: {boxes} boxes>"
