"""What is asked: every mode over every carrier, programs, carriers, primitives."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import diffcurry.models  # noqa: F401 (it registers the adapters)
from combinators.operation import PRIMITIVES
from diffcurry.models.programs import Programs
from interpreters.carriers.counting import Counting
from interpreters.carriers.fractions import Fractions
from interpreters.carriers.numpy import NumPy
from interpreters.carriers.sympy import SymPy
from interpreters.modes.delta import Deltas
from interpreters.modes.primal import Primal
from interpreters.modes.pushforward import Pushforward
from interpreters.modes.reverse import Dependent, Pullback
from laws.claims import model_of
from laws.law import Law, Structure, _has
from laws.model import signature_of
from laws.structures import LAWS, laws_of
from tests.combinators.primitives.test_transposes import CASES
from tests.laws.test_primitive import _sample
from tests.papers.models import MODELS


@dataclass(frozen=True)
class Subject:
    """A column of the matrix."""

    short: str
    name: str
    makes: Callable[[], Any]
    only: tuple[str, ...] = ()
    """The structures that it is asked for, where others stand for it in the rest."""
    because: str = ""
    """Why it does not claim more than it says."""
    most: int = sys.maxsize
    """At so many examples at most."""

    @cached_property
    def models(self) -> list[Any]:
        """One, but for the primitives."""
        made = self.makes()
        return list(map(model_of, made)) if isinstance(made, list) else [model_of(made)]

    def owes(self, law: Law) -> bool:
        """Whether it is asked."""
        return bool(self.models_of(law))

    def models_of(self, law: Law) -> list[Any]:
        """The models that owe a law."""
        if self.only and law.structure.name not in self.only:
            return []
        return [model for model in self.models if law in laws_of(model)]

    def lacks(self, structure: Structure) -> str:
        """Why it does not claim a structure; nothing where it does."""
        laws = [law for law in LAWS if law.structure is structure]
        if any(map(self.owes, laws)):
            return ""
        if self.only:
            return self.because
        model = self.models[0]
        for above in structure.lineage():
            for thing, wanted in ((model.category, above.arrows), (model, above.methods)):
                for name in wanted:
                    if not _has(thing, name):
                        return f"no `{name}`"
            for name in above.features:
                if not getattr(signature_of(model), name):
                    return f"no {name}"
        return self.because


def _primitives() -> list[Any]:
    return [_sample(*case) for case in CASES]


def _over(mode: Callable[[Any], Any], carrier: Callable[[], Any]) -> Any:
    return mode(carrier())


FORWARD = "its `D` is the pushforward's"
SAME = "its values are those of the carrier that it counts for"
ALONE = "it is one arrow, asked for its own laws"
MODE = "the rest is asked of the modes over it"
CARRIERS = {"Q": ("the rationals", Fractions), "F": ("floats", NumPy), "S": ("formulas", SymPy)}
MODES = (
    ("V", "values", Primal, ""),
    ("P", "simply typed pullback", Pullback, FORWARD),
    ("E", "dependently typed pullback", Dependent, FORWARD),
    ("A", "dual arrays", Deltas, FORWARD),
    ("D", "pushforward", Pushforward, ""),
)
FEW = 4
"""So many examples a law of the literal systems, which are as slow as their papers say."""
SUBJECTS = (
    *(
        Subject(f"{mode}·{over}", f"{name} over {numbers}", partial(_over, made, of), (), why)
        for mode, name, made, why in MODES
        for over, (numbers, of) in CARRIERS.items()
    ),
    Subject("TE·Q", "programs, derived by the dependent form", lambda: Programs(Fractions())),
    Subject(
        "TP·Q", "programs, derived by the simple form", lambda: Programs(Fractions(), Pullback)
    ),
    Subject(
        "TA·Q", "programs of first order, by dual arrays", lambda: Programs(Fractions(), Deltas)
    ),
    Subject("TE·F", "programs over floats, by the dependent form", lambda: Programs(NumPy())),
    *(Subject(m.short, m.name, m.makes, most=FEW) for m in MODELS),
    Subject(
        "E·N",
        "dependently typed pullback over numbers that count",
        lambda: Dependent(Counting(Fractions())),
        ("cost", "cost of programs"),
        SAME,
    ),
    Subject("Q", "the carrier of the rationals", Fractions, ("carrier",), MODE),
    Subject("F", "the carrier of floats", NumPy, ("carrier", "rational"), MODE),
    Subject("S", "the carrier of formulas", SymPy, ("carrier", "rational"), MODE),
    Subject(
        "prim",
        f"the {len(PRIMITIVES)} primitives, at {len(CASES)} types",
        _primitives,
        ("primitive", "pointwise primitive", "primitive on carriers"),
        ALONE,
    ),
)
