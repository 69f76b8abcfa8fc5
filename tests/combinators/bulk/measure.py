"""How much there is to be done: the nodes below a ``map`` or an ``index``, each as often as it is.

It is what decreases when a rule fires: a rule takes the node that it is about from below the build,
or the index, and leaves its operands there. Atoms weigh nothing, nor does an index of an atom.
"""

from __future__ import annotations

from combinators.primitives.indexing import TAKE
from combinators.primitives.loops import is_map
from combinators.terms import Const, Lam, Prim, Term, Var


def measure(lam: Lam) -> int:
    """The number of maps, and of pairs of a ``map`` or an ``index`` and a node below it.

    >>> from combinators.objects import Real
    >>> x = Var("x", Real)
    >>> measure(Lam((x,), x))
    0
    """
    total = 0
    todo: list[tuple[Term, int]] = [(lam, 0)]
    while todo:
        term, depth = todo.pop()
        if isinstance(term, Var | Const) or _is_index_of_atom(term):
            continue
        if isinstance(term, Prim) and is_map(term):
            f, xs = term.args
            inside = f.body if isinstance(f, Lam) else f
            total += depth + 1
            todo += [(inside, depth + 1), (xs, depth)]
        elif _is_index(term):
            x, *indices = term.below()
            total += depth
            todo += [(x, depth + 1), *((index, depth) for index in indices)]
        else:
            total += depth
            todo += [(part, depth) for part in term.below()]
    return total


def _is_index(term: Term) -> bool:
    if not isinstance(term, Prim) or term.operation.primitive is not TAKE:
        return False
    return all(getattr(index.type, "shape", ()) == () for index in term.args[1:])


def _is_index_of_atom(term: Term) -> bool:
    return _is_index(term) and all(isinstance(part, Var | Const) for part in term.below())
