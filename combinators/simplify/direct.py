"""Lines of primitives, projections and tuples alone, written by plain recursion.

Most lines of most programs are such; a computation that Python's stack does not limit costs several
times as much. A line that is nested deeper than ``DEEP`` takes that way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from combinators.block import Block, remade
from combinators.primitives.loops import LOOP
from combinators.simplify.parts import Value
from combinators.simplify.writer import Writer
from combinators.terms import Const, Prim, Proj, Term, Tuple, Var

DEEP = 40
"""So deep is a line at most that is written by plain recursion."""


def is_direct(term: Term, env: Mapping[str, Value], depth: int = DEEP) -> bool:
    """Whether ``term`` holds no λ, choice, call or loop, and no value that is written later."""
    if type(term) is Prim:
        if term.operation.primitive is LOOP:
            return False
        parts = term.args
    elif type(term) is Var:
        return isinstance(env.get(term.name), Term)
    elif type(term) is Const:
        return True
    elif isinstance(term, (Tuple, Proj)):
        parts = term.below()
    else:
        return False
    for part in parts:
        if type(part) is Var:
            if not isinstance(env.get(part.name), Term):
                return False
        elif type(part) is not Const and not is_direct(part, env, depth - 1):
            return False
    return depth > 0


def direct(
    term: Term, env: Mapping[str, Value], writer: Writer, block: Block, wish: Var | None = None
) -> Term:
    """The atom for a term of which ``is_direct`` holds."""
    if type(term) is Var:
        return env[term.name]  # type: ignore[return-value]  # as is_direct asks
    if type(term) is Const:
        return term
    parts = term.args if type(term) is Prim else term.below()
    if not parts and type(term) is Prim:
        return term
    is_new = False
    atoms: list[Any] = []
    for part in parts:
        if type(part) is Var:
            atom: Any = env[part.name]
        else:
            atom = part if type(part) is Const else direct(part, env, writer, block)
        is_new = is_new or atom is not part
        atoms.append(atom)
    made = remade(term, tuple(atoms)) if is_new else term
    return writer.emit(made, block, wish.name if wish is not None else "v", wish)
