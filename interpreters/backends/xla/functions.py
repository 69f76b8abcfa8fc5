"""Functions: written once, called, and closed over what they capture, as Python's own.

A function value takes one Python argument a component where its one argument is a product of
several (or none), else one argument. JAX traces Python, so that a function may be a value of the
program wherever no loop or branch has to hold it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from combinators.free import captured
from combinators.kit.recursion import Recursive
from combinators.objects import Fun, Object, Product, Tensor
from combinators.terms import Lam, Term, Var
from interpreters.backends.python.code import Assign, Block
from interpreters.backends.python.layout import Split, Text, call, flat, several
from interpreters.backends.xla.frame import LONG, Frame
from interpreters.backends.xla.values import Bundle, Leaf, Value, leaf_types

if TYPE_CHECKING:
    from interpreters.backends.xla.emitter import Emitter

DEEPEST = 4
"""How many functions stand inside each other; what is deeper stands at the top of the module."""
FEW = 3
"""Of how many components a result is taken apart where it is given."""

Ending = Callable[[Text], Text]
"""What a function returns, from its result."""


def as_it_is(text: Text) -> Text:
    """A tuple that is returned needs no parentheses."""
    if isinstance(text, Split) and text.open == "(" and len(text.items) > 1:
        return several(text.items)
    return text


def type_of(function: Term) -> Fun:
    """The type of a function."""
    assert isinstance(function.type, Fun)
    return function.type


def is_apart(obj: Object) -> bool:
    """Whether a function of ``obj`` takes an argument a component."""
    return isinstance(obj, Product) and obj.width != 1


def applied(
    emitter: Emitter, function: Term, argument: Term, at: Frame, wish: str
) -> Recursive[Value]:
    """``f x``: written out where the λ stands here and nowhere else."""
    x: Value = yield emitter.value(argument, at)
    result: Value
    if isinstance(function, Lam) and emitter.is_once(function):
        result = yield _inlined(emitter, function, x, at, wish)
        return result
    args: list[Text] = []
    if isinstance(function, Lam):
        name: str = yield shared(emitter, function)
        args += yield _captured(emitter, function, at)
    else:
        f: Value = yield emitter.value(function, at)
        leaf: Leaf = yield emitter.leaf(f, at)
        name = at.named(leaf, "f").text
    args += yield arguments(emitter, x, type_of(function).dom, at)
    return _taken_apart(call(name, *args), type_of(function).cod, at, wish)


def _inlined(emitter: Emitter, function: Lam, x: Value, at: Frame, wish: str) -> Recursive[Value]:
    before = {param.name: at.env.get(param.name) for param in function.params}
    if len(function.params) == 1:
        at.bind(function.params[0], x)
    else:
        for index, param in enumerate(function.params):
            at.bind(param, emitter.component(x, index, param.type))
    result: Value = yield emitter.value(function.body, at, wish)
    at.env.update({name: old for name, old in before.items() if old is not None})
    return result


def _taken_apart(text: Text, obj: Object, at: Frame, wish: str) -> Value:
    if not isinstance(obj, Product) or not 1 < obj.width <= FEW:
        return Leaf(at.assign(text, wish), obj)
    names = tuple(at.fresh(f"{wish}_{i}") for i in range(obj.width))
    at.body.append(Assign(names, text))
    leaves = [Leaf(name, part) for name, part in zip(names, obj.parts, strict=True)]
    return Bundle(tuple(leaves), obj)


def _captured(emitter: Emitter, function: Lam, at: Frame) -> Recursive[list[Text]]:
    texts: list[Text] = []
    for var in emitter.captured[id(function)]:
        leaf: Leaf = yield emitter.leaf(at.env[var.name], at, var.name)
        texts.append(at.named(leaf, var.name).text)
    return texts


def arguments(emitter: Emitter, x: Value, dom: Object, at: Frame) -> Recursive[list[Text]]:
    """The argument of a function, as Python's arguments."""
    if not is_apart(dom):
        leaf: Leaf = yield emitter.leaf(x, at)
        return [leaf.text]
    if not isinstance(x, Bundle):
        whole: Leaf = yield emitter.leaf(x, at)
        return [f"*{at.named(whole).text}"]
    texts: list[Text] = []
    for part in x.parts:
        leaf = yield emitter.leaf(part, at)
        texts.append(leaf.text)
    return texts


