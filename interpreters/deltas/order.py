"""First-order types: between these dual arrays differentiate (003, section 2.1)."""

from __future__ import annotations

from combinators.errors import WrongMode
from combinators.objects import Object
from combinators.type_folds import is_first_order


def check_first_order(obj: Object) -> None:
    """Raise ``WrongMode`` where values of type ``obj`` hold functions.

    >>> from combinators.objects import Fun, Real
    >>> check_first_order(Fun(Real, Real))
    Traceback (most recent call last):
        ...
    combinators.errors.WrongMode: ...: mode="delta" differentiates between first-order types, ...
    """
    if not is_first_order(obj):
        raise WrongMode(
            f'mode="delta" differentiates between first-order types, and this is {obj!r}: '
            "a program may use functions inside, but none as an argument or as its result "
            "(003, section 2.1); leave mode= out"
        )
