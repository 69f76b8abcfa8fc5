"""``laws.suite``: a class of tests, for pytest, unittest and doctest."""

import doctest
import unittest

import pytest

from combinators.errors import TypeMismatch
from diffcurry import laws
from laws.suites import test_name as name_of_test
from tests.laws.outsiders import FirstAlways, Forgetful, Functions, Over

FEW = {"max_examples": 40}


class TestFunctions(laws.suite(Functions, only=["category", "E1"], **FEW)):
    """What a user writes; pytest collects it here."""


class TestForgetful(laws.suite(Forgetful, only=["C1", "E1"], xfail=["E1"], **FEW)):
    """One of them has to fail."""


def outcome(tests):
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(tests).run(result)
    return result


def test_a_test_has_the_name_of_its_law():
    names = [name for name in dir(TestFunctions) if name.startswith("test_")]
    assert names[0] == "test_C1_the_identity_and_then_f_is_f"
    assert any(name.startswith("test_E1_beta_") for name in names)
    assert TestFunctions.test_C1_the_identity_and_then_f_is_f.__doc__ == "C1: id >> f = f"
    assert len({name_of_test(law) for law in laws.LAWS}) == len(laws.LAWS)
    assert all(name_of_test(law).isidentifier() for law in laws.LAWS)


def test_unittest_runs_them():
    result = outcome(TestFunctions)
    assert result.wasSuccessful()
    assert result.testsRun >= 4


def test_a_failure_shows_the_smallest_example():
    tests = laws.suite(FirstAlways, only=["P1b"], **FEW)
    result = outcome(tests)
    assert not result.wasSuccessful()
    [(_, text)] = result.failures
    assert "P1b fails in FirstAlways" in text
    assert "laws.replay(" in text
    assert "suites.py" not in text


def test_what_is_expected_to_fail_has_to():
    result = outcome(TestForgetful)
    assert result.wasSuccessful()
    assert len(result.expectedFailures) == 1
    result = outcome(laws.suite(Functions, only=["C1"], xfail=["C1"], **FEW))
    assert not result.wasSuccessful()
    assert len(result.unexpectedSuccesses) == 1


def test_names_that_are_not_asked_are_errors():
    with pytest.raises(TypeMismatch, match="xfail names E9"):
        laws.suite(Functions, xfail=["E9"])
    with pytest.raises(TypeMismatch, match="did you mean closed"):
        laws.suite(Functions, only=["closd"])
    with pytest.raises(TypeMismatch, match=r"Functions does not claim reverse, which takes .* R"):
        laws.suite(Functions, only=["reverse"])
    with pytest.raises(TypeError, match="over"):
        laws.suite(Over)


def test_of_some_structures_only_some_laws_are_asked():
    tests = laws.suite(Functions, ["cartesian"], only=["P1a", "C1"])
    assert sorted(name[:8] for name in dir(tests) if name.startswith("test_")) == [
        "test_C1_",
        "test_P1a",
    ]
    with pytest.raises(TypeMismatch, match="E1"):
        laws.suite(Functions, ["cartesian"], only=["P1a", "E1"])


def test_doctest_runs_them():
    text = """
    >>> from diffcurry import laws
    >>> from tests.laws.outsiders import Forgetful, Functions
    >>> bool(laws.check(Functions, only=["C1"], max_examples=5))
    True
    >>> print(laws.check(Forgetful, only=["E1"], max_examples=40)["E1"])
    E1 fails in Forgetful
    ...
    """
    test = doctest.DocTestParser().get_doctest(text, {}, "laws", None, 0)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    assert runner.run(test).failed == 0
