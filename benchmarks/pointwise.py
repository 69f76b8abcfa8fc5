"""Written one element at a time: the matrix product, and one element of a self-convolution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from workload import AXES, SCALARS, Workload

SIZES = (64, 128, 256)
LENGTHS = (1_000, 1_000_000)


def workloads() -> list[Workload]:
    """The gradients in all arrays."""
    random = np.random.default_rng(3)
    found = []
    for size in SIZES:
        args = tuple(random.standard_normal((2, size, size)) / np.sqrt(size))
        name = f"pointwise matmul {size}"
        found.append(Workload(name, matmul, args, matmul_by_hand, (0, 1), own=own_matmul))
    found = [work._replace(refused={"casadi": AXES}) for work in found]
    for length in LENGTHS:
        refused = {"casadi": SCALARS} if length > 10_000 else {}
        args = (random.standard_normal(length),)
        name = f"self-convolution {length:,}"
        found.append(
            Workload(name, convolved, args, convolved_by_hand, own=own_convolved, refused=refused)
        )
    return found


def matmul(np_: Any, a: Any, b: Any) -> Any:
    """As it is written where there is no ``build``: all products, summed over an axis."""
    product = np_.sum(a[:, :, None] * b[None, :, :], axis=1)
    return np_.sum(product * product)


def own_matmul(system: str) -> Callable[..., Any] | None:
    """Element by element, where a system can."""
    match system:
        case "diffcurry":
            return built_matmul
        case "jax":
            return mapped_matmul
        case _:
            return None


def built_matmul(a: Any, b: Any) -> Any:
    """Three builds, one of them summed."""
    import diffcurry as dc

    rows, inner, columns = *a.shape, b.shape[1]
    cell = lambda i, j: dc.sum(dc.build(inner, lambda p: a[i, p] * b[p, j]))
    product = dc.build((rows, columns), cell)
    return dc.sum(product * product)


def mapped_matmul(a: Any, b: Any) -> Any:
    """``vmap`` of ``vmap``."""
    import jax
    import jax.numpy as jnp

    rows, inner, columns = *a.shape, b.shape[1]
    cell = lambda i, j: jnp.sum(jax.vmap(lambda p: a[i, p] * b[p, j])(jnp.arange(inner)))
    row = lambda i: jax.vmap(lambda j: cell(i, j))(jnp.arange(columns))
    product = jax.vmap(row)(jnp.arange(rows))
    return jnp.sum(product * product)


def matmul_by_hand(a: Any, b: Any) -> Any:
    """Three matrix products."""
    product = a @ b
    product *= 2
    return product @ b.T, a.T @ product


def convolved(np_: Any, x: Any) -> Any:
    return np_.sum(x * x[::-1])


def own_convolved(system: str) -> Callable[..., Any] | None:
    """By index, as 003, Fig. 18 has it, where a system can."""
    match system:
        case "diffcurry":
            return built_convolved
        case "jax":
            return mapped_convolved
        case "torch":
            return flipped
        case _:
            return None


def built_convolved(x: Any) -> Any:
    """003, Fig. 18."""
    import diffcurry as dc

    size = x.shape[0]
    return dc.sum(dc.build(size, lambda i: x[i] * x[size - 1 - i]))


def mapped_convolved(x: Any) -> Any:
    """``vmap`` over the index."""
    import jax
    import jax.numpy as jnp

    size = x.shape[0]
    return jnp.sum(jax.vmap(lambda i: x[i] * x[size - 1 - i])(jnp.arange(size)))


def flipped(x: Any) -> Any:
    """PyTorch has no slices that go backwards."""
    return (x * x.flip(0)).sum()


def convolved_by_hand(x: Any) -> Any:
    return 2 * x[::-1]
