"""Models found by ``pkg.mod:Thing``: a class or a function that takes nothing, or what it gives."""

from __future__ import annotations

import inspect
from typing import Any

from combinators.errors import TypeMismatch
from diffcurry.commands.problems import Misused
from diffcurry.commands.targets import found_at, keep_rooms


def load_model(target: str) -> Any:
    """The model that ``target`` names; ``Misused`` says why it names none."""
    keep_rooms()
    import diffcurry.models  # noqa: F401 (our own things become models)
    from laws.claims import made, model_of
    from laws.snippet import remember

    thing = found_at(target, "model")
    is_maker = inspect.isclass(thing) or inspect.isroutine(thing)
    try:
        model = model_of(made(thing) if is_maker else thing)
    except TypeMismatch as error:
        raise Misused(f"{target}: {error.args[0]}") from None
    module, _, name = target.rpartition(":")
    if not module.endswith(".py"):
        remember(model, module, f"{name}()" if is_maker else name)
    return model
