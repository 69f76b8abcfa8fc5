"""Times gradients in every installed system, as ratios of minima in one run."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import diffcurry as dc
from programs import BATCH, HIDDEN, Workload, cell, workloads

Gradient = Callable[..., Any]
SECONDS = 0.4


def folded_lstm(weights: Any, xs: Any) -> Any:
    """The LSTM as it is written here: a closure, folded."""
    start = (np.zeros((BATCH, HIDDEN)), np.zeros((BATCH, HIDDEN)))
    hidden, _ = dc.fold(lambda state, x: cell(np, weights, state, x), start, xs)
    return np.sum(hidden**2)


def ours(mode: Any) -> Callable[[Workload], Gradient]:
    """The gradient in one of our modes."""

    def make(work: Workload) -> Gradient:
        if work.name.startswith("lstm"):
            return dc.grad(folded_lstm, mode=mode)
        return dc.grad(lambda *args: work.program(np, *args), mode=mode)

    return make


def autograd(work: Workload) -> Gradient:
    """HIPS autograd."""
    package, numpy = importlib.import_module("autograd"), importlib.import_module("autograd.numpy")
    gradient: Gradient = package.grad(lambda *args: work.program(numpy, *args))
    return gradient


def jax(work: Workload) -> Gradient:
    """JAX, jitted, in float64."""
    package, numpy = importlib.import_module("jax"), importlib.import_module("jax.numpy")
    package.config.update("jax_enable_x64", True)
    if work.name.startswith("scalar_chain"):
        raise ImportError("an unrolled chain of 1,000 steps does not compile in minutes")
    compiled = package.jit(package.grad(lambda *args: work.program(numpy, *args)))
    return lambda *args: package.block_until_ready(compiled(*args))


SYSTEMS: dict[str, Callable[[Workload], Gradient | None]] = {
    "by hand": lambda work: work.by_hand,
    "diffcurry": ours("dependent"),
    "diffcurry simple": ours("simple"),
    "autograd": autograd,
    "jax jit": jax,
}


def best(gradient: Gradient, args: tuple[Any, ...]) -> float:
    """The shortest of many runs, in seconds."""
    shortest, until = float("inf"), time.perf_counter() + SECONDS
    while time.perf_counter() < until:
        start = time.perf_counter()
        gradient(*args)
        shortest = min(shortest, time.perf_counter() - start)
    return shortest


def same(a: Any, b: Any) -> bool:
    """Whether two gradients agree."""
    if isinstance(a, (tuple, list)):
        return all(same(x, y) for x, y in zip(a, b, strict=True))
    return np.allclose(a, b, rtol=1e-8, atol=1e-10)


def main() -> None:
    """Print a table."""
    print(f"{'workload':20}{'system':20}{'first call':>12}{'a call':>12}{'ratio':>9}")
    for work in workloads():
        reference, base = None, None
        for name, make in SYSTEMS.items():
            try:
                gradient = make(work)
            except ImportError as missing:
                print(f"{work.name:20}{name:20}  left out: {missing}")
                continue
            if gradient is None:
                continue
            start = time.perf_counter()
            value = gradient(*work.args)
            first = time.perf_counter() - start
            reference = value if reference is None else reference
            if not same(value, reference):
                raise SystemExit(f"{name} gives another gradient of {work.name}")
            seconds = best(gradient, work.args)
            base = seconds if base is None else base
            row = f"{work.name:20}{name:20}{first * 1e3:10.2f} ms{seconds * 1e6:9.1f} us"
            print(f"{row}{seconds / base:9.2f}")


if __name__ == "__main__":
    main()
