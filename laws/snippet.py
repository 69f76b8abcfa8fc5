"""A failure as a script that stands alone and fails the same way.

Objects, arrows and covectors become the Python that builds them from combinators. A model is made
again as its origin says: a class is imported, and so is what a module holds by name; anything else
is built as its class is, of what it keeps under the names of its parameters:
``Pullback(Fractions())`` keeps ``over``.

>>> from combinators.objects import Product, Real
>>> source = Source()
>>> source.value(Product(Real, Real))
'Product(Real, Real)'
>>> source.imports()
['from combinators.objects import Product, Real']
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections import defaultdict
from functools import reduce
from typing import Any

import numpy as np

from combinators.errors import TypeMismatch
from combinators.literal import Literal
from combinators.morphisms import Compose, Curry, Id, Morphism, Prod, Projection
from combinators.objects import Object, Product, Record, Sum, Tensor, Unit
from combinators.operation import Operation
from laws.claims import Alone
from laws.model import name_of
from laws.scene import Counterexample


class Source:
    """Writes code, and remembers what it must import."""

    def __init__(self) -> None:
        self._wanted: defaultdict[str, set[str]] = defaultdict(set)

    def name(self, module: str, name: str) -> str:
        """A name that is imported."""
        self._wanted[module].add(name)
        return name

    def imports(self) -> list[str]:
        """The lines that import what was written so far."""
        return [
            f"from {module} import {', '.join(sorted(names))}"
            for module, names in sorted(self._wanted.items())
        ]

    def value(self, value: Any) -> str:
        """An object, an arrow, a covector, or a parameter of a primitive: what makes it again.

        Raises TypeMismatch for an object or an arrow that is not of the language.
        """
        match value:
            case Object() | Morphism() if type(value).__module__ not in _OURS:
                raise TypeMismatch(f"{value!r} is not written as code")
            case Object() if repr(value) in _NAMED:
                return self.name("combinators.objects", repr(value))
            case Tensor(shape, "float64"):
                return self._made("Tensor", value, shape)
            case Product():
                return self._made("Product", value, *value.parts)
            case Record(names, product) | Sum(names, product):
                kind = type(value).__name__
                return self._made(kind, value, names, product).replace("(", ".of(", 1)
            case Compose(arrows):
                return " >> ".join(
                    f"({self.value(arrow)})" if isinstance(arrow, Compose) else self.value(arrow)
                    for arrow in arrows
                )
            case Prod(source, arrows):
                return self._made("prod", value, source, *arrows)
            case Curry(body):
                return self._made("Curry", value, body)
            case Projection(product, index):
                return self._made("Projection", value, product, index)
            case Object() | Morphism():
                return self._made(type(value).__name__, value, *value.arguments())
            case Operation():
                found = f"{self.name('combinators.operation', 'named')}({value.name!r})"
                more = f", {self.value(value.parameters)}" if value.parameters else ""
                return f"{self.name('combinators.operation', 'Operation')}({found}{more})"
            case Literal():
                return self._literal(value)
            case tuple():
                return f"({self._listed(*value)}{',' if len(value) == 1 else ''})"
            case list():
                return f"[{self._listed(*value)}]"
            case float() if not np.isfinite(value):
                return f'float("{value}")'
            case _:
                return repr(value)

    def _listed(self, *values: Any) -> str:
        return ", ".join(map(self.value, values))

    def _made(self, name: str, value: Any, *arguments: Any) -> str:
        return f"{self.name(type(value).__module__, name)}({self._listed(*arguments)})"

    def _literal(self, literal: Literal) -> str:
        name, kind = self.name("combinators.literal", "Literal"), literal.type
        as_read = np.array(literal.array.tolist())
        if as_read.shape != kind.shape:  # it is empty, and a list does not say how
            numbers = f"{self.name('numpy', 'zeros')}({kind.shape})"
        else:
            numbers = self.value(literal.array.tolist())
        typed = "" if as_read.dtype == kind.dtype else f", {kind.dtype!r}"
        return f"{name}({numbers}{typed})"


_NAMED = ("Real", "Int", "Bool", "Unit", "Tangent")
_OURS = ("combinators.objects", "combinators.morphisms")

_REMEMBERED: list[tuple[Any, str, str]] = []


def remember(thing: Any, module: str, expression: str) -> None:
    """``thing`` was made by ``expression``, which begins with a name of ``module``."""
    _REMEMBERED.append((thing, module, expression))


def origin(thing: Any, source: Source) -> str | None:
    """An expression that makes ``thing``, with its imports noted; None where none is known."""
    for known, module, expression in _REMEMBERED:
        if known is thing:
            source.name(module, re.split(r"\W", expression)[0])
            return expression
    if isinstance(thing, Alone):
        return origin(thing.category, source)
    if thing is None or isinstance(thing, _PLAIN):
        return repr(thing)
    if isinstance(thing, (Object, Operation, tuple)):
        return source.value(thing)
    if getattr(thing, "made_of", None) is not None:
        return origin(thing.made_of, source)
    if inspect.isclass(thing) or inspect.isroutine(thing):
        module, (head, *rest) = thing.__module__, thing.__qualname__.split(".")
        known = reduce(lambda of, name: getattr(of, name, None), rest, _kept(module).get(head))
        return None if known is None else source.name(module, head) + "".join(f".{r}" for r in rest)
    return _global(thing, source) or _built(thing, source)


def _kept(module: str) -> dict[str, Any]:
    """What a module holds by name."""
    return vars(sys.modules[module]) if module in sys.modules else {}


def _global(thing: Any, source: Source) -> str | None:
    """The name of what a module keeps: its own, or its class's."""
    for place in dict.fromkeys((getattr(thing, "__module__", ""), type(thing).__module__)):
        for name, value in _kept(place).items():
            if value is thing and name.isidentifier():
                return source.name(place, name)
    return None


