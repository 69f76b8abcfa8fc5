"""Functions, conditionals and loops, as JAX has them.

JAX traces Python, so that a function may be a value of the program wherever no loop or branch has
to hold it. A branch is a function that ``lax.cond`` runs, and only the one that is taken. A loop is
``lax.scan``, or ``lax.associative_scan``, or ``jax.vmap`` where nothing is carried: that runs all
rows at once, as accelerators want it, and a conditional that stands in one computes both of its
branches there, and selects.
"""

from __future__ import annotations

from collections.abc import Callable

from combinators.errors import MissingRule, Place
from combinators.kit.recursion import Recursive
from combinators.objects import Fun, Mu, Object, Product, Sum, Tensor, component
from combinators.primitives.loops import LoopTerm
from combinators.terms import Cond, Const, Lam, Prim, Term, Tuple, Var
from combinators.type_folds import map_type
from interpreters.backends.text.layout import Assign, Bracketed, Clause, Text, call, flat, tuple_of
from interpreters.backends.text.leaves import Bundle, CapturedLam, Leaf, Value, is_apart, leaf_types
from interpreters.backends.text.term_writer import Writer
from interpreters.backends.xla.jax_numbers import LONG, strong

Ending = Callable[[Text], Text]
"""What a function returns, from its result."""


def check_first_order(what: str, *objects: Object, place: Place | None = None) -> None:
    """Raise where a value that XLA has to hold is no array, nor made of arrays."""
    for obj in leaf_types(map(_laid_out, objects)):
        if isinstance(obj, Mu):
            raise MissingRule(
                f"XLA's values have known sizes, and {what} holds recursive data, {obj!r}; run "
                "this program on the Python backend",
                place,
            )
        if isinstance(obj, Sum):
            raise MissingRule(
                f"on XLA the alternatives of a sum are of one type, and {what} holds {obj!r}; give "
                "them one type, or run this program on the Python backend",
                place,
            )
        if not isinstance(obj, Tensor):
            raise MissingRule(
                f"the XLA backend writes first-order programs, and {what} holds {obj!r}; "
                "call functions where they are known, or run this program on the Python backend",
                place,
            )


def _laid_out(obj: Object) -> Object:
    """A type with the one layout of its alternatives for each sum that has one."""

    def at(part: Object) -> Object | None:
        if isinstance(part, Sum) and len({*part.parts}) == 1:
            return _laid_out(part.parts[0])
        return part if isinstance(part, Mu) else None

    return map_type(obj, "laid_out_", at)


def closure(writer: Writer, known: CapturedLam, wish: str) -> Recursive[Leaf]:
    """A function value, under a name."""
    text: Text = yield _around(writer, known, _same)
    return writer.remember(known, writer.named(Leaf(flat(text), known.type), "f"))


def _around(writer: Writer, f: Value, ending: Ending) -> Recursive[Text]:
    """A function that stands elsewhere, or a λ that calls it."""
    assert isinstance(f.type, Fun)
    name, given = yield writer.callee(f)
    if not given and ending is _same:
        return str(name)
    dom = f.type.dom
    count = dom.width if isinstance(dom, Product) and is_apart(dom) else 1
    names = [writer.fresh("x") for _ in range(count)]
    return f"lambda {', '.join(names)}: {flat(ending(call(name, *given, *names)))}"


def _same(text: Text) -> Text:
    return text


def local(
    writer: Writer,
    known: CapturedLam,
    wish: str,
    ending: Ending = _same,
    *,
    whole: bool = False,
) -> Recursive[Text]:
    """A function that stands inside the one that is being written; a short one as a λ."""
    outside = writer.at.env
    with writer.block() as statements:
        writer.at.env = dict(known.captured)
        params = known.function.params
        names = writer.parameters(params)
        if whole:  # JAX gives a product as the tuple that it is
            names = (names[0].removeprefix("*"),)
        value: Value = yield writer.value(known.function.body, "result")
        result = ending((yield writer.text(value)))
        short = f"lambda {', '.join(names)}: ".replace(" :", ":") + flat(result)
        is_short = not statements and len(short) <= LONG
        writer.give(result)
    writer.at.env = outside
    if is_short:
        return short
    name = writer.fresh(wish)
    writer.at.body.append(Clause("def ", Bracketed(f"{name}(", names, ")"), statements))
    return name


