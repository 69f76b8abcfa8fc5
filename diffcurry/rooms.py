"""The other rooms stand beside this one; importing this makes sure that they are ours.

Their names are common words: a user's own ``combinators.py`` may stand earlier on Python's path.
"""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

HOUSE = Path(__file__).resolve().parent.parent


def hiding(room: str) -> str | None:
    """The file that Python finds instead of our ``room``; None where it finds ours."""
    spec = find_spec(room)
    if spec is None:
        return f"nothing: {HOUSE / room} is missing"
    origin = spec.origin or next(iter(spec.submodule_search_locations or ()), "")
    ours = HOUSE / room / "__init__.py"
    return None if Path(origin).resolve() == ours else origin


def insist(room: str) -> None:
    """Raise ``ImportError`` where Python finds something else for our ``room``."""
    found = hiding(room)
    if found:
        raise ImportError(
            f"diffcurry needs its own package {room!r}, and Python finds {found} instead; "
            "rename that file, or let it stand later on sys.path"
        )


def law_kit() -> ModuleType:
    """The room ``laws``, with our interpreters, carriers and primitives known as models."""
    insist("laws")
    import_module("diffcurry.models")
    return import_module("laws")


for _room in ("combinators", "interpreters"):
    insist(_room)
