"""``python -m tests.house``: the measures of the house, and the places that break them."""

import sys
from pathlib import Path

from tests.house.imports import arrows, circles
from tests.house.measures import MOST_NAMESAKES, counted, entered, imports_in_functions, stems

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    found = [*counted(ROOT), *entered(ROOT)]
    width = max(len(measure.what) for measure in found)
    for what, value, most in found:
        print(
            f"{what:<{width}}  {value:>7,}  of {most:>6,}{'' if value <= most else '   too many'}"
        )
    for circle in circles(arrows(ROOT)):
        print(f"a circle of {len(circle)}: {', '.join(circle)}")
    for stem, times in stems(ROOT).most_common():
        if times > MOST_NAMESAKES:
            print(f"{times} files are named {stem}.py")
    if "--all" in sys.argv:
        print(*imports_in_functions(ROOT), sep="\n")
    return 0 if all(measure.holds for measure in found) else 1


if __name__ == "__main__":
    sys.exit(main())
