"""Programs without the types of the user's: coordinates in the place of their values.

Once a program has been differentiated nobody asks for its tangent spaces any more. What runs as
Python or on XLA, what is a formula, and what is counted is over coordinates alone:

    λ(q : Quaternion). let x = coordinates q in point (x / sum x)
    λ(q : Tensor[4]).  let x = q in x / sum x

A ``plus`` of the user's is called where two of its tangents are added, and a stack of values, which
was a vector of them, is an array of their coordinates.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from combinators.kit.tree import distinct_nodes
from combinators.literal import Literal
from combinators.objects import Object, Record, Tensor, Vector, components
from combinators.operation import Operation, named
from combinators.primitives.coordinates import COORDINATES, POINT, plus_of
from combinators.primitives.structural import PLUS, VECTOR, ZEROS
from combinators.spaces import Space
from combinators.terms import App, Const, Lam, Let, Prim, Proj, Term, Tuple, Var, pack, prim
from combinators.type_folds import holds_space, map_type, stack_of


def without_spaces(obj: Object) -> Object:
    """The type whose values are coordinates in the place of values of the user's types."""

    def at(part: Object) -> Object | None:
        if isinstance(part, Space):
            return part.coordinates
        if isinstance(part, Vector) and holds_space(part):
            return stack_of(without_spaces(part.item), part.length)
        return None

    return map_type(obj, "without_spaces_", at)


def erased(lam: Lam) -> Lam:
    """A closed λ over coordinates; itself where there is none."""
    nodes, made = list(distinct_nodes(lam, kind=Term)), dict[int, Any]()
    if all(without_spaces(node.type) is node.type for node in nodes):
        return lam
    for node in nodes:
        parts = tuple([made[id(part)] for part in node.below()])
        made[id(node)] = _erased(node, parts)
    found: Lam = made[id(lam)]
    return found


def _erased(node: Any, parts: tuple[Any, ...]) -> Term:
    match node:
        case Var(name, obj):
            return Var(name, without_spaces(obj))
        case Const():
            found: Term = node
            return found
        case Lam(params, _, name):
            return Lam(tuple(Var(p.name, without_spaces(p.type)) for p in params), parts[0], name)
        case Let(bindings):
            names = [
                Var(var.name, term.type) for (var, _), term in zip(bindings, parts, strict=False)
            ]
            return Let(tuple(zip(names, parts, strict=False)), parts[-1])
        case Proj(index) if isinstance(parts[0].type, Tensor):
            row = Operation(named("take"), (("axis", 0),))
            return Prim(row, (parts[0], Const(Literal(np.int64(index)))))
        case Prim():
            return _primitive(node, parts)
        case _:
            made: Term = node.with_parts(parts)
            vars(made)["type"] = without_spaces(node.type)
            return made


def _primitive(node: Prim, parts: tuple[Any, ...]) -> Term:
    operation = node.operation
    primitive = operation.primitive
    if primitive is COORDINATES or primitive is POINT:
        found: Term = parts[0]
        return found
    if primitive in (PLUS, ZEROS) and without_spaces(node.type) is not node.type:
        return _by_leaves(node.type, parts)
    if primitive is VECTOR and holds_space(node.type):
        rows = [
            Prim(Operation(named("reshape"), (("shape", (1, *p.type.shape)),)), (p,)) for p in parts
        ]
        return Prim(Operation(named("concatenate"), (("axis", 0),)), tuple(rows))
    said = tuple(
        (name, without_spaces(value) if isinstance(value, Object) else value)
        for name, value in operation.parameters
    )
    return prim(without_spaces(node.type), Operation(primitive, said), node.place, *parts)


def _by_leaves(obj: Object, terms: tuple[Term, ...]) -> Term:
    """The sum of two terms, by the plus of each leaf; of none, the zero."""
    product = components(obj)
    if product is not None:
        parts = [
            _by_leaves(part, tuple([Proj(i, term) for term in terms]))
            for i, part in enumerate(product.parts)
        ]
        return Tuple(tuple(parts), obj.names if isinstance(obj, Record) else None)
    if terms and isinstance(obj, Space) and obj.declared.plus is not None:
        return App(erased(plus_of(obj)), pack(terms))
    if terms:
        return Prim(PLUS.plain, terms)
    if isinstance(obj, Space):
        return Const(Literal.filled(obj.declared.zero, obj.coordinates))
    return Prim(Operation(ZEROS, (("of", without_spaces(obj)),)), ())
