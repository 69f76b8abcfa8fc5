"""The systems that are timed side by side: how each makes a gradient, and what it is given."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

import diffcurry as dc
from interpreters.backends.python import compile_program
from programs import Workload

Gradient = Callable[..., Any]


class LeftOut(Exception):
    """Why a system is not timed."""


class Ready(NamedTuple):
    """A gradient, and the arguments as its system wants them."""

    gradient: Gradient
    args: tuple[Any, ...]


def by_hand(work: Workload) -> Ready:
    """Written by hand, in NumPy or in Python."""
    return Ready(work.by_hand, work.args)


def diffcurry(work: Workload) -> Ready:
    """What users call."""
    program = work.written_for("diffcurry", np)
    return Ready(dc.grad(program, work.argnums), work.args)


def compiled(work: Workload) -> Ready:
    """The function that the Python backend writes, called directly."""
    gradient, args = diffcurry(work)
    lam = gradient.program(*args).lam
    return Ready(compile_program(lam, name="gradient").function, args)


def autograd(work: Workload) -> Ready:
    """HIPS autograd."""
    package = _installed("autograd")
    program = work.written_for("autograd", _installed("autograd.numpy"))
    return Ready(package.grad(program, work.argnums), work.args)


def jax(work: Workload) -> Ready:
    """JAX, jitted, in float64."""
    package, module = _installed("jax"), _installed("jax.numpy")
    package.config.update("jax_enable_x64", True)
    gradient = package.jit(package.grad(work.written_for("jax", module), work.argnums))
    wait = package.block_until_ready
    own = lambda x: x if isinstance(x, float) else module.asarray(x)
    return Ready(lambda *args: wait(gradient(*args)), _each(own, work.args))


def torch(work: Workload) -> Ready:
    """PyTorch, eager, in float64."""
    package = _installed("torch")
    package.set_default_dtype(package.float64)
    program = work.written_for("torch", package)
    args = _each(package.asarray, work.args)
    single = isinstance(work.argnums, int)
    chosen = args[work.argnums] if single else tuple(args[i] for i in work.argnums)
    leaves = chosen if isinstance(chosen, tuple) else (chosen,)
    for leaf in leaves:
        leaf.requires_grad_()

    def gradient(*args: Any) -> Any:
        found = package.autograd.grad(program(*args), leaves)
        return found if isinstance(chosen, tuple) else found[0]

    return Ready(gradient, args)


def casadi(work: Workload) -> Ready:
    """CasADi's scalar expressions, run by its virtual machine."""
    package = _installed("casadi")
    words = ("sin", "exp", "log1p", "dot")
    module = SimpleNamespace(
        **{word: getattr(package, word) for word in words},
        sum=package.sum1,
        prod=lambda x: _product(package.SX, x),
    )
    symbols = [package.SX.sym(f"x{i}", int(np.size(x))) for i, x in enumerate(work.args)]
    result = work.written_for("casadi", module)(*symbols)
    single = isinstance(work.argnums, int)
    which = (work.argnums,) if single else work.argnums
    found = [package.gradient(result, symbols[i]) for i in which]
    return Ready(package.Function("gradient", symbols, found), work.args)


def _product(kind: Any, x: Any) -> Any:
    whole = kind(1)
    for i in range(x.numel()):
        whole *= x[i]
    return whole


def _installed(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise LeftOut(f"{name} is not installed") from None


def _each(convert: Callable[[Any], Any], value: Any) -> Any:
    """The leaves of the arguments as a system's own."""
    if isinstance(value, tuple):
        return tuple(_each(convert, part) for part in value)
    return convert(value)


SYSTEMS: dict[str, tuple[str, Callable[[Workload], Ready]]] = {
    "by hand": ("by hand", by_hand),
    "diffcurry": ("grad(f)", diffcurry),
    "compiled": ("its code", compiled),
    "autograd": ("autograd", autograd),
    "jax": ("JAX, jit", jax),
    "torch": ("PyTorch", torch),
    "casadi": ("CasADi SX", casadi),
}
"""By name: the head of its column, and what makes it ready."""
