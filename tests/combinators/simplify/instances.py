"""Random typed instances of the left sides of rules, and what operations cost."""

import itertools
import math
import random
from typing import Any

from combinators.errors import DiffcurryError
from combinators.literal import Literal
from combinators.objects import (
    Bool,
    Int,
    Mu,
    MuVar,
    Product,
    Real,
    Sum,
    Tangent,
    Tensor,
    Unit,
    components,
)
from combinators.operation import Operation
from combinators.primitives.structural import ZEROS
from combinators.simplify import Hole, Node, Rest
from combinators.simplify.patterns import is_number_zero, is_typed_zero, unview
from combinators.terms import Const, Lam, Prim, Proj, Term, Tuple, Var
from combinators.type_folds import tangent_of, unfolded

TYPES = [
    Real, Real, Tensor((3,)), Tensor((2, 3)), Tensor((3, 2)), Tensor((4,)), Tensor((1, 3)),
    Tensor((2, 2)), Tensor((6,)), Int,
    Tensor((1, 1)), Tensor((4, 1)), Tensor((1, 4)), Tensor((2, 3, 1)), Tensor((2, 1, 3)),
    Bool, Tensor((3,), "int64"), Tensor((), "float32"),
    Product(Real, Tensor((3,))), Product(Int, Real), Tangent,
]  # fmt: skip
SUM = Sum(Real, Tensor((3,)))
LIST = Mu("Reals", Sum(Unit, Product(Real, MuVar())))
OF = {
    "unpack": [Real, Tensor((3,)), Product(Real, Tensor((3,)))],
    "inject": [SUM], "tag": [tangent_of(SUM)], "roll": [LIST, tangent_of(LIST)],
}  # fmt: skip
OPENED = {
    "is_alternative": [SUM], "payload": [SUM], "untag": [tangent_of(SUM)],
    "unroll": [LIST, tangent_of(LIST)], "roll": [*map(unfolded, (LIST, tangent_of(LIST)))],
    "tag": [Real, Tensor((3,))],
}  # fmt: skip
"""What these take, where a variable is drawn for it."""
SHAPES = [(), (3,), (2, 3), (3, 2), (6,), (1, 3), (2, 1, 3), (4,), (8,), (1,), (2, 2)]
TRIES = 20_000


def windows(rng: random.Random) -> tuple[int, ...]:
    return tuple(rng.choice([0, 0, 1, 2]) for _ in range(rng.choice([1, 1, 2])))


def steps(rng: random.Random) -> tuple[int, ...]:
    return tuple(rng.choice([1, 1, 2, -1]) for _ in range(rng.choice([1, 1, 2])))


PARAMETERS: dict[str, Any] = {
    "shape": lambda rng: rng.choice(SHAPES),
    "extent": lambda rng: rng.choice(SHAPES),
    "extents": lambda rng: rng.choice([(3,), (4,)]),
    "start": windows,
    "step": steps,
    "axes": lambda rng: rng.choice([(0,), (0, 1), (1, 0), ()]),
    "keepdims": lambda rng: rng.choice([False, True]),
    "names": lambda rng: None,
    "index": lambda rng: rng.choice([0, 1]),
    "dtype": lambda rng: rng.choice(["float64", "float32", "int64"]),
    "absorbing": lambda rng: rng.choice([False, True]),
}
DECLARED = {
    "sum": ("axis", "keepdims"), "cumsum": ("axis",), "reshape": ("shape",),
    "transpose": ("axes",), "broadcast_to": ("shape",), "slice": ("start", "step", "extent"),
    "embed": ("start", "step", "shape"), "take": ("axis",), "put": ("axis", "extents"),
    "concatenate": ("axis",), "convert": ("dtype",), "unpack": ("of",), "proj": ("index",),
    "tuple": ("names",), "matmul": ("absorbing",), "roll": ("of",), "untag": ("index",),
    "inject": ("of", "index"), "tag": ("of", "index"), "payload": ("index",),
    "is_alternative": ("index",),
}  # fmt: skip


