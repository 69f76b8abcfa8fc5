"""Write the tables of docs/laws.md again: ``python tests/laws/page.py``."""

from pathlib import Path

from laws.law import markdown
from laws.structures import LAWS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "laws.md"
BEGIN, END = "<!-- begin: written by tests/laws/page.py -->\n", "<!-- end -->\n"


def written(page: str) -> str:
    """The page with its tables as they are now."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{markdown(LAWS)}\n\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
