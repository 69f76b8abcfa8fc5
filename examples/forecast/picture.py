"""The picture: how the loss fell, and the held-out years with their predictions."""

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from forecast.data import UNIT


def save(file, curves, chosen, held_out, prediction):
    """Write both panels to ``file``; ``curves`` maps a label to an error after each step."""
    figure = Figure(figsize=(9, 7), layout="constrained")
    FigureCanvasAgg(figure)
    above, below = figure.subplots(2)
    for label, errors in curves.items():
        above.plot(range(1, len(errors) + 1), errors, label=label)
    above.axvline(chosen, color="grey", linestyle=":", label="chosen number of steps")
    above.set(
        xlabel="step",
        ylabel="error, that is 100 √loss (sunspots)",
        ylim=(0, None),
        title="Training",
    )
    below.plot(held_out.years, UNIT * held_out.ys, "k.-", label="observed")
    below.plot(held_out.years, UNIT * prediction, "C3.-", label="predicted from the years before")
    below.set(xlabel="year", ylabel="sunspots", title="Held-out years")
    for axes in (above, below):
        axes.legend()
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, dpi=120)
