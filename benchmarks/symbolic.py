"""Systems that differentiate expressions: CasADi and PyTensor."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from peers import Ready, again, each, flat, installed
from words import Words
from workload import Workload


def casadi(work: Workload) -> Ready:
    """CasADi's scalar expressions, run by its virtual machine."""
    package = installed("casadi")
    words = ("sin", "exp", "log1p", "dot")
    module = SimpleNamespace(
        **{word: getattr(package, word) for word in words},
        sum=package.sum1,
        prod=lambda x: _product(package.SX, x),
    )
    symbols = [package.SX.sym(f"x{i}", int(np.size(x))) for i, x in enumerate(work.args)]
    program = work.written_for("casadi", module)
    match work.derivative:
        case "hessian":
            found = [package.hessian(program(*symbols), symbols[0])[0]]
        case "hvp":
            slope = package.gradient(program(symbols[0]), symbols[0])
            found = [package.jtimes(slope, symbols[0], symbols[1])]
        case _:
            result = program(*symbols)
            found = [package.gradient(result, symbols[i]) for i in work.which]
    return Ready(package.Function("derivative", symbols, found), work.args)


def _product(kind: Any, x: Any) -> Any:
    whole = kind(1)
    for i in range(x.numel()):
        whole *= x[i]
    return whole


def pytensor(work: Workload) -> Ready:
    """PyTensor, as it compiles by default."""
    package, module = installed("pytensor"), installed("pytensor.tensor")
    words = Words(module, logsumexp=lambda x, axis: module.logsumexp(x, axis=axis))
    symbols = each(lambda x: module.tensor(dtype=_kind(x), shape=np.shape(x)), work.args)
    program = work.written_for("pytensor", words)
    chosen = flat(tuple(symbols[i] for i in work.which))
    match work.derivative:
        case "gradient":
            found = package.grad(program(*symbols), chosen)
        case "jacobian":
            found = package.gradient.jacobian(program(*symbols), chosen)
        case "hessian":
            found = package.gradient.hessian(program(*symbols), chosen)
        case "hvp":
            found = package.gradient.hessian_vector_product(
                program(symbols[0]), chosen, [symbols[1]]
            )
    function = package.function(flat(symbols), found, on_unused_input="ignore")
    shown = tuple(symbols[i] for i in work.which)
    single = isinstance(work.argnums, int)

    def derivative(*args: Any) -> Any:
        values = again(shown, iter(function(*args)))
        return values[0] if single else values

    return Ready(derivative, each(np.asarray, tuple(flat(work.args))))


def _kind(x: Any) -> str:
    return str(np.asarray(x).dtype)
