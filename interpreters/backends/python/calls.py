"""Functions: written once, called, and closed over what they capture.

A function value takes one Python argument a component where its one argument is a product of
several (or none), else one argument.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from combinators.free import captured
from combinators.kit.recursion import Recursive
from combinators.objects import Fun, Object, Product
from combinators.terms import Lam, Term
from interpreters.backends.python.code import Assign, Do
from interpreters.backends.python.frame import Frame, Uses, bundle, share
from interpreters.backends.python.layout import Text, call, several
from interpreters.backends.python.values import ATOM, Bundle, Known, Leaf, Value

if TYPE_CHECKING:
    from interpreters.backends.python.emitter import Emitter

FEW = 3
"""Of how many components a result is taken apart where it is given."""


def is_apart(obj: Object) -> bool:
    """Whether a function of ``obj`` takes an argument a component."""
    return isinstance(obj, Product) and obj.width != 1


def applied(
    emitter: Emitter, function: Term, argument: Term, at: Frame, wish: str
) -> Recursive[Value]:
    """``f x``: written out where the λ stands here and nowhere else."""
    f: Value = yield emitter.value(function, at)
    x: Value = yield emitter.value(argument, at)
    result: Value
    if isinstance(function, Lam) and isinstance(f, Known) and emitter.is_once(function):
        result = yield emitter.inlined(f, x, at, wish)
    else:
        result = yield called(emitter, f, x, at, wish)
    return result


def called(emitter: Emitter, f: Value, x: Value, at: Frame, wish: str) -> Recursive[Value]:
    """A call of a function that stands elsewhere."""
    assert isinstance(f.type, Fun)
    emitter.doubt(x)
    args: list[Text] = []
    if isinstance(f, Known):
        emitter.doubt(f)
        name: str = yield defined(emitter, f.function)
        args = yield _captured(emitter, f, at)
        tainted = emitter.tainted_results.get(id(f.function), False)
    else:
        leaf: Leaf = yield emitter.leaf(f, at)
        name, tainted = at.named(leaf, "f").text, emitter.level < 2
    args += yield _positional(emitter, x, f.type.dom, at)
    return _taken_apart(emitter, call(name, *args), f.type.cod, at, wish, tainted=tainted)


def _taken_apart(
    emitter: Emitter, text: Text, obj: Object, at: Frame, wish: str, *, tainted: bool
) -> Value:
    if not isinstance(obj, Product) or not 1 < obj.width <= FEW:
        return _given(emitter, at.assign(text, wish), obj, tainted=tainted)
    names = tuple(at.fresh(f"{wish}_{i}") for i in range(obj.width))
    at.body.append(Assign(names, text))
    leaves = [
        _given(emitter, name, part, tainted=tainted)
        for name, part in zip(names, obj.parts, strict=True)
    ]
    return bundle(tuple(leaves), obj)


def _given(emitter: Emitter, name: str, obj: Object, *, tainted: bool) -> Leaf:
    leaf = emitter.opaque(obj, name)
    leaf.tainted = leaf.tainted or tainted
    return leaf


def _captured(emitter: Emitter, f: Known, at: Frame) -> Recursive[list[Text]]:
    texts: list[Text] = []
    for name, value in f.captured.items():
        share(value)
        leaf: Leaf = yield emitter.leaf(value, at, name)
        texts.append(at.named(leaf, name).text)
    return texts


def _positional(emitter: Emitter, x: Value, dom: Object, at: Frame) -> Recursive[list[Text]]:
    share(x)
    if not is_apart(dom):
        leaf: Leaf = yield emitter.leaf(x, at)
        return [at.named(leaf).text if len(leaf.text) > 20 else leaf.text]
    if not isinstance(x, Bundle):
        whole: Leaf = yield emitter.leaf(x, at)
        return [f"*{at.named(whole).text}"]
    texts: list[Text] = []
    for part in x.parts:
        leaf = yield emitter.leaf(part, at)
        texts.append(at.named(leaf).text if len(leaf.text) > 20 else leaf.text)
    return texts


def defined(emitter: Emitter, function: Lam) -> Recursive[str]:
    """The name of the function at the top of the module that a λ is."""
    if id(function) not in emitter.functions:
        name = emitter.module.fresh(function.name or "step")
        at = Frame(emitter.module.name)
        params = _parameters(emitter, function, at)
        at.uses = Uses(function.body, emitter.captured)
        value: Value = yield emitter.value(function.body, at, "result")
        texts: tuple[Text, ...]
        leaf: Leaf = yield emitter.leaf(value, at, "result")
        text: Text = leaf.text
        last = at.body[-1] if at.body else None
        if isinstance(value, Bundle) and isinstance(last, Assign) and last.targets == (leaf.text,):
            at.body.pop()
            texts = getattr(last.text, "items", ())
            text = several(texts) if len(texts) > 1 else last.text
        at.do(text, "return ")
        emitter.module.define(name, params, at.body)
        emitter.functions[id(function)] = name
        emitter.tainted_results[id(function)] = leaf.tainted
    return emitter.functions[id(function)]


def _parameters(emitter: Emitter, function: Lam, at: Frame) -> tuple[str, ...]:
    names = []
    for var in emitter.captured[id(function)]:
        names.append(at.fresh(var.name))
        at.env[var.name] = emitter.opaque(var.type, names[-1])
    params = function.params
    for param in params:
        names.append(at.fresh(param.name))
        at.env[param.name] = emitter.opaque(param.type, names[-1])
    if len(params) == 1 and is_apart(params[0].type):
        names[-1] = f"*{names[-1]}"
    return tuple(names)


def closure(emitter: Emitter, known: Known, at: Frame, wish: str) -> Recursive[Leaf]:
    """A function value: the function itself, or a λ over what it captures."""
    emitter.doubt(known)
    function = known.function
    name: str = yield defined(emitter, function)
    if not known.captured:
        return Leaf(name, function.type, ATOM)
    if id(function) not in emitter.closers:
        emitter.closers[id(function)] = _closer(emitter, function, name)
    args: list[Text] = yield _captured(emitter, known, at)
    text = call(emitter.closers[id(function)], *args)
    return Leaf(at.assign(text, wish), function.type, ATOM)


def _closer(emitter: Emitter, function: Lam, name: str) -> str:
    """A function that gives the λ, so that what it captures is fixed."""
    at = Frame(emitter.module.name)
    params = _parameters(emitter, function, at)
    given = params[: len(emitter.captured[id(function)])]
    rest = params[len(given) :]
    closer = emitter.module.fresh(f"close_{name.lstrip('_')}")
    function_text = call(
        f"lambda {', '.join(rest)}: {name}" if rest else f"lambda: {name}", *params
    )
    emitter.module.define(closer, given, [Do(function_text, "return ")])
    return closer


def outlined(emitter: Emitter, term: Term, at: Frame, wish: str) -> Recursive[Value]:
    """A term that stands too deep, as a function of its free variables."""
    free, _ = captured(term)
    function = Lam(free, term, wish)
    emitter.kept.append(function)
    emitter.captured[id(function)] = ()
    values = tuple(at.env[var.name] for var in free)
    x = values[0] if len(values) == 1 else bundle(values, function.dom)
    result: Value = yield called(emitter, Known(function, {}), x, at, wish)
    return result
