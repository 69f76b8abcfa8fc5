"""The bulk-operation transform as a way from programs to arrows."""

from __future__ import annotations

from collections.abc import Callable

from combinators.bulk import bulk
from combinators.morphisms import Morphism, interpret
from combinators.translate import translate
from diffcurry.models.host import Hosted
from interpreters.carriers.carrier import Carrier
from interpreters.modes.primal import Primal
from laws.models.written import term_of


def bulk_over(carrier: Carrier) -> Callable[[Morphism], Hosted]:
    """The program in bulk, interpreted over this carrier."""
    mode = Primal(carrier)

    def way(program: Morphism) -> Hosted:
        lam = bulk(term_of(program))
        arrow = interpret(translate(lam.params, lam.body), mode)
        return Hosted(program.dom, program.cod, lambda point: mode.value(arrow, (point,)))

    return way
