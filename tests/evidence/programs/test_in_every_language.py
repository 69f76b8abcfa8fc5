"""One program, one result: interpreted, as code in a process that has only NumPy, as formulas."""

import functools
import re
import sys

import numpy as np
import pytest
import sympy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import diffcurry as dc
from combinators.errors import DomainError
from tests.evidence.programs.agreeing import WHICH, floats
from tests.evidence.programs.alone import run_alone
from tests.evidence.programs.ways import close, forward_over_reverse, reverse_over_reverse
from tests.strategies.meanings import function_of
from tests.strategies.points import arguments, thousandths
from tests.strategies.programs import programs

W = (0.5, -1.0, np.array([1.0, 0.25, -2.0]))
TRANSFORMS = {
    "f": lambda f: f,
    "grad": lambda f: dc.grad(f, WHICH),
    "value_and_grad": lambda f: dc.value_and_grad(f, WHICH),
    "reverse over reverse": lambda f: reverse_over_reverse(f, W),
    "forward over reverse": lambda f: forward_over_reverse(f, W),
}


@functools.cache
def drawn(count):
    """Random programs with points to run them at, the same in every run."""
    found = []

    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def draw(data):
        program = data.draw(programs(depth=4))
        found.append((program, floats(data.draw(arguments(program, thousandths)))))

    draw()
    return found


def python(value):
    return value.item() if isinstance(value, np.float64) else value


def flat(value):
    if isinstance(value, tuple):
        return [number for part in value for number in flat(part)]
    return [float(number) for number in np.ravel(value)]


@pytest.mark.parametrize("count", [12, pytest.param(60, marks=pytest.mark.slow)])
def test_emitted_code_runs_where_there_is_only_numpy(count):
    jobs, true, names = [], [], []
    for program, args in drawn(count):
        f = function_of(program)
        for name, transform in TRANSFORMS.items():
            g = transform(f)
            made = g.program(*args)
            code = made.compiled("g")
            imported = set(re.findall(r"^\s*(?:import|from) (\w+)", code.source, re.MULTILINE))
            assert imported <= {"numpy", *sys.stdlib_module_names}
            jobs.append((code.source, code.name, tuple(map(python, args))))
            true.append(flat(g.evaluate(args) if name == "f" else g(*args)))
            names.append((name, program))
    found = run_alone(jobs)
    for what, ours, alone in zip(names, true, found, strict=True):
        np.testing.assert_allclose(flat(alone), ours, rtol=1e-9, atol=1e-9, err_msg=str(what))


@pytest.mark.parametrize("count", [10, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("transform", ["f", "grad"])
def test_formulas_are_the_same_numbers(transform, count):
    compared = 0
    for program, (a, b, row) in drawn(count):
        g = TRANSFORMS[transform](function_of(program))
        x, y, v = (param.name for param in g.program().lam.params)
        try:
            definitions, result = g.program().formula(definitions=True, most_operations=3000)
        except DomainError:
            continue  # it says that it is too large
        names = {x: a, y: b, **{f"{v}_{i}": number for i, number in enumerate(row)}}
        leaves = result if isinstance(result, tuple) else (result,)
        found = [evaluate(leaf, definitions, names) for leaf in leaves]
        close(flat(tuple(found)), flat(g(a, b, row)), 1e-9)
        compared += 1
    assert compared >= count * 2 // 3


def evaluate(leaf, definitions, names):
    known = dict(names)

    def number(expression):
        there = {s: known[str(s)] for s in expression.free_symbols}
        return expression.subs(there).doit().evalf()

    for symbol, meaning in definitions:
        known[str(symbol)] = number(sympy.sympify(meaning))
    return np.array([float(number(part)) for part in np.ravel(np.array(leaf, dtype=object))])
