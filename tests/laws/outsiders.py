"""What a user might bring: functions of Python as a category, and ways to get it wrong."""

import numpy as np


def forgotten(value):
    if isinstance(value, tuple):
        return tuple(map(forgotten, value))
    return 1.0 - value if getattr(value, "dtype", None) == np.float64 else value


class Functions:
    """Sets and functions: right."""

    def run(self, arrow, point):
        return arrow(point)

    def identity(self, dom):
        return lambda x: x

    def compose(self, arrows):
        def composite(x):
            for arrow in arrows:
                x = arrow(x)
            return x

        return composite

    def prod(self, dom, arrows):
        return lambda x: tuple(f(x) for f in arrows)

    def proj(self, dom, index, cod):
        return lambda x: x[index]

    def const(self, dom, value):
        return lambda x: value.array[()]

    def curry(self, captured, function, body, label):
        return lambda env: lambda x: body((*env, x))

    def eval(self, function):
        return lambda pair: pair[0](pair[1])


class FirstAlways(Functions):
    """Every projection is the first."""

    def proj(self, dom, index, cod):
        return lambda x: x[0]


class Forgetful(Functions):
    """The numbers that a closure captured are other ones when it is called."""

    def curry(self, captured, function, body, label):
        return lambda env: lambda x: body((*map(forgotten, env), x))


class Raising(Functions):
    """Functions cannot be applied."""

    def eval(self, function):
        def applied(pair):
            raise ZeroDivisionError("no functions today")

        return applied


class Leaving(Functions):
    """It ends Python when it is run."""

    def run(self, arrow, point):
        raise SystemExit(3)


class Broken(Functions):
    """It cannot be made."""

    def __init__(self):
        raise ValueError("not today")


class Misdeclared(Functions):
    """One name where a list of names is due."""

    structures = "cartesian"


class Misshapen(Functions):
    """It says of which shapes programs are, and gets it wrong."""

    @property
    def signature(self):
        from diffcurry import laws

        return laws.Signature(shapes=(3,))


class Over:
    """It has to be told over what."""

    def __init__(self, over):
        self.over = over


def functions():
    return Functions()


WRONG = Forgetful()
NUMBER = 3
