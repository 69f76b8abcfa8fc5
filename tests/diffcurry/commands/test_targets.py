"""Functions are found by path and by module, and what is missing is said."""

import sys

import pytest

from diffcurry.commands.targets import ImportFailed, Misused, load

MODEL = """
import numpy as np
from helper_of_model import factor

class Nested:
    @staticmethod
    def inner(x):
        return x * factor

def loss(x):
    return np.sin(x)

number = 3
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "model_at_prompt.py").write_text(MODEL)
    (tmp_path / "models" / "helper_of_model.py").write_text("factor = 2.0")
    (tmp_path / "models" / "ends.py").write_text("import sys; sys.exit(3)")
    (tmp_path / "models" / "breaks.py").write_text("import not_to_be_found")
    (tmp_path / "models" / "json.py").write_text("def f(x): return x * x")
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_a_function_of_a_file_that_imports_its_neighbour():
    assert load("models/model_at_prompt.py:Nested.inner")(3.0) == 6.0


def test_a_function_of_a_module():
    assert load("models.json:f")(2.0) == 4.0


def test_a_file_may_be_called_as_a_module_of_python_is():
    import json

    assert load("models/json.py:f")(3.0) == 9.0
    assert sys.modules["json"] is json


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("loss", "names no function"),
        ("models/none.py:f", "there is no file models/none.py"),
        ("models/model_at_prompt.py:los", "has no 'los'; did you mean loss"),
        ("models/model_at_prompt.py:number", "is 3, and not a function"),
        ("no_such_module_here:f", "there is no module 'no_such_module_here'"),
    ],
)
def test_what_is_missing_is_said(target, says):
    with pytest.raises(Misused, match=says):
        load(target)


def test_what_a_module_raises_goes_through():
    with pytest.raises(ModuleNotFoundError, match="not_to_be_found"):
        load("models/breaks.py:f")
    with pytest.raises(ImportFailed, match=r"calls sys\.exit"):
        load("models/ends.py:f")
