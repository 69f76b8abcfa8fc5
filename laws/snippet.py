"""A failure as a script that stands alone and fails the same way.

Objects, arrows and covectors become the Python that builds them from combinators. A model is made
again as its origin says: a class is imported, and so is what a module holds by name; anything else
is built as its class is, of what it keeps under the names of its parameters:
``Pullback(Fractions())`` keeps ``over``.

>>> from combinators.objects import Product, Real
>>> source = Source()
>>> source.obj(Product(Real, Real))
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
from collections.abc import Mapping
from typing import Any

import numpy as np

from combinators.errors import TypeMismatch
from combinators.literal import Literal
from combinators.morphisms import (
    Choice,
    Compose,
    Constant,
    Curry,
    Eval,
    Extend,
    Id,
    Morphism,
    Primitive,
    Prod,
    Projection,
    Relabel,
)
from combinators.objects import (
    Bool,
    Fun,
    Int,
    Object,
    Product,
    Real,
    Record,
    Tangent,
    Tensor,
    Unit,
    Vector,
)
from combinators.operation import Operation
from laws.claims import Alone
from laws.model import name_of
from laws.scene import Counterexample

_NAMED = {Real: "Real", Int: "Int", Bool: "Bool", Unit: "Unit", Tangent: "Tangent"}
_MORPHISMS, _OBJECTS = "combinators.morphisms", "combinators.objects"


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

    def obj(self, obj: Object) -> str:
        """An object."""
        if obj in _NAMED:
            return self.name(_OBJECTS, _NAMED[obj])
        name = self.name(_OBJECTS, type(obj).__name__)
        match obj:
            case Tensor(shape, dtype):
                return f"{name}({shape})" if dtype == "float64" else f"{name}({shape}, {dtype!r})"
            case Product():
                return f"{name}({', '.join(map(self.obj, obj.parts))})"
            case Record(names, product):
                return f"{name}.of({names!r}, {self.obj(product)})"
            case Fun(dom, cod):
                return f"{name}({self.obj(dom)}, {self.obj(cod)})"
            case Vector(item, length):
                return f"{name}({self.obj(item)}, {length})"
            case _:
                raise TypeMismatch(f"{obj!r} is not written as code")

    def arrow(self, arrow: Morphism) -> str:
        """An arrow of the free category."""
        match arrow:
            case Compose(arrows):
                return " >> ".join(map(self._step, arrows))
            case Prod(source, arrows):
                parts = ", ".join([self.obj(source), *map(self.arrow, arrows)])
                return f"{self.name(_MORPHISMS, 'prod')}({parts})"
            case _:
                name = self.name(_MORPHISMS, type(arrow).__name__)
                return f"{name}({', '.join(self._made_of(arrow))})"

    def _step(self, arrow: Morphism) -> str:
        text = self.arrow(arrow)
        return f"({text})" if isinstance(arrow, Compose) else text

    def _made_of(self, arrow: Morphism) -> list[str]:
        match arrow:
            case Id(obj):
                return [self.obj(obj)]
            case Relabel(source, target):
                return [self.obj(source), self.obj(target)]
            case Projection(product, index):
                return [self.obj(product), repr(index)]
            case Extend(below) | Curry(below):
                return [self.arrow(below)]
            case Eval(function):
                return [self.obj(function)]
            case Constant(source, literal):
                return [self.obj(source), self.value(literal)]
            case Primitive(operation, kinds):
                return [self.operation(operation), self.value(kinds)]
            case Choice(then, other):
                return [self.arrow(then), self.arrow(other)]
            case _:
                raise TypeMismatch(f"{type(arrow).__name__} is not written as code")

    def operation(self, operation: Operation) -> str:
        """A primitive with its parameters."""
        module = "combinators.operation"
        found = f"{self.name(module, 'named')}({operation.name!r})"
        more = f", {self.value(operation.parameters)}" if operation.parameters else ""
        return f"{self.name(module, 'Operation')}({found}{more})"

    def value(self, value: Any) -> str:
        """A covector, or a parameter of a primitive."""
        match value:
            case Morphism():
                return self.arrow(value)
            case Object():
                return self.obj(value)
            case Operation():
                return self.operation(value)
            case Literal():
                return self._literal(value)
            case tuple():
                listed = ", ".join(map(self.value, value))
                return f"({listed},)" if len(value) == 1 else f"({listed})"
            case list():
                return f"[{', '.join(map(self.value, value))}]"
            case _:
                return repr(value)

    def _literal(self, literal: Literal) -> str:
        name = self.name("combinators.literal", "Literal")
        dtype = literal.type.dtype
        as_read = np.array(literal.array.tolist())
        if as_read.shape != literal.type.shape:  # it is empty, and a list does not say how
            numbers = f"{self.name('numpy', 'zeros')}({literal.type.shape})"
        else:
            numbers = _numbers(literal.array.tolist())
        return f"{name}({numbers})" if as_read.dtype == dtype else f"{name}({numbers}, {dtype!r})"


def _numbers(value: Any) -> str:
    """Numbers and lists of them; infinities and nans as Python reads them."""
    if isinstance(value, list):
        return f"[{', '.join(map(_numbers, value))}]"
    if isinstance(value, float) and not np.isfinite(value):
        return f'float("{value}")'
    return repr(value)


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
    if isinstance(thing, (bool, int, float, str, type(None))):
        return repr(thing)
    if isinstance(thing, (Object, Operation, tuple)):
        return source.value(thing)
    if getattr(thing, "made_of", None) is not None:
        return origin(thing.made_of, source)
    if inspect.isclass(thing) or inspect.isroutine(thing):
        return _imported(thing.__module__, thing.__qualname__, source)
    return _global(thing, source) or _built(thing, source)


def _imported(module: str, name: str, source: Source) -> str | None:
    """``Thing`` of ``module:Thing``, where that leads somewhere."""
    found: Any = sys.modules.get(module)
    head, *rest = name.split(".")
    for part in (head, *rest):
        found = getattr(found, part, None)
    if found is None:
        return None
    source.name(module, head)
    return name


def _global(thing: Any, source: Source) -> str | None:
    """The name of what a module keeps: its own, or its class's."""
    for place in dict.fromkeys((getattr(thing, "__module__", ""), type(thing).__module__)):
        for name, value in vars(sys.modules.get(place, object)).items():
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
        missing = object()
        kept = getattr(thing, f"_{parameter.name}", getattr(thing, parameter.name, missing))
        if kept is missing or _same(kept, parameter.default):
            if parameter.default is parameter.empty:
                return None
            continue
        part = origin(kept, source)
        if part is None:
            return None
        parts.append(f"{parameter.name}={part}")
    return None if made is None else f"{made}({', '.join(parts)})"


def _same(value: Any, default: Any) -> bool:
    return value is default or (isinstance(value, (bool, int, float, str)) and value == default)


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
        "arguments": _values(scene.probes.answers("argument"), source),
        "cotangents": _values(scene.probes.answers("cotangent"), source),
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
