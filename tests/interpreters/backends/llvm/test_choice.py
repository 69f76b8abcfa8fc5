"""A program is compiled by the backend that is chosen for it, once: results do not change."""

import numpy as np
import pytest

import diffcurry as dc
from combinators.errors import MissingRule, TypeMismatch
from interpreters.backends.llvm import choice

pytest.importorskip("llvmlite", reason="LLVM is not installed: pip install 'diffcurry[native]'")

X = np.linspace(0.1, 2.0, 50)


def total(x):
    return np.sum(np.sin(x) * x)


def ran(function, *args):
    return function.cost(*args).ran


@pytest.fixture(autouse=True)
def nothing_chosen(monkeypatch):
    monkeypatch.delenv("DIFFCURRY_BACKEND", raising=False)


def test_a_context_chooses_for_what_is_first_called_in_it():
    gradient = dc.grad(lambda x: total(x))
    with dc.backend("llvm"):
        first = gradient(X)
    assert ran(gradient, X) == "llvm"
    assert np.array_equal(gradient(X), first)
    assert ran(gradient, X) == "llvm"
    gradient(X[1:])
    assert ran(gradient, X[1:]) == "python"


def test_a_program_that_ran_as_python_stays_python():
    gradient = dc.grad(lambda x: total(x))
    first = gradient(X)
    with dc.backend("llvm"):
        assert np.array_equal(gradient(X), first)
    assert ran(gradient, X) == "python"


def test_a_function_chooses_for_itself_and_for_its_derivatives():
    function = dc.fun(total, backend="llvm")
    with dc.backend("python"):
        for made in (function, dc.grad(function), dc.fun(backend="llvm")(total)):
            made(X)
            assert ran(made, X) == "llvm"
    assert dc.fun(function) is function
    typed = dc.fun(function, dc.Tensor((50,)))
    typed(X)
    assert ran(typed, X) == "llvm"
    other = dc.fun(function, backend="python")
    other(X)
    assert ran(other, X) == "python"


def test_a_function_that_is_checked_stays_so_on_another_backend():
    checked = dc.fun(dc.fun(lambda n: 7 // n, checked=True), backend="llvm")
    with pytest.raises(ZeroDivisionError):
        checked(0)


def test_the_environment_chooses_for_everything(monkeypatch):
    monkeypatch.setenv("DIFFCURRY_BACKEND", "llvm")
    gradient = dc.grad(lambda x: total(x))
    gradient(X)
    assert ran(gradient, X) == "llvm"
    monkeypatch.setenv("DIFFCURRY_BACKEND", "gcc")
    with pytest.raises(TypeMismatch, match="a backend is one of 'auto', 'python', 'llvm', not 'g"):
        dc.grad(lambda x: total(x))(X)


def test_what_is_tiny_stays_python_where_the_choice_is_automatic():
    def rounds(x):
        return dc.fold(lambda c, _: np.sin(c) * x, x, np.zeros(9))

    def scalars(x):
        for _ in range(20):
            x = np.sin(x) * x
        return x

    cases = [(lambda x: np.sin(x) * x, 0.5, "python"), (total, X, "llvm")]
    cases += [(rounds, 0.5, "llvm"), (scalars, 0.5, "llvm")]
    for function, arg, expected in cases:
        gradient = dc.grad(dc.fun(function, backend="auto"))
        first = gradient(arg)
        assert ran(gradient, arg) == expected
        assert np.array_equal(gradient(arg), first)


def test_a_long_program_is_machine_code_from_its_first_call_on():
    def scalars(x):
        for _ in range(700):
            x = np.sin(x) * x + 0.1
        return x

    gradient = dc.grad(dc.fun(scalars, backend="llvm"))
    first = gradient(0.5)
    assert ran(gradient, 0.5) == "llvm"
    assert gradient(0.5) == first


def test_cost_and_explain_say_what_ran():
    function = dc.fun(total, backend="llvm")
    assert not function.cost(X).ran
    function(X)
    assert "ran on the backend llvm" in str(function.cost(X))
    assert "ran on the backend llvm" in str(function.explain(X))


def test_where_llvm_is_not_installed_python_runs_or_an_error_says_so(monkeypatch):
    monkeypatch.setattr(choice, "_is_installed", lambda: False)
    gradient = dc.grad(dc.fun(total, backend="auto"))
    gradient(X)
    assert ran(gradient, X) == "python"
    with pytest.raises(MissingRule, match="pip install 'diffcurry"):
        dc.fun(total, backend="llvm")
    with pytest.raises(MissingRule, match="pip install 'diffcurry"), dc.backend("llvm"):
        pass
