"""Fission: what has no bulk form stays in a map of its own; the lines before and after are bulk.

    map (λx. sin (f (x * x))) xs                     f unknown
    ⇝  let y = map f (xs * xs) in sin y

That are calls of unknown functions, ``with_derivative``, primitives of others that say nothing of
their rows, and functions that depend on an index. The line's operands become the arrays that a map
runs over, one map for each build that any of them depends on; what depends on none is captured.
"""

from __future__ import annotations

from combinators.block import remade
from combinators.bulk.block import Axis, Block
from combinators.bulk.borders import term_of, virtual
from combinators.bulk.values import (
    Array,
    Group,
    Leaf,
    Rep,
    Rows,
    Tensors,
    axes_of,
    forced,
    in_order,
    laid,
    leaves_of,
    map_leaves,
    place_of,
)
from combinators.bulk.walk import Env, Walk
from combinators.kit.recursion import Recursive
from combinators.objects import Int, Object, Tensor, components
from combinators.objects import Product as ProductType
from combinators.primitives.loops import MAP
from combinators.rows import row_of
from combinators.terms import Lam, Prim, Proj, Term, Tuple, Var


class Columns:
    """The arrays that a loop runs over along an axis; what lacks it is the same in each row."""

    def __init__(self, block: Block, axis: Axis) -> None:
        """Of a loop in ``block``."""
        self.block, self.axis = block, axis
        self.terms: list[Term] = []
        self._at: dict[int, tuple[int, Leaf]] = {}
        """Which of the arrays holds a value; the value itself, so that its ``id`` stays its own."""

    def add(self, rep: Rep) -> None:
        """Let the loop run over what depends on its axis."""
        for leaf in leaves_of(rep):
            if self.axis in axes_of(leaf) and id(leaf) not in self._at:
                self._at[id(leaf)] = len(self.terms), leaf
                self.terms.append(self._column(leaf))

    def _column(self, leaf: Leaf) -> Term:
        if not isinstance(leaf, Tensors):
            return leaf.term
        array = forced(self.block, leaf)
        order = in_order(label for label in array.labels if label is not self.axis)
        return laid(self.block, array, (self.axis, *order), full=False)

    def operand(self) -> Term:
        """What the loop runs over."""
        if not self.terms:
            return self.block.positions(self.axis.extent)
        return self.terms[0] if len(self.terms) == 1 else Tuple(tuple(self.terms))

    def parameter(self, inner: Block) -> Var:
        """The parameter of the loop's λ that stands for a row."""
        types = [row_of(term.type) for term in self.terms] or [Int]
        obj = types[0] if len(types) == 1 else ProductType(*types)
        return Var(inner.names.fresh("row"), obj)

    def inside(self, inner: Block, rep: Rep, param: Var) -> Rep:
        """What ``rep`` is in the λ."""

        def each(leaf: Leaf) -> Rep:
            if id(leaf) not in self._at:
                return leaf
            at, _ = self._at[id(leaf)]
            row = param if len(self.terms) == 1 else inner.bind(Proj(at, param), "row")
            if isinstance(leaf, Rows):
                left = tuple(axis for axis in leaf.axes if axis is not self.axis)
                return Rows(row, left, leaf.type) if left else virtual(inner, row, leaf.type)
            assert isinstance(leaf, Tensors)
            return Array(row, in_order(a for a in leaf.labels if a is not self.axis), leaf.type)

        return map_leaves(rep, each)


def kept(walk: Walk, term: Term, reps: list[Rep], block: Block) -> Recursive[Rep]:
    """A line as it is; in a map of its own where its operands depend on an index."""
    if any(axes_of(rep) for rep in reps):
        apart: Rep = yield split_line(walk, term, reps, block)
        return apart
    args = []
    for rep in reps:
        args.append((yield term_of(walk, rep, block)))
    return virtual(block, block.bind(remade(term, tuple(args)) if args else term), term.type)


def split_line(walk: Walk, term: Term, reps: list[Rep], block: Block) -> Recursive[Rep]:
    """A line whose operands are known."""
    env: dict[str, Rep] = {}
    names = []
    for rep in reps:
        var = Var(walk.survey.names.fresh("x"), rep.type)
        env[var.name] = rep
        names.append(var)
    found: Rep = yield _split(walk, remade(term, tuple(names)), env, block)
    return found


def split(walk: Walk, term: Term, env: Env, block: Block) -> Recursive[Rep]:
    """A term, at each index of the builds that it depends on."""
    mentioned = {name: env[name] for name in walk.survey.mentioned(term) if name in env}
    found: Rep = yield _split(walk, term, mentioned, block)
    return found


def _split(walk: Walk, term: Term, env: Env, block: Block) -> Recursive[Rep]:
    walk.has_split = True
    walk.say("build1-split", term, term)
    found = frozenset[Axis]().union(*map(axes_of, env.values()))
    axes = tuple(sorted(found, key=place_of))
    line: Term = yield _nested(walk, term, env, axes, block)
    return lifted(block, line, term.type, axes)


def _nested(
    walk: Walk, term: Term, env: Env, axes: tuple[Axis, ...], block: Block
) -> Recursive[Term]:
    """A map for each axis, the outermost build's first."""
    if not axes:
        rep: Rep = yield walk.value(term, env, block)
        result: Term = yield term_of(walk, rep, block)
        return result
    columns = Columns(block, axes[0])
    whole = Group(tuple(env.values()), ProductType(*[rep.type for rep in env.values()]))
    columns.add(whole)
    inner = Block(names=walk.survey.names)
    param = columns.parameter(inner)
    rows = columns.inside(inner, whole, param)
    assert isinstance(rows, Group)
    below = dict(zip(env, rows.parts, strict=True))
    body: Term = yield _nested(walk, term, below, axes[1:], inner)
    lam = Lam((param,), inner.term(body))
    return block.bind(Prim(MAP, (lam, columns.operand()), getattr(term, "place", None)))


def lifted(block: Block, line: Term, obj: Object, axes: tuple[Axis, ...]) -> Rep:
    """What maps over ``axes`` gave."""
    product = components(obj)
    if isinstance(obj, Tensor):
        assert isinstance(line, Var)
        return Array(line, (*axes, *range(len(obj.shape))), obj)
    if product is None:
        return Rows(line, axes, obj)
    parts = tuple(
        lifted(block, block.bind(Proj(index, line)), part, axes)
        for index, part in enumerate(product.parts)
    )
    return Group(parts, obj)
