"""Functions, conditionals and loops: each λ written once, called, and closed over what it captures.

JAX traces Python, so that a function may be a value of the program wherever no loop or branch has
to hold it. A branch is a function that ``lax.cond`` runs, and only the one that is taken. A loop is
``lax.scan``, or ``jax.vmap`` where nothing is carried: that runs all rows at once, as accelerators
want it, and a conditional that stands in one computes both of its branches there, and selects.
"""

from __future__ import annotations

from collections.abc import Callable

from combinators.kit.recursion import Recursive
from combinators.objects import Fun, Object, Product, Tensor, component
from combinators.primitives.loops import LoopTerm
from combinators.terms import Cond, Const, Lam, Prim, Term, Tuple, Var
from interpreters.backends.analysis.captures import free_variables
from interpreters.backends.text.emitter import (
    Bundle,
    arguments,
    as_it_is,
    defined,
    given_back,
    is_apart,
    leaf_types,
    matched,
    parameters,
    passed,
    zeros,
)
from interpreters.backends.text.layout import Assign, Bracketed, Clause, Text, call, flat
from interpreters.backends.xla.elementwise import elementwise
from interpreters.backends.xla.jax_values import (
    JITTED,
    LONG,
    JaxFrame,
    JaxLeaf,
    Value,
    check_first_order,
)
from interpreters.backends.xla.placements import JaxEmitter

DEEPEST = 4
"""How many functions stand inside each other; what is deeper stands at the top of the module."""

Ending = Callable[[Text], Text]
"""What a function returns, from its result."""


def type_of(function: Term) -> Fun:
    """The type of a function."""
    assert isinstance(function.type, Fun)
    return function.type


def applied(
    emitter: JaxEmitter, function: Term, argument: Term, at: JaxFrame, wish: str
) -> Recursive[Value]:
    """``f x``: written out where the λ stands here and nowhere else."""
    x: Value = yield emitter.value(argument, at)
    result: Value
    if isinstance(function, Lam) and emitter.is_once(function):
        result = yield _inlined(emitter, function, x, at, wish)
        return result
    args: list[Text] = []
    if isinstance(function, Lam):
        name: str = yield defined(emitter, function, "f")
        args += yield _captured(emitter, function, at)
    else:
        f: Value = yield emitter.value(function, at)
        leaf: JaxLeaf = yield emitter.leaf(f, at)
        name = at.named(leaf, "f").text
    args += yield arguments(emitter, x, type_of(function).dom, at)
    return given_back(call(name, *args), type_of(function).cod, at, wish, emitter.opaque)


def _inlined(
    emitter: JaxEmitter, function: Lam, x: Value, at: JaxFrame, wish: str
) -> Recursive[Value]:
    before = {param.name: at.env.get(param.name) for param in function.params}
    for param, part in matched(emitter, function.params, x):
        at.bind(param, part)
    result: Value = yield emitter.value(function.body, at, wish)
    at.env.update({name: old for name, old in before.items() if old is not None})
    return result


def _captured(emitter: JaxEmitter, function: Lam, at: JaxFrame) -> Recursive[list[Text]]:
    values = ((var.name, at.env[var.name]) for var in emitter.captured[id(function)])
    texts: list[Text] = yield passed(emitter, values, at)
    return texts


def define(emitter: JaxEmitter, name: str, function: Lam) -> Recursive[None]:
    """Write a λ at the top of the module.

    JAX traces it once at each choice of types, where it is of arrays.
    """
    at, captures = JaxFrame(emitter.module.name), emitter.captured[id(function)]
    params = parameters(emitter, captures, function.params, at)
    result: Value = yield emitter.value(function.body, at, "result")
    at.give(as_it_is((yield emitter.text(result, at))))
    objects = [*(var.type for var in (*captures, *function.params)), result.type]
    is_jitted = all(isinstance(obj, Tensor) for obj in leaf_types(objects))
    emitter.module.define(name, params, at.body, decorator=JITTED if is_jitted else "")


def closure(emitter: JaxEmitter, function: Lam, at: JaxFrame) -> Recursive[JaxLeaf]:
    """A function value, under a name."""
    text: Text = yield callee(emitter, function, at, function.name or "f", as_it_is)
    assert isinstance(text, str)
    return at.named(JaxLeaf(text, function.type), "f")


def callee(
    emitter: JaxEmitter, function: Term, at: JaxFrame, wish: str, ending: Ending
) -> Recursive[Text]:
    """What a loop or a branch calls: a function that stands here, a short λ, or a name."""
    result: Text
    if isinstance(function, Lam) and emitter.is_once(function):
        if at.depth < DEEPEST:
            result = yield local(emitter, function.params, function.body, at, wish, ending)
            return result
    elif ending is as_it_is and not isinstance(function, Lam):
        f: Value = yield emitter.value(function, at)
        leaf: JaxLeaf = yield emitter.leaf(f, at)
        return at.named(leaf, "f").text
    dom: Object = type_of(function).dom
    result = yield _around(emitter, function, dom, at, ending)
    return result


def _around(
    emitter: JaxEmitter, function: Term, dom: Object, at: JaxFrame, ending: Ending
) -> Recursive[Text]:
    """A λ that calls a function which stands elsewhere."""
    given: list[Text] = []
    if isinstance(function, Lam):
        name: str = yield defined(emitter, function, "f")
        given = yield _captured(emitter, function, at)
        if not given and ending is as_it_is:
            return name
    else:
        f: Value = yield emitter.value(function, at)
        leaf: JaxLeaf = yield emitter.leaf(f, at)
        name = at.named(leaf, "f").text
    count = dom.width if isinstance(dom, Product) and is_apart(dom) else 1
    names = [at.fresh("x") for _ in range(count)]
    text = ending(call(name, *given, *names))
    return f"lambda {', '.join(names)}: {_in_parentheses(text)}"


