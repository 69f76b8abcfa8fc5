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
    from laws.model import model_of
    from laws.rendering.origin import remember

    thing = found_at(target, "model")
    made = _made(thing, target)
    try:
        model = model_of(made)
    except TypeMismatch as error:
        raise Misused(f"{target}: {error.args[0]}") from None
    module, _, name = target.rpartition(":")
    if not module.endswith(".py"):
        remember(model, module, name if made is thing else f"{name}()")
    return model


def _made(thing: Any, target: str) -> Any:
    """What a class or a function gives; anything else is the thing."""
    if not inspect.isclass(thing) and not inspect.isroutine(thing):
        return thing
    try:
        parameters = list(inspect.signature(thing).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    needed = [p.name for p in parameters if p.default is p.empty and p.kind not in _VARIADIC]
    if needed:
        raise Misused(
            f"{target} takes arguments ({', '.join(needed)}); name a function that takes none, "
            "such as `def mine(): return Thing(…)` in a module of yours"
        )
    return thing()


_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
