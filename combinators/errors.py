"""What can go wrong, each also a builtin, so that ``except TypeError`` keeps working."""

from __future__ import annotations

from combinators.kit.locate import Place, users_place


class DiffcurryError(Exception):
    """The base of every error that diffcurry raises on purpose.

    It says what is wrong and what to do, after the line of the user's that led to it.
    """

    place: Place

    def __init__(self, message: str, place: Place | None = None) -> None:
        """An error at ``place``, by default the user's line that is being run."""
        super().__init__(message)
        self.place = place or users_place()

    def __str__(self) -> str:
        """``file:line: message``."""
        return f"{self.place}: {self.args[0]}"


class TypeMismatch(DiffcurryError, TypeError):
    """Two objects (types) that had to be one are two."""


class NotComposable(TypeMismatch):
    """``f >> g`` where ``f.cod`` is not ``g.dom``."""


class ShapeMismatch(DiffcurryError, ValueError):
    """Shapes that do not fit together."""


class IndexOutOfRange(DiffcurryError, IndexError):
    """An index, known only when it runs, outside its axis, in a function that is checked."""


class DivisionByZero(DiffcurryError, ZeroDivisionError):
    """A division of integers by zero, in a function that is checked."""


class UnboundVariable(DiffcurryError, NameError):
    """A variable that no λ, let or context binds."""


class EscapedVariable(DiffcurryError, NameError):
    """A traced value used outside the λ (or the branch) that made it."""


class ConcreteValueNeeded(DiffcurryError, TypeError):
    """Python asked a traced value for a number, a truth value or an iterator."""


class ImmutableValue(DiffcurryError, TypeError):
    """Assignment into a traced value."""


class MissingRule(DiffcurryError, NotImplementedError):
    """A primitive without a value in a carrier, or without a derivative."""


class WrongDerivative(DiffcurryError, ValueError):
    """A derivative that fails the law it must obey."""


class NotDifferentiable(DiffcurryError, TypeError):
    """A derivative asked of, or with respect to, something that has none."""


class UnknownCode(NotDifferentiable):
    """A second derivative, as a program, of a function whose code is known at values only."""


class TooDeep(DiffcurryError, RecursionError):
    """Python functions or containers nested deeper than Python's own stack."""


class MissingAttribute(DiffcurryError, AttributeError):
    """A method or an attribute of NumPy's arrays that traced values do not have."""


class NameTaken(DiffcurryError, ValueError):
    """A primitive of the user's under the name of one of the language's own."""


class WrongMode(DiffcurryError, ValueError):
    """A mode that does not exist, or that cannot do what is asked of it."""


class DomainError(DiffcurryError, ArithmeticError):
    """A value that the carrier cannot hold, as 1/0 among the rationals."""
