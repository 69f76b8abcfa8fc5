"""The user can watch the transform: equations, the lines they were used for, and a stage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import diffcurry as dc
from combinators.bulk import bulk
from diffcurry.decorator import fun
from diffcurry.explain import STAGES

X = np.arange(4.0)
STEPS = tuple(stage for stage in STAGES if "bulk" in stage.title)


def doubled(x: Any) -> Any:
    return dc.build(4, lambda i: 2.0 * x[3 - i])


def test_equations_say_what_they_were_used_for() -> None:
    fired: list[Any] = []
    bulk(fun(doubled).program(X).lam, trace=fired.append)
    assert [one.rule for one in fired] == ["build1-op", "gather-affine", "build1-op"]
    assert [repr(one.before) for one in fired[:2]] == ["3 - i", "take[axis=0] x (3 - i)"]
    assert Path(fired[1].place.file).name == "test_seen.py"


def test_explain_has_a_stage() -> None:
    text = str(fun(doubled).explain(X, stages=STEPS))
    assert "2 * slice[start=(3,), step=(-1,), extent=(4,)] x" in text
    assert "gather-affine: take[axis=0] x (3 - i)" in text


def test_where_there_is_nothing_to_do_there_is_no_stage() -> None:
    text = str(fun(lambda x: x * x).explain(1.0, stages=STEPS))
    assert "bulk" not in text


def test_the_source_is_in_bulk_and_the_term_is_as_it_was_written() -> None:
    function = fun(doubled)
    function(X)
    assert "map" in str(function)
    assert "for " not in function.source(X)
