"""A small model to plant bugs in: values only, functions are Python's, numbers are a carrier's."""

import numpy as np

from combinators.literal import Literal
from combinators.objects import Product, components
from combinators.primitives.loops import LOOP
from interpreters.carriers.fractions import Fractions
from laws.model import Signature


class Values:
    signature = Signature()
    carrier = Fractions()

    @property
    def category(self):
        return self

    def run(self, arrow, point):
        return arrow(point)

    def identity(self, dom):
        return lambda x: x

    def compose(self, arrows):
        def run(x):
            for arrow in arrows:
                x = arrow(x)
            return x

        return run

    def prod(self, dom, arrows):
        return lambda x: tuple(arrow(x) for arrow in arrows)

    def proj(self, dom, index, cod):
        return lambda x: x[index]

    def extend(self, context, arrow):
        return lambda x: (*x, arrow(x))

    def curry(self, captured, function, body, label):
        return lambda x: lambda y: body((*x, y))

    def eval(self, function):
        return lambda pair: pair[0](pair[1])

    def const(self, dom, value):
        return lambda _: self.carrier.const(value)

    def cond(self, dom, then, other):
        return lambda pair: (then if self.carrier.truth(pair[0]) else other)(pair[1])

    def primitive(self, operation, dom, cod):
        types = dom.parts if isinstance(dom, Product) else (dom,)
        if operation.primitive is LOOP:
            reverse, loop = operation.keywords.get("reverse", False), getattr(self, operation.name)
            return lambda args: loop(*args, *[reverse] * (len(args) > 2), cod)
        compute = self.carrier.operation(operation, types, cod)
        if isinstance(dom, Product):
            return lambda args: compute(*args)
        return compute

    def fold(self, f, init, xs, reverse, cod):
        for x in xs[::-1] if reverse else xs:
            init = f((init, x))
        return init

    def scan(self, f, init, xs, reverse, cod):
        ys = []
        for x in xs[::-1] if reverse else xs:
            init, y = f((init, x))
            ys.append(y)
        return init, self.stacked(ys[::-1] if reverse else ys, components(cod).parts[1])

    reduce, scanl, scanr = fold, scan, scan

    def map(self, f, xs, cod):
        return self.stacked([f(x) for x in xs], cod)

    def stacked(self, rows, cod):
        if not rows:
            return self.carrier.const(Literal(np.zeros(cod.shape, cod.dtype)))
        return np.stack([np.asarray(row) for row in rows])
