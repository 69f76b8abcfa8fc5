"""How a function is called with functions among its arguments, and with arguments by name."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any

from combinators.errors import DiffcurryError
from combinators.tracing.traced import parameter_names
from diffcurry.arguments import is_setting
from diffcurry.known import Known, NotKnown


class Calling(ABC):
    """The ways that lead to a function of data, which is compiled."""

    transforms: dict[Any, Any]
    """What was made of the function, by how it is called."""
    _quick: dict[int, Callable[[tuple[Any, ...]], Any]]

    @abstractmethod
    def known(self, values: tuple[Any, ...]) -> Known[Any]:
        """The arguments taken apart, and the function of their data; raises NotKnown."""

    @abstractmethod
    def otherwise(self, values: tuple[Any, ...]) -> Any:
        """The value of what has no code."""

    @abstractmethod
    def naming(self, count: int, names: tuple[str, ...], settings: dict[str, Any]) -> Any:
        """The function of ``count`` arguments by position and others by ``names``."""

    def with_functions(self, values: tuple[Any, ...]) -> Any:
        """The value where functions are among the arguments: compiled for their code."""
        try:
            known = self.base.known(self.primals(values))
            result = self.of_known(known, values)
        except (NotKnown, DiffcurryError):
            return self.otherwise(values)
        if known.is_fixed:
            self._quick[len(values)] = partial(self._given_again, known)
        return result

    def _given_again(self, known: Known[Any], values: tuple[Any, ...]) -> Any:
        """The value where the functions are given again."""
        return self.of_known(known.again(self.primals(values)), values)

    @property
    def base(self) -> Any:
        """The function whose arguments it takes."""
        return self

    def primals(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Those of ``values`` that are arguments of ``base``."""
        return values

    def of_known(self, known: Known[Any], values: tuple[Any, ...]) -> Any:
        """The value, by a function of data; raises NotKnown where it is of no use."""
        return known.function(*known.data)

    def with_names(self, count: int, named: dict[str, Any], values: tuple[Any, ...]) -> Any:
        """The value where arguments that others stand before are given by name.

        Words and truths are settings, of which there is a program each; the rest is data.
        """
        data = {name: value for name, value in named.items() if not is_setting(value)}
        settings = {name: value for name, value in named.items() if is_setting(value)}
        key = (count, tuple(data), tuple(settings.items()))
        if key not in self.transforms:
            self.transforms[key] = self.naming(count, tuple(data), settings)
        return self.transforms[key](*values, *data.values())


def of_names(
    function: Callable[..., Any],
    count: int,
    names: tuple[str, ...],
    settings: dict[str, Any],
    name: str,
) -> Callable[..., Any]:
    """A Python function of ``count`` arguments and of those by ``names``, all by position."""

    def applied(*args: Any) -> Any:
        given = dict(zip(names, args[count:], strict=True))
        return function(*args[:count], **given, **settings)

    kind = inspect.Parameter.POSITIONAL_ONLY
    words = [*parameter_names(function, count), *names]
    params = [inspect.Parameter(word, kind) for word in words]
    applied.__signature__ = inspect.Signature(params)  # type: ignore[attr-defined]  # inspect asks
    applied.__name__ = name
    return applied
