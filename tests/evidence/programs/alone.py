"""Emitted programs in a process of their own, in which there is only NumPy."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

RUNNER = """
import pickle, sys

class Refused:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"diffcurry", "combinators", "interpreters", "laws",
                                      "sympy", "mpmath", "multipledispatch"}:
            raise ImportError(f"{name} is not here")

sys.meta_path.insert(0, Refused())
import numpy as np

results = []
for source, name, args in pickle.load(sys.stdin.buffer):
    space = {"__name__": "alone"}
    exec(compile(source, name, "exec"), space)
    with np.errstate(all="ignore"):
        results.append(space[name](*args))
ours = {"diffcurry", "combinators", "interpreters", "laws"} & sys.modules.keys()
assert not ours, ours
pickle.dump(results, sys.stdout.buffer)
"""


def run_alone(programs: list[tuple[str, str, tuple[Any, ...]]]) -> list[Any]:
    """What ``(source, name, arguments)`` give, all in one process."""
    done = subprocess.run(
        [sys.executable, "-I", "-W", "error", "-c", RUNNER],
        input=pickle.dumps(programs),
        capture_output=True,
        check=False,
    )
    assert not done.returncode, done.stderr.decode()
    return pickle.loads(done.stdout)  # type: ignore[no-any-return]
