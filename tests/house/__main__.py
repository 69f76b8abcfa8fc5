"""``python -m tests.house``: the measures of the house, and the places that break them."""

import sys
from pathlib import Path

from tests.house.imports import arrows, circles
from tests.house.measures import COUNTS, counted, entered, imports_in_functions, stems

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    found = [*counted(ROOT), *entered(ROOT)]
    width = max(len(measure.what) for measure in found)
    for measure in found:
        reached = "" if measure.is_reached else "   still too many"
        worse = "" if measure.holds else f", and more than the {measure.held:,} that there were"
        print(
            f"{measure.what:<{width}}  {measure.value:>7,}  of {measure.most:>6,}{reached}{worse}"
        )
    for circle in circles(arrows(ROOT)):
        print(f"a circle of {len(circle)}: {', '.join(circle)}")
    for stem, times in stems(ROOT).most_common():
        if times > COUNTS["files of one name"][1]:
            print(f"{times} files are named {stem}.py")
    if "--all" in sys.argv:
        print(*imports_in_functions(ROOT), sep="\n")
    return 0 if all(measure.holds for measure in found) else 1


if __name__ == "__main__":
    sys.exit(main())
