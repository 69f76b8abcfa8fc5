"""The pytest plugin of diffcurry: ``pytest --laws-model=package.module:Thing``.

It stands outside the package, since importing a module of ``diffcurry`` imports all of it; a
session that does not use these options imports this file alone.
"""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options."""
    group = parser.getgroup("laws", "laws of interpreters, by diffcurry")
    group.addoption(
        "--laws-model",
        action="append",
        default=[],
        metavar="PKG.MOD:THING",
        help="check every law that it claims; may be given again",
    )
    group.addoption("--laws-only", metavar="NAMES", help="structures or laws, as closed,reverse,E1")
    group.addoption("--laws-examples", type=int, metavar="N", help="how many examples a law")
    group.addoption("--laws-seed", type=int, default=0, metavar="N", help="where examples start")
    group.addoption(
        "--laws-xfail", metavar="FILE", help="entries Model::Law, a line each, that have to fail"
    )


def pytest_configure(config: pytest.Config) -> None:
    """The marker, so that ``-m laws`` and ``-m 'not laws'`` work."""
    config.addinivalue_line("markers", "laws: a law of a model, checked by diffcurry")


@pytest.hookimpl(tryfirst=True)  # so that -k and -m choose among the laws too
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """The laws of the models come after the tests."""
    given = ("laws_only", "laws_examples", "laws_xfail")
    if not config.getoption("laws_model"):
        if any(config.getoption(name) is not None for name in given):
            raise pytest.UsageError("say which model, by --laws-model=package.module:Thing")
        return
    if config.getoption("laws_seed") < 0:
        raise pytest.UsageError("--laws-seed is a number from 0")
    try:
        from diffcurry.commands.laws import collected
        from diffcurry.commands.targets import said
    except ImportError as error:  # a file of the user's hides a package of ours
        raise pytest.UsageError(str(error)) from None
    try:
        items += collected(session)
    except Exception as error:
        raise pytest.UsageError(f"laws: {said(error)}") from error
