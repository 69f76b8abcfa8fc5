"""What a mistake has to say, and the check that it does."""

from pathlib import Path
from typing import NamedTuple

import pytest

import diffcurry as dc
from combinators.errors import DiffcurryError


class Mistake(NamedTuple):
    does: object
    error: type
    builtin: type
    says: list[str]


def at(f, *args, **options):
    """What happens when ``f`` is differentiated there."""
    return lambda: dc.grad(f, **options)(*args)


def check(mistake):
    """It has an error of its own, a builtin too, that names the file of a test and says it all."""
    with pytest.raises(mistake.error) as caught:
        mistake.does()
    error = caught.value
    assert isinstance(error, DiffcurryError)
    assert isinstance(error, mistake.builtin)
    for text in mistake.says:
        assert text in error.args[0], error
    assert Path(error.place.file).parent == Path(__file__).parent
    assert str(error) == f"{error.place.file}:{error.place.line}: {error.args[0]}"


def each(mistakes):
    """A test for each mistake."""
    return pytest.mark.parametrize("mistake", mistakes.values(), ids=list(mistakes))