def _carried(text: Text) -> Text:
    """What a round of a fold gives: what it carries on, and nothing to keep."""
    return tuple_of((text, "None"))


def choice(writer: Writer, term: Cond, wish: str) -> Recursive[Value]:
    """A conditional; where both branches are there already, one is selected."""
    check_first_order("a conditional", term.type, place=term.place)
    test: Value = yield writer.value(term.test)
    p = writer.array(test)
    if _is_there(term.then) and _is_there(term.other):
        then: Value = yield writer.value(term.then)
        other: Value = yield writer.value(term.other)
        return _selected(writer, writer.named(p, "p"), then, other)
    texts: list[Text] = [strong(p).text]
    for branch, name in ((term.then, "then"), (term.other, "other")):
        known = CapturedLam(Lam((), branch), writer.at.env)
        texts.append((yield local(writer, known, name, _same)))
    return Leaf(writer.assign(call("lax.cond", *texts), wish), term.type)


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


def _selected(writer: Writer, p: Leaf, then: Value, other: Value) -> Value:
    if isinstance(then, Bundle) and isinstance(other, Bundle):
        pairs = zip(then.parts, other.parts, strict=True)
        return Bundle(tuple(_selected(writer, p, a, b) for a, b in pairs), then.type)
    assert isinstance(then.type, Tensor)
    return then if then is other else writer.elementwise("where", (p, then, other), then.type, "t")


def loop(writer: Writer, term: Prim, wish: str) -> Recursive[Value]:
    """A loop; of no rounds, what it starts from."""
    types = LoopTerm(term).types
    held = (term.type, *(arg.type for arg in term.args[1:]))
    check_first_order(f"a {term.operation.name}", *held, place=term.place)
    if types.carry is None and not types.length:
        zeros: Value = yield writer.zeros(term.type)
        return zeros
    args: list[Value] = yield writer.values(term.args)
    f, xs, is_fold = args[0], args[-1], types.item is None
    ending = _carried if is_fold and not types.is_associative else _same
    texts: list[Text] = []
    if types.carry is None:
        texts = yield writer.arguments(xs, types.function.dom)
    else:
        for value in args[1:]:
            texts.append((yield writer.text(value)))
    step: Text
    if writer.is_once(term.args[0]) and isinstance(f, CapturedLam):
        step = yield local(writer, f, "row" if types.carry is None else "step", ending)
    else:
        step = yield _around(writer, f, ending)
    if types.carry is None:
        return Leaf(writer.assign(call(f"jax.vmap({flat(step)})", *texts), wish), term.type)
    turned = ["reverse=True"] * types.reverse
    text = call("lax.scan", step, *texts, *turned)
    if types.is_associative:
        combine = step
        if not is_fold:
            step = writer.assign(step, "step")
            combine = f"lambda c, x: {step}(c, x)[0]"
        text = call("_combined", combine, *texts, *turned)
    last = writer.fresh(wish if is_fold else f"{wish}_last")
    stack = "_" if is_fold else writer.fresh(wish)
    writer.at.body.append(Assign((last, stack), text))
    if types.is_associative and not is_fold:
        every = f"jax.vmap({flat(step)})({stack}, {flat(texts[-1])})[1]"
        stack = writer.assign(every, wish)
    if is_fold:
        return Leaf(last, term.type)
    carry, kept = component(term.type, 0), component(term.type, 1)
    return Bundle((Leaf(last, carry), Leaf(stack, kept)), term.type)