def local(
    emitter: JaxEmitter,
    params: tuple[Var, ...],
    body: Term,
    at: JaxFrame,
    wish: str,
    ending: Ending,
) -> Recursive[Text]:
    """A function that stands inside the one that is being written; a short one as a λ."""
    with at.function(params) as statements:
        names = parameters(emitter, (), params, at)
        value: Value = yield emitter.value(body, at, "result")
        text: Text = yield emitter.text(value, at)
        result = ending(text)
        short = f"lambda {', '.join(names)}: ".replace(" :", ":") + _in_parentheses(result)
        is_short = not statements and len(short) <= LONG
        at.give(result)
    if is_short:
        return short
    name = at.fresh(wish)
    at.body.append(Clause("def ", Bracketed(f"{name}(", names, ")"), "", statements))
    return name


def _in_parentheses(text: Text) -> str:
    """A result as the body of a λ, where a tuple has its parentheses."""
    is_bare = isinstance(text, Bracketed) and not text.open
    return f"({flat(text)})" if is_bare else flat(text)


def outlined(emitter: JaxEmitter, term: Term, at: JaxFrame) -> Recursive[Text]:
    """A branch that stands too deep, as a λ that calls a function of its free variables."""
    free = free_variables(term, emitter.captured)
    function = emitter.keep(Lam((), term, "branch"), free)
    name: str = yield defined(emitter, function, "f")
    given: list[Text] = yield _captured(emitter, function, at)
    return f"lambda: {flat(call(name, *given))}"


def choice(emitter: JaxEmitter, term: Cond, at: JaxFrame, wish: str) -> Recursive[Value]:
    """A conditional; where both branches are there already, one is selected."""
    check_first_order("a conditional", term.type, place=term.place)
    test: Value = yield emitter.value(term.test, at)
    p = emitter.array(test, at)
    if _is_there(term.then) and _is_there(term.other):
        then: Value = yield emitter.value(term.then, at)
        other: Value = yield emitter.value(term.other, at)
        return _selected(emitter, at.named(p, "p"), then, other, at)
    condition: JaxLeaf = yield emitter.leaf(p, at)
    texts: list[Text] = [condition.text]
    for branch, name in ((term.then, "then"), (term.other, "other")):
        text: Text
        if at.depth < DEEPEST:
            text = yield local(emitter, (), branch, at, name, as_it_is)
        else:
            text = yield outlined(emitter, branch, at)
        texts.append(text)
    return JaxLeaf(at.assign(call("lax.cond", *texts), wish), term.type)


def _is_there(branch: Term) -> bool:
    """Whether nothing has to be computed for a branch."""
    todo = [branch]
    while todo:
        here = todo.pop()
        if isinstance(here, Tuple):
            todo += here.items
        elif not isinstance(here, Var | Const) or not isinstance(here.type, Tensor):
            return False
    return True


def _selected(emitter: JaxEmitter, p: JaxLeaf, then: Value, other: Value, at: JaxFrame) -> Value:
    if isinstance(then, Bundle):
        assert isinstance(other, Bundle)
        pairs = zip(then.parts, other.parts, strict=True)
        return Bundle(tuple(_selected(emitter, p, a, b, at) for a, b in pairs), then.type)
    assert isinstance(then.type, Tensor)
    if then is other:
        return then
    return elementwise(emitter, "where", (p, then, other), then.type, at)


def loop(emitter: JaxEmitter, term: Prim, at: JaxFrame, wish: str) -> Recursive[Value]:
    """A loop; of no rounds, what it starts from."""
    loop = LoopTerm(term)
    held = (term.type, *(arg.type for arg in term.args[1:]))
    check_first_order(f"a {loop.operation.name}", *held, place=term.place)
    result: Value
    if loop.init is None:
        result = yield _mapped(emitter, loop, at, wish)
        return result
    is_fold = loop.types.item is None
    init: Value = yield emitter.value(loop.init, at)
    xs: Value = yield emitter.value(loop.xs, at)
    start: Text = yield emitter.text(init, at)
    rows: Text = yield emitter.text(xs, at)
    ending = _carried if is_fold else as_it_is
    step: Text = yield callee(emitter, loop.function, at, "step", ending)
    backwards = ["reverse=True"] if loop.types.reverse else []
    text = call("lax.scan", step, start, rows, *backwards)
    last = at.fresh(wish if is_fold else f"{wish}_last")
    if is_fold:
        at.body.append(Assign((last, "_"), text))
        return JaxLeaf(last, term.type)
    stack = at.fresh(wish)
    at.body.append(Assign((last, stack), text))
    carry, kept = component(term.type, 0), component(term.type, 1)
    return Bundle((JaxLeaf(last, carry), JaxLeaf(stack, kept)), term.type)


def _carried(text: Text) -> Text:
    """What a round of a fold gives: what it carries on, and nothing to keep."""
    return Bracketed("", (text, "None"), "", display=True)


def _mapped(emitter: JaxEmitter, loop: LoopTerm, at: JaxFrame, wish: str) -> Recursive[Value]:
    result: Value
    xs: Value = yield emitter.value(loop.xs, at)
    if not loop.types.length:
        result = yield zeros(emitter, loop.term.type, at, {})
        return result
    given: list[Text] = yield arguments(emitter, xs, type_of(loop.function).dom, at)
    row: Text = yield callee(emitter, loop.function, at, "row", as_it_is)
    return JaxLeaf(at.assign(call(f"jax.vmap({flat(row)})", *given), wish), loop.term.type)
