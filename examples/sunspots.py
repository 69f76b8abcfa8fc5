"""The recurrent network of *The Differentiable Curry* learns the yearly sunspot numbers.

Run ``make demo``, or ``python examples/sunspots.py`` (``--quick`` for a few seconds of it), which
needs ``pip install '.[demo]'``.
"""

import argparse
import time
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

import diffcurry as dc
from forecast import picture
from forecast.checking import slopes
from forecast.data import UNIT, rmse, windows
from forecast.network import initial, predict
from forecast.training import schedule, train

PICTURE = Path(__file__).resolve().parent / "output" / "sunspots.png"
PAST, HIDDEN = 12, 6  # years that the network sees; the width of its memory
EARLY, LATE, HELD_OUT = (1700, 1910), (1911, 1950), (1951, 2008)

console = Console(highlight=False, soft_wrap=True)
predicted = dc.fun(predict)


def title(text):
    console.print(f"\n[bold]{text}[/bold]\n")


def show(text):
    console.print(str(text), markup=False)


def show_program():
    """The network at a tiny size: as a term, and as combinators."""
    program = predicted.program(initial(1, np.random.default_rng(0)), np.zeros((3, 1, 1)))
    title("The network as a term: a λ that captures the parameters of the cell is folded")
    show(program)
    title("The same as combinators")
    show(program.combinators)


def show_calls():
    """The cotangent of a function that is folded, in both forms."""

    def run(g, xs):
        return dc.fold(g, 0.0, xs)

    g = partial(lambda w, hidden, x: np.tanh(w * hidden + x), 0.5)
    xs = np.array([0.5, -1.0, 2.0])
    title("The cotangent of a folded function, g(hidden, x) = tanh(w hidden + x): its calls")
    show(dc.vjp(run, g, xs, mode="simple")[1](1.0)[0])
    title("The same, as the cotangent of what g captures")
    show(dc.vjp(run, g, xs)[1](1.0)[0])


class Fit(NamedTuple):
    """The parameters, after so many steps, and the errors after each step by what they are of."""

    params: dict
    steps: int
    curves: dict


def fit(random, steps):
    """Choose the number of steps on late years, then train that long on early and late ones."""
    years, sizes = windows(PAST), schedule(steps)
    late, start = years.within(*LATE), initial(HIDDEN, random)
    title(f"Training an LSTM of {HIDDEN} cells on windows of {PAST} years: how many steps?")
    early_steps = watched(train(start, years.within(*EARLY), sizes), steps)
    errors = [rmse(predicted(step.params, late.xs), late.ys) for step in early_steps]
    chosen = int(np.argmin(errors)) + 1
    show(f"after {chosen} steps the error on {LATE[0]} to {LATE[1]} was least: {min(errors):.1f}")
    title("Training on all years before the held-out ones")
    all_steps = watched(train(start, years.within(EARLY[0], LATE[1]), sizes[:chosen]), chosen)
    trained = list(all_steps)
    curves = {
        f"{LATE[0]} to {LATE[1]}, of which it saw nothing": errors,
        f"{EARLY[0]} to {LATE[1]}, as it trains on them": [UNIT * s.loss**0.5 for s in trained],
    }
    return Fit(trained[-1].params, chosen, curves)


def watched(training, total):
    """The same steps, with a bar where there is a terminal, and a line now and then."""
    bar, count = BarColumn(), TextColumn("step {task.completed} of {task.total}")
    left = TimeRemainingColumn()
    with Progress(bar, count, left, console=console, transient=True) as progress:
        task = progress.add_task("", total=total)
        for number, step in enumerate(training, start=1):
            yield step
            progress.advance(task)
            if number % max(1, total // 6) == 0:
                error = UNIT * step.loss**0.5
                console.print(f"step {number:>4}   loss {step.loss:.4f}   ({error:.1f} sunspots)")


def show_errors(held_out, prediction):
    title(f"Error on {HELD_OUT[0]} to {HELD_OUT[1]}, the held-out years (root mean square)")
    show(f"the network              {rmse(prediction, held_out.ys):5.1f} sunspots")
    show(f"last year's value again  {rmse(held_out.xs[-1, :, 0], held_out.ys):5.1f} sunspots")


def show_check(params, random):
    title("The gradient of the trained loss against central differences, in random directions")
    show(f"{'gradient':>17}  {'differences':>17}  {'relative error':>14}")
    for slope in slopes(params, windows(PAST).within(EARLY[0], LATE[1]), 5, random):
        show(f"{slope.gradient:17.12f}  {slope.differences:17.12f}  {slope.error:14.1e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="train for a moment only")
    parser.add_argument("--picture", type=Path, default=PICTURE, help="where the picture goes")
    given = parser.parse_args()
    random, began = np.random.default_rng(0), time.perf_counter()
    show_program()
    show_calls()
    trained = fit(random, 20 if given.quick else 400)
    held_out = windows(PAST).within(*HELD_OUT)
    prediction = predicted(trained.params, held_out.xs)
    show_errors(held_out, prediction)
    show_check(trained.params, random)
    picture.save(given.picture, trained.curves, trained.steps, held_out, prediction)
    title(f"{time.perf_counter() - began:.1f} s in all; the picture is {given.picture}")


if __name__ == "__main__":
    main()
