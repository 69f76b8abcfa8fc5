"""Random well-typed terms: closed λs, for laws about terms.

They are the terms of random arrows, and so shrink as these do.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from combinators.category import Label
from combinators.morphisms import Morphism, interpret
from combinators.objects import Fun, Object, Product
from combinators.terms import Lam, Term, pack, packed
from laws.model import Signature
from laws.models.written import Arrow, Writing
from laws.strategies.arrows import FUEL, arrows


def terms(
    signature: Signature,
    params: Sequence[Object],
    cod: Object,
    *,
    fuel: int = FUEL,
    special: bool = False,
) -> st.SearchStrategy[Lam]:
    """Closed λs of parameters of these types, which give a ``cod``.

    >>> from combinators.objects import Real
    >>> from hypothesis import find
    >>> find(terms(Signature(), (Real, Real), Real), lambda e: True)
    λ(x, y). x
    """
    dom = packed(tuple(params))
    drawn = arrows(signature, dom, cod, fuel=fuel, special=special)
    return drawn.map(lambda arrow: term_of(arrow, params))


def term_of(arrow: Morphism, params: Sequence[Object]) -> Lam:
    """The λ of parameters of these types that means ``arrow``: ``translate`` gives it back.

    Names are given by how many are in scope, so that different scopes use the same ones.
    """
    scoped = _Scoped()
    own = tuple(map(scoped.fresh, params))
    return Lam(own, interpret(arrow, scoped)(pack(own)))


class _Scoped(Writing):
    """Writing that gives the names of a λ or a branch again outside of it."""

    def name(self, index: int) -> str:
        """``x, y, z, u, v, w, x1, …``."""
        turn, letter = divmod(index - 1, 6)
        return "xyzuvw"[letter] + (str(turn) if turn else "")

    def curry(self, captured: Product, function: Fun, body: Arrow, label: Label) -> Arrow:
        """A λ."""
        return self._leaving(super().curry(captured, function, body, label))

    def cond(self, dom: Object, then: Arrow, other: Arrow) -> Arrow:
        """A choice."""
        return super().cond(dom, self._leaving(then), self._leaving(other))

    def _leaving(self, write: Arrow) -> Arrow:
        """``write``, after which the names that it gave are free."""

        def written(term: Term) -> Term:
            before = self.given
            made = write(term)
            self.given = before
            return made

        return written