def _built(thing: Any, source: Source) -> str | None:
    """``Thing(part, …)`` of the parts that it keeps."""
    made = origin(type(thing), source)
    try:
        parameters = inspect.signature(type(thing)).parameters.values()
    except (TypeError, ValueError):
        return None
    parts = []
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        default = parameter.default
        kept = getattr(thing, f"_{parameter.name}", getattr(thing, parameter.name, default))
        if kept is parameter.empty:
            return None
        if kept is not default and not (isinstance(kept, _PLAIN) and kept == default):
            part = origin(kept, source)
            if part is None:
                return None
            parts.append(f"{parameter.name}={part}")
    return None if made is None else f"{made}({', '.join(parts)})"


_PLAIN = (bool, int, float, str)
WIDTH = 80
UNKNOWN = (
    "model = ...  # here goes the one that was checked, {name}: "
    "no module has it by name, nor what it was made of"
)


def snippet(found: Counterexample) -> str:
    """Imports, the model, and one line that replays the law."""
    scene, source = found.scene, Source()
    given = {
        "objects": {v.name: obj for v, obj in scene.instance.objects.items()},
        "arrows": {g.name: arrow for g, arrow in scene.instance.arrows.items()},
        "point": None if scene.point == Id(Unit) else scene.point,
        "arguments": scene.probes.answers("argument"),
        "cotangents": scene.probes.answers("cotangent"),
    }
    source.name("diffcurry", "laws")
    try:
        made = origin(scene.model, source)
        lines = [f"    {name}={_keyword(value, source)}," for name, value in given.items() if value]
    except TypeMismatch as error:
        return f"# not written as code: {error.args[0]}"
    model = UNKNOWN.format(name=name_of(scene.model)) if made is None else f"model = {made}"
    call = ["verdict = laws.replay(", "    model,", f"    {json.dumps(scene.law.name)},"]
    return "\n".join([*source.imports(), "", model, *call, *lines, ")", "assert verdict, verdict"])


def _keyword(value: Any, source: Source) -> str:
    """An arrow; or a dict, on one line or an entry a line."""
    if not isinstance(value, dict):
        return source.value(value)
    pairs = [f"{json.dumps(k, ensure_ascii=False)}: {source.value(v)}" for k, v in value.items()]
    line = f"{{{', '.join(pairs)}}}"
    if len(line) <= WIDTH:
        return line
    return "\n".join(["{", *(f"        {pair}," for pair in pairs), "    }"])