def shared(emitter: Emitter, function: Lam) -> Recursive[str]:
    """The name of the function at the top of the module that a λ is; what it captures is first.

    JAX traces it once at each choice of types, where it is of arrays.
    """
    if id(function) not in emitter.functions:
        name = emitter.module.fresh(function.name or "f")
        emitter.functions[id(function)] = name
        at = Frame((emitter.module.name,))
        params = [at.fresh(var.name) for var in emitter.captured[id(function)]]
        for var, text in zip(emitter.captured[id(function)], params, strict=True):
            at.env[var.name] = Leaf(text, var.type)
        params += _parameters(function.params, at)
        result: Value = yield emitter.value(function.body, at, "result")
        at.give(as_it_is((yield emitter.text(result, at))))
        objects = [var.type for var in (*emitter.captured[id(function)], *function.params)]
        jitted = all(isinstance(obj, Tensor) for obj in leaf_types([*objects, result.type]))
        emitter.module.define(name, tuple(params), at.body, jitted=jitted)
    return emitter.functions[id(function)]


def _parameters(params: Sequence[Var], at: Frame) -> list[str]:
    names = [at.fresh(param.name) for param in params]
    for param, name in zip(params, names, strict=True):
        at.env[param.name] = Leaf(name, param.type)
    if len(params) == 1 and is_apart(params[0].type):
        names[0] = f"*{names[0]}"
    return names


def closure(emitter: Emitter, function: Lam, at: Frame) -> Recursive[Leaf]:
    """A function value, under a name."""
    text: Text = yield callee(emitter, function, at, function.name or "f", as_it_is)
    assert isinstance(text, str)
    return (
        Leaf(text, function.type)
        if text.isidentifier()
        else Leaf(at.assign(text, "f"), function.type)
    )


def callee(
    emitter: Emitter, function: Term, at: Frame, wish: str, ending: Ending
) -> Recursive[Text]:
    """What a loop or a branch calls: a function that stands here, a short λ, or a name."""
    result: Text
    if isinstance(function, Lam) and emitter.is_once(function):
        if at.depth < DEEPEST:
            result = yield local(emitter, function.params, function.body, at, wish, ending)
            return result
    elif ending is as_it_is and not isinstance(function, Lam):
        f: Value = yield emitter.value(function, at)
        leaf: Leaf = yield emitter.leaf(f, at)
        return at.named(leaf, "f").text
    dom: Object = type_of(function).dom
    result = yield _around(emitter, function, dom, at, ending)
    return result


def _around(
    emitter: Emitter, function: Term, dom: Object, at: Frame, ending: Ending
) -> Recursive[Text]:
    """A λ that calls a function which stands elsewhere."""
    given: list[Text] = []
    if isinstance(function, Lam):
        name: str = yield shared(emitter, function)
        given = yield _captured(emitter, function, at)
        if not given and ending is as_it_is:
            return name
    else:
        f: Value = yield emitter.value(function, at)
        leaf: Leaf = yield emitter.leaf(f, at)
        name = at.named(leaf, "f").text
    count = dom.width if isinstance(dom, Product) and is_apart(dom) else 1
    names = [at.fresh("x") for _ in range(count)]
    text = ending(call(name, *given, *names))
    return f"lambda {', '.join(names)}: {_in_parentheses(text)}"


def local(
    emitter: Emitter, params: Sequence[Var], body: Term, at: Frame, wish: str, ending: Ending
) -> Recursive[Text]:
    """A function that stands inside the one that is being written; a short one as a λ."""
    with at.block(params) as statements:
        names = tuple(_parameters(params, at))
        value: Value = yield emitter.value(body, at, "result")
        text: Text = yield emitter.text(value, at)
        result = ending(text)
        short = f"lambda {', '.join(names)}: ".replace(" :", ":") + _in_parentheses(result)
        is_short = not statements and len(short) <= LONG
        at.give(result)
    if is_short:
        return short
    name = at.fresh(wish)
    at.body.append(Block("def ", Split(f"{name}(", names, ")"), "", statements))
    return name


def _in_parentheses(text: Text) -> str:
    """A result as the body of a λ, where a tuple has its parentheses."""
    is_bare = isinstance(text, Split) and not text.open
    return f"({flat(text)})" if is_bare else flat(text)


def outlined(emitter: Emitter, term: Term, at: Frame) -> Recursive[Text]:
    """A branch that stands too deep, as a λ that calls a function of its free variables."""
    free, _ = captured(term)
    function = Lam((), term, "branch")
    emitter.kept.append(function)
    emitter.captured[id(function)] = free
    name: str = yield shared(emitter, function)
    given: list[Text] = yield _captured(emitter, function, at)
    return f"lambda: {flat(call(name, *given))}"
