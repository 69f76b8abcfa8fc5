"""``diffcurry inspect``: a program, its value, its gradient and its cost; as text or as JSON."""

from __future__ import annotations

import json
import math
from argparse import Namespace
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from combinators.errors import NotDifferentiable
from combinators.type_folds import is_smooth
from diffcurry.arguments import check_scalar
from diffcurry.commands.subject import Subject
from diffcurry.derived import derived
from diffcurry.display import Report
from diffcurry.explain import code
from diffcurry.formula import formula_latex
from diffcurry.program import Program
from diffcurry.transforms import grad
from interpreters.cost import Bound, Cost
from interpreters.cost.counted import number

EMITTERS: dict[str, Callable[[Program], str]] = {
    "combinators": lambda program: str(program.combinators),
    "latex": lambda program: formula_latex(program.lam, program.face),
    "numpy": code,  # one module: Python's numbers, NumPy's arrays
    "python": code,
    "term": str,
}
"""From the name of a language to what writes a program in it."""


_BITS = 63


def inspect(found: Subject, options: Namespace) -> str:
    """The text that the command prints."""
    if options.emit is not None:
        program = derived(found.program.lam).alone if options.grad else found.program
        text = EMITTERS[options.emit](program).rstrip()
        return _dumped({"emit": options.emit, "text": text}) if options.json else text
    seen = _Seen(found, options.grad)
    return _dumped(seen.record()) if options.json else seen.text()


class _Seen:
    """What is to be seen of a subject."""

    def __init__(self, found: Subject, wanted: bool | None) -> None:
        self.found, self.program = found, found.program
        self.name = self.program.lam.name or "λ"
        self.report = _report(found, wanted)
        self.value = None if found.values is None else found.function(*found.values)
        self.gradient = None if found.values is None else self._gradient(wanted)

    def _gradient(self, wanted: bool | None) -> Any:
        if wanted is False or (wanted is None and not _is_scalar(self.program)):
            return None
        check_scalar(self.program.cod)
        return grad(self.found.function, argnums=_which(self.program))(*(self.found.values or ()))

    def text(self) -> str:
        """A paragraph each."""
        parts = [f"{self.name} : {self.program.lam.type!r}", str(self.program)]
        if self.found.values is not None:
            parts.append(f"value: {_shown(self.value)}")
        if self.gradient is not None:
            names = [self.program.lam.params[i].name for i in _which(self.program)]
            lines = [f"  {n}: {_shown(g)}" for n, g in zip(names, self.gradient, strict=True)]
            parts.append("\n".join(["gradient:", *lines]))
        report = self.report
        if report.derived is not None and self.found.values is None:
            parts.append(f"∇{self.name} = {report.derived.alone}")
        parts.append(str(report.certificate) if report.certificate else str(report.program))
        return "\n\n".join(parts)

    def record(self) -> dict[str, Any]:
        """The same for JSON."""
        lam, report = self.program.lam, self.report
        params = [{"name": var.name, "type": repr(var.type)} for var in lam.params]
        made: dict[str, Any] = {
            "name": self.name,
            "type": repr(lam.type),
            "parameters": params,
            "term": str(self.program),
            "combinators": str(self.program.combinators),
            "cost": _cost(report.program),
        }
        if self.found.values is not None:
            made["value"] = _plain(self.value)
        if report.derived is not None:
            made["gradient_term"] = str(report.derived.alone)
        if self.gradient is not None:
            made["gradient"] = {
                params[i]["name"]: _plain(g)
                for i, g in zip(_which(self.program), self.gradient, strict=True)
            }
        if report.gradient is not None and report.certificate is not None:
            made["gradient_cost"] = _cost(report.gradient)
            made["certificate"] = {
                "holds": report.certificate.holds,
                "exact": report.certificate.exact,
                "ratio": _plain(report.certificate.ratio),
                "bounds": list(map(_bound, report.certificate.bounds)),
                "remarks": list(report.certificate.remarks),
            }
        return made


def _report(found: Subject, wanted: bool | None) -> Report:
    report = found.function.cost(*found.given)
    if wanted and report.derived is None:
        raise NotDifferentiable(report.remark)
    return Report(report.name, report.program) if wanted is False else report


def _which(program: Program) -> tuple[int, ...]:
    return tuple(i for i, obj in enumerate(program.types) if is_smooth(obj))


def _is_scalar(program: Program) -> bool:
    try:
        check_scalar(program.cod)
    except NotDifferentiable:
        return False
    return bool(_which(program))


def _dumped(record: Mapping[str, Any]) -> str:
    return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False)


def _cost(found: Cost) -> dict[str, Any]:
    return {
        "operations": _plain(found.total),
        "exact": found.exact,
        "counts": {name: _plain(count) for name, count in found.counts.items()},
        "moved": _plain(found.moved),
        "lines": _plain(found.lines),
        "unknown_calls": _plain(found.unknown),
    }


def _bound(bound: Bound) -> dict[str, Any]:
    return {
        "law": bound.law,
        "says": bound.says,
        "left": _plain(bound.left),
        "right": _plain(bound.right),
        "holds": bound.holds,
        "exact": bound.exact,
    }


def _shown(value: Any) -> str:
    """A value on one line."""
    return json.dumps(_plain(value), ensure_ascii=False)


def _plain(value: Any) -> Any:
    """A value as JSON has it: nan, inf and astronomical integers as text."""
    match value:
        case np.ndarray() | np.generic():
            return _plain(value.tolist())
        case bool() | None | str():
            return value
        case int():
            return value if value.bit_length() <= _BITS else number(value)
        case float():
            return value if math.isfinite(value) else str(value)
        case Mapping():
            return {str(key): _plain(item) for key, item in value.items()}
        case tuple() | list():
            return [_plain(item) for item in value]
        case _:
            return repr(value)
