"""Points, pairings and programs over the rationals, where laws hold exactly."""

from fractions import Fraction

import numpy as np

from combinators.morphisms import interpret
from combinators.objects import Real, Tensor, components
from combinators.tracing.definition import Definition
from combinators.tracing.faces import face_of
from combinators.translate import translate
from interpreters.carriers.fractions import Fractions
from interpreters.modes.primal import Primal
from interpreters.modes.pushforward import Pushforward

Q = Fraction
F = Fractions()
FORWARD = Pushforward(over=F)
Vector3 = Tensor((3,))


def program(function, *types):
    faces = tuple(map(face_of, types))
    lam = Definition(function, types).specialise(types, faces).lam
    return translate(lam.params, lam.body)


def closed(function, *types):
    """A function as a value over the rationals."""
    arrow = interpret(program(lambda: Definition(function, types)), Primal(F))
    return arrow.run(())


def number(rng):
    return Q(rng.randint(-9, 9), rng.randint(1, 5))


def point(rng, obj):
    product = components(obj)
    if product is not None:
        return tuple(point(rng, part) for part in product.parts)
    if not obj.shape:
        return number(rng) if obj.is_smooth else np.int64(rng.randint(-3, 3))
    flat = np.empty(obj.size, dtype=object)
    flat[:] = [number(rng) for _ in range(obj.size)]
    return flat.reshape(obj.shape)


def pairing(tangent, cotangent):
    """⟨ẋ, x̄⟩ of a tangent in tuples and a sparse cotangent."""
    if tangent is None or cotangent is None:
        return 0
    if isinstance(cotangent, dict):
        return sum(pairing(tangent[i], g) for i, g in cotangent.items())
    return np.sum(tangent * cotangent)


def real(function):
    return Definition(function, (Real,))


def poly(x):
    return x * x * x - 2.0 * x + 1.0


def equal(a, b):
    if isinstance(a, tuple):
        return all(equal(x, y) for x, y in zip(a, b, strict=True))
    return np.array_equal(a, b)


def sparse(value):
    return dict(enumerate(map(sparse, value))) if isinstance(value, tuple) else value
