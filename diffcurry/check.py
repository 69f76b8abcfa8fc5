"""Looking for mistakes: ``check_grads`` in derivatives, and ``debug_nans`` where a nan arises."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, get_args

import numpy as np

from combinators.errors import DomainError, TooManyCalls, WrongDerivative, WrongMode
from combinators.kit.tree import distinct_nodes
from combinators.objects import Object
from combinators.operation import Operation
from combinators.terms import Lam, Prim
from combinators.tracing.faces import Face, open_up, put_together, take_apart
from combinators.tracing.scope import current
from combinators.value_folds import Injected
from diffcurry.arguments import holds_functions, of_coordinates
from diffcurry.function import Function
from diffcurry.modes import Mode
from diffcurry.transforms import as_function, grad, hvp, jvp, vjp
from interpreters.carriers.numpy import NumPy
from interpreters.modes.primal import Primal


def check_grads(
    f: Callable[..., Any],
    args: Sequence[Any],
    order: int = 1,
    modes: Sequence[str] = ("fwd", "rev"),
    atol: float = 1e-5,
    rtol: float = 1e-5,
    eps: float = 1e-5,
) -> None:
    """Raise WrongDerivative where a derivative of ``f`` at ``args`` is not what differences say.

    ``"rev"`` checks both forms of the pullback, but for the simply-typed one where that would run
    too many calls again: a warning says so. ``order=2`` checks the Hessian of a function with a
    scalar result too. Functions among ``args`` stand still. At numbers of single precision the
    step is at least 5e-3, and the tolerances 2e-3, as differences of them allow.

    >>> check_grads(lambda x, y: np.sin(x) * y, (0.3, 2.0), order=2)
    """
    if order not in (1, 2) or not set(modes) <= {"fwd", "rev"}:
        raise WrongMode("check_grads knows order 1 and 2, and the modes 'fwd' and 'rev'")
    function, args, random = as_function(f), tuple(args), np.random.default_rng(0)
    tangents = tuple(_direction(arg, random) for arg in args)
    which = tuple(i for i, tangent in enumerate(tangents) if tangent is not None)
    moving = tuple(tangents[i] for i in which)
    if any(x.dtype.itemsize < 8 for x in _numbers(moving)):
        eps, atol, rtol = max(eps, 5e-3), max(atol, 2e-3), max(rtol, 2e-3)

    def compare(what: str, found: list[Any], expected: list[Any]) -> None:
        for x, y in zip(found, expected, strict=True):
            if not np.allclose(x, y, atol=atol, rtol=rtol, equal_nan=True):
                raise WrongDerivative(f"{what} gives {x}, where differences of the value give {y}")

    def slopes(of: Function[..., Any]) -> list[Any]:
        def by(step: float) -> list[Any]:
            there, back = (
                of(*map(_moved, args, tangents, [s * step] * len(args))) for s in (1, -1)
            )
            pairs = zip(_numbers(there), _numbers(back), strict=True)
            return [(x - y) / (2 * step) for x, y in pairs]

        return _settled(by, eps, atol, rtol)

    expected = slopes(function)
    if "fwd" in modes:
        compare("jvp", _numbers(jvp(function, args, tangents)[1]), expected)
    for form in get_args(Mode)[:2] if "rev" in modes else ():
        value, pullback = vjp(function, *args, mode=form)
        weights = _direction(value, random)
        try:
            pulled = pullback(weights)
        except TooManyCalls as error:
            warnings.warn(f"check_grads leaves a form out: {error.args[0]}", stacklevel=2)
            continue
        found = _inner(moving, tuple(pulled[i] for i in which))
        compare(f"vjp in the {form} form", [found], [_inner(weights, expected)])
    if "rev" in modes and np.ndim(value) == 0 and _is_number(value):
        compare("grad", [_inner(moving, grad(function, argnums=which)(*args))], expected)
    if order == 2:
        second = hvp(function, args, tangents, argnums=which)
        compare("hvp", _numbers(second), slopes(grad(function, argnums=which)))


def _settled(by: Callable[[float], list[Any]], eps: float, atol: float, rtol: float) -> list[Any]:
    """The slopes ``by`` a step so small that half of it gives the same.

    Near the end of a domain, as of log at 1e-6, a step of 1e-5 leaves it; a smaller one does not.
    """
    widest = by(eps)
    for step in (eps, eps / 10, eps / 100, eps / 1000):
        wide, narrow = widest if step == eps else by(step), by(step / 2)
        if all(np.allclose(x, y, atol=atol, rtol=rtol) for x, y in zip(wide, narrow, strict=True)):
            return wide
    if all(np.all(np.isfinite(x)) for x in widest):
        return widest
    raise DomainError(
        f"a step of {eps:g} leaves the domain of the function, and smaller ones give no slope that "
        "settles; ask further inside, or give a smaller eps"
    )


def _is_number(leaf: Any) -> bool:
    is_data = leaf is not None and not callable(leaf) and type(leaf) is not Injected
    return is_data and np.asarray(leaf).dtype.kind == "f"


def _numbers(value: Any) -> list[Any]:
    found: list[Any] = []
    for x in take_apart(value)[1]:
        found += _numbers(x.value) if type(x) is Injected else [np.asarray(x)] * _is_number(x)
    return found


def _inner(xs: Any, ys: Any) -> Any:
    return sum(np.sum(x * y) for x, y in zip(_numbers(xs), _numbers(ys), strict=True))


def _direction(value: Any, random: np.random.Generator) -> Any:
    """A random tangent of ``value``; None where it has none."""
    face, leaves = take_apart(value)
    of_coordinates(leaves, "check_grads")

    def drawn(x: Any) -> Any:
        if type(x) is Injected:
            inside = _direction(x.value, random)
            return None if inside is None else Injected(x.tag, inside)
        if not _is_number(x):
            return None
        return random.standard_normal(np.shape(x)).astype(np.asarray(x).dtype)[()]

    along = [drawn(x) for x in leaves]
    return put_together(face, iter(along)) if any(v is not None for v in along) else None


def _moved(arg: Any, tangent: Any, step: float) -> Any:
    if tangent is None:
        return arg
    if type(arg) is Injected:
        return Injected(arg.tag, _moved(arg.value, tangent.value, step))
    opened = open_up(arg)
    if opened is None:
        return (np.asarray(arg) + step * tangent).astype(np.asarray(arg).dtype)[()]
    kind, keys, parts = opened
    along = (open_up(tangent) or opened)[2]
    return Face(kind, keys, ()).build(list(map(_moved, parts, along, [step] * len(parts))))


@contextmanager
def debug_nans() -> Iterator[None]:
    """While it holds, a function whose result holds a nan raises ``DomainError``.

    The error names the operation that gave the first nan, what it was given, and the lines on which
    it stands. It speaks of nans that arise: arguments may hold some. A function that gives none
    costs a look at its result; one that does is interpreted, so as to find where.

    >>> import numpy as np
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
    """NumPy's numbers, of which an operation of ``lam`` that makes a nan is an error."""

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
                nodes = (node for node in distinct_nodes(self._lam) if isinstance(node, Prim))
                places = {str(n.place) for n in nodes if n.operation == operation and n.place}
                where = "; ".join(sorted(places)) or "a derivative"
                raise DomainError(f"{operation!r} gives nan, and is given {given}: {where}")
            return y

        return watched


def _locate(function: Function[..., Any], values: tuple[Any, ...], found: Any) -> None:
    """Raise where the first nan arises; where that cannot be seen, that there is one."""
    if values and not holds_functions(values):
        program = function.program(*values)
        mode = Primal(_Nans(program.lam))
        with np.errstate(all="ignore"):
            program.arrow(mode).run(program.lifted(values, mode))
    raise DomainError(f"{function!r} gives a nan: {found!r:.80}")


def _holds_nan(value: Any) -> bool:
    numbers = (x for x in take_apart(value)[1] if isinstance(x, float | np.ndarray | np.generic))
    return any(x.dtype.kind == "f" and np.isnan(x).any() for x in map(np.asarray, numbers))


def _short(x: Any) -> str:
    array = np.asarray(x)
    return np.array2string(array, threshold=6) if array.shape else str(array.item())
