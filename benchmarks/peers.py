"""Systems of arrays: HIPS autograd, JAX, and PyTorch."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

from words import Words
from workload import Workload


class LeftOut(Exception):
    """Why a system is not timed."""


class Ready(NamedTuple):
    """A derivative, and the arguments as its system wants them."""

    derivative: Callable[..., Any]
    args: tuple[Any, ...]


def autograd(work: Workload) -> Ready:
    """HIPS autograd."""
    package, module = installed("autograd"), installed("autograd.numpy")
    special = installed("autograd.scipy.special")
    program = work.written_for("autograd", Words(module, logsumexp=special.logsumexp))
    match work.derivative:
        case "gradient":
            return Ready(package.grad(program, work.argnums), work.args)
        case "jacobian":
            rows = [package.jacobian(program, index) for index in work.which]
            return Ready(lambda *args: tuple(row(*args) for row in rows), work.args)
        case "hessian":
            return Ready(package.hessian(program), work.args)
        case "hvp":
            return Ready(package.hessian_vector_product(program), work.args)


def jax(work: Workload) -> Ready:
    """JAX, jitted, in float64."""
    package, module = installed("jax"), installed("jax.numpy")
    package.config.update("jax_enable_x64", True)
    program = work.written_for("jax", Words(module, logsumexp=package.nn.logsumexp))
    match work.derivative:
        case "gradient":
            found = package.grad(program, work.argnums)
        case "jacobian":
            found = package.jacrev(program, work.argnums)
        case "hessian":
            found = package.hessian(program)
        case "hvp":
            slope = package.grad(program)
            found = lambda x, along: package.jvp(slope, (x,), (along,))[1]
    jitted, wait = package.jit(found), package.block_until_ready
    return Ready(lambda *args: wait(jitted(*args)), arrays_of_jax(work.args))


def arrays_of_jax(value: Any) -> Any:
    """Arrays as JAX's own; Python's numbers as they are."""
    module = installed("jax.numpy")
    return each(lambda x: x if isinstance(x, float) else module.asarray(x), value)


def torch(work: Workload) -> Ready:
    """PyTorch, eager, in float64."""
    package = installed("torch")
    package.set_default_dtype(package.float64)
    program = work.written_for("torch", package)
    args = each(package.asarray, work.args)
    match work.derivative:
        case "gradient":
            return Ready(_pulled_by_torch(package, program, work, args), args)
        case "jacobian":
            rows = package.func.jacrev(program, work.argnums)
            return Ready(rows, args)
        case "hessian":
            return Ready(package.func.hessian(program), args)
        case "hvp":
            product = package.autograd.functional.hvp
            return Ready(lambda x, along: product(program, x, along)[1], args)


def _pulled_by_torch(
    package: Any, program: Callable[..., Any], work: Workload, args: tuple[Any, ...]
) -> Callable[..., Any]:
    chosen = tuple(args[i] for i in work.which)
    leaves = flat(chosen)
    for leaf in leaves:
        leaf.requires_grad_()

    def gradient(*args: Any) -> Any:
        found = again(chosen, iter(package.autograd.grad(program(*args), leaves)))
        return found if isinstance(work.argnums, tuple) else found[0]

    return gradient


def installed(name: str) -> Any:
    """A module, or the reason why not."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise LeftOut(f"{name} is not installed") from None


def each(convert: Callable[[Any], Any], value: Any) -> Any:
    """The leaves of the arguments as a system's own."""
    return again(value, map(convert, flat(value)))


def flat(value: Any) -> list[Any]:
    """The leaves of nested tuples."""
    return [leaf for part in value for leaf in flat(part)] if isinstance(value, tuple) else [value]


def again(value: Any, leaves: Any) -> Any:
    """The tuples of ``value`` around other leaves."""
    if isinstance(value, tuple):
        return tuple(again(part, leaves) for part in value)
    return next(leaves)
