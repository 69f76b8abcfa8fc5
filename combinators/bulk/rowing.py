"""Values as the rows that a loop or a map runs over, and as one row inside of its λ."""

from __future__ import annotations

from combinators.bulk.affine import Index, index_of
from combinators.bulk.block import Axis, Block
from combinators.bulk.borders import rows_of, virtual
from combinators.bulk.selection import selected
from combinators.bulk.values import (
    Affine,
    Array,
    Closure,
    Group,
    Product,
    Rep,
    Rows,
    Tensors,
    forced,
    in_order,
    laid,
)
from combinators.objects import Int, Object, Tensor, Vector
from combinators.objects import Product as ProductType
from combinators.terms import Proj, Term, Tuple, Var


class Columns:
    """The arrays that a loop runs over along one axis; what lacks it is the same in each row."""

    def __init__(self, block: Block, length: int, axis: Axis | None = None) -> None:
        """Of a loop in ``block``, along ``axis``, or an axis of its own."""
        self.block, self.length = block, length
        self.axis = block.axis(length) if axis is None else axis
        self.terms: list[Term] = []
        self._column_of: dict[int, int] = {}
        self._row_of: dict[int, Rep] = {}

    def row_of(self, stack: Rep) -> Rep:
        """The row of a stack: its first axis is the loop's."""
        at = Index(index_of(self.axis))
        rep = rows_of(self.block, stack, lambda x: selected(self.block, x, {0: at}))
        self.add(rep)
        return rep

    def add(self, rep: Rep) -> None:
        """Let the loop run over what depends on its axis."""
        todo = [rep]
        while todo:
            here = todo.pop()
            if id(here) in self._row_of:
                continue
            self._row_of[id(here)] = here
            match here:
                case Array() | Affine() | Product() if self.axis in here.labels:
                    array = forced(self.block, here)
                    order = in_order(label for label in array.labels if label is not self.axis)
                    self._take(here, laid(self.block, array, (self.axis, *order), full=False))
                case Rows(term, axes) if self.axis in axes:
                    self._take(here, term)
                case Group(parts):
                    todo += parts
                case Closure(_, captured):
                    todo += captured.values()
                case _:
                    pass

    def _take(self, rep: Rep, column: Term) -> None:
        self._column_of[id(rep)] = len(self.terms)
        self.terms.append(column)

    def operand(self) -> Term:
        """What the loop runs over."""
        if not self.terms:
            return self.block.positions(self.length)
        return self.terms[0] if len(self.terms) == 1 else Tuple(tuple(self.terms))

    def parameter(self, inner: Block, rep: Rep) -> tuple[Var, Rep]:
        """The parameter of the loop's λ, and what ``rep`` is in it."""
        types = [_row_type(term.type) for term in self.terms] or [Int]
        obj = types[0] if len(types) == 1 else ProductType(*types)
        param = Var(inner.names.fresh("row"), obj)
        return param, self.inside(inner, rep, param, {})

    def inside(self, inner: Block, rep: Rep, param: Var, known: dict[int, Rep]) -> Rep:
        """What ``rep`` is in the λ."""
        if id(rep) not in known:
            known[id(rep)] = self._inside(inner, rep, param, known)
        return known[id(rep)]

    def _inside(self, inner: Block, rep: Rep, param: Var, known: dict[int, Rep]) -> Rep:
        if isinstance(rep, Group):
            parts = tuple(self.inside(inner, part, param, known) for part in rep.parts)
            return Group(parts, rep.type)
        if isinstance(rep, Closure):
            captured = {
                name: self.inside(inner, part, param, known) for name, part in rep.captured.items()
            }
            return Closure(rep.lam, captured, rep.type)
        at = self._column_of.get(id(rep))
        if at is None:
            return rep
        row = param if len(self.terms) == 1 else inner.bind(Proj(at, param), "row")
        if isinstance(rep, Rows):
            left = tuple(axis for axis in rep.axes if axis is not self.axis)
            return Rows(row, left, rep.type) if left else virtual(inner, row, rep.type)
        assert isinstance(rep, Tensors)
        left_labels = in_order(label for label in rep.labels if label is not self.axis)
        return Array(row, left_labels, rep.type)


def _row_type(column: Object) -> Object:
    if isinstance(column, Vector):
        return column.item
    assert isinstance(column, Tensor)
    return Tensor(column.shape[1:], column.dtype)
