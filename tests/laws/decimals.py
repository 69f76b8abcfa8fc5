"""Decimals as a carrier of a user's: numbers in 28 digits, neither floats nor rationals."""

import operator
from decimal import Decimal

from interpreters.carriers.carrier import computation, computes
from laws.model import Signature


class Decimals:
    signature = Signature(shapes=((),), arrays=False, loops=False)

    def operation(self, operation, types, cod):
        return computation(operation, self)

    def const(self, literal):
        return self.lift(literal.array.item(), literal.type)

    def add(self, x, y):
        return x + y

    def truth(self, number):
        return bool(number)

    def row(self, stack, index):
        return stack[index]

    def stack(self, rows, obj):
        return tuple(rows)

    def lower(self, number):
        return number

    def lift(self, number, obj):
        if not obj.is_smooth or isinstance(number, Decimal):
            return number
        return Decimal(getattr(number, "item", lambda: number)())


SYMBOLS = {"add": operator.add, "subtract": operator.sub, "multiply": operator.mul}
SYMBOLS |= {"negative": operator.neg, "less": operator.lt, "logical_not": operator.not_}
SYMBOLS |= {"scale": operator.mul}
for name, symbol in SYMBOLS.items():
    computes(name, Decimals)(lambda symbol=symbol: symbol)
