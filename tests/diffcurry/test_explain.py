"""``explain``: the same text everywhere, colour where a terminal is."""

import io

import numpy as np
import pytest

import diffcurry as dc
from combinators.errors import DomainError
from diffcurry import Int, Real, Tensor, fun
from diffcurry.display import LINES
from diffcurry.explain import STAGES, Stage


@fun
def wave(x, y):
    return np.sin(x * y) + x**2


def sections(explanation):
    return {section.title: section for section in explanation.sections}


def test_it_walks_from_the_term_to_the_certificate():
    found = sections(wave.explain(Real, Real))
    assert list(found) == [stage.title for stage in STAGES if "bulk" not in stage.title]
    assert found["term"].text == "λ(x : Real, y : Real).\n  sin (x * y) + square x"
    assert found["combinators"].text.startswith("Real × Real ⇝ Real =")
    assert found["rep-function"].text == "Real × Real ⇒ Real × (Real ⇒ Real × Real)"
    assert found["formula"].text.splitlines()[0] == "wave = x**2 + sin(x*y)"
    assert "return math.sin(x * y) + x * x" in found["code"].text
    assert "(v7 · y + 1 · (2 * x), v7 · x)" in found["gradient, as written"].text
    assert "scale-one: 1 · v1 ⇝ cos v" in found["rules that fired"].text
    assert " 1 ·" not in found["value and gradient, simplified"].text
    assert found["formula"].text.splitlines()[1] == "∇wave = (2*x + y*cos(x*y), x*cos(x*y))"
    assert "def grad_wave(x, y):" in found["the gradient's code"].text
    assert found["cost"].text.startswith("exactly 4 operations")
    assert "law K1" in found["certificate"].text


def test_values_and_types_say_the_same():
    assert str(wave.explain(1.0, 2.0)) == str(wave.explain(Real, Real))


def test_what_a_program_cannot_have_is_said_in_a_line():
    found = sections(fun(lambda a: a * 2.0).explain(Tensor((3,))))
    assert found["gradient, as written"].kind == "note"
    assert found["gradient, as written"].text.startswith(
        "(none: grad takes a function whose result is one"
    )
    assert "no gradient" in found["certificate"].text


def test_recursion_and_cases_are_walked_through_too():
    go = dc.rec(lambda self, x, n: dc.cond(n == 0, lambda: x, lambda: x * self(x, n - 1)))
    power = sections(fun(lambda x, n: go(x, n), Real, Int).explain())
    assert "fix" in power["combinators"].text
    assert power["formula"].text.startswith("(none: a recursive function whose end depends on")
    assert "per call of each recursive function" in power["certificate"].text
    either = fun(lambda s: dc.case(s, np.sin, np.cos), dc.Sum(Real, Real)).explain()
    assert "is[0] s" in sections(either)["term"].text


FORMULA = next(stage for stage in STAGES if stage.title == "formula")


def refused(walked):
    raise DomainError("no formula of <reasonable> size")


def test_a_long_program_has_no_formula_to_read_and_ends():
    @fun
    def chain(x):
        for _ in range(3000):
            x = np.sin(x)
        return x

    found = sections(chain.explain(Real, stages=(STAGES[0], FORMULA)))
    assert found["formula"].text.startswith("(none: 3,000 operations are no formula to read")
    assert len(found["term"].text.splitlines()) == LINES + 1


STRANGE = (
    Stage("long", "term", lambda walked: "\n".join(["x"] * 1000)),
    Stage("<b>", "python", lambda walked: "if a < b:\n    pass"),
    Stage("none", "text", refused),
)


def test_stages_are_values_and_long_ones_end():
    found = wave.explain(Real, Real, stages=STRANGE)
    assert found.sections[0].text.splitlines()[-1] == f"… {1000 - LINES} more lines"
    assert found.sections[2].text == "(none: no formula of <reasonable> size)"
    page = found._repr_html_()
    assert "<h4>&lt;b&gt;</h4>" in page
    assert "if a &lt; b:" in page
    assert '<pre class="m">(none: no formula of &lt;reasonable&gt; size)</pre>' in page


def printed(explanation, **options):
    console = pytest.importorskip("rich.console")
    stream = io.StringIO()
    console.Console(file=stream, force_terminal=True, width=120, **options).print(explanation)
    return stream.getvalue()


def test_a_terminal_gets_colour(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    text = printed(wave.explain(Real, Real, stages=(*STAGES[:1], *STRANGE[1:])))
    assert "\x1b[31mλ\x1b[0m" in text
    assert "\x1b[36mReal\x1b[0m" in text


def test_no_color_is_respected(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    text = printed(wave.explain(Real, Real))
    assert "\x1b[3" not in text
    assert "λ(x : Real, y : Real)." in text
