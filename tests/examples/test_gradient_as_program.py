"""The example prints a gradient in each of its forms, and its numbers are right."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import diffcurry as dc

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def example(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    import gradient_as_program

    return gradient_as_program


def test_the_slope_is_the_derivative(example):
    for x in (-1.5, 0.0, 0.25, 2.0):
        np.testing.assert_allclose(example.slope(x), 4 * x * (x * x - 1) + 0.3, rtol=1e-14)


def test_the_descent_is_differentiated_through_its_gradients(example):
    rate, h = 0.02, 1e-6
    difference = (example.reached(rate + h) - example.reached(rate - h)) / (2 * h)
    np.testing.assert_allclose(dc.grad(example.reached)(rate), difference, rtol=1e-6)


def test_the_better_rate_is_better(example):
    assert example.reached(example.better(0.005)) < example.reached(0.005) - 0.1


def test_it_runs():
    told = subprocess.run(
        [sys.executable, ROOT / "examples" / "gradient_as_program.py"],
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=60,
    ).stdout
    order = ["λ(x : Real)", "12*x**2 - 4", "def grad_well(x):", "law K1", "fold[reverse=True]"]
    places = [told.index(text) for text in order]
    assert places == sorted(places)
    first, second = map(float, re.findall(r"steps ([+-]\d\.\d+)$", told, re.MULTILINE))
    assert second < first
