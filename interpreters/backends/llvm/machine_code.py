"""LLVM's text as machine code for this processor."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from combinators.errors import MissingRule
from interpreters.backends.llvm.helpers import helper
from interpreters.backends.llvm.libraries import address
from interpreters.backends.llvm.scopes import NativeModule

SHORT, LONG = 500, 6_000
"""Lines up to which LLVM's own passes pay, and from which quick code generation does."""


@cache
def llvm() -> Any:
    """LLVM's bindings, which know this processor; ImportError where they are not installed."""
    found = import_module("llvmlite.binding")
    found.initialize_native_target()
    found.initialize_native_asmprinter()
    return found


@cache
def features() -> tuple[str, str]:
    """The processor, and what it has."""
    return llvm().get_host_cpu_name(), llvm().get_host_cpu_features().flatten()


def lanes() -> int:
    """How many float64 a vector has here."""
    has = features()[1].split(",")
    return 8 if "+avx512f" in has and "+avx512dq" in has else 4


def target(level: int) -> Any:
    """What makes code for this processor."""
    cpu, has = features()
    return (
        llvm()
        .Target.from_default_triple()
        .create_target_machine(
            cpu=cpu, features=has, opt=level, reloc="pic", codemodel="jitdefault", jit=True
        )
    )


def whole_text(module: NativeModule, bodies: list[str], constants: int) -> str:
    """The module: what it takes from elsewhere, its functions, their attributes."""
    width = module.lanes * 64
    declared = [d for name, d in sorted(module.declared.items()) if not name.startswith("dc_")]
    own = [helper(name) for name in sorted(module.declared) if name.startswith("dc_")]
    lines = "\n".join([*map(_pure, declared), *own]).splitlines()
    seen: set[str] = set()
    kept = []
    for line in lines:
        if line.startswith("declare"):
            name = re.search(r"@[\w.$]+", line)
            assert name is not None
            if name[0] in seen:
                continue
            seen.add(name[0])
        kept.append(line)
    data = [f"@constant{number} = external global i8" for number in range(constants)]
    attributes = [
        (
            f'attributes #0 = {{ nounwind "prefer-vector-width"="{width}" '
            f'"min-legal-vector-width"="{width}" "no-builtins" "stackrealign" }}'
        ),
        "attributes #1 = { nounwind alwaysinline }",
        "attributes #2 = { nounwind willreturn memory(none) }",
    ]
    return "\n".join([*kept, *data, *bodies, *attributes, ""])


def _pure(line: str) -> str:
    """Functions of the C library read and write nothing."""
    return line if "@llvm." in line else f"{line} #2"


class Loaded:
    """Machine code, which lives as long as this."""

    def __init__(
        self,
        text: str,
        arrays: dict[str, np.ndarray[Any, Any]],
        symbol: Callable[[str], int] = address,
    ) -> None:
        """Of a module's text, the arrays that it names, and where everything else is."""
        count = text.count("\n")
        machine = target(2 if count < LONG else 0)
        made = llvm().parse_assembly(text)
        made.verify()
        _passes(made, machine, short=count < SHORT)
        self._arrays = arrays
        self.engine = llvm().create_mcjit_compiler(made, machine)
        for named in (*made.functions, *made.global_variables):
            name = named.name
            if not named.is_declaration or name.startswith("llvm."):
                continue
            where = arrays[name].ctypes.data if name in arrays else symbol(name)
            if not where:  # a function that is not found would be called at address 0
                raise MissingRule(f"the native backend finds no {name} here")
            self.engine.add_global_mapping(named, where)
        self.engine.finalize_object()

    def address(self, name: str) -> int:
        """Where a function is."""
        found: int = self.engine.get_function_address(name)
        return found


def _passes(module: Any, machine: Any, *, short: bool) -> None:
    tuning = llvm().create_pipeline_tuning_options(speed_level=1)
    tuning.loop_vectorization = tuning.slp_vectorization = tuning.loop_interleaving = False
    builder = llvm().create_pass_builder(machine, tuning)
    if short:
        builder.getModulePassManager().run(module, builder)
        return
    manager = llvm().create_new_module_pass_manager()
    manager.add_sroa_pass()
    manager.run(module, builder)
