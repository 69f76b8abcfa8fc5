"""Choice, written in Python: ``cond``, and ``case`` of a sum, whose branches are lazy and capture.

A ``case`` is written with what there is, conditionals inside one another:

    case(s, f, g, h)      if is_alternative[0] s then f (payload[0] s)
                    is    else if is_alternative[1] s then g (payload[1] s)
                          else h (payload[2] s)

The branches of a choice have one type. A number of Python's yields to another's type, and where one
is of a sum, so are the others: instances of two classes join to the sum of both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import is_dataclass
from types import NoneType
from typing import Any

from combinators.errors import ShapeMismatch, TypeMismatch, users_place
from combinators.objects import Bool, Mu, Sum, Tensor
from combinators.operation import Operation
from combinators.primitives.sums import IS
from combinators.terms import Cond, Prim, Term
from combinators.tracing.classes import face_of_alternative, is_list, item_of
from combinators.tracing.emit import emit, operand, scope_here, unpack
from combinators.tracing.faces import open_up, put_together
from combinators.tracing.functions import Draft, coerce, natural
from combinators.tracing.joins import UNKNOWN, Apart, check_known, stand_in, together
from combinators.tracing.parameters import takes
from combinators.tracing.traced import LIBRARY, Traced, library
from combinators.value_folds import Injected

# ---- choices -------------------------------------------------------------------------------------


class ResultUnknown(BaseException):
    """A recursive function is called whose result's type is just being found out."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function


