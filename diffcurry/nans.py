"""``debug_nans``: an error where a nan arises, instead of a nan that is passed on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from combinators.errors import DomainError
from combinators.kit.tree import distinct_nodes
from combinators.objects import Object
from combinators.operation import Operation
from combinators.terms import Lam, Prim
from combinators.tracing.faces import take_apart
from combinators.tracing.scope import current
from diffcurry.arguments import holds_functions
from diffcurry.function import Function
from interpreters.carriers.numpy import NumPy
from interpreters.modes.primal import Primal


@contextmanager
def debug_nans() -> Iterator[None]:
    """While it holds, a function whose result holds a nan raises ``DomainError``.

    The error names the operation that gave the first nan, what it was given, and the lines on which
    it stands. It speaks of nans that arise: arguments may hold some. A function that gives none
    costs a look at its result; one that does is interpreted, so as to find where.

    >>> import numpy as np
    >>> from diffcurry import grad
    >>> with debug_nans():
    ...     grad(lambda x: np.log(x) * x)(-1.0)
    Traceback (most recent call last):
        ...
    combinators.errors.DomainError: ...log gives nan, and is given -1.0...
    """
    plain = Function.__call__

    def looked_at(self: Function[..., Any], *args: Any, **kwargs: Any) -> Any:
        found = plain(self, *args, **kwargs)
        if current() is None and _holds_nan(found) and not _holds_nan((args, kwargs)):
            _locate(self, self.positional(args, {}) if not kwargs else (), found)
        return found

    Function.__call__ = looked_at  # type: ignore[method-assign]  # while it holds
    try:
        yield
    finally:
        Function.__call__ = plain  # type: ignore[method-assign]  # as it was


class _Nans(NumPy):
    """NumPy's numbers, of which an operation that makes a nan is an error."""

    def __init__(self, lam: Lam) -> None:
        super().__init__()
        self._lam = lam

    def operation(
        self, operation: Operation, types: Sequence[Object], cod: Object
    ) -> Callable[..., Any]:
        """The operation, watched."""
        compute = super().operation(operation, types, cod)

        def watched(*xs: Any) -> Any:
            y = compute(*xs)
            if _holds_nan(y) and not _holds_nan(xs):
                given = ", ".join(map(_short, xs))
                where = "; ".join(sorted(self._lines(operation))) or "a derivative"
                raise DomainError(f"{operation!r} gives nan, and is given {given}: {where}")
            return y

        return watched

    def _lines(self, operation: Operation) -> set[str]:
        """The user's lines on which the operation stands."""
        nodes = (node for node in distinct_nodes(self._lam) if isinstance(node, Prim))
        return {str(n.place) for n in nodes if n.operation == operation and n.place is not None}


def _locate(function: Function[..., Any], values: tuple[Any, ...], found: Any) -> None:
    """Raise where the first nan arises; where that cannot be seen, that there is one."""
    if values and not holds_functions(values):
        program = function.program(*values)
        mode = Primal(_Nans(program.lam))
        with np.errstate(all="ignore"):
            program.arrow(mode).run(program.lifted(values, mode))
    raise DomainError(f"{function!r} gives a nan: {found!r:.80}")


def _holds_nan(value: Any) -> bool:
    return any(_is_nan(leaf) for leaf in take_apart(value)[1])


def _short(x: Any) -> str:
    array = np.asarray(x)
    return np.array2string(array, threshold=6) if array.shape else str(array.item())


def _is_nan(leaf: Any) -> bool:
    if not isinstance(leaf, float | np.ndarray | np.generic):
        return False
    array = np.asarray(leaf)
    return array.dtype.kind == "f" and bool(np.isnan(array).any())
