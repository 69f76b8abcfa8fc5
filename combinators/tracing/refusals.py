"""What says what to write instead: where a trace has no number, and what is not in the language."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any, Never

from combinators.errors import ConcreteValueNeeded, MissingRule, TypeMismatch
from combinators.kit.class_names import class_of
from combinators.objects import Fun, Mu, Sum

WRITTEN = "write it with functions that are, or add a primitive"

_LENGTH = "the length of its result is not known while tracing; write np.where(mask, x, 0)"
_COMPLEX = "the language has no complex numbers yet"
_CHANGES = "values of the language do not change; write set_at(x, i, v), or np.where(mask, v, x)"
INSTEAD = {
    **dict.fromkeys(("nonzero", "argwhere", "flatnonzero", "extract", "compress"), _LENGTH),
    **dict.fromkeys(("put", "place", "putmask", "fill_diagonal", "put_along_axis"), _CHANGES),
    "copyto": _CHANGES,
}
"""What to write in place of functions that are not in the language, by NumPy's names."""


def unknown(name: str, words: Container[str]) -> MissingRule:
    """What is said of a function that is not in the language; a word of its name may be."""
    short = name.removeprefix("np.").removeprefix("numpy.")
    last = short.rpartition(".")[2]
    if last in words:
        return MissingRule(f"{last} of another library does not trace; write dc.{last}(…)")
    return MissingRule(f"{name} is not in the language; {INSTEAD.get(short, WRITTEN)}")


def instead(obj: Any) -> str:
    """What to write where a value, of a type that is no tensor's, is taken for one of Python's."""
    if isinstance(obj, Mu) and class_of(obj.name) is list:
        return "write fold(f, init, xs), map(f, xs) or case(xs, lambda: …, lambda x, rest: …)"
    if isinstance(obj, Sum) and obj.names and class_of(obj.names[0]) is type(None):
        return "write case(s, lambda: …, lambda x: …), for None and for a value"
    if isinstance(obj, Sum | Mu):
        return "write case(s, f, g), a function for each alternative"
    return "call it, as in f(x)" if isinstance(obj, Fun) else ""


def refused(message: str, kind: type[Exception] = TypeMismatch) -> Callable[..., Never]:
    """Refuses, since there is no number yet; ``message`` names the value, and says what to write.

    Of a value that is no tensor it says what to write of one of its type.
    """

    def apply(self: Any, *_: Any, **__: Any) -> Never:
        said = message.format(self)
        if write := instead(getattr(self, "type", None)):
            said = f"{said.partition('; ')[0]}; {write}"
        raise kind(said)

    return apply


class NoNumber:
    """What is no number, nor an array: a function that was not called."""

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = (
        __pow__
    ) = __rpow__ = __neg__ = __lt__ = __le__ = __gt__ = __ge__ = __array_ufunc__ = refused(
        "{!r} is a function, and is taken for a number or an array; call it, as in f(x)"
    )


def concrete(asked: str, instead: str) -> Callable[..., Never]:
    """Refuses to be a number of Python's, which is ``asked`` for."""
    message = f"{asked} asks {{!r}} for a number, which a trace does not have; {instead}"
    return refused(message, ConcreteValueNeeded)


def no_word(operator: str, instead: str) -> Callable[..., Never]:
    """Refuses an operator."""
    return refused(f"{operator} of {{!r}} is not in the language; write {instead}")
