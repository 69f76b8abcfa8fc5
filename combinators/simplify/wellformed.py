"""What is wrong with a rule as it is written, said when it is made."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NoReturn

from combinators.errors import TypeMismatch
from combinators.operation import PRIMITIVES, Typing
from combinators.simplify.patterns import COMMUTATIVE, FORMS, Found, Hole, Node, Rest
from combinators.terms import Term

GIVEN = frozenset(("out", "facts"))
"""What a right side that is a function may ask for besides holes."""


def check_rule(name: str, left: Any, right: Any) -> None:
    """Raise ``TypeMismatch`` for a rule that cannot fire, or that fires on what it writes."""
    if not isinstance(left, Node):
        _refuse(name, f'its left side is {left!r}; write an operation, as head("sin")(x)')
    for node in _checked(name, left, "left"):
        _check_operation(name, node, "left")
    holes = frozenset(_holes(left))
    if callable(right):
        _check_function(name, right, holes)
    else:
        _check_template(name, left, right, holes)


def check_right(name: str, right: Any, found: Found) -> None:
    """Raise ``TypeMismatch`` for what a rule's function gave, if it is no pattern."""
    for _ in _checked(name, right, "right"):
        pass
    _check_known(name, _holes(right), frozenset(found))


def check_words(without: Any) -> None:
    """Raise ``TypeMismatch`` for one name where several are taken."""
    if isinstance(without, str):
        raise TypeMismatch(
            f"without={without!r} is one word, and takes several; write without=[{without!r}]"
        )


def _refuse(name: str, why: str) -> NoReturn:
    raise TypeMismatch(f"the rule {name!r} is none: {why}")


def _check_function(name: str, right: Any, holes: frozenset[str]) -> None:
    try:
        wanted = inspect.signature(right).parameters
    except ValueError:
        _refuse(name, f"{right!r} does not say its parameters; write a lambda of the holes")
    _check_known(name, wanted, holes | GIVEN)


def _check_template(name: str, left: Node, right: Any, holes: frozenset[str]) -> None:
    for node in _checked(name, right, "right"):
        _check_operation(name, node, "right")
        if _fires_on(left, node):
            _refuse(
                name,
                f"it would fire again on the {node!r} that it writes, and so without end; write a "
                "right side that the left side does not match",
            )
    _check_known(name, _holes(right), holes)


def _check_known(name: str, wanted: Any, known: frozenset[str]) -> None:
    unknown = [word for word in wanted if word not in known]
    if unknown:
        _refuse(
            name,
            f"its right side asks for {', '.join(unknown)}, which its left side does not have; it "
            f"may ask for {', '.join(sorted(known)) or 'nothing'}",
        )


def _checked(name: str, pattern: Any, side: str) -> Iterator[Node]:
    """The nodes of a side; it raises for what is no part of one."""
    match pattern:
        case Node(_, operands):
            yield pattern
            for operand in operands:
                if not (side == "left" and isinstance(operand, Rest) and len(operands) == 1):
                    yield from _checked(name, operand, side)
        case Hole():
            return
        case Term() if side == "right":
            return
        case _:
            how = (
                'a number is a hole with a test, as Hole("c", where)'
                if side == "left"
                else "a number is a term, as const(1.5)"
            )
            _refuse(name, f"{pattern!r} is no pattern on its {side} side; there {how}")


def _check_operation(name: str, node: Node, side: str) -> None:
    if node.head in FORMS:
        return
    if node.head not in PRIMITIVES:
        _refuse(name, f"there is no primitive named {node.head!r}; import what declares it")
    signature = _signature(PRIMITIVES[node.head].typing)
    operands = () if any(isinstance(part, Rest) for part in node.operands) else node.operands
    try:
        bind = signature.bind if side == "right" else signature.bind_partial
        bind(*operands, **dict(node.parameters))
    except TypeError as error:
        _refuse(name, f"{node!r} is no {node.head}: {error}")


@lru_cache(maxsize=1 << 10)
def _signature(typing: Typing) -> inspect.Signature:
    return inspect.signature(typing)


def _holes(pattern: Any) -> Iterator[str]:
    match pattern:
        case Hole(name) | Rest(name):
            yield name
        case Node(_, operands, parameters):
            for part in (*operands, *(value for _, value in parameters)):
                yield from _holes(part)
        case _:
            return


def _fires_on(left: Node, node: Node) -> bool:
    """Whether ``left`` matches ``node`` whatever the holes of ``node`` stand for."""
    return _node(left, node, {})


def _node(pattern: Node, node: Any, found: Found) -> bool:
    if not isinstance(node, Node) or pattern.head != node.head or pattern.once:
        return False
    if len(pattern.operands) != len(node.operands):
        return False
    given = dict(node.parameters)
    if not all(_part(part, given.get(name), found) for name, part in pattern.parameters):
        return False
    orders = [node.operands, node.operands[::-1]]
    for order in orders if pattern.head in COMMUTATIVE else orders[:1]:
        tried = dict(found)
        pairs = zip(pattern.operands, order, strict=True)
        if all(_part(wanted, part, tried) for wanted, part in pairs):
            found.update(tried)
            return True
    return False


def _part(pattern: Any, part: Any, found: Found) -> bool:
    match pattern:
        case Node():
            return _node(pattern, part, found)
        case Hole(name, None):
            return bool(found.setdefault(name, part) == part)
        case Hole() | Rest():
            return False
        case _:
            return bool(pattern == part)
