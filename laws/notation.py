r"""Arrows and objects of laws, as they are written: ``⟨curry(f), g⟩ >> eval``, ``(A ⇒ B) × A``.

They read as programs print. Laws say besides ``f × g``, ``Δ``, ``σ``, ``!``, ``f ⇒ g`` and
``[f, g]`` for what these are. A product of one prints as its component, and ``⟨id⟩ >> curry(f)`` as
``curry(f)``: how a law says that one variable is captured. LaTeX is the same text, word by word:

>>> latex_of("⟨curry(f1), id⟩ >> π0")
'\\langle \\mathrm{curry}(f_{1}), \\mathrm{id}\\rangle \\gg \\pi_{0}'
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest

from combinators.kit.tree import distinct_nodes
from combinators.morphisms import (
    Choice,
    Compose,
    Curry,
    Eval,
    Extend,
    Id,
    Morphism,
    Primitive,
    Prod,
    Projection,
    compose,
)
from combinators.objects import Fun, Mu, Object, Product, Sum, Tagged, Unit, Vector
from combinators.primitives.sums import INJECT, IS, PAYLOAD, ROLL, TAG, UNTAG
from laws.language import Generator, Operator, TangentSpace, Variable

Written = tuple[str, int]
"""What something reads as, and how tightly that binds."""
_FUNCTION, _PRODUCT, _PART = range(3)
_THEN, _SUM, _TIMES, _PREFIX, _ATOM = range(5)


def _enclosed(written: Written, least: int) -> str:
    """In parentheses where it binds less tightly than ``least``."""
    text, binding = written
    return text if binding >= least else f"({text})"


def object_text(obj: Object) -> str:
    """An object over variables; one that holds none is written as it prints."""
    return _object(obj)[0]


def _object(obj: Object) -> Written:
    def inside(part: Object, least: int = _PART) -> str:
        return _enclosed(_object(part), least)

    match obj:
        case Variable(name):
            return name, _PART
        case TangentSpace(of):
            return f"T {inside(of)}", _PART
        case Product() if obj is not Unit:
            parts = [inside(part) for part in obj.parts]
            return (" × ".join(parts), _PRODUCT) if len(parts) > 1 else _object(obj.parts[0])
        case Fun(dom, cod):
            return f"{inside(dom, _PRODUCT)} ⇒ {inside(cod, _FUNCTION)}", _FUNCTION
        case Vector(item, length):
            return f"{inside(item)}^{length}", _PART
        case Sum(None):
            zero = ["0"] if isinstance(obj, Tagged) else []
            return " + ".join([*zero, *map(inside, obj.parts)]), _PRODUCT
        case Mu(_, body):
            held = (part for part in distinct_nodes(body) if isinstance(part, Variable))
            return " ".join([repr(obj), *map(object_text, held)]), _PART
        case _:
            return repr(obj), _PART


def side_text(side: Morphism) -> str:
    """A side of a law."""
    return _side(side)[0]


def _at(side: Morphism, least: int) -> str:
    return _enclosed(_side(side), least)


def _tuple(*arrows: Morphism) -> Written:
    return f"⟨{', '.join(map(side_text, arrows))}⟩", _ATOM


def _side(side: Morphism) -> Written:
    match side:
        case Generator(name):
            return name, _ATOM
        case Compose(arrows):
            steps = list(_steps(arrows))
            if len(steps) == 1:
                return steps[0]
            return " >> ".join(_enclosed(step, _PREFIX) for step in steps), _THEN
        case Prod():
            return _product(side)
        case Extend(arrow):
            return _tuple(Id(side.dom), arrow)
        case Curry(Compose((Prod() as both, Eval() as last, *rest))) if (
            (factors := _factors(both)) and len(factors) == 2 and isinstance(factors[0], Id)
        ):
            after = compose(Id(last.cod), *rest)
            return f"{_at(factors[1], _PREFIX)} ⇒ {_at(after, _PREFIX)}", _TIMES
        case Curry(body):
            return f"curry({side_text(body)})", _ATOM
        case Choice(then, other):
            return f"cond({side_text(then)}, {side_text(other)})", _ATOM
        case Operator(method, arrows):
            return _operator(method, arrows)
        case Primitive(operation) if operation.primitive in _SHORT:
            return f"{_SHORT[operation.primitive]}{operation.keywords.get('index', '')}", _ATOM
        case _:
            return repr(side), _ATOM


def _operator(method: str, arrows: tuple[Morphism, ...]) -> Written:
    match method, arrows:
        case "D" | "R", (arrow,):
            return f"{method}[{side_text(arrow)}]", _ATOM
        case "add", (left, right):
            return f"{_at(left, _SUM)} + {_at(right, _TIMES)}", _SUM
        case "scale", (number, arrow):
            return f"{_at(number, _PREFIX)} · {_at(arrow, _PREFIX)}", _TIMES
        case "inner", _:
            return _tuple(*arrows)
        case "along", (function,):
            return _side(function)
        case "at", (vector, argument):
            return f"{_at(vector, _ATOM)}({side_text(argument)})", _ATOM
        case _, ():
            return "0", _ATOM
        case _:
            return f"{method.partition(':')[2]}({', '.join(map(side_text, arrows))})", _ATOM


_SHORT = {INJECT: "in", PAYLOAD: "out", IS: "is", TAG: "tag", UNTAG: "untag", ROLL: "roll"}


def _branches(choice: Morphism | None) -> list[Morphism]:
    """``f`` and ``g`` of ``[f, g]``, the case of a sum of two; none where it is no such choice."""
    found: list[Morphism] = []
    if not isinstance(choice, Choice):
        return found
    for branch in (choice.then, choice.other):
        match branch:
            case Compose((Primitive(operation), *rest)) if operation.primitive is PAYLOAD:
                found.append(compose(*rest))
            case Primitive(operation) if operation.primitive is PAYLOAD:
                found.append(Id(branch.cod))
            case _:
                return []
    return found


def _steps(arrows: tuple[Morphism, ...]) -> Iterator[Written]:
    """The steps of a composite; ``⟨π0, π1⟩`` is the product of two identities there."""
    for step, after in zip_longest(arrows, arrows[1:]):
        factors = _factors(step) if isinstance(step, Prod) else []
        branches = _branches(after) if isinstance(step, Prod) else []
        if is_capture(step, (after,)):
            continue
        if branches:
            yield f"[{', '.join(map(side_text, branches))}]", _ATOM
        elif len(factors) == 2 and all(isinstance(factor, Id) for factor in factors):
            yield "(id × id)", _ATOM
        elif not (isinstance(step, Choice) and _branches(step)):
            yield _side(step)


def _product(side: Prod) -> Written:
    """``⟨f, g⟩``, or what it is called."""
    match side.arrows:
        case ():
            return "!", _ATOM
        case (alone,):
            return _side(alone)
        case (Id(), Id()):
            return "Δ", _ATOM
        case (Id(), Operator("zero")):
            return "ι0", _ATOM
        case (Operator("zero"), Id()):
            return "ι1", _ATOM
        case (Projection(Product() as product, 1), Projection(_, 0)) if product.width == 2:
            return "σ", _ATOM
    factors = _factors(side)
    if not all(isinstance(factor, Id) for factor in factors):
        return " × ".join(_at(factor, _PREFIX) for factor in factors), _TIMES
    return _tuple(*side.arrows)


def is_capture(arrow: Morphism, after: tuple[Morphism, ...]) -> bool:
    """Whether it is ``⟨id⟩`` before a curry, or before a primitive of one product."""
    match arrow, after:
        case Prod(_, (Id(),)), (Curry() | Primitive(), *_):
            return True
        case _:
            return False


def _factors(side: Prod) -> list[Morphism]:
    """The factors of ``f × g = ⟨π0 >> f, π1 >> g⟩``; none where it is no such product."""
    source = side.source
    if not isinstance(source, Product) or source.width != len(side.arrows):
        return []
    found: list[Morphism] = []
    for index, arrow in enumerate(side.arrows):
        match arrow:
            case Projection(_, at) if at == index:
                found.append(Id(arrow.cod))
            case Compose((Projection(_, at), first, *rest)) if at == index:
                found.append(Compose((first, *rest)) if rest else first)
            case _:
                return []
    return found


_GREEK = {
    "λ": "lambda",
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "Γ": "Gamma",
    "ι": "iota",
    "σ": "sigma",
    "θ": "theta",
    "π": "pi",
    "Δ": "Delta",
}
_SIGNS = {
    ">>": r"\gg",
    "×": r"\times",
    "⇒": r"\Rightarrow",
    "·": r"\cdot",
    "!": "{!}",
    "≤": r"\leq",
    "⟨": r"\langle ",
    "⟩": r"\rangle",
    "const": r"\mathrm{const}\;",
    "is refused": r"\;\text{is refused}",
    **{word: rf"\mathrm{{{word}}}" for word in ("id", "curry", "eval", "cond")},
    **{letter: rf"\{name}" for letter, name in _GREEK.items()},
}
_WORDS = re.compile(r"is refused|>>|[^\W\d]\w*[′']*|[×⇒·!≤⟨⟩]")


def latex_of(text: str) -> str:
    """What is written of a law, in LaTeX, without dollars."""
    return _WORDS.sub(lambda found: _SIGNS.get(found[0]) or _latex_name(found[0]), text)


def _latex_name(name: str) -> str:
    r"""``f'`` as it is, ``x1`` as ``x_{1}``, a word as ``\operatorname{word}``."""
    match = re.fullmatch(r"(.+?)_?(\d*)([′']*)", name)
    assert match is not None
    stem, digits, primes = match.groups()
    escaped = stem.replace("_", r"\_")
    stem = _SIGNS.get(stem) or (stem if len(stem) == 1 else rf"\operatorname{{{escaped}}}")
    return stem + (f"_{{{digits}}}" if digits else "") + "'" * len(primes)
