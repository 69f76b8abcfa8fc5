"""First-order types: between these dual arrays differentiate (003, section 2.1)."""

from __future__ import annotations

from combinators.errors import WrongMode
from combinators.objects import Fun, Object, Tangent
from interpreters.flat import parts_of


def check_first_order(obj: Object) -> None:
    """Raise ``WrongMode`` where values of type ``obj`` hold functions.

    >>> from combinators.objects import Real
    >>> check_first_order(Fun(Real, Real))
    Traceback (most recent call last):
        ...
    combinators.errors.WrongMode: ...: mode="delta" differentiates between first-order types, ...
    """
    todo, seen = [obj], {obj}
    while todo:
        part = todo.pop()
        if isinstance(part, Fun) or part is Tangent:
            raise WrongMode(
                f'mode="delta" differentiates between first-order types, and this is {obj!r}: '
                "a program may use functions inside, but none as an argument or as its result "
                "(003, section 2.1); leave mode= out"
            )
        below = [each for each in parts_of(part) or () if each not in seen]
        seen.update(below)
        todo += below
