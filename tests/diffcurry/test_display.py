"""HTML of programs: what users name is text, and long programs end."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import diffcurry as dc
from combinators.objects import Real, Record
from combinators.terms import Lam, Proj, Var
from diffcurry.display import LINES, coloured, html


class Tags(HTMLParser):
    """Which tags a text opens, whether it closes them, and what it shows."""

    def __init__(self, text):
        super().__init__()
        self.opened, self.stack, self.shown = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.opened.add(tag)
        self.stack.append(tag)

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        if "style" not in self.stack:
            self.shown.append(data)


def seen(text):
    tags = Tags(text)
    assert not tags.stack
    assert tags.opened <= {"style", "div", "b", "pre", "span"}
    return "".join(tags.shown)


def loss(w, xs):
    return dc.fold(lambda c, x: dc.cond(c < 0.5, lambda: c * w, lambda: x), 0.0, xs)


def test_a_program_shows_its_name_its_type_and_its_let_normal_form():
    program = dc.fun(loss).program(1.0, np.ones(3))
    assert seen(html([program])) == f"loss : Real × Tensor[3] ⇒ Real{program}"


def test_a_function_shows_every_program_that_it_has_met():
    function = dc.fun(lambda x: x * x)
    assert seen(function._repr_html_()) == repr(function)
    function(1.0), function(np.ones(2))
    assert seen(function._repr_html_()).count("x * x") == 2
    assert "Tensor[2]" in seen(function._repr_html_())


def test_a_function_with_declared_types_shows_itself_before_it_is_called():
    assert "x * x" in seen(dc.fun(lambda x: x * x, Real)._repr_html_())


def test_words_types_and_numbers_are_coloured_and_names_are_not():
    text = coloured("λ(lets : Real). if x2 > 1e-3 then 2 else letter")
    assert re.findall(r'<span class="(\w)">([^<]*)', text) == [
        ("k", "λ"),
        ("t", "Real"),
        ("k", "if"),
        ("n", "1e-3"),
        ("k", "then"),
        ("n", "2"),
        ("k", "else"),
    ]


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "a&b", '"><img src=x>'])
def test_names_are_escaped(name):
    var = Var("p", Record.of((name,), dc.Product(Real)))
    lam = Lam((var,), Proj(0, var), name)

    class Shown(dc.function.Program):
        def __init__(self):
            self.lam, self.face = lam, None

    text = html([Shown()])
    assert name in seen(text)
    assert "<script>" not in text
    assert "<img" not in text


def test_a_long_program_ends_and_says_how_much_is_left():
    text = coloured("\n".join(f"v{i}" for i in range(50_000)))
    assert f"v{LINES - 1}\n" in seen(text)
    assert seen(text).endswith("… 49,800 more lines")
    assert len(coloured("x" * 10**6)) < 3_000
