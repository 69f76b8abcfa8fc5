"""docs/laws.md lists the laws as they are."""

import re

from laws.structures import LAWS
from tests.laws.page import BEGIN, END, PAGE, written


def test_the_page_is_up_to_date():
    page = PAGE.read_text(encoding="utf-8")
    assert page.count(BEGIN) == page.count(END) == 1
    assert page == written(page), "run: python tests/laws/page.py"


def test_every_law_is_typeset():
    page = PAGE.read_text(encoding="utf-8")
    for law in LAWS:
        assert page.count(rf"\text{{{law.name}}}\quad & ") == 1
    assert page.count("\n$$\n") == 2 * len({law.structure for law in LAWS})


def test_every_law_has_a_row():
    rows = re.findall(r"^\| (\S+) \| `", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    names = {law.name for law in LAWS}
    assert sorted(names) == sorted(row for row in rows if row in names)
