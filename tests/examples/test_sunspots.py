"""The demo runs, says what it should, and its gradient goes through curry and eval."""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import diffcurry as dc
import diffcurry.interpretation
from diffcurry.modes import CARRIER
from interpreters.execution.machine import Arrow
from interpreters.modes.reverse import Dependent

ROOT = Path(__file__).resolve().parents[2]
PAST = 5


@pytest.fixture(autouse=True)
def examples(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))


def counting(monkeypatch):
    """Dependent's own curry and eval, counted whenever an arrow that they made is run."""
    runs = Counter()
    for name, real in (("curry", Dependent.curry), ("eval", Dependent.eval)):

        def counted(self, *args, name=name, real=real):
            def note(_):
                runs[name] += 1

            arrow = real(self, *args)
            return Arrow(arrow.dom, arrow.cod, (note, arrow))

        monkeypatch.setattr(Dependent, name, counted)
    mode = Dependent(CARRIER)
    monkeypatch.setattr(diffcurry.interpretation, "reverse", {"dependent": mode}.__getitem__)
    return runs


def some_windows():
    from forecast.data import windows

    return windows(PAST).within(1750, 1760)


def test_the_gradient_of_the_loss_goes_through_curry_and_eval(monkeypatch):
    from forecast.network import initial, loss

    runs, some = counting(monkeypatch), some_windows()
    params = initial(2, np.random.default_rng(0))
    evaluated = dc.value_and_grad(loss).evaluate((params, some.xs, some.ys))
    value, gradient = dc.value_and_grad(loss)(params, some.xs, some.ys)
    np.testing.assert_allclose(evaluated[0], value, rtol=1e-12)
    # By interpretation, the fold calls g and g calls lstm_cell, each year; g is made once, and the
    # cell in every call.
    # Written as a program, once each: the fold's function stands in the loop.
    assert runs == {"eval": 2 * PAST + 1, "curry": 1 + PAST + 2}
    assert np.isfinite(value)
    assert np.any(gradient["cell"]["keep"][0] != 0.0)


def test_g_is_a_closure_and_the_cell_is_not_inlined():
    from forecast.network import initial, predict

    program = dc.fun(predict).program(initial(1, np.random.default_rng(0)), np.zeros((3, 1, 1)))
    assert "lstm_cell (" in str(program)
    text = str(program.combinators)
    assert text.count("curry(") == 2
    assert ">> eval" in text
    assert ">> fold" in text


def test_the_slopes_agree():
    from forecast.checking import slopes
    from forecast.network import initial

    random = np.random.default_rng(1)
    found = list(slopes(initial(3, random), some_windows(), 4, random))
    assert len(found) == 4
    assert all(slope.error < 1e-6 for slope in found)


def test_windows_are_the_years_before():
    from forecast.data import UNIT

    some = some_windows()
    assert list(some.years) == list(range(1750, 1761))
    assert some.xs.shape == (PAST, 11, 1)
    np.testing.assert_allclose(UNIT * some.ys[:2], [83.4, 47.7])
    np.testing.assert_array_equal(some.xs[-1, 1:, 0], some.ys[:-1])


def test_training_lowers_the_loss():
    from forecast.network import initial
    from forecast.training import schedule, train

    steps = list(train(initial(2, np.random.default_rng(0)), some_windows(), schedule(50)))
    assert len(steps) == 50
    assert steps[-1].loss < 0.7 * steps[0].loss


@pytest.mark.slow
def test_the_demo_runs(tmp_path):
    picture = tmp_path / "made" / "sunspots.png"
    told = subprocess.run(
        [sys.executable, ROOT / "examples" / "sunspots.py", "--quick", "--picture", picture],
        env=os.environ | {"PYTHONPATH": str(ROOT), "NO_COLOR": "1", "MPLCONFIGDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout
    order = ["lstm_cell (", "curry(", "argument ", "{w: ", "step ", "last year's", "relative error"]
    places = [told.index(text) for text in order]
    assert places == sorted(places)
    errors = re.findall(r"\d\.\de-\d\d$", told, re.MULTILINE)
    assert len(errors) == 5
    assert all(float(error) < 1e-4 for error in errors)
    assert "\x1b" not in told
    assert picture.read_bytes().startswith(b"\x89PNG")
