"""Names that would be code, and text as ``ruff`` lays it out."""

import subprocess
import sys

HOSTILE = (
    "class",
    "__import__",
    "print",
    "np",
    "math",
    "f",
    "l",
    "O",
    "a b; import os",
    "λ",
    "ªº",
    "x\n    raise SystemExit",
    "_scale",
    "",
    "0",
    "match",
    "n" * 200,
    "ｘ",
)
HOSTILE_NAME = 'x"); raise SystemExit("'
HOSTILE_DOC = '"""\nraise SystemExit\n\\"""'


def formatted(*sources):
    for source in sources:
        for command in (["format", "--diff"], ["check"]):
            ruff = [sys.executable, "-m", "ruff", *command, "--isolated", "-"]
            done = subprocess.run(ruff, input=source, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
