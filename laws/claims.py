"""What a thing claims: the model that it is, what that declares, and the laws that it owes.

Whatever is no model is made one by an adapter (``adapts``). A misspelt declaration that was passed
over would leave other laws asked than its author thinks, and so names that are none raise.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from combinators.errors import TypeMismatch
from laws.law import Law
from laws.model import name_of, own_signature
from laws.structures import LAWS, STRUCTURES, laws_of

OURS = "; of interpreters, carriers and primitives `from diffcurry import laws` makes models"
"""What there is to say as long as nobody has registered an adapter."""
Adapter = Callable[[Any], Any]
_ADAPTERS: list[tuple[Callable[[Any], bool], Adapter]] = []


def adapts(recognises: Callable[[Any], bool]) -> Callable[[Adapter], Adapter]:
    """Register what makes a model of the things that ``recognises`` is true of; the last wins."""

    def register(adapter: Adapter) -> Adapter:
        _ADAPTERS.insert(0, (recognises, adapter))
        return adapter

    return register


def model_of(thing: Any) -> Any:
    """``thing`` as a model: itself, its own instance, or what an adapter makes of it.

    A class and a function are called, without arguments. It raises ``TypeMismatch`` where ``thing``
    has neither combinators nor an adapter, or declares what makes no sense.
    """
    model = _adapted(thing)
    insist(model)
    return model


def _adapted(thing: Any) -> Any:
    for recognises, adapter in _ADAPTERS:
        if recognises(thing):
            return adapter(thing)
    if isinstance(thing, type) or inspect.isroutine(thing):
        return _adapted(made(thing))
    if callable(getattr(thing, "run", None)):
        if hasattr(thing, "category"):
            return thing
        if callable(getattr(thing, "compose", None)):
            return Alone(thing)
    raise TypeMismatch(
        f"{thing!r:.60} is no model: it has no run(arrow, point) and no combinators (identity, "
        f"compose, …); docs/laws.md says what a model is{'' if _ADAPTERS else OURS}"
    )


def made(maker: Callable[..., Any]) -> Any:
    """What a class or a function without arguments gives; ``TypeMismatch`` where it needs some."""
    try:
        parameters = list(inspect.signature(maker).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    optional = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    needed = [p.name for p in parameters if p.default is p.empty and p.kind not in optional]
    if needed:
        name = getattr(maker, "__name__", repr(maker))
        raise TypeMismatch(
            f"{name} takes arguments ({', '.join(needed)}); name a function that takes none, such "
            f"as `def mine(): return {name}(…)`, or, in Python, pass {name}(…) itself"
        )
    return maker()


class Alone:
    """A category that runs its own arrows."""

    def __init__(self, category: Any) -> None:
        self.category = category

    def __getattr__(self, name: str) -> Any:
        return getattr(self.category, name)


def insist(model: Any) -> None:
    """Raise ``TypeMismatch`` where a declaration of ``model`` is not what it should be."""
    own_signature(model)
    structures = getattr(model, "structures", None)
    if isinstance(structures, str):
        raise TypeMismatch(f"{name_of(model)}.structures is a list of names: [{structures!r}]")
    _insist_on_names(model, "structures", structures or (), STRUCTURES)
    excused = getattr(model, "excused", {})
    if not isinstance(excused, Mapping):
        raise TypeMismatch(
            f"{name_of(model)}.excused is a mapping from names of laws to reasons, as "
            f"{{'C1': '…'}}, not {excused!r:.60}"
        )
    _insist_on_names(model, "excused", excused, [law.name for law in LAWS])


def _insist_on_names(
    model: Any, attribute: str, given: Collection[Any], known: Collection[str]
) -> None:
    for name in given:
        if name not in known:
            raise TypeMismatch(
                f"{name_of(model)}.{attribute} names {name!r:.60}, and there is none of that name; "
                f"{hint(str(name), known)}"
            )


Names = str | Iterable[str]


def selected(
    model: Any, only: Names | None = None, structures: Names | None = None
) -> tuple[Law, ...]:
    """The laws that ``model`` owes; of them ``only`` those of some structures, or of some names.

    A name that is neither raises ``TypeMismatch``, and so does one of which nothing is owed, a
    structure that the model does not claim, and to ask for nothing.
    """
    among = None if structures is None else listed(structures)
    for name in among or ():
        if name not in STRUCTURES:
            raise TypeMismatch(f"there is no structure {name!r}; {hint(name, STRUCTURES)}")
        if not STRUCTURES[name].is_claimed_by(model):
            raise TypeMismatch(_not_owed(model, name))
    owed = laws_of(model, among)
    if only is None and owed:
        return owed
    names = listed(() if only is None else only)
    if not names:
        raise TypeMismatch(
            f"no law of {name_of(model)} is asked; `diffcurry laws --list` lists them"
        )
    named_by(names)
    for name in names:
        if not any(name in (law.name, law.structure.name) for law in owed):
            raise TypeMismatch(_not_owed(model, name))
    return tuple(law for law in owed if law.name in names or law.structure.name in names)


def named_by(names: Iterable[str]) -> tuple[Law, ...]:
    """The laws of those names, and of the structures of those names."""
    asked = set(names)
    known = [*STRUCTURES, *(law.name for law in LAWS)]
    for name in sorted(asked.difference(known)):
        raise TypeMismatch(f"there is no structure and no law {name!r}; {hint(name, known)}")
    return tuple(law for law in LAWS if law.structure.name in asked or law.name in asked)


def listed(names: Names) -> tuple[str, ...]:
    """The names; one may stand for a list of one. ``TypeMismatch`` where they are no names."""
    given: Any = (names,) if isinstance(names, str) or not isinstance(names, Iterable) else names
    found = tuple(given)
    for name in found:
        if not isinstance(name, str):
            raise TypeMismatch(
                f"laws and structures are asked by name, as 'closed' or ['closed', 'E1'], "
                f"not by {name!r:.60}"
            )
    return found


def hint(name: str, known: Iterable[str]) -> str:
    """What may have been meant by a name that is not known."""
    near = difflib.get_close_matches(name, known)
    return f"did you mean {' or '.join(near)}?" if near else "`diffcurry laws --list` lists them"


def _not_owed(model: Any, name: str) -> str:
    """Why a law, or those of a structure, are not asked: what it would need, as far as is known."""
    structure = named_by([name])[0].structure
    needed: list[str] = []
    for above in () if structure.is_claimed_by(model) else structure.lineage():
        features = (f"signature.{feature}" for feature in above.features)
        needed += [*above.arrows, *above.methods, *features]
    takes = f", which takes {', '.join(dict.fromkeys(needed))}" if needed else ""
    return f"{name_of(model)} does not claim {name}{takes}"
