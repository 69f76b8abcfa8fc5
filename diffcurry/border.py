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
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from combinators.objects import Int, Mu, Object, Sum, Tensor, components
from combinators.operation import allocating
from combinators.spaces import Space
from combinators.tracing.faces import Face, face_of, put_together, take_apart
from combinators.tracing.functions import Faces
from combinators.type_folds import is_first_order
from diffcurry.leaves import ALONG, NUMBERS, SCALARS, SHOWN, SHOWN_ALONG
from diffcurry.values import Inwards, NotThese, Outwards
from interpreters.backends.text.module import executed

Run = Callable[..., Any]

NAME = "the function"


class Guard(NamedTuple):
    """Lines of Python that come before a compiled function, and the values of their names."""

    lines: list[str]
    names: dict[str, Any]


@dataclass(frozen=True)
class At:
    """That something is a tangent, or a cotangent, at a value that ``name`` is in compiled code."""

    name: str
    obj: Object
    """The type of the value, and the containers in which it is shown."""
    face: Face | None
    word: str = "tangent"

    @property
    def asks(self) -> bool:
        """Whether the value tells what its tangents are: of its alternatives."""
        return not is_first_order(self.obj)


@dataclass(frozen=True)
class Held:
    """That a function is given with values of these names."""

    names: tuple[str, ...]


Ats = At | Held | tuple[Any, ...] | None
"""Of a result: that it is at a value, or which of its components are; None of values."""


