"""Functions and conditionals: a λ is written once, called, and closed over what it captures.

Of a conditional only the branch that is taken is computed.
"""

from __future__ import annotations

from collections.abc import Iterator

from combinators.kit.recursion import Recursive
from combinators.objects import Fun, Object, components
from combinators.terms import Cond, Lam, Term
from interpreters.backends.analysis.captures import OFTEN, VariableUses, free_variables
from interpreters.backends.python.python_values import (
    CapturedLam,
    Leaf,
    PythonEmitter,
    PythonFrame,
    Root,
    Value,
    bundle,
    is_array,
    nested,
    share,
)
from interpreters.backends.python.scalars import SHORT
from interpreters.backends.text.emitter import (
    MOST,
    Bundle,
    arguments,
    as_it_is,
    defined,
    given_back,
    is_apart,
    is_broad,
    parameters,
    passed,
)
from interpreters.backends.text.layout import (
    ATOM,
    CHOICE,
    Assign,
    Clause,
    Do,
    Statement,
    Text,
    call,
)

MANY = 12
"""Of so many parts a component is one object where a branch ends."""
DEEPEST = 4
"""How many blocks stand inside each other; what is deeper becomes a function of its own."""


def applied(
    emitter: PythonEmitter, function: Term, argument: Term, at: PythonFrame, wish: str
) -> Recursive[Value]:
    """``f x``: written out where the λ stands here and nowhere else."""
    f: Value = yield emitter.value(function, at)
    x: Value = yield emitter.value(argument, at)
    result: Value
    if isinstance(function, Lam) and isinstance(f, CapturedLam) and emitter.is_once(function):
        result = yield emitter.inlined(f, x, at, wish)
    else:
        result = yield called(emitter, f, x, at, wish)
    return result


def called(
    emitter: PythonEmitter, f: Value, x: Value, at: PythonFrame, wish: str
) -> Recursive[Value]:
    """A call of a function that stands elsewhere."""
    assert isinstance(f.type, Fun)
    args: list[Text] = []
    if isinstance(f, CapturedLam):
        name: str = yield defined(emitter, f.function, "step")
        args = yield _captured(emitter, f, at)
    else:
        leaf: Leaf = yield emitter.leaf(f, at)
        name = at.named(leaf, "f").text
    share(x)
    args += yield arguments(emitter, x, f.type.dom, at)
    return given_back(call(name, *args), f.type.cod, at, wish, emitter.opaque)


def _captured(emitter: PythonEmitter, f: CapturedLam, at: PythonFrame) -> Recursive[list[Text]]:
    texts: list[Text] = yield passed(emitter, _shared(f), at)
    return texts


def _shared(f: CapturedLam) -> Iterator[tuple[str, Value]]:
    for name, value in f.captured.items():
        share(value)
        yield name, value


def define(emitter: PythonEmitter, name: str, function: Lam) -> Recursive[None]:
    """Write a λ at the top of the module."""
    at = PythonFrame(emitter.module.name)
    params = parameters(emitter, emitter.captured[id(function)], function.params, at)
    at.uses = VariableUses(function.body, emitter.captured)
    value: Value = yield emitter.value(function.body, at, "result")
    leaf: Leaf = yield emitter.leaf(value, at, "result")
    at.do(as_it_is(at.unnamed(leaf.text)) if isinstance(value, Bundle) else leaf.text, "return ")
    emitter.module.define(name, params, at.body)


def closure(
    emitter: PythonEmitter, known: CapturedLam, at: PythonFrame, wish: str, *, whole: bool = False
) -> Recursive[Leaf]:
    """A function value: the function itself, or a λ over what it captures.

    One that a user gets takes the ``whole`` of a product as one argument, where its λ does.
    """
    function = known.function
    name: str = yield defined(emitter, function, "step")
    whole = whole and len(function.params) == 1 and is_apart(function.params[0].type)
    if not known.captured and not whole:
        return Leaf(name, function.type)
    if (id(function), whole) not in emitter.closers:
        emitter.closers[id(function), whole] = _closer(emitter, function, name, whole=whole)
    args: list[Text] = yield _captured(emitter, known, at)
    text = call(emitter.closers[id(function), whole], *args)
    return Leaf(at.assign(text, wish), function.type)


def _closer(emitter: PythonEmitter, function: Lam, name: str, *, whole: bool) -> str:
    """A function that gives the λ, so that what it captures is fixed."""
    at = PythonFrame(emitter.module.name)
    params = parameters(emitter, emitter.captured[id(function)], function.params, at)
    given = params[: len(emitter.captured[id(function)])]
    rest = [param.lstrip("*") if whole else param for param in params[len(given) :]]
    closer = emitter.module.fresh(f"close_{name.lstrip('_')}")
    text = call(f"lambda {', '.join(rest)}: {name}" if rest else f"lambda: {name}", *params)
    emitter.module.define(closer, given, [Do(text, "return ")])
    return closer


