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
from diffcurry.commands.targets import Subject
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
    record: Mapping[str, Any]
    if options.emit is not None:
        program = derived(found.program.lam).alone if options.grad else found.program
        text = EMITTERS[options.emit](program).rstrip()
        record = {"emit": options.emit, "text": text}
    else:
        report = _report(found, options.grad)
        record = _record(found, report, options.grad)
        text = _text(record, report)
    if not options.json:
        return text
    return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False)


def _report(found: Subject, wanted: bool | None) -> Report:
    report = found.function.cost(*found.given)
    if wanted and report.derived is None:
        raise NotDifferentiable(report.remark)
    return Report(report.name, report.program) if wanted is False else report


def _record(found: Subject, report: Report, wanted: bool | None) -> dict[str, Any]:
    """All that is to be seen of a subject, for JSON."""
    program, values = found.program, found.values
    lam = program.lam
    record: dict[str, Any] = {
        "name": lam.name or "λ",
        "type": repr(lam.type),
        "parameters": [{"name": var.name, "type": repr(var.type)} for var in lam.params],
        "term": str(program),
        "combinators": str(program.combinators),
        "cost": _cost(report.program),
    }
    if values is not None:
        record["value"] = _plain(found.function(*values))
    if report.derived is not None:
        record["gradient_term"] = str(report.derived.alone)
    smooth = tuple(i for i, obj in enumerate(program.types) if is_smooth(obj))
    if values is not None and (wanted or (wanted is None and smooth and _is_scalar(program))):
        check_scalar(program.cod)
        gradients = map(_plain, grad(found.function, argnums=smooth)(*values))
        names = [lam.params[i].name for i in smooth]
        record["gradient"] = dict(zip(names, gradients, strict=True))
    if report.gradient is not None and report.certificate is not None:
        record["gradient_cost"] = _cost(report.gradient)
        record["certificate"] = {
            **_fields(report.certificate, "holds exact ratio"),
            "bounds": list(map(_bound, report.certificate.bounds)),
            "remarks": list(report.certificate.remarks),
        }
    return record


def _text(record: Mapping[str, Any], report: Report) -> str:
    """The same, a paragraph each."""
    parts = [f"{record['name']} : {record['type']}", record["term"]]
    if "value" in record:
        parts.append(f"value: {_line(record['value'])}")
    elif "gradient_term" in record:
        parts.append(f"∇{record['name']} = {record['gradient_term']}")
    if "gradient" in record:
        lines = [f"  {name}: {_line(value)}" for name, value in record["gradient"].items()]
        parts.append("\n".join(["gradient:", *lines]))
    return "\n\n".join([*parts, str(report.certificate or report.program)])


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _is_scalar(program: Program) -> bool:
    try:
        check_scalar(program.cod)
    except NotDifferentiable:
        return False
    return True


def _cost(found: Cost) -> dict[str, Any]:
    return {
        "operations": _plain(found.total),
        **_fields(found, "exact counts moved lines"),
        "unknown_calls": _plain(found.unknown),
    }


def _bound(bound: Bound) -> dict[str, Any]:
    return _fields(bound, "law says left right holds exact")


def _fields(thing: Any, names: str) -> dict[str, Any]:
    return {name: _plain(getattr(thing, name)) for name in names.split()}


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
