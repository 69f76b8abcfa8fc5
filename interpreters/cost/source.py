"""The Source language of Huot and Shaikhha (000, figure 2), recognised in a term.

It has reals, pairs and arrays of reals; variables, constants, let, pairing and projection; smooth
total operations; ``map2`` and ``reduce``. An operation on whole arrays is a ``map2``; ``sum`` and
``prod`` are a ``reduce``, and so is a fold that adds from 0 or multiplies from 1: of other
functions nobody knows that they are associative, which ``reduce`` asks for.

The paper takes the derivative ``∂op`` of an operation for an operation, of the price of ``op``
(section 5.2), and does not ask what formula computes it::

    tanh x    its gradient as we write it     let y = tanh x in 1 - y * y    3 operations
              as the theorem prices it        ∂tanh x                        1 operation
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from combinators.errors import DiffcurryError
from combinators.kit.tree import distinct_nodes, remade
from combinators.objects import Object, Product, Real, Tensor
from combinators.operation import CONSTANT, Pointwise, Primitive, declare
from combinators.primitives.arithmetic import scale
from combinators.primitives.loops import LOOP, LoopTerm, loop_of
from combinators.primitives.signatures import pointwise
from combinators.terms import Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var
from combinators.tracing.emit import apply

_OF_ONE = "square sin cos arctan sinh cosh tanh arcsinh exp exp2 expm1 sigmoid softplus erf"
TRANSCENDENTAL = frozenset(_OF_ONE.split())
OPERATIONS = frozenset(("add", "subtract", "multiply", "negative")) | TRANSCENDENTAL
"""Smooth and total: what the paper takes for granted as op1 and op2.

Of two arguments these are + and * (and -): a binary operation both partial derivatives of which
have a price costs more than the theorem's constant grants, four logaddexp in a tree 100 for 78.
"""
UNITS = {"add": 0.0, "multiply": 1.0}


class OutsideSource(DiffcurryError, ValueError):
    """A program that is not in the paper's Source language."""


def nesting(lam: Lam) -> int:
    """``NAO(e)``, how deep array operations nest in the body of ``lam`` (000, section 5.3).

    It raises ``OutsideSource`` where the program is not in the Source language, or its result is no
    real.
    """
    nodes = [node for node in _terms(lam) if node is not lam]
    if lam.body.type is not Real:
        raise OutsideSource(f"its result is {lam.body.type!r}, not one Real")
    passed = {id(function) for node in nodes for function in _functions(node)}
    deep: dict[int, int] = {}
    for node in nodes:
        _check_form(node)
        if not isinstance(node, Lam):
            _check_type(node.type)
        elif id(node) not in passed:
            raise OutsideSource("it holds a function that is no argument of map or fold")
        inside = max((deep[id(part)] for part in _parts(node)), default=0)
        deep[id(node)] = inside if not _is_array_operation(node) else _nested(node, deep)
    return deep[id(lam.body)]


def _nested(node: Term, deep: dict[int, int]) -> int:
    """``max(1 + NAO(e1), NAO(e2), NAO(e3))``."""
    bodies = [1 + deep[id(part)] for part in _parts(node) if isinstance(part, Lam)]
    others = [deep[id(part)] for part in _parts(node) if not isinstance(part, Lam)]
    return max([1, *bodies, *others])


def _terms(root: Term) -> Iterator[Term]:
    for node in distinct_nodes(root, seen=lambda node: isinstance(node, Object)):
        if isinstance(node, Term):
            yield node


def _functions(node: Term) -> tuple[Lam, ...]:
    loop = loop_of(node)
    return (loop.function,) if loop is not None and isinstance(loop.function, Lam) else ()


def _parts(node: Term) -> tuple[Term, ...]:
    match node:
        case Lam(_, body):
            return (body,)
        case Let(bindings, body):
            return *(bound for _, bound in bindings), body
        case Tuple(items) | Prim(_, items):
            return items
        case Proj(_, product):
            return (product,)
        case _:
            return ()


def _check_type(obj: Object) -> None:
    if obj is Real or (isinstance(obj, Tensor) and len(obj.shape) == 1 and obj.dtype == "float64"):
        return
    if not isinstance(obj, Product) or obj.width < 2:
        raise OutsideSource(f"it holds {obj!r}, and Source has reals, pairs and arrays of reals")


def _check_form(node: Term) -> None:
    match node:
        case Var() | Let() | Proj() | Tuple(_, None) | Lam():
            pass
        case Const():
            if isinstance(node.type, Tensor) and node.type.shape:
                raise OutsideSource("it holds an array that is a constant, and Source has reals")
        case Prim():
            _check_primitive(node)
        case Cond():
            raise OutsideSource("it holds a conditional")
        case _:
            raise OutsideSource(f"it holds a {type(node).__name__}")


def _check_primitive(node: Prim) -> None:
    name, arguments = node.operation.name, [arg.type for arg in node.args]
    if name in OPERATIONS:
        if not all(obj is Real or obj is node.type for obj in arguments):
            raise OutsideSource(f"{name} takes arrays of two lengths")
    elif node.operation.primitive is LOOP:
        _check_loop(LoopTerm(node))
    elif name not in ("sum", "prod") or not isinstance(arguments[0], Tensor):
        raise OutsideSource(f"{name} is no operation of Source")


def _check_loop(loop: LoopTerm) -> None:
    carry, item = loop.types.carry, loop.types.item
    if carry is not None and item is not None:
        raise OutsideSource(f"{loop.operation.name} is no operation of Source")
    if carry is not None and not _is_reduce(loop):
        raise OutsideSource("it folds with a function that is not + from 0 or * from 1")
    if item is not None and not isinstance(item, Tensor):
        raise OutsideSource("it maps to what is no array of reals")


def _is_reduce(loop: LoopTerm) -> bool:
    match loop.function, loop.init:
        case Lam((x, y), Prim(operation, (Var(first), Var(second)))), Const(literal):
            return (
                {first, second} == {x.name, y.name}
                and operation.name in UNITS
                and literal.array.item() == UNITS[operation.name]
            )
        case _:
            return False


def _is_array_operation(node: Term) -> bool:
    if not isinstance(node, Prim):
        return False
    return node.type is not Real or node.operation.name not in OPERATIONS


def priced(lam: Lam) -> Lam:
    """``lam``, a program of Source, with a priced derivative for each transcendental operation.

    The λ is for deriving and counting: carriers have no values of the priced operations.
    """
    made: Lam = remade(lam, _priced)
    return made


def _priced(node: Any) -> Term:
    if not isinstance(node, Prim) or node.operation.name not in TRANSCENDENTAL:
        return node  # type: ignore[no-any-return]  # a node of a term is a term, or an object
    return Prim(_twin(node.operation.primitive).plain, node.args, node.place)


@cache
def _twin(primitive: Primitive) -> Primitive:
    """An operation of the same price, whose derivative is an operation of that price."""
    slope = declare(f"∂{primitive.name}", pointwise, CONSTANT, public=False)

    def rule(v: Any, x: Any, y: Any) -> Any:
        return scale(v, apply(slope, x))

    return declare(primitive.name, pointwise, Pointwise(rule), public=False)
