"""The page of what each primitive gives where it has no derivative, from the declarations.

``python -m combinators.primitives.kinks`` writes it.
"""

from __future__ import annotations

import sys

import combinators.primitives  # noqa: F401 (declares them)
from combinators.operation import PRIMITIVES

HEAD = """\
# Where there is no derivative

Each primitive declares what it gives at a kink, a jump or a pole, in
`combinators/primitives/`, and this page is written from the declarations by
`python -m combinators.primitives.kinks`. What it says holds in every mode and over every carrier
that can hold the value. A primitive that is not listed has a derivative wherever it is defined.
Functions that are written with primitives (`mean`, `std`, `einsum`, `isnan`, …) follow from theirs.

Zero absorbs: a cotangent that is 0 contributes 0, even where the derivative is infinite or nan.

| primitive | what it gives |
|---|---|
"""


def page() -> str:
    """The page, in Markdown."""
    rows = [
        f"| `{name}` | {primitive.kink.replace('|', chr(92) + '|')} |\n"
        for name, primitive in sorted(PRIMITIVES.items())
        if primitive.kink
    ]
    return HEAD + "".join(rows)


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]  # a console's
    sys.stdout.write(page())
