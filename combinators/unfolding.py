"""How large a term is when what it shares is written out.

``fun`` names by ``let`` whatever is used twice. A term built by hand may hold one node in many
places instead; each is then computed where it stands, and sixty-four doublings would take for ever.
"""

from __future__ import annotations

from combinators.errors import TypeMismatch
from combinators.kit.tree import distinct_nodes
from combinators.terms import Lam, Term

MOST = 10_000_000


def check_unfolding(term: Term) -> None:
    """Raise where a term without its sharing has more than ten million nodes."""
    size: dict[int, int] = {}
    node: Term
    for node in distinct_nodes(term, kind=Term):
        total = 1 + sum([size[id(part)] for part in node.below()])
        if total > MOST:
            raise TypeMismatch(
                f"a term holds {len(size)} nodes in more than {MOST} places; "
                "name what is used again: Let(((x, shared),), body)"
            )
        # a function is translated once, wherever it stands
        size[id(node)] = 1 if isinstance(node, Lam) else total
