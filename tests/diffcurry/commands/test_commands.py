"""The command line: what it prints, and how it ends."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from diffcurry.commands import main
from diffcurry.commands.targets import Misused, read_arguments

ROOT = Path(__file__).resolve().parents[3]
MODEL = """
import numpy as np
import diffcurry as dc

print("imported")

def loss(w, xs):
    return np.sum(np.tanh(w * xs))

def kinked(x):
    return dc.cond(x > 0.0, lambda: x * x, lambda: np.exp(x) + x)

def record(p):
    return p["w"] * np.sum(p["b"])

def shapes(x):
    return x @ np.ones((3, 4))

def crash(x):
    return [][3]

def typed(x: dc.Real):
    return x / 0.0

def total(xs):
    return dc.fold(lambda c, x: c + x * x, 0.0, xs)

def scaled(s: float | None, d: float):
    return dc.case(s, lambda: d * d, lambda x: x * d)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "model.py").write_text(MODEL)
    return tmp_path


@pytest.fixture
def run(capsys):
    def running(*arguments):
        code = main(arguments)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return running


def test_a_function_at_types(run):
    code, out, err = run("inspect", "model.py:loss", "--types", "Real, Tensor[3]")
    assert code == 0
    assert out.startswith("loss : Real × Tensor[3] ⇒ Real\n\nλ(w : Real, xs : Tensor[3]).\n")
    assert "9 operations" in out
    assert err == "imported\n"


def test_a_function_at_arguments_shows_its_value_and_its_gradient(run):
    _, out, _ = run("inspect", "model.py:kinked", "--at", "3.0")
    assert "value: 9.0\n" in out
    assert "gradient:\n  x: 6.0\n" in out


def test_lists_and_missing_values_are_arguments(run):
    _, out, _ = run("inspect", "model.py:total", "--types", "List[Real]", "--at", "[1.0, 2.0]")
    assert "value: 5.0" in out
    assert "xs: [2.0, 4.0]" in out
    _, out, _ = run("inspect", "model.py:scaled", "--at", "None, 3.0")
    assert "value: 9.0" in out
    assert "d: 6.0" in out


def test_without_its_gradient(run):
    _, out, _ = run("inspect", "model.py:kinked", "--at", "3.0", "--no-grad")
    assert "gradient" not in out
    assert "exactly 2 operations" in out


def test_types_shape_the_arguments(run):
    types, at = "{w: Real, b: Tensor[2]}", "{'b': [1, 2], 'w': 3}"
    code, out, _ = run("inspect", "model.py:record", "--types", types, "--at", at, "--json")
    made = json.loads(out)
    assert code == 0
    assert made["value"] == 9.0
    assert made["gradient"] == {"p": {"b": [3.0, 3.0], "w": 3.0}}
    assert made["parameters"] == [{"name": "p", "type": types}]
    assert made["cost"]["counts"] == {"multiply": 1, "sum": 2}
    assert made["gradient_term"].startswith("λ(p : ")
    assert made["certificate"]["holds"] is True
    assert made["certificate"]["bounds"][0]["law"] == "law K1"


def test_declared_types_suffice_and_json_has_no_nan(run):
    assert run("inspect", "model.py:typed")[0] == 0
    _, out, _ = run("inspect", "model.py:typed", "--at", "0.0", "--json")
    assert json.loads(out)["value"] == "nan"


def test_an_expression_takes_reals_unless_types_are_said(run):
    _, out, _ = run("inspect", "--expr", "sin(x*y) + x**2", "--emit", "term")
    assert out == "λ(x : Real, y : Real).\n  sin (x * y) + square x\n"
    _, out, _ = run("inspect", "--expr", "sum(x)", "--types", "Tensor[3]", "--emit", "term")
    assert out == "λ(x : Tensor[3]).\n  sum[axis=(0,)] x\n"


@pytest.mark.parametrize("command", ["inspect", "explain"])
def test_a_text_may_begin_with_a_minus(command, run):
    code, out, _ = run(command, "--expr", "-x**2*y", "--at", "-1.0,3.0", "--debug")
    assert code == 0
    assert "x" in out


def test_it_means_the_minus(run):
    _, out, _ = run("inspect", "--at", "-3.0,1.0", "--expr", "-x**2+y")
    assert "value: -8.0\n" in out


def test_an_option_is_no_text(run):
    with pytest.raises(SystemExit):
        run("inspect", "--expr", "--json")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("latex", "x^{2} + \\sin{\\left(x y \\right)}"),
        ("combinators", "Real × Real ⇝ Real ="),
        ("term", "sin (x * y) + square x"),
        ("python", "return math.sin(x * y) + x * x"),
        ("numpy", "return math.sin(x * y) + x * x"),
        ("c", "*out = sin(x * y) + x * x;"),
    ],
)
def test_what_is_emitted(language, text, run):
    code, out, _ = run("inspect", "--expr", "sin(x*y) + x**2", "--emit", language)
    assert code == 0
    assert text in out
    _, out, _ = run("inspect", "--expr", "sin(x*y) + x**2", "--emit", language, "--json")
    assert text in json.loads(out)["text"]


