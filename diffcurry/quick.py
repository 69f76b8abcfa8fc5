"""Running a program as Python: arguments checked cheaply, the compiled function, the result shown.

A program of numbers, arrays and containers is compiled once. Arguments that are already what the
compiled function takes go to it after a comparison each; others are converted first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from combinators.errors import MissingRule
from combinators.objects import Bool, Int, Object, Real, Tensor, components
from combinators.terms import Lam
from combinators.tracing.faces import Face, face_of, open_up
from combinators.tracing.functions import Faces
from combinators.type_folds import is_first_order
from interpreters.backends.python import compile_program

Run = Callable[..., Any]

SCALARS: dict[Object, tuple[type, Any]] = {
    Real: (float, np.float64),
    Int: (int, np.int64),
    Bool: (bool, np.bool_),
}
"""What the compiled function takes and gives, and what the user gets, who may give either."""


class NotThese(Exception):
    """The arguments are not what the compiled function takes as they are."""


class Quick:
    """A program as Python."""

    def __init__(self, lam: Lam, face: Face | None, faces: Faces, compute: Run) -> None:
        """Of a closed λ whose compiled function is ``compute``.

        ``face`` is that of the result, ``faces`` are those of the arguments.
        """
        self._types = tuple(param.type for param in lam.params)
        space: dict[str, Any] = {
            "compute": compute,
            "NotThese": NotThese,
            "ndarray": np.ndarray,
            **{numpy.__name__: numpy for _, numpy in SCALARS.values()},
        }
        exec(_text(self._types, faces, lam.body.type, face, space), space)  # noqa: S102 (our own text)
        self._shown: Run = space.pop("shown")
        self.entry: Run = space.pop("entry")
        """The function of a tuple of arguments; ``NotThese`` for those that need a conversion."""
        self._compute = compute

    def run(self, args: tuple[Any, ...]) -> Any:
        """The result at arguments that fit the types."""
        given = [_given(arg, obj) for arg, obj in zip(args, self._types, strict=True)]
        return self._shown(self._compute(*given))


def quick(lam: Lam, face: Face | None, faces: Faces) -> Quick | None:
    """``lam`` as Python; None where it takes or gives functions, or has no code."""
    if not all(is_first_order(obj) for obj in (lam.body.type, *(p.type for p in lam.params))):
        return None
    try:
        return Quick(lam, face, faces, compile_program(lam, name=lam.name or "f").function)
    except MissingRule:
        return None


def _given(value: Any, obj: Object) -> Any:
    """A user's value as the compiled function takes it."""
    product = components(obj)
    if product is not None:
        opened = open_up(value)
        parts = opened[2] if opened is not None else ()
        return tuple(_given(part, below) for part, below in zip(parts, product.parts, strict=False))
    assert isinstance(obj, Tensor)
    if obj in SCALARS:
        return SCALARS[obj][0](np.asarray(value, dtype=obj.dtype)[()])
    return np.asarray(value, dtype=obj.dtype)[()]


def _text(
    types: tuple[Object, ...], faces: Faces, cod: Object, face: Face | None, space: dict[str, Any]
) -> str:
    """Two functions: one that tests the arguments and computes, one that shows a result.

    The first takes a tuple as it stands: to call a function of ``*args`` takes longer.
    """
    names = [f"x{index}" for index in range(len(types))]
    shown = _result("y", cod, face, space)
    lines = ["def entry(args):", f"    ({''.join(f'{name}, ' for name in names)}) = args"]
    given = [
        _taken(name, obj, faces[index] if faces else None, lines, space)
        for index, (name, obj) in enumerate(zip(names, types, strict=True))
    ]
    lines += [f"    y = compute({', '.join(given)})", f"    return {shown}"]
    return "\n".join([*lines, "def shown(y):", f"    return {shown}"])


def _taken(
    name: str, obj: Object, face: Face | None, lines: list[str], space: dict[str, Any]
) -> str:
    """The expression that the compiled function takes for ``name``; its tests go to ``lines``."""
    product = components(obj)
    if product is None:
        lines += _tests(name, obj, space)
        return name
    if face is None:
        lines.append("    raise NotThese")
        return name
    kind = f"kind{len(space)}"
    space[kind] = face.kind
    lines += [f"    if type({name}) is not {kind}:", "        raise NotThese"]
    parts = []
    for index, (part, child) in enumerate(zip(product.parts, face.children, strict=True)):
        below = f"{name}_{index}"
        lines.append(f"    {below} = {_part(name, face, index, space)}")
        parts.append(_taken(below, part, child, lines, space))
    if face.kind in (tuple, list, dict):
        lines += [f"    if len({name}) != {product.width}:", "        raise NotThese"]
    return f"({', '.join(parts)}{',' * bool(parts)})"


def _part(name: str, face: Face, index: int, space: dict[str, Any]) -> str:
    """How Python reads a component of a container."""
    if not face.keys:
        return f"{name}[{index}]"
    key = f"key{len(space)}"
    space[key] = face.keys[index]
    return f"{name}[{key}]" if face.kind is dict else f"getattr({name}, {key})"


def _tests(name: str, obj: Object, space: dict[str, Any]) -> Iterator[str]:
    if obj in SCALARS:
        python, numpy = (kind.__name__ for kind in SCALARS[obj])
        yield f"    if type({name}) is not {python}:"
        yield f"        if type({name}) is not {numpy}:"
        yield "            raise NotThese"
        yield f"        {name} = {python}({name})"
        if obj is Int:
            yield f"    if not {-(2**63)} <= {name} < {2**63}:"
            yield "        raise NotThese"
    elif isinstance(obj, Tensor) and obj.shape:
        space[f"dtype_{obj.dtype}"] = np.dtype(obj.dtype)
        is_flat = len(obj.shape) == 1  # to compare two numbers is faster than to make a tuple
        shape = f"{name}.ndim != 1 or {name}.size != {obj.size}"
        yield (
            f"    if type({name}) is not ndarray or {name}.dtype is not dtype_{obj.dtype} "
            f"or {shape if is_flat else f'{name}.shape != {obj.shape}'}:"
        )
        yield "        raise NotThese"
    else:
        yield "    raise NotThese"


def _result(name: str, obj: Object, face: Face | None, space: dict[str, Any]) -> str:
    """The expression that shows ``name``, a result of the compiled function."""
    product = components(obj)
    if product is None:
        return f"{SCALARS[obj][1].__name__}({name})" if obj in SCALARS else name
    shown = face if face is not None else face_of(obj)
    assert shown is not None
    parts = [
        _result(f"{name}[{index}]", part, child, space)
        for index, (part, child) in enumerate(zip(product.parts, shown.children, strict=True))
    ]
    if shown.kind is tuple:
        as_it_is = parts == [f"{name}[{index}]" for index in range(len(parts))]
        return name if as_it_is else f"({', '.join(parts)}{',' * bool(parts)})"
    build = f"build{len(space)}"
    space[build] = shown.build
    return f"{build}([{', '.join(parts)}])"
