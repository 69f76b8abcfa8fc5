"""Programs as formulas of SymPy, and in LaTeX as notebooks show functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np
import sympy

from combinators.errors import DiffcurryError, TypeMismatch
from combinators.kit.text import Names
from combinators.morphisms import interpret
from combinators.objects import Fun, Object, Tensor, Vector, components
from combinators.terms import Lam
from combinators.tracing.faces import Face, face_of
from combinators.translate import translate
from combinators.type_folds import parts_of
from interpreters.carriers.sympy_places import expressions
from interpreters.carriers.sympy_shared import (
    MOST_OPERATIONS,
    READABLE,
    Definitions,
    Shared,
    condensed,
    named,
    needed,
    total_size,
    written_out,
)
from interpreters.modes.formula import Formula, check_effort
from interpreters.modes.symbols import Symbols, expressions_in


def formula(
    lam: Lam,
    face: Face | None = None,
    *,
    definitions: bool | None = None,
    most_operations: int = MOST_OPERATIONS,
    **assumptions: Any,
) -> Any:
    """What ``lam``, a closed λ, computes, as an expression on symbols named after its parameters.

    Numbers are expressions, matrices ``ImmutableDenseMatrix``, other tensors SymPy's arrays, and
    containers those of ``face``; a function is a ``Lambda``. Floats are real symbols, and what
    ``assumptions`` say besides, as ``positive=True``.

    A formula that shares much would be huge, written out. Then the result is the pair
    ``(definitions, result)``, as from ``sympy.cse``: symbols and what they stand for, in order.
    With ``definitions=True`` it always is the pair, with False never.

    Raises ``DomainError`` where no formula of reasonable size exists, as for long loops that are no
    sums, and where it takes more than ``most_operations`` to write.

    >>> from combinators.objects import Real
    >>> from diffcurry.decorator import fun
    >>> formula(fun(lambda x, y: x * y + x**2, Real, Real).program().lam)
    x**2 + x*y
    """
    written = _Written(lam, assumptions, most_operations)
    lines, leaves = written.chosen(definitions)
    result = _shown(iter(leaves), lam.body.type, face)
    pair = definitions is True or (definitions is None and lines)
    return (list(lines), result) if pair else result


def arguments(lam: Lam, **assumptions: Any) -> tuple[Any, ...]:
    """The symbols that stand for the parameters in ``formula``, in the structure of their types."""
    symbols = Symbols([param.name for param in lam.params], **assumptions)
    pairs = ((symbols.of(param.name, param.type), param.type) for param in lam.params)
    return tuple(_shown(expressions_in(x, "of an argument"), obj, None) for x, obj in pairs)


class _Written:
    """A program that was run on symbols: scalars, in order, and the definitions they mention."""

    def __init__(self, lam: Lam, assumptions: dict[str, Any], most: int) -> None:
        self.names = [param.name for param in lam.params]
        self.symbols = Symbols(self.names, **assumptions)
        self.carrier = Shared(real=self.symbols.assumptions["real"], most=most)
        self.mode = Formula(self.carrier, self.names)
        values = tuple(self.symbols.of(param.name, param.type) for param in lam.params)
        check_effort(lam, most)
        closure = interpret(translate((), lam), self.mode).run(())
        assert isinstance(lam.type, Fun)
        argument = values[0] if len(values) == 1 else values
        value = self.mode.eval(lam.type).run((closure, argument))
        self.leaves = list(self._leaves(value, lam.type.cod))

    def _leaves(self, value: Any, obj: Object) -> Iterator[Any]:
        types = parts_of(obj)
        if types is not None:
            for part, below in zip(value, types, strict=False):
                yield from self._leaves(part, below)
        elif isinstance(obj, Fun):
            yield self._function(value, obj)
        elif isinstance(obj, Tensor):
            yield from np.ravel(expressions(value))
        elif value.keys() <= {obj}:
            yield value.get(obj, sympy.S.Zero)
        else:
            raise TypeMismatch(
                f"a {obj!r} is no formula: what it holds is known to a pullback only"
            )

    def _function(self, closure: Any, function: Fun) -> Any:
        """A function that the program gives, as a ``Lambda``."""
        name = Names(self.names).fresh("t")
        argument = self.symbols.of(name, function.dom)
        with self.carrier.unnamed():
            result = self.mode.eval(function).run((closure, argument))
            leaves = list(self._leaves(result, function.cod))
        variables = tuple(expressions_in(argument, "of the result"))
        whole = leaves[0] if len(leaves) == 1 else sympy.Tuple(*leaves)
        return sympy.Lambda(variables, whole)

    def chosen(self, definitions: bool | None) -> tuple[Definitions, list[Any]]:
        """The formula with the definitions that are asked for."""
        lines: Definitions = needed(list(self.carrier.definitions.items()), self.leaves)
        size = total_size(lines, self.leaves)
        short = size.nodes <= READABLE.nodes and size.depth <= READABLE.depth
        if definitions is False or (definitions is None and (short or not lines)):
            return [], written_out(lines, self.leaves)
        return named(*condensed(lines, self.leaves), self.names)


def _shown(leaves: Iterator[Any], obj: Object, face: Face | None) -> Any:
    """The leaves in SymPy's and Python's containers."""
    product = components(obj)
    if product is not None:
        shape = face or face_of(obj)
        assert shape is not None
        parts = zip(product.parts, shape.children, strict=True)
        return shape.build([_shown(leaves, part, child) for part, child in parts])
    if isinstance(obj, Vector):
        return tuple(_shown(leaves, obj.item, None) for _ in range(obj.length))
    if not isinstance(obj, Tensor) or obj.shape == ():
        return next(leaves)
    elements = list(islice(leaves, obj.size))
    if len(obj.shape) == 2 and obj.dtype != "bool":
        return sympy.ImmutableDenseMatrix(*obj.shape, elements)
    return sympy.ImmutableDenseNDimArray(elements, obj.shape)


MOST_LINES, MOST_CHARACTERS = 24, 3000
"""How many definitions are listed, and how long one line may grow."""

MOST_OPERATIONS = 1_000
"""A formula that takes longer to write is not shown: a notebook should not wait for it."""


def latex(lam: Lam, name: str = "") -> str | None:
    r"""``f(x, y) = …`` between dollars, the definitions of a large formula below it.

    None where there is no formula, or one that is huge; a line that is too long, and lines that are
    too many, are cut.

    >>> from combinators.objects import Real
    >>> from diffcurry.decorator import fun
    >>> def f(x, y):
    ...     return x * y + x**2
    >>> latex(fun(f, Real, Real).program().lam, "f")
    '$\\displaystyle f(x, y) = x^{2} + x y$'
    """
    try:
        definitions, result = formula(lam, definitions=True, most_operations=MOST_OPERATIONS)
    except (DiffcurryError, RecursionError):
        return None
    params = ", ".join(sympy.latex(sympy.Symbol(param.name)) for param in lam.params)
    head = f"{_function_name(name or lam.name)}({params})"
    if not definitions:
        return f"$\\displaystyle {head} = {_cut(_of(result))}$"
    pairs = [(sympy.latex(symbol), body) for symbol, body in definitions[:MOST_LINES]]
    lines = [f"{left} &= {_cut(_of(right))}" for left, right in [(head, result), *pairs]]
    lines += ["&\\;\\;\\vdots"] if len(definitions) > MOST_LINES else []
    return "$\\displaystyle \\begin{aligned}" + " \\\\ ".join(lines) + "\\end{aligned}$"


def formula_latex(lam: Lam, face: Face | None = None) -> str:
    """The whole formula of a λ as it stands, a line a definition, the result last.

    It raises ``DomainError`` where there is none.
    """
    definitions, result = formula(lam, face, definitions=True)
    lines = [f"{sympy.latex(symbol)} = {_of(meaning)}" for symbol, meaning in definitions]
    return " \\\\\n".join([*lines, _of(result)])


def _function_name(name: str) -> str:
    if name.startswith("∇"):
        return f"\\nabla {_function_name(name[1:])}"
    plain = name if name.isidentifier() else "f"
    escaped = plain.replace("_", "\\_")
    return escaped if len(plain) == 1 else f"\\operatorname{{{escaped}}}"


def _of(value: Any) -> str:
    """A value in SymPy's and Python's containers."""
    if isinstance(value, Mapping):
        fields = (f"\\text{{{_text(key)}}}: {_of(part)}" for key, part in value.items())
        return f"\\left\\{{{', '.join(fields)}\\right\\}}"
    if isinstance(value, (tuple, list)):
        return f"\\left({', '.join(map(_of, value))}\\right)"
    return "()" if value is None else sympy.latex(value)


def _text(key: Any) -> str:
    return "".join(f"\\{letter}" if letter in "_#$%&{}" else letter for letter in str(key))


def _cut(line: str) -> str:
    return line if len(line) <= MOST_CHARACTERS else "\\ldots"
