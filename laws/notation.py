"""Arrows and objects of laws, as they are written: ``⟨curry(f), g⟩ >> eval``, ``(A ⇒ B) × A``.

In text they read as programs print, and in LaTeX alike. Laws say besides ``f × g``, ``Δ``, ``σ``,
``!`` and ``f ⇒ g`` for what these are. A product of one prints as its component, and ``⟨id⟩ >>
curry(f)`` as ``curry(f)``: how a law says that one variable is captured.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from combinators.morphisms import (
    Choice,
    Compose,
    Constant,
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
from combinators.objects import Fun, Object, Product, Unit, Vector
from combinators.operation import Operation
from combinators.printing import operation_name
from laws.language import (
    Along,
    At,
    D,
    Generator,
    Image,
    Inner,
    Plus,
    R,
    Scaled,
    TangentSpace,
    Variable,
    Zero,
)

_GREEK = {
    "λ": r"\lambda",
    "α": r"\alpha",
    "β": r"\beta",
    "γ": r"\gamma",
    "Γ": r"\Gamma",
    "ι": r"\iota",
    "σ": r"\sigma",
    "θ": r"\theta",
}


@dataclass(frozen=True)
class Notation:
    """What everything that laws speak of is called."""

    then: str
    times: str
    power: str
    to: str
    colon: str
    left: str
    right: str
    bang: str
    copy: str
    swap: str
    curry: str
    eval: str
    identity: str
    cond: str
    const: str
    dot: str
    space: str
    unit: str
    refused: str
    projection: Callable[[int], str]
    injection: Callable[[int], str]
    named: Callable[[str], str]
    words: Callable[[str], str]
    operation: Callable[[Operation], str]


def _latex_name(name: str) -> str:
    r"""``f'`` as it is, ``x1`` as ``x_{1}``, a word as ``\operatorname{word}``."""
    match = re.fullmatch(r"(.+?)_?(\d*)([′']*)", name)
    assert match is not None
    stem, digits, primes = match.groups()
    stem = _GREEK.get(stem, stem)
    if len(stem) > 1 and not stem.startswith("\\"):
        escaped = stem.replace("_", r"\_")
        stem = rf"\operatorname{{{escaped}}}"
    return stem + (f"_{{{digits}}}" if digits else "") + "'" * len(primes)


TEXT = Notation(
    then=" >> ",
    times=" × ",
    power=" ⇒ ",
    to="→",
    colon=":",
    left="⟨",
    right="⟩",
    bang="!",
    copy="Δ",
    swap="σ",
    curry="curry",
    eval="eval",
    identity="id",
    cond="cond",
    const="const",
    dot=" · ",
    space="T ",
    unit="Unit",
    refused="is refused",
    projection=lambda index: f"π{index}",
    injection=lambda index: f"ι{index}",
    named=lambda name: name,
    words=lambda text: text,
    operation=operation_name,
)

LATEX = Notation(
    then=r" \gg ",
    times=r" \times ",
    power=r" \Rightarrow ",
    to=r"\to",
    colon=":",
    left=r"\langle ",
    right=r"\rangle",
    bang="{!}",
    copy=r"\Delta",
    swap=r"\sigma",
    curry=r"\mathrm{curry}",
    eval=r"\mathrm{eval}",
    identity=r"\mathrm{id}",
    cond=r"\mathrm{cond}",
    const=r"\mathrm{const}\;",
    dot=r" \cdot ",
    space="T ",
    unit="1",
    refused=r"\;\text{is refused}",
    projection=lambda index: rf"\pi_{{{index}}}",
    injection=lambda index: rf"\iota_{{{index}}}",
    named=_latex_name,
    words=lambda text: rf"\;\text{{{text}}}",
    operation=lambda operation: _latex_name(operation.name),
)


_FUNCTION, _PRODUCT, _ATOM = range(3)


def written(obj: Object, symbols: Notation) -> str:
    """An object over variables; one that holds none is written as it prints."""
    return _written(obj, symbols)[0]


def _written(obj: Object, symbols: Notation) -> tuple[str, int]:
    """What it reads as, and how tightly it binds."""
    match obj:
        case Variable(name):
            return symbols.named(name), _ATOM
        case TangentSpace(of):
            return f"{symbols.space}{_inside(of, _ATOM, symbols)}", _ATOM
        case Product() if obj is Unit:
            return symbols.unit, _ATOM
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


def _inside(obj: Object, least: int, symbols: Notation) -> str:
    text, binding = _written(obj, symbols)
    return text if binding >= least else f"({text})"


_THEN, _SUM, _TIMES, _PREFIX, _ATOM = range(5)
"""How tightly what is written binds."""

Written = tuple[str, int]


def write(side: Morphism, symbols: Notation) -> str:
    """A side of a law."""
    return _Writer(symbols).written(side)[0]


