"""Every item of the papers has its file, its test and its state, and docs/papers.md lists them."""

from pathlib import Path

import pytest

from tests.papers.tables import PAGE, Row, faults, page, rows


def test_every_row_names_a_file_and_a_test_that_exist_and_a_state():
    assert [fault for row in rows() for fault in faults(row)] == []


def test_the_page_of_the_papers_is_what_the_tables_say():
    assert PAGE.read_text("utf-8") == page(), "run python -m tests.papers.tables"


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        (("Fig. 1", "a.py", "", "✔"), "has no item, file, test and state"),
        (("Fig. 1", "a.py", "b.py", "✔"), "there is no b.py"),
        (("Fig. 1", "a.py", "a.py::test_two", "✔"), "there is no a.py::test_two"),
        (("Fig. 1", "a.py", "a.py::test_one", "?"), "? is no state"),
    ],
)
def test_a_row_that_lacks_something_is_found(tmp_path: Path, cells, says):
    (tmp_path / "a.py").write_text("def test_one(): ...\n")
    (fault,) = faults(Row("004", "page.md", cells), tmp_path)
    assert says in fault
