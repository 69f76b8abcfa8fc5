"""A file that hides one of the rooms is named; one that hides no room in use is let be."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from diffcurry.rooms import hiding

ROOT = Path(__file__).resolve().parents[2]


def importing(folder):
    path = os.pathsep.join([str(folder), str(ROOT)])
    return subprocess.run(
        [sys.executable, "-c", "import diffcurry; print(diffcurry.__version__)"],
        env=os.environ | {"PYTHONPATH": path},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("room", ["combinators", "interpreters"])
def test_a_hidden_room_is_an_error_that_names_the_file(room, tmp_path):
    file = tmp_path / f"{room}.py"
    file.write_text("x = 1\n")
    told = importing(tmp_path)
    assert told.returncode == 1
    assert f"ImportError: diffcurry needs its own package {room!r}" in told.stderr
    assert str(file) in told.stderr


def test_a_laws_of_ones_own_hurts_nobody_who_does_not_ask_for_ours(tmp_path):
    (tmp_path / "laws.py").write_text("raise RuntimeError\n")
    told = importing(tmp_path)
    assert told.returncode == 0, told.stderr


def test_here_nothing_hides_them():
    assert [hiding(room) for room in ("combinators", "interpreters", "laws")] == [None] * 3
    assert hiding("no_such_room") == f"nothing: {ROOT / 'no_such_room'} is missing"