def cond(p: Any, a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """``a()`` where ``p`` holds, else ``b()``; only the branch taken is computed.

    ``p`` is a Bool; both branches take nothing and give values of one type. For a choice made
    element by element write ``where``.
    """
    scope_here()
    if isinstance(tested := natural(p).type, Tensor) and tested is not Bool:
        raise (ShapeMismatch if tested.shape else TypeMismatch)(
            f"cond chooses by a Bool, and this is {tested!r}; compare it, as in x > 0, "
            "or choose element by element with where"
        )
    test = coerce(p, Bool)
    branches: tuple[Any, Any] = (a, b)
    for branch in branches:
        if not callable(branch) or isinstance(branch, Traced):
            raise TypeMismatch(
                "the branches of cond are functions of no arguments, as in "
                f"cond(p, lambda: a, lambda: b), and this is {branch!r:.60}"
            )
    return _chosen("cond", [test], (a, b), ("then", "else"))


def _chosen(
    word: str, tests: Sequence[Term], branches: Sequence[Callable[[], Any]], names: Sequence[str]
) -> Any:
    """The first branch whose test holds; the last needs none."""
    place, drafts, unknown = users_place(), [], None
    for branch, name in zip(branches, names, strict=True):
        try:
            drafts.append(Draft(branch, (), (), name))
        except ResultUnknown as error:
            unknown = error
    if not drafts:
        assert unknown is not None
        raise unknown
    try:
        whole, wanted = together(drafts)
    except Apart as apart:
        raise _apart(word, apart, drafts) from None
    if unknown is not None:
        return put_together(whole, map(stand_in, wanted))  # only the type is asked for
    made = [draft.finish([leaf.type for leaf in wanted]) for draft in drafts]
    face, bodies = made[0].face, [one.lam.body for one in made]
    if any(one.face != face for one in made):
        face = drafts[0].face
    body = bodies.pop()
    for test, then in zip(reversed(tests), reversed(bodies), strict=True):
        body = Cond(test, then, body, place)
    captured = {var.name: var for one in made for var in one.captured}
    captured |= {arg.name: arg for test in tests for arg in getattr(test, "args", ())}
    return unpack(face, emit(body, "c", tuple(captured.values())))


def _apart(word: str, apart: Apart, drafts: Sequence[Draft]) -> TypeMismatch:
    given = [f"{draft.obj!r} for {draft.name}" for draft in drafts]
    if word == "cond":
        given = list(map(repr, dict.fromkeys(apart.types)))
    said = " and ".join([", ".join(given[:-1]), given[-1]] if len(given) > 1 else given)
    return TypeMismatch(f"the branches of a {word} have one type, but these have {said}")


# ---- case ----------------------------------------------------------------------------------------


@library("case", word=False)
def case(s: Any, /, *branches: Any, **named: Any) -> Any:
    """The branch of the alternative that a value of a sum is, called with what it holds.

    There is a function for each alternative, in order or by name; of nothing it takes no argument,
    of a product its components, if it takes so many. Only the branch taken is computed, and all
    give values of one type.
    """
    scope_here()
    if isinstance(s, Traced) and isinstance(s.type, Mu):
        whole, s = s.type, LIBRARY["unroll"](s)
        if is_list(whole) and item_of(whole) is UNKNOWN:  # what a loop starts from
            return _in_order(s.type, branches, named)[0]()
    if not isinstance(s, Traced):
        return _known_case(s, branches, named)
    obj = s.type
    if not isinstance(obj, Sum):
        raise TypeMismatch(
            f"case looks at a value of a sum, and this is {obj!r}; a function of one is annotated "
            "with it, as f(s: Circle | Square)"
        )
    check_known(obj)
    functions = _in_order(obj, branches, named)

    def branch(index: int) -> Callable[[], Any]:
        return lambda: _entered(functions[index], obj, index, LIBRARY["payload"](s, index))

    if len(functions) == 1:
        return branch(0)()
    term, names = operand(s), [alternative_name(obj, i) for i in range(len(functions))]
    first = operand(LIBRARY["is_alternative"](s, 0))
    rest = range(1, len(functions) - 1)
    others = [Prim(Operation(IS, (("index", i),)), (term,), users_place()) for i in rest]
    return _chosen("case", [first, *others], [*map(branch, range(len(functions)))], names)


def alternative_name(obj: Sum, index: int) -> str:
    """What an alternative is called."""
    return str(index) if obj.names is None else str(obj.names[index])


def _plain(name: str) -> str:
    return name.lower().replace("_", "")


def _in_order(obj: Sum, branches: Sequence[Any], named: dict[str, Any]) -> list[Any]:
    """A function for each alternative."""
    names = [alternative_name(obj, i) for i in range(len(obj.parts))]
    if branches and named:
        raise TypeMismatch("the branches of a case are given in order, or all by name")
    found = dict(enumerate(branches))
    if named:
        places = {_plain(name): i for i, name in enumerate(names)}
        extra = [name for name in named if _plain(name) not in places]
        if extra:
            raise TypeMismatch(f"case of {obj!r} has no alternative {', '.join(extra)}")
        found = {places[_plain(name)]: branch for name, branch in named.items()}
    missing = [name for i, name in enumerate(names) if i not in found]
    if missing or len(found) > len(names):
        what = f"of {', '.join(missing)} there is none" if missing else "these are more"
        raise TypeMismatch(f"case takes a function for each alternative of {obj!r}, and {what}")
    for i, branch in found.items():
        if not callable(branch):
            raise TypeMismatch(
                f"the branches of a case are functions, and that of {names[i]} is {branch!r:.60}"
            )
    return [found[i] for i in range(len(names))]


def _known_case(s: Any, branches: Sequence[Any], named: dict[str, Any]) -> Any:
    """A case of a value whose alternative is there to be seen."""
    if type(s) is Injected and type(s.tag) is int and s.tag < len(branches):
        return _called(branches[s.tag], s.value, str(s.tag))
    if type(s) is Injected and str(s.tag) in named:
        return _called(named[str(s.tag)], s.value, str(s.tag))
    found = [f for name, f in named.items() if _plain(name) == type(s).__name__.lower()]
    if is_dataclass(s) and len(found) == 1:
        return found[0](s)
    raise TypeMismatch(
        f"case looks at a value of a sum, and of which sum {s!r:.60} is, nothing says; write "
        "branches by name, or annotate the function's argument, as s: Circle | Square"
    )


def _entered(function: Any, obj: Sum, index: int, payload: Traced) -> Any:
    face, name = face_of_alternative(obj, index), alternative_name(obj, index)
    whole = name if face is not None and is_dataclass(face.kind) else ""
    return _called(function, unpack(face, payload), f"{name} : {obj.parts[index]!r}", whole)


def _called(function: Any, value: Any, alternative: str, whole: str = "") -> Any:
    """A branch, with what its alternative holds: nothing, the whole, or its components."""
    opened = None if whole else open_up(value)
    ways: list[tuple[Any, ...]] = [(value,)]
    what = f"the whole {whole}, as lambda {whole.lower()}: …" if whole else "its value, lambda x: …"
    if opened is not None and opened[0] in (tuple, dict, NoneType):
        parts = opened[2]
        ways = [*ways, parts] if parts else [(), *ways]
        what = f"its {len(parts)} components" if parts else "nothing, as lambda: …"
    for args in ways:
        if takes(function, len(args)):
            return function(*args)
    name = getattr(function, "__name__", repr(function))
    raise TypeMismatch(
        f"case calls the function of {alternative} with {what}, and {name} does not take that"
    )