def outlined(emitter: PythonEmitter, term: Term, at: PythonFrame, wish: str) -> Recursive[Value]:
    """A term that stands too deep, as a function of its free variables."""
    free = free_variables(term, emitter.captured)
    function = emitter.keep(Lam(free, term, wish), ())
    values = tuple(at.env[var.name] for var in free)
    x = values[0] if len(values) == 1 else bundle(values, function.dom)
    result: Value = yield called(emitter, CapturedLam(function, {}), x, at, wish)
    return result


# Conditionals.


def choice(emitter: PythonEmitter, term: Cond, at: PythonFrame, wish: str) -> Recursive[Value]:
    """An ``if`` statement, or an expression where both branches are short.

    What branches in branches hand on is one object where it has many parts.
    """
    if at.depth >= DEEPEST:
        outside: Value = yield outlined(emitter, term, at, wish)
        return outside
    test: Value = yield emitter.value(term.test, at)
    condition: Leaf = yield emitter.leaf(test, at)
    condition = at.named(condition, "p")
    then_body, then, mine = yield _branch(emitter, term.then, at)
    other_body, other, others = yield _branch(emitter, term.other, at)
    if not then_body and not other_body and len(then) == 1 and then[0].text != other[0].text:
        text = f"{_tight(then[0])} if {_tight(condition)} else {_tight(other[0])}"
        if len(text) <= SHORT and not is_array(term.type):
            return _of_leaves([_joined(text, then[0], other[0], CHOICE)], term.type)
    leaves = []
    free = mine | others
    for a, b in zip(then, other, strict=True):
        if a.text == b.text:
            leaves.append(a)
            continue
        name = next((text for text in (a.text, b.text) if text in free), "")
        free.discard(name)
        name = name or at.fresh(wish)
        for leaf, body in ((a, then_body), (b, other_body)):
            if leaf.text != name:
                body.append(Assign((name,), leaf.text))
        at.chosen.append(name)
        leaves.append(_joined(name, a, b))
    if then_body:
        otherwise = Clause("else", "", "", other_body) if other_body else None
        at.body.append(Clause("if ", condition.text, "", then_body, otherwise))
    elif other_body:
        at.body.append(Clause("if not ", condition.text, "", other_body))
    return _of_leaves(leaves, term.type)


def _branch(
    emitter: PythonEmitter, term: Term, at: PythonFrame
) -> Recursive[tuple[list[Statement], list[Leaf], set[str]]]:
    """The statements of a branch, its leaves, and names in it that choices in it have given."""
    outside, before = at.uses, len(at.chosen)
    with at.block() as body:
        at.uses = VariableUses(term, emitter.captured)
        value: Value = yield emitter.value(term, at)
        leaves: list[Leaf] = []
        for index, part in enumerate(_parts(term.type)):
            whole = emitter.component(value, index, part) if part is not term.type else value
            leaves += yield flattened(emitter, whole, part, at, MANY)
    at.uses = outside
    return body, leaves, set(at.chosen[before:])


def _parts(obj: Object) -> tuple[Object, ...]:
    product = components(obj)
    return (obj,) if product is None or is_broad(obj) else product.parts


def _of_leaves(leaves: list[Leaf], obj: Object) -> Value:
    """What a conditional gives."""
    parts, given = _parts(obj), iter(leaves)
    if parts == (obj,):
        return next(given)
    return Bundle(tuple([nested(given, part, MANY) for part in parts]), obj)


def flattened(
    emitter: PythonEmitter, value: Value, obj: Object, at: PythonFrame, most: int = MOST
) -> Recursive[list[Leaf]]:
    """The leaves of a value, each as a Python object; what has ``most`` parts is a leaf."""
    product = components(obj)
    if product is None or is_broad(obj, most):
        leaf: Leaf = yield emitter.leaf(value, at)
        return [leaf]
    leaves: list[Leaf] = []
    for index, part in enumerate(product.parts):
        leaves += yield flattened(emitter, emitter.component(value, index, part), part, at, most)
    return leaves


def _tight(leaf: Leaf) -> str:
    return leaf.text if leaf.level > CHOICE else f"({leaf.text})"


def is_own(leaf: Leaf) -> bool:
    """Whether a block made the array that it ends with, and nothing else looks at it."""
    root = leaf.root
    return root is not None and root.fresh and not root.shared and root.uses < OFTEN


def _joined(text: str, a: Leaf, b: Leaf, level: int = ATOM) -> Leaf:
    root = Root(fresh=is_own(a) and is_own(b)) if is_array(a.type) else None
    if root is None or not root.fresh:
        share(a)
        share(b)
    return Leaf(text, a.type, level, root)
