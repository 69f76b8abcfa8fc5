"""LLVM's text as machine code for this processor."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from importlib import import_module
from typing import Any

import numpy as np

from combinators import __version__
from combinators.errors import MissingRule
from interpreters.backends.llvm.helpers import helper
from interpreters.backends.llvm.libraries import address
from interpreters.backends.llvm.object_cache import keep, kept
from interpreters.backends.llvm.scopes import NativeModule

SHORT, LONG = 500, 6_000
"""Lines up to which LLVM's own passes pay, and from which quick code generation does; it always
does without loops, in a third of the time, and the code is as fast."""


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


@cache
def _plain() -> Any:
    """The kind of this processor."""
    return llvm().Target.from_default_triple()


@cache
def target(level: int) -> Any:
    """What makes code for this processor."""
    cpu, has = features()
    return _plain().create_target_machine(
        cpu=cpu, features=has, opt=level, reloc="pic", codemodel="jitdefault", jit=True
    )


def whole_text(module: NativeModule, bodies: list[str], constants: int) -> str:
    """The module: what it takes from elsewhere, its functions, their attributes."""
    width = module.lanes * 64
    declared = [d for name, d in sorted(module.declared.items()) if not name.startswith("dc_")]
    own = [helper(name) for name in sorted(module.declared) if name.startswith("dc_")]
    data = [f"@constant{number} = external global i8" for number in range(constants)]
    lines = "\n".join([*map(_pure, declared), *own, *data, *bodies]).splitlines()
    each: dict[str | int, str] = {}
    for number, line in enumerate(lines):  # what is declared is declared once
        each.setdefault(line.partition("(")[0] if line.startswith("declare") else number, line)
    attributes = [
        (
            f'attributes #0 = {{ nounwind "prefer-vector-width"="{width}" '
            f'"min-legal-vector-width"="{width}" "no-builtins" "stackrealign" }}'
        ),
        "attributes #1 = { nounwind alwaysinline }",
        "attributes #2 = { nounwind willreturn memory(none) }",
    ]
    return "\n".join([*each.values(), *attributes, ""])


def _pure(line: str) -> str:
    """Functions of the C library read and write nothing, but products of matrices."""
    return line if "@llvm." in line or "gemm" in line else f"{line} #2"


class Loaded:
    """Machine code, which lives as long as this."""

    def __init__(
        self,
        text: str,
        arrays: dict[str, np.ndarray[Any, Any]],
        symbol: Callable[[str], int] = address,
        function: str = "entry",
    ) -> None:
        """Of a module's text, the arrays that it names, and where everything else is."""
        _, code = object_code(text)
        self._arrays = arrays
        names = _outside(text)
        named = llvm().parse_assembly("".join(f"@{name} = external global i8\n" for name in names))
        self._engine = llvm().create_mcjit_compiler(named, _plain().create_target_machine(jit=True))
        for name in names:
            where = arrays[name].ctypes.data if name in arrays else symbol(name)
            if not where:  # a function that is not found would be called at address 0
                raise MissingRule(f"the native backend finds no {name} here")
            self._engine.add_global_mapping(named.get_global_variable(name), where)
        self._engine.add_object_file(llvm().ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        self.address: int = self._engine.get_function_address(function)
        """Where the function is."""


_OUTSIDE = re.compile(r"^(?:declare [^@]*)?@([\w$]+)(?:\(| = external)", re.MULTILINE)


def _outside(text: str) -> list[str]:
    """What a module takes from elsewhere: nothing with an address stands in its text."""
    return [name for name in _OUTSIDE.findall(text) if text.count(f"@{name}") > 1]


def object_code(text: str) -> tuple[bool, bytes]:
    """The object code of a module, and whether it was made now: it is kept on disk."""
    lines = text.count("\n")
    has_loops = " = phi " in text or text.count("define i1 @") > 1
    level, is_short = (2 if has_loops and lines < LONG else 0), has_loops and lines < SHORT
    made_by = (__version__, *_maker(), str(level), str(is_short))
    name = sha256("\0".join([*made_by, text]).encode()).hexdigest()
    found = kept(name)
    if found is not None:
        return False, found
    machine, module = target(level), llvm().parse_assembly(text)
    _passes(module, machine, short=is_short)
    code: bytes = machine.emit_object(module)
    keep(name, code)
    return True, code


@cache
def _maker() -> tuple[str, ...]:
    """What makes code, and for what: all that decides, but a module's text."""
    versions = ".".join(map(str, llvm().llvm_version_info))
    own: str = import_module("llvmlite").__version__
    return own, versions, llvm().get_default_triple(), *features()


def _passes(module: Any, machine: Any, *, short: bool) -> None:
    tuning = llvm().create_pipeline_tuning_options(speed_level=1)
    tuning.loop_vectorization = tuning.slp_vectorization = tuning.loop_interleaving = False
    builder = llvm().create_pass_builder(machine, tuning)
    if short:
        builder.getModulePassManager().run(module, builder)
        return
    manager = llvm().create_new_module_pass_manager()
    manager.add_always_inliner_pass()
    manager.add_sroa_pass()
    manager.run(module, builder)
