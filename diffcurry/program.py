"""A function at given argument types: its λ, its combinators, its arrow in any mode, its code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from combinators.bulk import bulk
from combinators.errors import DiffcurryError, MissingRule
from combinators.kit.tree import distinct_nodes, size
from combinators.literal import Literal
from combinators.morphisms import Morphism
from combinators.objects import Bool, Int, Object, Real, Tensor, components
from combinators.simplify import Fold, Rule, simplify
from combinators.terms import Const, Lam, Prim
from combinators.tracing.faces import Face, face_of, open_up
from combinators.tracing.functions import Faces, Specialised
from combinators.translate import translate
from combinators.type_folds import is_first_order
from diffcurry.arguments import fits
from diffcurry.closures import arrow_in, lift
from diffcurry.modes import CARRIER
from interpreters.backends import xla
from interpreters.backends.python import Compiled, compile_program
from interpreters.carriers.carrier import Carrier
from interpreters.carriers.fractions import Fractions
from interpreters.execution.machine import Arrow
from interpreters.execution.running import Running

EXACT = Fractions()
WRITTEN = 1024
"""Arrays of more elements are left: each that is folded is written into the program."""


def folded(node: Prim) -> Literal | None:
    """The value of a primitive of constants; None for an array, or where no float is that value.

    Arrays stay as they are: a program is as long for ten rows as for ten thousand.
    """
    return None if isinstance(node.type, Tensor) and node.type.shape else _folded(node)


def folded_when_compiled(node: Prim) -> Literal | None:
    """The same, also of an array where one of the constants is as large, and no single number."""
    cod = node.type
    whole = isinstance(cod, Tensor) and cod.shape and not _is_written(node, cod)
    return None if whole else _folded(node)


def _folded(node: Prim) -> Literal | None:
    cod = node.type
    if not isinstance(cod, Tensor):
        return None
    try:
        value, exact = _computed(node, CARRIER), _computed(node, EXACT)
    except (DiffcurryError, ArithmeticError, ValueError):
        return None
    found = np.asarray(value, dtype=cod.dtype)
    if not np.all(np.isfinite(found)):
        return None
    numbers = zip(found.flat, np.asarray(exact, dtype=object).flat, strict=True)
    same = all(Fraction(number.item()) == _number(other) for number, other in numbers)
    return Literal(found) if same else None


def _is_written(node: Prim, cod: Tensor) -> bool:
    literals = [arg.literal for arg in node.args if isinstance(arg, Const)]
    if max(literal.type.size for literal in literals) > WRITTEN:
        return False
    return any(literal.type.size >= cod.size and any(literal.array.strides) for literal in literals)


def _computed(node: Prim, over: Carrier) -> object:
    literals = [arg.literal for arg in node.args if isinstance(arg, Const)]
    with np.errstate(all="ignore"):
        compute = over.operation(node.operation, [arg.type for arg in node.args], node.type)
        result: object = compute(*map(over.const, literals))
        return result


def _number(exact: Any) -> Fraction:
    return Fraction(int(exact) if isinstance(exact, bool | np.bool_) else exact)


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


LARGE = 20_000
"""A program of more nodes takes longer to compile than to be interpreted once."""


class Program:
    """What ``f.program(*args)`` gives: a typed term and everything that follows from it."""

    def __init__(self, made: Specialised, faces: Faces = (), *, simple: bool = False) -> None:
        """Of a λ that captures nothing; ``faces`` are those of its arguments.

        ``simple`` says that it was simplified when it was written, as derivatives are.
        """
        self.faces = faces
        self.lam: Lam = made.lam
        self.face = made.face
        self._morphism: Morphism | None = None
        self._asked = 0
        self._is_simple = simple

    @cached_property
    def types(self) -> tuple[Object, ...]:
        """The types of the arguments."""
        return tuple(param.type for param in self.lam.params)

    @property
    def cod(self) -> Object:
        """The type of the result."""
        return self.lam.body.type

    @property
    def combinators(self) -> Morphism:
        """J of the body: an arrow from the product of the parameters (Fig. 1 of 004)."""
        if self._morphism is None:
            self._morphism = translate(self.lam.params, self.lam.body)
        return self._morphism

    @cached_property
    def bulk(self) -> Lam:
        """The λ that runs: with bulk operations for its maps (003, section 5)."""
        return bulk(self.lam)

    @cached_property
    def _running(self) -> Morphism:
        if self.bulk is self.lam:
            return self.combinators
        return translate(self.bulk.params, self.bulk.body)

    def arrow(self, mode: Running) -> Arrow:
        """The program in ``mode``, in bulk; interpreted once."""
        return arrow_in(mode, self._running)

    def simplified(
        self, fold: Fold, *, fast_math: bool = False, rules: tuple[Rule, ...] = ()
    ) -> Lam:
        """The λ that a backend compiles: a simpler one where there are functions, or bulk ones.

        What was written by a transform is simple already; ``fast_math`` and ``rules`` change it.
        """
        is_plain = self._is_simple or not any(
            isinstance(n, Lam) for n in distinct_nodes(self.lam.body)
        )
        if is_plain and self.bulk is self.lam and not fast_math and not rules:
            return self.lam
        return simplify(self.bulk, fold=fold, fast_math=fast_math, rules=rules)

    @cached_property
    def _compiled(self) -> Lam:
        return self.simplified(folded_when_compiled)

    def compiled(self, name: str, doc: str = "") -> Compiled:
        """The program as Python that stands alone."""
        return compile_program(self._compiled, name=name, doc=doc)

    def for_xla(
        self, name: str, doc: str = "", *, fast_math: bool = False, rules: tuple[Rule, ...] = ()
    ) -> xla.Compiled:
        """The program as JAX, which is called ``name`` if it has no name of its own."""
        lam = self.simplified(folded, fast_math=fast_math, rules=rules)
        return xla.compile_program(lam, name=lam.name or name, doc=doc)

    def formula(self, **options: Any) -> Any:
        """The program as a formula of SymPy, which is loaded then."""
        from diffcurry.formula import formula

        return formula(self.lam, self.face, **options)

    def latex(self, name: str = "") -> str | None:
        """The formula in LaTeX, where there is one that is not huge."""
        from diffcurry.formula import latex

        return latex(self.lam, name)

    def named(self, args: tuple[Any, ...]) -> Iterator[tuple[Any, Object, str]]:
        """Each argument with its type and its name."""
        return (
            (arg, param.type, param.name) for arg, param in zip(args, self.lam.params, strict=True)
        )

    def lifted(self, args: tuple[Any, ...], mode: Running) -> tuple[Any, ...]:
        """The arguments as values of ``mode``."""
        return tuple(
            lift(arg, obj, mode) if fits(arg, obj, name) else ()
            for arg, obj, name in self.named(args)
        )

    @cached_property
    def _quick(self) -> Quick | None:
        return quick(self._compiled, self.face, self.faces)

    @cached_property
    def _is_large(self) -> bool:
        return size(self.bulk) > LARGE

    def quick(self) -> Quick | None:
        """The program as compiled Python, where it has code.

        A large program is compiled when it is run for the second time.
        """
        self._asked += 1
        return None if self._asked == 1 and self._is_large else self._quick

    def __repr__(self) -> str:
        """The λ, in one line."""
        return repr(self.lam)

    def __str__(self) -> str:
        """The λ, in let-normal form."""
        return str(self.lam)
