"""``python -m diffcurry``."""

import sys

from diffcurry.commands import main

if __name__ == "__main__":
    sys.exit(main())
