"""Objects of laws, as they are written: ``(A ⇒ B) × A``."""

from __future__ import annotations

from combinators.objects import Fun, Object, Product, Unit, Vector
from laws.language.variables import Space, Variable
from laws.rendering.symbols import Symbols

_FUNCTION, _PRODUCT, _ATOM = range(3)


def written(obj: Object, symbols: Symbols) -> str:
    """An object over variables; one that holds none is written as it prints."""
    return _written(obj, symbols)[0]


def _written(obj: Object, symbols: Symbols) -> tuple[str, int]:
    """What it reads as, and how tightly it binds."""
    match obj:
        case Variable(name):
            return symbols.named(name), _ATOM
        case Space(of):
            return f"{symbols.space}{_inside(of, _ATOM, symbols)}", _ATOM
        case Product() if obj is Unit:
            return "1", _ATOM
        case Product() if obj.width == 1:
            return written(obj.parts[0], symbols), _ATOM
        case Product():
            parts = (_inside(part, _ATOM, symbols) for part in obj.parts)
            return symbols.times.join(parts), _PRODUCT
        case Fun(dom, cod):
            left, right = _inside(dom, _PRODUCT, symbols), _inside(cod, _FUNCTION, symbols)
            return f"{left}{symbols.power}{right}", _FUNCTION
        case Vector(item, length):
            return f"{_inside(item, _ATOM, symbols)}^{length}", _ATOM
        case _:
            text = repr(obj)
            return (text if text.isalnum() else symbols.words(text).strip("\\; ")), _ATOM


def _inside(obj: Object, least: int, symbols: Symbols) -> str:
    text, binding = _written(obj, symbols)
    return text if binding >= least else f"({text})"
