"""A progress bar on the error stream, where a person reads it and ``rich`` is there."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from laws.law import Law


def watched(asked: Sequence[Law], title: str) -> Iterator[Law]:
    """The laws, one after the other, with a bar that says where it is."""
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    except ImportError:
        yield from asked
        return
    if not sys.stderr.isatty():
        yield from asked
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=len(asked))
        for law in asked:
            progress.update(task, description=f"{title}  {law.name}")
            yield law
            progress.advance(task)