def test_the_gradient_is_emitted(run):
    _, out, _ = run("inspect", "--expr", "sin(x*y)", "--grad", "--emit", "python")
    assert "def grad_f(x, y):" in out
    space = {}
    exec(out, space)
    assert space["grad_f"](0.0, 2.0) == (2.0, 0.0)


def test_explain_prints_plain_text_where_no_terminal_reads(run):
    code, out, _ = run("explain", "--expr", "x*y")
    assert code == 0
    assert "── combinators ──" in out
    assert "\x1b" not in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["model.py:loss"], "loss has no declared types; say --types"),
        (["model.py:loss", "--types", "Reel"], "--types: 'Reel' is no type"),
        (["model.py:loss", "--at", "__import__('os')"], "--at takes numbers"),
        (["model.py:loss", "--at", "open, 1"], "--at takes numbers"),
        (["model.py:loss", "--types", "Real", "--at", "1, 2"], "--types names 1 arguments"),
        (["model.py:loss", "--types", "Real, Int", "--at", "1, 2.5"], "where --types says Int"),
        (
            ["--expr", "x/y", "--types", "Tensor[3], Real", "--at", "[1,2], 2.0"],
            "argument 0 is Tensor[2], and --types says Tensor[3]",
        ),
        (
            ["--expr", "x", "--types", "Real", "--at", "[1,2]"],
            "argument 0 is Tensor[2], and --types says Real",
        ),
        (
            ["model.py:record", "--types", "{w: Real, b: Tensor[2]}", "--at", "{'b': 1, 'w': 3}"],
            "argument 0['b'] is Real, and --types says Tensor[2]",
        ),
        (
            ["--expr", "p[0]", "--types", "(Real × Tensor[2])", "--at", "(1, [2])"],
            "argument 0[1] is Tensor[1], and --types says Tensor[2]",
        ),
        (["--expr", "10**20*x", "--at", "1.0"], "--expr: column 1: the integer is too large"),
        (["model.py:none", "--types", "Real"], "has no 'none'"),
        (["--expr", "__import__('os')"], "--expr: column 1: there is no function __import__"),
        (["--expr", "x +"], "this is no expression"),
        (["model.py:loss", "--expr", "x"], "name one program"),
        ([], "name one program"),
    ],
)
def test_a_wrong_command_ends_with_2_and_a_line(arguments, says, run):
    code, out, err = run("inspect", *arguments)
    assert (code, out) == (2, "")
    message = err.removeprefix("imported\n")
    assert message.startswith("diffcurry: ")
    assert says in message
    assert message.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["model.py:shapes", "--types", "Tensor[2]"], ":17: matmul sums over an axis"),
        (["model.py:crash", "--types", "Real"], ":20: IndexError: list index out of range"),
        (["model.py:loss", "--types", "Real"], "missing a required argument: 'xs'"),
        (["--expr", "x + y", "--types", "Tensor[2], Tensor[3]"], "do not broadcast together"),
        (["--expr", "x * 2.0", "--at", "[1.0, 2.0]", "--grad"], "grad takes a function whose"),
        (["--expr", "x * 2.0", "--types", "Tensor[2]", "--grad"], "grad takes a function whose"),
    ],
)
def test_an_error_of_the_program_ends_with_1_and_a_line(arguments, says, run):
    code, out, err = run("inspect", *arguments)
    assert (code, out) == (1, "")
    message = err.removeprefix("imported\n")
    assert says in message
    assert message.count("\n") == 1
    assert "Traceback" not in message


def test_debug_shows_the_traceback():
    with pytest.raises(IndexError):
        main(["inspect", "model.py:crash", "--types", "Real", "--debug"])


@pytest.mark.parametrize("arguments", [[], ["inspect", "--emit", "cobol"], ["look"]])
def test_what_is_no_command_ends_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert "usage: diffcurry" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text", ["(" * 5000, "x", "1; 2", "f(1)", "'text'", "[[1], [1, 2]]", "{1}"]
)
def test_arguments_are_literals_only(text):
    with pytest.raises(Misused, match="--at"):
        read_arguments(text)


def started(folder, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "diffcurry", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_it_starts_as_a_module(folder):
    ran = started(folder, "inspect", "model.py:kinked", "--at", "3.0", "--emit", "term")
    assert (ran.returncode, ran.stderr) == (0, "imported\n")
    assert ran.stdout.startswith("λ(x : Real).")


def test_a_room_that_a_users_file_hides_is_named(folder):
    (folder / "laws.py").write_text("")
    ran = started(folder, "inspect", "--expr", "x", "--types", "Real")
    assert ran.returncode == 2
    assert "laws.py for our package 'laws'; rename that file" in ran.stderr
