"""A failure as a script that stands alone and fails the same way."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from combinators.errors import TypeMismatch
from combinators.morphisms import Id
from combinators.objects import Unit
from laws.asking.replaying import answers
from laws.asking.verdict import Counterexample
from laws.model import name_of
from laws.rendering.origin import origin
from laws.rendering.source import Source

WIDTH = 80
UNKNOWN = (
    "model = ...  # here goes the one that was checked, {name}: "
    "no module has it by name, nor what it was made of"
)


def snippet(found: Counterexample) -> str:
    """Imports, the model, and one line that replays the law."""
    try:
        return _written(found)
    except TypeMismatch as error:
        return f"# not written as code: {error.args[0]}"


def _written(found: Counterexample) -> str:
    scene, source = found.scene, Source()
    made = origin(scene.model, source)
    instance = scene.instance
    keywords = {
        "objects": _dict({v.name: source.obj(o) for v, o in instance.objects.items()}),
        "arrows": _dict({g.name: source.arrow(a) for g, a in instance.arrows.items()}),
        "point": "" if _is_unit(scene.point) else source.arrow(scene.point),
        "arguments": _values(answers(scene.probes, "argument"), source),
        "cotangents": _values(answers(scene.probes, "cotangent"), source),
    }
    lines = [f"    {name}={text}," for name, text in keywords.items() if text]
    source.name("diffcurry", "laws")
    return "\n".join(
        [
            *source.imports(),
            "",
            UNKNOWN.format(name=name_of(scene.model)) if made is None else f"model = {made}",
            "verdict = laws.replay(",
            "    model,",
            f"    {json.dumps(scene.law.name)},",
            *lines,
            ")",
            "assert verdict, verdict",
        ]
    )


def _is_unit(point: Any) -> bool:
    return isinstance(point, Id) and point.obj is Unit


def _values(values: Mapping[str, Any], source: Source) -> str:
    return _dict({place: source.value(value) for place, value in values.items()})


def _dict(entries: Mapping[str, str]) -> str:
    """A dict, on one line or an entry a line; nothing where there are none."""
    if not entries:
        return ""
    pairs = [f"{json.dumps(key, ensure_ascii=False)}: {text}" for key, text in entries.items()]
    line = f"{{{', '.join(pairs)}}}"
    if len(line) <= WIDTH:
        return line
    return "\n".join(["{", *(f"        {pair}," for pair in pairs), "    }"])
