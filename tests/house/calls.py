"""Which files a first call enters: a fresh process runs it, and notes every function's file."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.house.imports import ROOMS

FIRST_CALLS = {
    "the first gradient of a scalar": "dc.grad(lambda x: np.sin(x) * x)(1.0)",
    "the first gradient of a fold": "dc.grad(lambda w, xs: dc.fold("
    "lambda s, x: np.tanh(w * s + x), 0.0, xs))(0.5, np.ones(3))",
    "the first Hessian": "dc.hessian(lambda x: np.sum(x * x * x))(np.ones(3))",
    "the first vjp at numbers": "dc.vjp(lambda x: np.sin(x) * x, 1.0)[1](1.0)",
}
PROBE = """
import sys, numpy as np, diffcurry as dc
entered = {{}}
sys.setprofile(lambda frame, event, arg: entered.setdefault(frame.f_code.co_filename))
{call}
sys.setprofile(None)
print(*entered, sep="\\n")
"""


def files_entered(root: Path, call: str) -> list[str]:
    """The files of the rooms in which ``call`` runs a function, in the order of their first."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(call=call)],
        cwd=root,
        env={"PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    paths = [Path(line) for line in done.stdout.splitlines() if line.startswith(str(root))]
    found = [str(path.relative_to(root)) for path in paths]
    return [file for file in found if file.split("/")[0] in ROOMS]


def entered(call: Callable[[], object], calls: int = 3) -> int:
    """How many Python functions a call enters that is not one of the first."""
    for _ in range(calls):
        call()
    count = 0

    def noted(frame: object, event: str, arg: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(noted)
    try:
        call()
    finally:
        sys.setprofile(None)
    return count