class _Writer:
    """Writes arrows in one set of symbols."""

    def __init__(self, symbols: Notation) -> None:
        self.symbols = symbols

    def written(self, side: Morphism) -> Written:
        """What ``side`` reads as, and how tightly it binds."""
        s = self.symbols
        match side:
            case Generator():
                return s.named(side.name), _ATOM
            case Id():
                return s.identity, _ATOM
            case Compose(arrows):
                return self.composite(arrows)
            case Prod():
                return self.tuple(side)
            case Projection(_, index):
                return s.projection(index), _ATOM
            case Extend(arrow):
                return self.listed([s.identity, self.top(arrow)]), _ATOM
            case Curry(body):
                return self.curried(body)
            case Eval():
                return s.eval, _ATOM
            case Constant(_, literal):
                return f"{s.const} {literal!r}", _ATOM
            case Primitive(operation):
                return s.operation(operation), _ATOM
            case Choice(then, other):
                return f"{s.cond}({self.top(then)}, {self.top(other)})", _ATOM
            case _:
                return self.operator(side)

    def operator(self, side: Morphism) -> Written:
        """What laws say besides combinators."""
        s = self.symbols
        match side:
            case D(arrow):
                return f"D[{self.top(arrow)}]", _ATOM
            case R(arrow):
                return f"R[{self.top(arrow)}]", _ATOM
            case Plus(left, right):
                return f"{self.at(left, _SUM)} + {self.at(right, _TIMES)}", _SUM
            case Zero():
                return "0", _ATOM
            case Scaled(number, arrow):
                return f"{self.at(number, _PREFIX)}{s.dot}{self.at(arrow, _PREFIX)}", _TIMES
            case Inner(left, right):
                return self.listed([self.top(left), self.top(right)]), _ATOM
            case Along(function):
                return self.written(function)
            case At(vector, argument):
                return f"{self.at(vector, _ATOM)}({self.top(argument)})", _ATOM
            case Image(way, arrow):
                return f"{s.named(way)}({self.top(arrow)})", _ATOM
            case _:
                return type(side).__name__, _ATOM

    def composite(self, arrows: tuple[Morphism, ...]) -> Written:
        """``f >> g``: composites inside composites in parentheses."""
        steps = [a for i, a in enumerate(arrows) if not is_capture(a, arrows[i + 1 : i + 2])]
        if len(steps) == 1:
            return self.written(steps[0])
        return self.symbols.then.join(map(self.step, steps)), _THEN

    def step(self, side: Morphism) -> str:
        """A step of a composite; ``⟨π0, π1⟩`` is the product of two identities there."""
        if isinstance(side, Prod) and len(side.arrows) == 2:
            factors = _factors(side)
            if factors is not None and all(isinstance(factor, Id) for factor in factors):
                return f"({self.symbols.times.join(map(self.top, factors))})"
        return self.at(side, _PREFIX)

    def curried(self, body: Morphism) -> Written:
        """``curry(f)``, or ``f ⇒ g`` of ``curry((id × f) >> eval >> g)``."""
        exponents = _exponents(body)
        if exponents is not None:
            before, after = (self.at(arrow, _PREFIX) for arrow in exponents)
            return f"{before}{self.symbols.power}{after}", _TIMES
        return f"{self.symbols.curry}({self.top(body)})", _ATOM

    def tuple(self, side: Prod) -> Written:
        """``⟨f, g⟩``, or what it is called."""
        s = self.symbols
        match side.arrows:
            case ():
                return s.bang, _ATOM
            case (alone,):
                return self.written(alone)
            case (Id(), Id()):
                return s.copy, _ATOM
            case (Id(), Zero()):
                return s.injection(0), _ATOM
            case (Zero(), Id()):
                return s.injection(1), _ATOM
            case (Projection(product, 1), Projection(_, 0)) if _is_pair(product):
                return s.swap, _ATOM
        factors = _factors(side)
        if factors is not None and not all(isinstance(factor, Id) for factor in factors):
            return s.times.join(self.at(factor, _PREFIX) for factor in factors), _TIMES
        return self.listed([self.top(arrow) for arrow in side.arrows]), _ATOM

    def top(self, side: Morphism) -> str:
        """Where nothing else binds."""
        return self.written(side)[0]

    def at(self, side: Morphism, least: int) -> str:
        """In parentheses where it binds less tightly than ``least``."""
        text, binding = self.written(side)
        return text if binding >= least else f"({text})"

    def listed(self, parts: list[str]) -> str:
        """Between angles."""
        return f"{self.symbols.left}{', '.join(parts)}{self.symbols.right}"


def is_capture(arrow: Morphism, after: tuple[Morphism, ...]) -> bool:
    """Whether it is ``⟨id⟩`` before a curry."""
    match arrow:
        case Prod(_, (Id(),)):
            return any(isinstance(step, Curry) for step in after)
        case _:
            return False


def _is_pair(product: object) -> bool:
    return isinstance(product, Product) and product.width == 2


def _factors(side: Prod) -> list[Morphism] | None:
    """The factors of ``f × g = ⟨π0 >> f, π1 >> g⟩``; None where there are none."""
    if not isinstance(side.source, Product) or side.source.width != len(side.arrows):
        return None
    found = [_after(arrow, index) for index, arrow in enumerate(side.arrows)]
    factors = [factor for factor in found if factor is not None]
    return factors if len(factors) == len(found) else None


def _exponents(body: Morphism) -> tuple[Morphism, Morphism] | None:
    """The arrows of ``f ⇒ g``, where ``body`` is ``(id × f) >> eval >> g``."""
    match body:
        case Compose((Prod() as both, Eval() as last, *rest)):
            factors = _factors(both)
            if factors is not None and len(factors) == 2 and isinstance(factors[0], Id):
                return factors[1], compose(Id(last.cod), *rest)
    return None


def _after(arrow: Morphism, index: int) -> Morphism | None:
    """What follows the projection to ``index``."""
    match arrow:
        case Projection(_, at) if at == index:
            return Id(arrow.cod)
        case Compose((Projection(_, at), *rest)) if at == index:
            return rest[0] if len(rest) == 1 else Compose(tuple(rest))
        case _:
            return None
