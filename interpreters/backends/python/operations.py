"""Primitives: what each asks of its arguments, and who writes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from combinators.errors import MissingRule
from combinators.kit.recursion import Recursive
from combinators.literal import Literal
from combinators.objects import Real, Tensor
from combinators.primitives.applications import DUAL, OVERRIDE, RECOMPUTE, REP
from combinators.primitives.building import IOTA
from combinators.primitives.loops import LOOP
from combinators.primitives.structural import PACK, PLUS, UNPACK, ZEROS
from combinators.terms import Const, Prim, Term, Var
from interpreters.backends.python import arrays, calls, cotangents, loops, tensors
from interpreters.backends.python.frame import Frame, share
from interpreters.backends.python.numbers import scalar
from interpreters.backends.python.shortcuts import shortcut
from interpreters.backends.python.values import Leaf, Value
from interpreters.backends.text.emitter import zeros

if TYPE_CHECKING:
    from interpreters.backends.python.emitter import Emitter

_APPLIED = (OVERRIDE.primitive, RECOMPUTE.primitive)
_OTHERS = frozenset((LOOP, *_APPLIED, REP.primitive, DUAL.primitive, ZEROS, PACK, UNPACK))
_OF_NUMBERS = arrays.ELEMENTWISE | {PLUS.name}
_ATOMS = frozenset((Var, Const))
_DEEP = 8


def is_direct(term: Term, deep: int = _DEEP) -> bool:
    """Whether it is made of a few primitives of tensors, which are written without our stack."""
    if type(term) is not Prim:
        return type(term) in _ATOMS
    if not deep or term.operation.primitive in _OTHERS or not isinstance(term.type, Tensor):
        return False
    # A generator takes its time, and most arguments are atoms.
    for arg in term.args:  # noqa: SIM110
        if type(arg) not in _ATOMS and not is_direct(arg, deep - 1):
            return False
    return True


def direct(emitter: Emitter, term: Term, at: Frame, wish: str) -> Value:
    """The value of a term that ``is_direct``: most are, and this is the quickest way."""
    if type(term) is Var:
        return at.env[term.name]
    if type(term) is Const:
        return emitter.literal(term.literal)
    assert isinstance(term, Prim)
    several = shortcut(term)
    if several is not None:
        parts = [direct(emitter, arg, at, "t") for arg in several.args]
        return several.write(emitter, parts, at, wish)
    env = at.env
    args = [
        env[arg.name] if type(arg) is Var else direct(emitter, arg, at, "t") for arg in term.args
    ]
    return _tensor(emitter, term, args, at, wish)


def _tensor(emitter: Emitter, term: Prim, args: Sequence[Value], at: Frame, wish: str) -> Value:
    primitive = term.operation.primitive
    if term.type is Real and primitive.name in _OF_NUMBERS:
        leaves = [arg for arg in args if type(arg) is Leaf]
        if len(leaves) == len(args):
            return scalar(emitter, primitive.name, leaves, Real, at)
    if primitive is IOTA:
        return emitter.literal(Literal(np.arange(term.operation.keywords["length"])))
    if primitive is PLUS:
        assert isinstance(term.type, Tensor)
        return cotangents.sum_of(emitter, args[0], args[1], term.type, at, wish)
    return tensors.tensor(emitter, term.operation, args, term.type, at, wish)


def operation(emitter: Emitter, term: Prim, at: Frame, wish: str) -> Recursive[Value]:
    """The value of a primitive, of any arguments."""
    primitive = term.operation.primitive
    result: Value
    if primitive is LOOP:
        result = yield loops.loop(emitter, term, at, wish)
        return result
    if primitive in _APPLIED:
        result = yield calls.applied(emitter, term.args[0], term.args[-1], at, wish)
        return result
    if primitive in (REP.primitive, DUAL.primitive):
        raise MissingRule("the Python backend has no rep-functions of functions that it is given")
    if primitive is ZEROS:
        result = yield zeros(emitter, term.operation.keywords["of"], at, {})
        return result
    several = shortcut(term)
    args: list[Value] = []
    for arg in term.args if several is None else several.args:
        args.append((yield emitter.value(arg, at)))
    if several is not None:
        return several.write(emitter, args, at, wish)
    if primitive is PACK:
        packed: Leaf = yield emitter.leaf(args[0], at)
        share(packed)
        return Leaf(packed.text, term.type, packed.level, tainted=packed.tainted)
    if primitive is UNPACK:
        result = yield cotangents.unpacked(emitter, args[0], term.type, at, wish)
        return result
    if primitive is PLUS and not isinstance(term.type, Tensor):
        result = yield cotangents.plus(emitter, args[0], args[1], term.type, at, wish)
        return result
    return _tensor(emitter, term, args, at, wish)
