"""Lines of primitives, projections and tuples alone, written by plain recursion.

Most lines of most programs are such; a computation that Python's stack does not limit costs several
times as much. A line that is nested deeper than ``DEEP`` takes that way.
"""

from __future__ import annotations

from combinators.primitives.loops import LOOPS
from combinators.simplify.blocks import Block, Writer
from combinators.simplify.parts import Value
from combinators.simplify.rebuilt import operands, rebuilt
from combinators.terms import Const, Prim, Proj, Term, Tuple, Var

DEEP = 40
"""So deep is a line at most that is written by plain recursion."""


def is_direct(term: Term, env: dict[str, Value], depth: int = DEEP) -> bool:
    """Whether ``term`` holds no λ, choice, call or loop, and no value that is written later."""
    match term:
        case Var(name):
            return isinstance(env.get(name), Term)
        case Const():
            return True
        case Prim(operation, parts) if operation.primitive not in LOOPS:
            pass
        case Tuple(parts):
            pass
        case Proj(_, product):
            parts = (product,)
        case _:
            return False
    for part in parts:
        if not is_direct(part, env, depth - 1):
            return False
    return depth > 0


def direct(
    term: Term, env: dict[str, Value], writer: Writer, block: Block, wish: Var | None = None
) -> Term:
    """The atom for a term of which ``is_direct`` holds."""
    match term:
        case Var(name):
            return env[name]  # type: ignore[return-value]
        case Const() | Prim(_, ()):
            return term
    parts = operands(term)
    atoms = tuple([direct(part, env, writer, block) for part in parts])
    made = rebuilt(term, parts, atoms)
    return writer.emit(made, block, wish.name if wish is not None else "v", wish)
