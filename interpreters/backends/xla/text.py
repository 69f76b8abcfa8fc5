"""Statements of JAX programs as text, laid out as ``ruff format`` lays them out."""

from __future__ import annotations

from collections.abc import Iterator

from interpreters.backends.python.code import Block, Statement, text_of, without_unused
from interpreters.backends.python.layout import INDENT, Split, laid


def lines(body: list[Statement], depth: int) -> Iterator[str]:
    """The lines of a body; a function in it stands between empty lines."""
    gap = False
    for index, statement in enumerate(body):
        is_function = isinstance(statement, Block)
        if index and (gap or is_function):
            yield ""
        gap = is_function
        if isinstance(statement, Block):
            yield from laid(statement.before, statement.header, ":", depth)
            yield from lines(statement.body, depth + 1)
        else:
            yield from text_of([statement], depth)


def function_text(
    name: str, params: tuple[str, ...], body: list[Statement], doc: str = "", *, jitted: bool
) -> str:
    """A function at the top of the module."""
    head = ["@jax.jit"] if jitted else []
    head += laid("def ", Split(f"{name}(", params, ")"), ":", 0)
    kept = without_unused(body)
    if doc:
        head.append(f'{INDENT}"""{doc}"""')
        head += [""] * isinstance(kept[0], Block)
    return "\n".join([*head, *lines(kept, 1)])
