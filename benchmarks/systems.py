"""What is timed side by side: our derivatives, those of peers, and those written by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import diffcurry as dc
import peers
import symbolic
from peers import LeftOut, Ready
from words import Words
from workload import Workload


def by_hand(work: Workload) -> Ready:
    """Written by hand, in NumPy or in Python."""
    return Ready(work.by_hand, work.args)


def diffcurry(work: Workload) -> Ready:
    """What users call."""
    return Ready(derivative(work), work.args)


def derivative(work: Workload) -> Any:
    """As a function of the language."""
    program = work.written_for("diffcurry", Words(np, logsumexp=dc.logsumexp))
    match work.derivative:
        case "gradient":
            return dc.grad(program, work.argnums)
        case "jacobian":
            return dc.jacrev(program, work.argnums)
        case "hessian":
            return dc.hessian(program)
        case "hvp":
            return dc.fun(lambda x, along: dc.hvp(program, (x,), (along,)))


def compiled(work: Workload) -> Ready:
    """The function that the Python backend writes, called directly."""
    program = derivative(work).program(*work.args)
    return Ready(program.compiled("derivative").function, work.args)


def xla(work: Workload) -> Ready:
    """The same program on XLA, with products as JAX has them: 0 times infinity is nan."""
    try:
        from diffcurry.xla import xla as on_xla
    except ImportError:
        raise LeftOut("its backend is not installed") from None
    peers.installed("jax").config.update("jax_enable_x64", True)
    function = on_xla(derivative(work), fast_math=True)
    wait = peers.installed("jax").block_until_ready
    return Ready(lambda *args: wait(function(*args)), peers.arrays_of_jax(work.args))


SYSTEMS: dict[str, tuple[str, Callable[[Workload], Ready]]] = {
    "by hand": ("by hand", by_hand),
    "diffcurry": ("grad(f)", diffcurry),
    "compiled": ("its code", compiled),
    "autograd": ("autograd", peers.autograd),
    "torch": ("PyTorch", peers.torch),
    "casadi": ("CasADi SX", symbolic.casadi),
    "pytensor": ("PyTensor", symbolic.pytensor),
    "jax": ("JAX, jit", peers.jax),
    "xla": ("xla(grad(f))", xla),
}
"""By name: the head of its column, and what makes it ready."""
OURS = ("diffcurry", "compiled", "xla")