class Border:
    """The border of compiled functions of some types."""

    def __init__(
        self,
        types: tuple[Object, ...],
        faces: Faces,
        cod: Object,
        face: Face | None,
        ats: tuple[Sequence[At | None], Ats] = ((), None),
        held: int = 0,
    ) -> None:
        """``faces`` are those of the arguments, ``face`` is that of the result.

        ``ats`` says which of them are at values: at the arguments ``x0``, …, at components of the
        result ``y``, or at ``held`` values ``h0``, …, which are bound with the function.
        """
        self._types = types
        self._ats = ats[0] or (None,) * len(types)
        self._space: dict[str, Any] = {
            "NotThese": NotThese,
            "ndarray": np.ndarray,
            **{numpy.__name__: numpy for _, numpy in SCALARS.values()},
        }
        # They take a tuple as it stands: to call a function of ``*args`` takes longer.
        self.is_plain = not held
        """Whether it only tests arguments, and shows numbers as NumPy's."""
        self._names = [f"x{index}" for index in range(len(types))]
        self._held = [f"h{index}" for index in range(held)]
        self._unheld = _unpacked(self._held, "held") if held else ""
        self._lines = [f"    {_unpacked(self._names, 'args')}"]
        each = zip(self._names, types, faces or (None,) * len(types), self._ats, strict=True)
        given = ", ".join([self._taken(*one) for one in each])
        shown = self._result("y", cod, face, ats[1])
        self._last = f"    return {shown}"
        self._lines += [f"    y = compute({given})", self._last]

    def entry(self, compute: Run, guard: Guard | None = None, held: Sequence[Any] = ()) -> Run:
        """From a compiled function to that of a tuple of arguments, which may raise NotThese.

        The lines of a ``guard`` come first: what they cost is no call.
        """
        bind = self._plain if guard is None else self._bind(guard)
        return bind(compute, held)

    @cached_property
    def _plain(self) -> Callable[[Run, Sequence[Any]], Run]:
        return self._bind(Guard([], {}))

    def _bind(self, guard: Guard) -> Callable[[Run, Sequence[Any]], Run]:
        entry = ["def entry(args):", *guard.lines, *self._lines]
        lines = [self._unheld, *entry, "return entry"]
        return self._defined("bind", "compute, held", lines, guard.names)

    @cached_property
    def _shown(self) -> Run:
        lines = [self._unheld, _unpacked(self._names, "given"), self._last.strip()]
        return self._defined("shown", "y, given, held", lines, {})

    def _defined(self, name: str, taken: str, lines: list[str], names: dict[str, Any]) -> Run:
        space = self._space | names
        text = [f"def {name}({taken}):", *(f"    {line}" for line in lines if line)]
        executed("\n".join(text), NAME, space, often=True)
        found: Run = space[name]
        return found

    def run(
        self, compute: Run, args: Sequence[Any], names: Sequence[str], held: Sequence[Any] = ()
    ) -> Any:
        """The result; where an argument is not of its type, an error calls it by its name."""
        given: list[Any] = []
        known = {word: (value, "") for word, value in zip(self._held, held, strict=True)}
        for arg, obj, at, name in zip(args, self._types, self._ats, names, strict=True):
            if at is None:
                given.append(NUMBERS(obj, name, arg))
            else:
                whole, of = known.get(at.name, (None, ""))
                given.append(ALONG[at.word](at.obj, of or name, arg, whole if at.asks else None))
            known[f"x{len(given) - 1}"] = given[-1], name
        with allocating("the function"):
            return self._shown(compute(*given), given, held)

    def _inwards(self, word: str, crossing: Inwards, obj: Object) -> str:
        """The name of a step, which raises NotThese of all that does not fit."""
        step, deep = crossing.step(obj), crossing.deep

        def taken(x: Any, at: Any = None) -> Any:
            try:
                return step(x, at, deep)
            except (TypeError, ValueError):
                raise NotThese from None

        return self._named(word, taken)

    def _outwards(self, crossing: Outwards, obj: Object, face: Face | None = None) -> str:
        step, deep = crossing.step(obj, face), crossing.deep
        return self._named("shown", lambda x, at=None: step(x, at, deep))

    def _named(self, word: str, value: Any) -> str:
        """A name for ``value`` in the text that is run."""
        self.is_plain = self.is_plain and value is tuple
        name = f"{word}{len(self._space)}"
        self._space[name] = value
        return name

    def _taken(self, name: str, obj: Object, face: Face | None, at: At | None = None) -> str:
        """The expression that the compiled function takes for ``name``; its tests are lines."""
        product = components(obj)
        if at is not None and at.asks:
            taken = self._inwards("along", ALONG[at.word], at.obj)
            self._lines.append(f"    {name} = {taken}({name}, {at.name})")
            return name
        holds_sums = not is_first_order(obj)
        if isinstance(obj, Sum | Mu | Space) or (holds_sums and face is None):
            taken = self._inwards("given", NUMBERS, obj)
            self._lines.append(f"    {name} = {taken}({name})")
            return name
        if product is None:
            self._lines += self._tests(name, obj)
            return name
        if face is None:
            self._lines.append("    raise NotThese")
            return name
        static = face.keys[:1] if face.is_static else ()
        kind = self._named("kind", type(static[0]) if static else face.kind)
        self._lines += [f"    if type({name}) is not {kind}:", "        raise NotThese"]
        for value in static:
            same = self._named("static", value)
            self._lines += [f"    if {name} != {same}:", "        raise NotThese"]
        parts = []
        for index, (part, child) in enumerate(zip(product.parts, face.children, strict=True)):
            below = f"{name}_{index}"
            self._lines.append(f"    {below} = {self._part(name, face, index)}")
            parts.append(self._taken(below, part, child))
        if face.kind in (tuple, list, dict):
            self._lines += [f"    if len({name}) != {product.width}:", "        raise NotThese"]
        whole = f"({', '.join(parts)}{',' * bool(parts)})"
        if holds_sums:  # it may be asked what is at it
            self._lines.append(f"    {name} = {whole}")
        return name if holds_sums else whole

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

    def _result(self, name: str, obj: Object, face: Face | None, at: Ats = None) -> str:
        """The expression that shows ``name``, a result of the compiled function."""
        if isinstance(at, At) and at.asks:
            return f"{self._outwards(SHOWN_ALONG, at.obj, at.face)}({name}, {at.name})"
        if isinstance(at, Held):
            self.is_plain = False
            return f"({', '.join((name, *at.names))})"
        product = components(obj)
        if isinstance(obj, Sum | Mu | Space):
            return f"{self._outwards(SHOWN, obj)}({name})"
        if product is None:  # a function is as it is
            return f"{SCALARS[obj][1].__name__}({name})" if obj in SCALARS else name
        wears = face if face is not None else face_of(obj)
        assert wears is not None
        names = [f"{name}[{index}]" for index in range(product.width)]
        ats = at if isinstance(at, tuple) else (None,) * product.width
        parts = list(map(self._result, names, product.parts, wears.children, ats))
        if wears.kind is tuple:
            return name if parts == names else f"({', '.join(parts)}{',' * bool(parts)})"
        return f"{self._named('build', wears.build)}([{', '.join(parts)}])"


def _unpacked(names: list[str], whole: str) -> str:
    return f"({''.join(f'{name}, ' for name in names)}) = {whole}"


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
