"""``diffcurry laws``: what it prints, what it writes, and how it ends."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from combinators.errors import TypeMismatch
from diffcurry.commands import main
from laws.structures import LAWS

ROOT = Path(__file__).resolve().parents[2]
HERE = "tests.laws.outsiders"


@pytest.fixture
def run(capsys, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))

    def running(*arguments):
        code = main(["laws", *arguments])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return running


def test_laws_that_hold(run):
    code, out, err = run(f"{HERE}:Functions", "--only", "category,E1", "--examples", "5")
    assert code == 0
    assert "id >> f = f" in out
    assert "Functions: " in out.splitlines()[-1]
    assert err == ""


def test_a_law_that_fails(run):
    code, out, _ = run(f"{HERE}:Forgetful", "--only", "E1", "--examples", "40")
    assert code == 1
    assert "E1 fails in Forgetful" in out
    assert "from tests.laws.outsiders import Forgetful" in out


def test_json(run):
    code, out, _ = run(f"{HERE}:Forgetful", "--only", "C1,E1", "--json", "--examples", "40")
    assert code == 1
    made = json.loads(out)
    assert [verdict["outcome"] for verdict in made["verdicts"]] == ["passed", "failed"]


def test_a_seed_gives_the_same_again(run):
    def once(seed):
        _, out, _ = run(f"{HERE}:Forgetful", "--only", "E1", "--seed", seed, "--json")
        found = json.loads(out)["verdicts"][0]
        return {key: value for key, value in found.items() if key != "seconds"}

    assert once("3") == once("3")


@pytest.mark.parametrize("name", ["functions", "WRONG", "Functions"])
def test_what_a_model_may_be(name, run):
    code, _, err = run(f"{HERE}:{name}", "--only", "C1", "--examples", "3")
    assert (code, err) == (0, "")


def test_one_of_ours(run, tmp_path, monkeypatch):
    (tmp_path / "chosen.py").write_text(
        "from interpreters.carriers.fractions import Fractions\n"
        "from interpreters.modes.reverse import Pullback\n"
        "def mine(): return Pullback(Fractions())\n"
    )
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("chosen.py:mine", "--only", "C1", "--examples", "5")
    assert code == 0
    assert "Pullback over Fractions" in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "name a model"),
        (["nothing"], "names no model; write path.py:model or module:model"),
        ([f"{HERE}:Over"], "takes arguments (over); name a function that takes none"),
        (["interpreters.modes.reverse:Pullback"], "takes arguments (over"),
        ([f"{HERE}:Leaving"], "Leaving calls sys.exit(3) when it is run"),
        ([f"{HERE}:NUMBER"], "3 is no model"),
        ([f"{HERE}:Functionz"], "did you mean Functions"),
        ([f"{HERE}:Functions()"], "has no 'Functions()'"),
        ([f"{HERE}:Functions", "--only", "closd"], "--only: there is no structure"),
        ([f"{HERE}:Functions", "--only", "reverse"], "does not claim reverse, which takes"),
        ([f"{HERE}:Functions", "--examples", "0"], "a number from 1"),
        (["--list", "--only", "closd"], "did you mean closed"),
        (["--write", "test_x.py"], "name a model"),
        ([f"{HERE}:Functions", "--seed", "-1"], "--seed is a number from 0"),
        ([f"{HERE}:Functions", "--markdown"], "--markdown says nothing without --list"),
        (["--list", "--examples", "3"], "--examples says nothing with --list"),
        ([f"{HERE}:Functions", "--json", "--write", "t.py"], "--json says nothing with --write"),
        ([f"{HERE}:Broken"], "ValueError: not today"),
        ([f"{HERE}:Misdeclared", "--only", "C1"], "Misdeclared.structures is a list of names"),
        ([f"{HERE}:Misshapen", "--only", "C1"], "a shape is a tuple of whole numbers"),
        ([f"{HERE}:Functions", "--write", "/no/such/test_x.py"], "there is no folder /no/such"),
        (["tests/laws/outsiders.py:Functions", "--write", "t.py"], "which the test file can"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(arguments, says, run, monkeypatch):
    monkeypatch.chdir(ROOT)
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert says in err
    assert err.startswith("diffcurry: ")
    assert err.count("\n") == 1


def test_all_laws_are_listed(run):
    code, out, _ = run("--list")
    assert code == 0
    for law in LAWS:
        assert f"\n  {law.name:<8} " in out
    assert "Category (category)" in out
    assert "β" in out


def test_a_list_for_machines_and_for_documents(run):
    listed = json.loads(run("--list", "--json")[1])
    assert [entry["law"] for entry in listed] == [law.name for law in LAWS]
    assert {"statement", "equation", "latex", "structure", "source"} <= set(listed[0])
    _, out, _ = run("--list", "--markdown", "--only", "E1")
    assert "| E1 | `(curry(f) × id) >> eval = f` |" in out


def test_the_list_of_a_model(run):
    _, out, _ = run("--list", f"{HERE}:Functions", "--json")
    owed = {entry["structure"] for entry in json.loads(out)}
    assert {"category", "cartesian", "closed"} <= owed
    assert "reverse" not in owed


def test_a_written_test_runs_and_nothing_is_overwritten(run, tmp_path):
    path = tmp_path / "test_functions.py"
    code, out, _ = run(f"{HERE}:functions", "--write", str(path))
    assert code == 0
    assert str(path) in out
    text = path.read_text(encoding="utf-8")
    assert "from tests.laws.outsiders import functions\n" in text
    assert "class TestFunctions(laws.suite(functions(), STRUCTURES)):" in text
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-k", "C1 or E1", str(path)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
    code, _, err = run(f"{HERE}:functions", "--write", str(path))
    assert code == 2
    assert "nothing is overwritten" in err


def test_a_written_test_asks_only_what_is_asked(run, tmp_path):
    path = tmp_path / "test_functions.py"
    asked = ("--only", "C1,P1a", "--examples", "7", "--seed", "3")
    assert run(f"{HERE}:Functions", *asked, "--write", str(path))[0] == 0
    space = {"__name__": "written"}
    exec(path.read_text(encoding="utf-8"), space)
    assert space["ONLY"] == ("C1", "P1a")
    tests = [name for name in dir(space["TestFunctions"]) if name.startswith("test_")]
    assert [name.split("_")[1] for name in tests] == ["C1", "P1a"]
    assert "(Functions, only=ONLY, max_examples=7, seed=3)" in path.read_text(encoding="utf-8")
    code, _, err = run(f"{HERE}:Functions", "--only", "closd", "--write", str(tmp_path / "t.py"))
    assert code == 2
    assert "did you mean closed" in err


def alone(code, *paths):
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=paths[0] if paths else ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([*map(str, paths), str(ROOT)])},
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_hypothesis_the_error_says_what_to_install():
    ran = alone(
        "import sys; sys.modules['hypothesis'] = None\n"
        "from diffcurry import laws\n"
        "assert laws.LAWS and laws.replay and laws.Report and laws.suite\n"
        "laws.check(object)"
    )
    assert ran.returncode == 1
    assert "ImportError: laws.check draws its examples with hypothesis" in ran.stderr
    assert "pip install 'diffcurry[laws]'" in ran.stderr


def test_without_hypothesis_the_command_is_wrong():
    ran = alone(
        "import sys; sys.modules['hypothesis'] = None\n"
        "from diffcurry.commands import main\n"
        f"sys.exit(main(['laws', '{HERE}:Functions']))"
    )
    assert ran.returncode == 2
    assert "pip install 'diffcurry[laws]'" in ran.stderr
    assert ran.stderr.count("\n") == 1


def test_a_class_that_takes_arguments_is_no_model():
    from diffcurry import laws
    from tests.laws.outsiders import Over

    with pytest.raises(TypeMismatch, match=r"Over takes arguments \(over\); .* pass Over\(…\)"):
        laws.check(Over)


def test_without_our_adapters_the_error_says_what_brings_them():
    ran = alone(
        "import laws\nfrom interpreters.carriers.numpy import NumPy\nlaws.check(NumPy(), only='C1')"
    )
    assert ran.returncode == 1
    assert "`from diffcurry import laws` makes models" in ran.stderr


def test_to_import_the_kit_is_cheap():
    ran = alone(
        "import sys\nimport diffcurry\nassert 'laws' not in sys.modules\n"
        "from diffcurry import laws\n"
        "assert not {'hypothesis', 'pytest', 'rich'} & set(sys.modules)"
    )
    assert ran.returncode == 0, ran.stderr


def test_a_laws_of_ones_own_is_named_when_ours_is_needed(tmp_path):
    (tmp_path / "laws.py").write_text("x = 1\n")
    ran = alone("import diffcurry\nfrom diffcurry import laws", tmp_path)
    assert ran.returncode == 1
    assert "diffcurry needs its own package 'laws'" in ran.stderr
    assert str(tmp_path / "laws.py") in ran.stderr


def test_what_is_public():
    from diffcurry import laws

    assert dir(laws) == sorted(laws.__all__)
    for name in laws.__all__:
        assert getattr(laws, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'chek'"):
        _ = laws.chek