class Instance:
    """Variables for the holes of a pattern, and the lines between them and its outermost node."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.params: list[Var] = []
        self.found: dict[str, Any] = {}
        self.lines: dict[str, Term] = {}

    def definition(self, atom: Term) -> Term:
        return self.lines.get(atom.name, atom) if isinstance(atom, Var) else atom

    def is_zero(self, atom: Term) -> bool:
        return is_number_zero(atom) or is_typed_zero(atom)

    def is_once(self, atom: Term) -> bool:
        return True

    def variable(self, obj: Any) -> Var:
        var = Var(f"x{len(self.params)}", obj)
        self.params.append(var)
        return var

    def hole(self, hole: Hole, head: str) -> Term:
        if hole.name in self.found:
            return self.found[hole.name]
        obj = self.rng.choice(OPENED.get(head, TYPES))
        if hole.where is None or hole.like is None:
            atom: Term = self.variable(obj)
        elif "typed" in hole.name:
            atom = Prim(Operation(ZEROS, (("of", obj),)), ())
        else:
            obj = obj if isinstance(obj, Tensor) else Real
            wanted = Tensor(obj.shape, "bool") if hole.name in ("true", "false") else obj
            atom = Const(Literal.filled(hole.like, wanted))
        if hole.where is not None and not hole.where(atom, self):
            raise Unfit
        self.found[hole.name] = atom
        return atom

    def rest(self, rest: Rest, head: str) -> tuple[Term, ...]:
        if rest.name not in self.found:
            rng = self.rng
            items: list[Term] = [
                self.variable(rng.choice(TYPES)) for _ in range(rng.choice([1, 2]))
            ]
            if head in ("take", "put"):
                index: Term = self.variable(rng.choice([Int, Tensor((2,), "int64")]))
                number = Const(Literal(rng.choice([-1, 0, 1])))
                items = [items[0], rng.choice([index, number])]
            if head in ("take", "put", "concatenate") and rng.random() < 0.7:
                obj = rng.choice(TYPES)
                zero = Prim(Operation(ZEROS, (("of", obj),)), ())
                items = [zero, *items[1:]] if head != "concatenate" else [zero, zero]
            if head == "tuple" and rng.random() < 0.5:
                whole = self.variable(Product(Real, Tensor((3,))))
                items = [self.line(Proj(i, whole)) for i in (0, 1)]
            if head == "vector":
                items = [items[0]] * 2
            self.found[rest.name] = tuple(items)
        return self.found[rest.name]

    def line(self, term: Term) -> Var:
        var = Var(f"l{len(self.lines)}", term.type)
        self.lines[var.name] = term
        return var

    def parameter(self, head: str, name: str, wanted: Any, operands: tuple[Term, ...]) -> Any:
        if not isinstance(wanted, Hole):
            return wanted
        if wanted.name not in self.found:
            if name == "axis":
                rank = len(getattr(operands[0].type, "shape", ()))
                made: Any = tuple(i for i in range(rank) if self.rng.random() < 0.6)
            elif name == "extent" and self.rng.random() < 0.5 and operands:
                made = getattr(operands[0].type, "shape", ())
            elif name == "of":
                made = self.rng.choice(OF[head])
            else:
                made = PARAMETERS[name](self.rng)
            self.found[wanted.name] = made
        return self.found[wanted.name]

    def term(self, pattern: Node) -> Term:
        operands: list[Term] = []
        for operand in pattern.operands:
            match operand:
                case Hole():
                    operands.append(self.hole(operand, pattern.head))
                case Rest():
                    operands += self.rest(operand, pattern.head)
                case Node():
                    operands.append(self.line(self.term(operand)))
        given = dict(pattern.parameters)
        parameters = {}
        for name in DECLARED.get(pattern.head, ()):
            wanted = given.get(name, Hole(f"{pattern.head}.{name}.{len(self.lines)}"))
            single = pattern.head in ("cumsum", "take", "put", "concatenate")
            if name == "axis" and single:
                made = self.found.setdefault(getattr(wanted, "name", ""), 0)
            else:
                made = self.parameter(pattern.head, name, wanted, tuple(operands))
            parameters[name] = made
        return unview(pattern.head, tuple(operands), parameters)

    def lam(self, result: Term) -> Lam:
        """The function of the variables that gives ``result``, lines put into it."""
        return Lam(tuple(self.params) or (Var("unused", Real),), self.written(result))

    def written(self, term: Term) -> Term:
        match term:
            case Var(name) if name in self.lines:
                return self.written(self.lines[name])
            case Prim(operation, args):
                return Prim(operation, tuple(map(self.written, args)))
            case Proj(index, product):
                return Proj(index, self.written(product))
            case Tuple(items, names):
                return Tuple(tuple(map(self.written, items)), names)
            case _:
                return term


class Unfit(Exception):
    """A draw that does not satisfy a rule's condition."""


def instances(rule: Any, fits: Any, count: int) -> list[tuple[Instance, Term]]:
    """So many instances to which the rule applies."""
    rng, found = random.Random(rule.name), []
    for _ in itertools.repeat(None, TRIES):
        instance = Instance(rng)
        try:
            term = instance.term(rule.left)
        except (DiffcurryError, Unfit, AttributeError, IndexError, OverflowError):
            continue
        if rule.apply(term, instance) is not None and fits(rule, instance, term):
            found.append((instance, term))
        if len(found) == count:
            break
    return found


def cost(term: Term, lines: Any = None) -> int:
    """Scalar operations of one node, a sum of tuples by components."""
    if not isinstance(term, Prim) or not term.args:
        return 0
    if term.operation.name == "plus":
        packed = lines.definition(term.args[0]) if lines else term
        opened = isinstance(packed, Prim) and packed.operation.name in ("pack", "tag", "roll")
        whole = packed.args[0].type if opened else term.type
        return flat_size(whole)
    types = [arg.type for arg in term.args if isinstance(arg.type, Tensor)]
    return term.operation.primitive.cost(types, term.type)


def flat_size(obj: Any) -> int:
    product = components(obj)
    if product is not None:
        return sum(map(flat_size, product.parts))
    return math.prod(obj.shape) if isinstance(obj, Tensor) else 0
