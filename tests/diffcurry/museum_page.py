"""Measure the libraries that are installed, and write docs/museum.md: a script."""

import inspect
import json
from pathlib import Path

from diffcurry.museum import EXHIBITS, LIBRARIES, MARKS, MEASURED, measured, run

PAGE = Path(__file__).resolve().parents[2] / "docs" / "museum.md"
HEAD = """# The museum

Programs of a few lines on which differentiation is known to go wrong, each with the right
answer. `at` is a library: it has `grad`, `derivative` (forwards), `pullback`, `function`, `fold`
and NumPy's functions. `diffcurry museum` runs them here, and in JAX, PyTorch and autograd where
they are installed.

{table}

✓ is right, ✗ is a wrong number, – refuses. To refuse a whole number is a convention that JAX and
this library share: an integer has no tangent, so write 3.0.

```python
>>> from diffcurry.museum import EXHIBITS, LIBRARIES, seen
>>> ours = LIBRARIES["diffcurry"]()
>>> exhibits = {{one.name: one for one in EXHIBITS}}

```
"""
EXHIBIT = """
## {name}

From: {source}.

```python
{code}
```

Right is {right}: {because}.

```python
>>> print(*seen(exhibits[{name!r}], ours))
{seen}

```
"""


def right(one):
    return ", ".join(f"{number:.6g}" for number in one.right)


def table(found):
    names = [name for name in LIBRARIES if name in found]
    heads = " | ".join(f"{name} {found[name]['version']}" for name in names)
    lines = [f"| | right | {heads} |", "|---|---" + "|---" * len(names) + "|"]
    for one in EXHIBITS:
        cells = (found[name]["seen"][one.name] for name in names)
        shown = " | ".join(f"{MARKS[how]} {text}" for text, how in cells)
        lines.append(f"| {one.name} | {right(one)} | {shown} |")
    return "\n".join(lines)


def code(one):
    """The body of an exhibit, without what puts it into the museum."""
    lines = inspect.getsource(one.program).splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith("def "))
    return "\n".join(["def program(at):", *lines[start + 1 :]])


def page(found):
    parts = [HEAD.format(table=table(found))]
    for one in EXHIBITS:
        text, how = found["diffcurry"]["seen"][one.name]
        shown = {"code": code(one), "right": right(one), "seen": f"{text} {how}"}
        parts.append(EXHIBIT.format(**vars(one) | shown))
    return "".join(parts)


if __name__ == "__main__":
    known = measured() if MEASURED.exists() else {}
    known |= {name: ran for name in LIBRARIES if (ran := run(name)) is not None}
    MEASURED.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(page(known), encoding="utf-8")
