"""The pytest plugin, in sessions of its own."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from diffcurry.commands.laws import _failing
from diffcurry.commands.targets import Misused

ROOT = Path(__file__).resolve().parents[2]
MODEL = "tests.laws.outsiders:Forgetful"


pytest_plugins = ["pytester"]


@pytest.fixture
def session(pytester, monkeypatch):
    """A session in this process, in an empty folder with one test."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT)])
    pytester.makepyfile(test_mine="def test_mine(): pass\n")

    def run(*arguments):
        options = ["-p", "pytest_diffcurry", "-p", "no:cacheprovider", "--laws-examples=40"]
        plugins = [] if "-n" in arguments else ["-p", "no:xdist"]
        ran = pytester.runpytest_inprocess("-W", "error", *plugins, *options, *arguments)
        return ran.ret, str(ran.stdout) + str(ran.stderr)

    return run


def test_the_distribution_names_the_plugin():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["entry-points"]["pytest11"] == {
        "pytest_diffcurry": "pytest_diffcurry"
    }


def test_laws_are_items_beside_the_tests(session):
    code, out = session(f"--laws-model={MODEL}", "--laws-only=C1,C2,E1", "-v")
    assert code == 1
    assert "test_mine.py::test_mine PASSED" in out
    assert f"laws::{MODEL}::C1 PASSED" in out
    assert f"FAILED laws::{MODEL}::E1 - E1 fails in Forgetful" in out
    assert "laws.replay(" in out
    assert "Traceback" not in out


def test_they_are_chosen_among_like_tests(session):
    code, out = session(f"--laws-model={MODEL}", "-m", "laws", "-k", "C1 or C2", "-q")
    assert code == 0
    assert "2 passed" in out
    code, out = session(f"--laws-model={MODEL}", "-m", "not laws", "-q")
    assert "1 passed" in out


@pytest.mark.slow
def test_a_seed_and_workers(session):
    code, out = session(
        f"--laws-model={MODEL}", "--laws-only=category", "--laws-seed=7", "-n", "2", "-q"
    )
    assert code == 0, out


def test_what_is_known_to_fail_must_keep_failing(session, tmp_path):
    file = tmp_path / "known.txt"
    file.write_text("# why: it forgets\nForgetful::E1\n")
    options = (f"--laws-model={MODEL}", "--laws-only=C1,E1", f"--laws-xfail={file}", "-q")
    code, out = session(*options)
    assert code == 0, out
    assert "2 passed, 1 xfailed" in out
    file.write_text(f"{MODEL}::E1\nForgetful::C1\n")
    code, out = session(*options)
    assert code == 1
    assert f"C1 holds in {MODEL}, and {file}:2 says that it fails: remove that line" in out


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--laws-only=closed"], "say which model, by --laws-model="),
        (["--laws-model=nowhere_at_all:X"], "there is no module 'nowhere_at_all'"),
        (["--laws-model=tests.laws.outsiders:Over"], "takes arguments (over)"),
        ([f"--laws-model={MODEL}", "--laws-only=closd"], "did you mean closed"),
        ([f"--laws-model={MODEL}", "--laws-xfail=none.txt"], "there is no file none.txt"),
        ([f"--laws-model={MODEL}", "--laws-examples=0"], "--laws-examples is a number from 1"),
        ([f"--laws-model={MODEL}", "--laws-seed=-3"], "--laws-seed is a number from 0"),
    ],
)
def test_what_is_wrong_is_said(options, says, session):
    code, out = session(*options)
    assert code == 4
    assert says in out
    assert "Traceback" not in out


@pytest.mark.parametrize("only", [[], ["--laws-only=C1"]])
def test_an_entry_of_no_law_is_an_error(only, session, tmp_path):
    file = tmp_path / "known.txt"
    file.write_text("Forgetful::E1\nForgetful::Z9\n")
    code, out = session(f"--laws-model={MODEL}", f"--laws-xfail={file}", *only)
    assert code == 4
    assert f"{file}:2: Forgetful::Z9 is no law" in out


def test_entries(tmp_path):
    file = tmp_path / "known.txt"
    file.write_text("# a comment\n\nMine::E1   # and why\n")
    assert _failing(str(file)) == {"Mine::E1": f"{file}:3"}
    file.write_text("E1")
    with pytest.raises(Misused, match="an entry is Model::Law"):
        _failing(str(file))


def alone(folder, *options):
    """A session in a process of its own, which finds the folder's modules first."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "pytest_diffcurry", "-q", "-W", "error", *options],
        cwd=folder,
        env=os.environ
        | {
            "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_session_that_does_not_ask_imports_nothing_of_ours(tmp_path):
    for name in ("combinators", "laws", "diffcurry"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError\n")
    (tmp_path / "test_mine.py").write_text(
        "import sys\ndef test_mine():\n"
        "    assert not {'numpy', 'hypothesis', 'laws', 'diffcurry'} & set(sys.modules)\n"
    )
    ran = alone(tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_without_hypothesis_it_says_what_to_install(tmp_path):
    (tmp_path / "conftest.py").write_text("import sys\nsys.modules['hypothesis'] = None\n")
    ran = alone(tmp_path, f"--laws-model={MODEL}")
    assert ran.returncode == 4
    assert "pip install 'diffcurry[laws]'" in ran.stderr


def test_a_hidden_room_is_a_usage_error(tmp_path):
    (tmp_path / "laws.py").write_text("x = 1\n")
    ran = alone(tmp_path, f"--laws-model={MODEL}")
    assert ran.returncode == 4
    assert str(tmp_path / "laws.py") in ran.stderr
    assert "rename that file" in ran.stderr
