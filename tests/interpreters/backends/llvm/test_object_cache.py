"""Object code is kept on disk; what is not whole and surely ours is made anew."""

import os
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="LLVM is not installed: pip install 'diffcurry[native]'")

import diffcurry as dc
from interpreters.backends.llvm import object_cache
from interpreters.backends.llvm.machine_code import object_code
from interpreters.backends.llvm.native_program import NativeProgram
from interpreters.backends.llvm.object_cache import directory, keep, kept
from tests.interpreters.backends.llvm.comparing import not_called


@pytest.fixture
def where(tmp_path, monkeypatch):
    path = tmp_path / "kept"
    monkeypatch.setenv("DIFFCURRY_CACHE", str(path))
    return path


def text():
    program = dc.grad(lambda x: np.sum(np.sin(x) * x)).program(np.ones(5))
    return NativeProgram(program.lam, not_called).text


def test_code_is_made_once_and_found_again(where):
    assert object_code(text())[0]
    assert not object_code(text())[0]
    (file,) = where.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert where.stat().st_mode & 0o777 == 0o700


@pytest.mark.slow
def test_the_text_of_a_module_holds_no_addresses():
    script = (
        "from tests.interpreters.backends.llvm.test_object_cache import text; print(text(), end='')"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert ran.stdout.decode() == text()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda code: code[:-1],
        lambda code: b"",
        lambda code: code[:100] + bytes([code[100] ^ 1]) + code[101:],
        lambda code: code + b"\0",
        lambda code: b"\x7fELF" + code,
    ],
    ids=["truncated", "empty", "corrupted", "longer", "foreign"],
)
def test_a_file_that_is_not_what_was_written_is_made_anew(where, spoil):
    _, code = object_code(text())
    (file,) = where.iterdir()
    file.write_bytes(spoil(file.read_bytes()))
    is_new, again = object_code(text())
    assert is_new
    assert again == code
    assert not object_code(text())[0]


def test_code_of_another_name_is_refused(where):
    keep("1a", b"code")
    (where / "1a").rename(where / "1b")
    assert kept("1b") is None


def test_what_others_could_have_written_is_not_read(where, tmp_path):
    keep("1a", b"code")
    assert kept("1a") == b"code"
    (where / "1a").chmod(0o620)
    assert kept("1a") is None
    (where / "1a").chmod(0o600)
    (where / "1a").rename(tmp_path / "1a")
    (where / "1a").symlink_to(tmp_path / "1a")
    assert kept("1a") is None
    keep("1a", b"code")
    for mode in (0o770, 0o707):
        where.chmod(mode)
        assert kept("1a") is None
        keep("1a", b"other")
    where.chmod(0o700)
    assert kept("1a") == b"code"


def test_what_belongs_to_others_is_not_read(where, monkeypatch):
    keep("1a", b"code")
    monkeypatch.setattr(os, "geteuid", lambda: where.stat().st_uid + 1)
    assert kept("1a") is None


def test_a_link_to_a_directory_is_none_of_ours(where, tmp_path):
    (tmp_path / "other").mkdir(mode=0o700)
    where.symlink_to(tmp_path / "other")
    keep("1a", b"code")
    assert not list((tmp_path / "other").iterdir())


def test_where_nothing_can_be_written_programs_run(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DIFFCURRY_CACHE", str(tmp_path / "file" / "below"))
    assert object_code(text())[0]


def test_the_oldest_go_when_there_are_too_many(where, monkeypatch):
    monkeypatch.setattr(object_cache, "MOST", 4_000)
    for number in range(8):
        keep(f"1{number}", bytes(500))
        os.utime(where / f"1{number}", (number, number))
    assert kept("10") is not None
    keep("0f", bytes(500))
    assert sorted(file.name for file in where.iterdir()) == ["0f", "10", "17"]


def test_one_variable_names_the_directory_or_switches_it_off(monkeypatch, tmp_path):
    monkeypatch.setenv("DIFFCURRY_CACHE", "off")
    assert directory() is None
    keep("1a", b"code")
    assert kept("1a") is None
    monkeypatch.delenv("DIFFCURRY_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert directory() == tmp_path / "diffcurry"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert directory() == tmp_path / ".cache" / "diffcurry"


def test_many_processes_keep_and_find_at_once(where):
    script = (
        "from interpreters.backends.llvm.object_cache import keep, kept\n"
        "for number in range(300):\n"
        "    name = f'0{number % 7}'\n"
        "    found = kept(name)\n"
        "    assert found in (None, name.encode() * 9_999), len(found)\n"
        "    keep(name, name.encode() * 9_999)\n"
    )
    ran = [subprocess.Popen([sys.executable, "-c", script]) for _ in range(3)]
    assert [each.wait() for each in ran] == [0, 0, 0]
    assert len(list(where.iterdir())) == 7
