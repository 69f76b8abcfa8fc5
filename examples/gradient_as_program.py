"""A gradient is a program: print it, read it as a formula and as code, use it in a program.

Run ``python examples/gradient_as_program.py``.
"""

import numpy as np

import diffcurry as dc
from diffcurry import Real

STEPS = 30


@dc.fun(Real)
def well(x):
    """A double well, which is lower on the left."""
    return (x * x - 1.0) ** 2 + 0.3 * x


slope = dc.grad(well)


@dc.fun(Real)
def reached(rate):
    """How low one gets by descending the slope: a gradient, inside a loop."""
    return well(dc.fold(lambda x, _: x - rate * slope(x), 0.5, np.arange(STEPS)))


def better(rate):
    """A better rate, by the derivative of the descent in its rate: forty steps downhill."""
    downhill = dc.grad(reached)
    for _ in range(40):
        rate -= 2e-3 * downhill(rate)
    return rate


def title(text):
    print(f"\n-- {text}\n")


def main():
    title("The program, and its gradient")
    print(well, slope, sep="\n\n")
    title("The gradient as a formula, and its own gradient")
    print(slope.sympy(), dc.grad(slope).sympy(), sep="\n")
    title("The gradient as code that needs nothing of ours")
    print(slope.source())
    title("What it costs")
    print(well.cost().certificate)
    title("A descent, whose steps are gradients")
    print(reached)
    title("Its gradient in the rate: one loop forwards, one backwards")
    print(dc.grad(reached))
    title("A better rate")
    for rate in (0.005, better(0.005)):
        print(f"rate {rate:.4f}   energy after {STEPS} steps {reached(rate):+.4f}")


if __name__ == "__main__":
    main()
