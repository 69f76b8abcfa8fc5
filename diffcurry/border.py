"""Between what users give and take and what compiled functions do: the quick second call.

Arguments that are already what the compiled function takes go to it after a comparison each; others
are converted first. For λ(x : Real, w : {b: Real}). … the text that is run at each call is

    def entry(args):
        (x0, x1, ) = args
        if type(x0) is not float:
            if type(x0) is not float64:
                raise NotThese
            x0 = float(x0)
        …
        y = compute(x0, (x1_0,))
        return float64(y)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from combinators.objects import Bool, Int, Mu, Object, Real, Sum, Tensor, components
from combinators.operation import allocating
from combinators.spaces import Space
from combinators.tracing.faces import Face, face_of, open_up, put_together, take_apart
from combinators.tracing.functions import Faces, natural
from diffcurry.values import program_value, python_value
from interpreters.backends.text.module import executed

Run = Callable[..., Any]

SCALARS: dict[Object, tuple[type, Any]] = {
    Real: (float, np.float64),
    Int: (int, np.int64),
    Bool: (bool, np.bool_),
}
"""What the compiled function takes and gives, and what the user gets, who may give either."""


NAME = "the function"


class Guard(NamedTuple):
    """Lines of Python that come before a compiled function, and the values of their names."""

    lines: list[str]
    names: dict[str, Any]


class NotThese(Exception):
    """The arguments are not what the compiled function takes as they are."""


class Border:
    """The border of compiled functions of some types."""

    def __init__(
        self,
        types: tuple[Object, ...],
        faces: Faces,
        cod: Object,
        face: Face | None,
    ) -> None:
        """``faces`` are those of the arguments, ``face`` is that of the result."""
        self._types = types
        self._space: dict[str, Any] = {
            "NotThese": NotThese,
            "ndarray": np.ndarray,
            **{numpy.__name__: numpy for _, numpy in SCALARS.values()},
        }
        # They take a tuple as it stands: to call a function of ``*args`` takes longer.
        names = [f"x{index}" for index in range(len(types))]
        self._lines = [f"    ({''.join(f'{name}, ' for name in names)}) = args"]
        each = zip(names, types, faces or (None,) * len(types), strict=True)
        given = ", ".join([self._taken(*one) for one in each])
        shown = self._result("y", cod, face)
        self._last = f"    return {shown}"
        self._lines += [f"    y = compute({given})", self._last]

    def entry(self, compute: Run, guard: Guard | None = None) -> Run:
        """From a compiled function to that of a tuple of arguments, which may raise NotThese.

        The lines of a ``guard`` come first: what they cost is no call.
        """
        bind = self._plain if guard is None else self._bind(guard)
        return bind(compute)

    @cached_property
    def _plain(self) -> Callable[[Run], Run]:
        return self._bind(Guard([], {}))

    def _bind(self, guard: Guard) -> Callable[[Run], Run]:
        entry = ["def entry(args):", *guard.lines, *self._lines]
        lines = ["def bind(compute):", *(f"    {line}" for line in entry), "    return entry"]
        return self._defined("bind", lines, guard.names)

    @cached_property
    def _shown(self) -> Run:
        return self._defined("shown", ["def shown(y):", self._last], {})

    def _defined(self, name: str, lines: list[str], names: dict[str, Any]) -> Run:
        space = self._space | names
        executed("\n".join(lines), NAME, space, often=True)
        found: Run = space[name]
        return found

    def run(self, compute: Run, args: tuple[Any, ...]) -> Any:
        """The result at arguments that fit the types."""
        given = [self.given(arg, obj) for arg, obj in zip(args, self._types, strict=True)]
        return self.called(compute, given)

    def called(self, compute: Run, given: Sequence[Any]) -> Any:
        """The result at arguments as the compiled function takes them."""
        with allocating("the function"):
            return self._shown(compute(*given))

    def given(self, value: Any, obj: Object) -> Any:
        """A user's value as the compiled function takes it."""
        if obj is Real and type(value) is float:
            return value
        if isinstance(obj, Sum | Mu):
            return program_value(value, obj, self.given)
        product = components(obj)
        if product is not None:
            opened = open_up(value)
            parts = opened[2] if opened is not None else ()
            return tuple(map(self.given, parts, product.parts))
        if isinstance(obj, Space):
            return obj.declared.array(value, obj)
        assert isinstance(obj, Tensor)
        if obj in SCALARS:
            return SCALARS[obj][0](np.asarray(value, dtype=obj.dtype)[()])
        return np.asarray(value, dtype=obj.dtype)[()]

    def _as_it_is(self, obj: Object) -> Run:
        """From a value of a sum to that of the compiled function; NotThese of any other."""

        def leaf(value: Any, obj: Object) -> Any:
            python, numpy = SCALARS.get(obj, (None, None))
            if type(value) is python or type(value) is numpy:
                return value if type(value) is python else SCALARS[obj][0](value)
            if type(value) is not np.ndarray or natural(value).type is not obj:
                raise NotThese
            return value

        def taken(value: Any) -> Any:
            try:
                return program_value(value, obj, leaf)
            except (TypeError, ValueError):
                raise NotThese from None

        return taken

    def _named(self, word: str, value: Any) -> str:
        """A name for ``value`` in the text that is run."""
        name = f"{word}{len(self._space)}"
        self._space[name] = value
        return name

    def _taken(self, name: str, obj: Object, face: Face | None) -> str:
        """The expression that the compiled function takes for ``name``; its tests are lines."""
        product = components(obj)
        if isinstance(obj, Sum | Mu):
            return f"{self._named('given', self._as_it_is(obj))}({name})"
        if product is None:
            self._lines += self._tests(name, obj)
            return name
        if face is None:
            self._lines.append("    raise NotThese")
            return name
        kind = self._named("kind", face.kind)
        self._lines += [f"    if type({name}) is not {kind}:", "        raise NotThese"]
        parts = []
        for index, (part, child) in enumerate(zip(product.parts, face.children, strict=True)):
            below = f"{name}_{index}"
            self._lines.append(f"    {below} = {self._part(name, face, index)}")
            parts.append(self._taken(below, part, child))
        if face.kind in (tuple, list, dict):
            self._lines += [f"    if len({name}) != {product.width}:", "        raise NotThese"]
        return f"({', '.join(parts)}{',' * bool(parts)})"

    def _part(self, name: str, face: Face, index: int) -> str:
        """How Python reads a component of a container."""
        if not face.keys:
            return f"{name}[{index}]"
        key = self._named("key", face.keys[index])
        return f"{name}[{key}]" if face.kind is dict else f"getattr({name}, {key})"

    def _tests(self, name: str, obj: Object) -> Iterator[str]:
        if obj in SCALARS:
            python, numpy = (kind.__name__ for kind in SCALARS[obj])
            yield f"    if type({name}) is not {python}:"
            yield f"        if type({name}) is not {numpy}:"
            yield "            raise NotThese"
            yield f"        {name} = {python}({name})"
            if obj is Int:
                yield f"    if not {-(2**63)} <= {name} < {2**63}:"
                yield "        raise NotThese"
        elif isinstance(obj, Space):
            kind = self._named("kind", obj.declared.kind)
            yield f"    if type({name}) is not {kind}:"
            yield "        raise NotThese"
            yield f"    {name} = {self._named('array', obj.declared.array)}({name}, {kind}_space)"
            self._space[f"{kind}_space"] = obj
        elif isinstance(obj, Tensor) and obj.shape:
            self._space[f"dtype_{obj.dtype}"] = np.dtype(obj.dtype)
            is_flat = len(obj.shape) == 1  # to compare two numbers is faster than to make a tuple
            shape = f"{name}.ndim != 1 or {name}.size != {obj.size}"
            yield (
                f"    if type({name}) is not ndarray or {name}.dtype is not dtype_{obj.dtype} "
                f"or {shape if is_flat else f'{name}.shape != {obj.shape}'}:"
            )
            yield "        raise NotThese"
        else:
            yield "    raise NotThese"

    def _result(self, name: str, obj: Object, face: Face | None) -> str:
        """The expression that shows ``name``, a result of the compiled function."""
        product = components(obj)
        if isinstance(obj, Space):
            return f"{self._named('shown', obj.declared.shown)}({name})"
        if isinstance(obj, Sum | Mu):
            return f"{self._named('shown', partial(python_value, obj=obj, leaf=_number))}({name})"
        if product is None:  # a function is as it is
            return f"{SCALARS[obj][1].__name__}({name})" if obj in SCALARS else name
        wears = face if face is not None else face_of(obj)
        assert wears is not None
        names = [f"{name}[{index}]" for index in range(product.width)]
        parts = list(map(self._result, names, product.parts, wears.children))
        if wears.kind is tuple:
            return name if parts == names else f"({', '.join(parts)}{',' * bool(parts)})"
        return f"{self._named('build', wears.build)}([{', '.join(parts)}])"


def _number(value: Any, obj: Object) -> Any:
    """A leaf of a compiled function's result."""
    if isinstance(obj, Space):
        return obj.declared.shown(value)
    return SCALARS[obj][1](value) if obj in SCALARS else value


def owned(value: Any, others: Sequence[Any]) -> Any:
    """``value``, whose arrays share no memory with those in ``others``: one may write into them."""
    arrays = [x for other in others for x in take_apart(other)[1] if isinstance(x, np.ndarray)]
    if not arrays:
        return value
    face, leaves = take_apart(value)

    def own(x: Any) -> Any:
        is_shared = isinstance(x, np.ndarray) and any(np.may_share_memory(x, y) for y in arrays)
        return x.copy() if is_shared else x

    return put_together(face, map(own, leaves))
