"""A model's laws as a class of tests, a method a law."""

from __future__ import annotations

import re
import unittest
from collections.abc import Callable, Iterable
from typing import Any

from combinators.errors import TypeMismatch
from laws.claims import model_of, selected
from laws.law import Law
from laws.model import name_of

__unittest = True  # its frames are left out of unittest's tracebacks

_GREEK = {"β": "beta", "η": "eta", "λ": "lambda", "α": "alpha", "Λ": "curry"}
_LONG = 60


def suite(
    thing: Any,
    structures: Iterable[str] | None = None,
    *,
    only: Iterable[str] | None = None,
    max_examples: int | None = None,
    seed: int = 0,
    xfail: Iterable[str] = (),
) -> type[unittest.TestCase]:
    """A class to inherit: ``class TestMine(laws.suite(Mine)): ...``, for pytest and unittest.

    It has a test for every law of the ``structures``, by default of those that ``thing`` claims;
    ``only`` are names of laws or structures among them. Laws named in ``xfail`` must fail. A name
    that is not asked raises ``TypeMismatch``.
    """
    model = model_of(thing)
    asked = selected(model, only, structures)
    failing = set(xfail)
    stray = sorted(failing - {law.name for law in asked})
    if stray:
        raise TypeMismatch(f"xfail names {', '.join(stray)}, which {name_of(model)} does not owe")
    tests: dict[str, Any] = {"__doc__": f"The laws of {name_of(model)}.", "model": model}
    for law in asked:
        test = _test(law, model, max_examples, seed)
        tests[test.__name__] = unittest.expectedFailure(test) if law.name in failing else test
    return type(f"LawsOf{_identifier(name_of(model))}", (unittest.TestCase,), tests)


Test = Callable[[unittest.TestCase], None]


def _test(law: Law, model: Any, examples: int | None, seed: int) -> Test:
    def test(self: unittest.TestCase) -> None:
        __tracebackhide__ = True
        from laws.checking import check_law  # hypothesis may be missing until then

        verdict = check_law(law, model, examples=examples, start=seed)
        if not verdict:
            raise self.failureException(str(verdict))

    test.__name__ = test.__qualname__ = test_name(law)
    test.__doc__ = str(law)
    return test


def test_name(law: Law) -> str:
    """``test_E1_beta_a_function_applied_is_its_body``."""
    return f"test_{_identifier(law.name)}_{_identifier(law.statement)}"[:_LONG].rstrip("_")


def _identifier(text: str) -> str:
    """Its words, with ``_`` between them."""
    for letter, name in _GREEK.items():
        text = text.replace(letter, name)
    return "_".join(re.findall(r"[A-Za-z0-9]+", text))
