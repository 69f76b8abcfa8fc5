"""A package outside the repository, installed with pip, uses every way in."""

import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.laws import outsiders

ROOT = Path(__file__).resolve().parents[2]
PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "outside"
version = "1.0"
dependencies = ["diffcurry[laws]"]

[tool.hatch.build.targets.wheel]
packages = ["outside"]
"""
TESTS = """
from diffcurry import laws
from outside.models import Forgetful, Functions

class TestFunctions(laws.suite(Functions, only=["category", "E1"], max_examples=40)):
    pass

class TestForgetful(laws.suite(Forgetful, only=["C1", "E1"], max_examples=40, xfail=["E1"])):
    pass
"""
pytestmark = pytest.mark.slow


def pip(*arguments):
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            *arguments,
            "--no-deps",
            "--no-index",
            "--no-build-isolation",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Where pip put diffcurry, as a wheel of this repository, and the package outside."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("outside")
    project = folder / "project"
    (project / "outside").mkdir(parents=True)
    (project / "pyproject.toml").write_text(PROJECT)
    (project / "outside" / "__init__.py").touch()
    (project / "outside" / "models.py").write_text(inspect.getsource(outsiders))
    wheels = folder / "wheels"
    pip("wheel", "--quiet", "--wheel-dir", str(wheels), str(ROOT), str(project))
    pip("install", "--quiet", "--target", str(folder / "site"), *map(str, wheels.glob("*.whl")))
    return folder / "site"


@pytest.fixture
def run(site, tmp_path):
    def running(*arguments):
        ran = subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(site), "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            text=True,
            check=False,
        )
        return ran.returncode, ran.stdout + ran.stderr

    return running


def test_it_is_the_installed_one(run, site):
    code, out = run("-c", "import diffcurry, laws, outside.models as m; print(laws.__file__)")
    assert code == 0, out
    assert out.strip() == str(site / "laws" / "__init__.py")


def test_the_command_line(run, site):
    command = str(site / "bin" / "diffcurry")
    options = ("--only", "C1,E1", "--examples", "40")
    code, out = run(command, "laws", "outside.models:Functions", *options)
    assert code == 0, out
    code, out = run(command, "laws", "outside.models:Forgetful", *options, "--json")
    assert code == 1
    failed = json.loads(out)["verdicts"][1]["counterexample"]
    code, out = run("-c", failed["snippet"])
    assert code == 1
    assert "AssertionError: E1 fails in Forgetful" in out


def test_the_plugin_is_found(run, tmp_path):
    (tmp_path / "known.txt").write_text("Forgetful::E1\n")
    code, out = run(
        *("-m", "pytest", "-q", "-W", "error", "--laws-model=outside.models:Forgetful"),
        *("--laws-only=C1,E1", "--laws-examples=40", "--laws-xfail=known.txt"),
    )
    assert code == 0, out
    assert "1 passed, 1 xfailed" in out


def test_the_suite_and_a_written_test(run, tmp_path):
    (tmp_path / "test_mine.py").write_text(TESTS)
    code, out = run("-m", "pytest", "-q", "-W", "error", "test_mine.py")
    assert code == 0, out
    assert "1 xfailed" in out
    code, out = run("-m", "unittest", "test_mine")
    assert code == 0, out
    assert "expected failures=1" in out
    code, out = run("-m", "diffcurry", "laws", "outside.models:functions", "--write", "test_all.py")
    assert code == 0, out
    code, out = run("-m", "pytest", "-q", "-k", "C1 or E1", "test_all.py")
    assert code == 0, out
