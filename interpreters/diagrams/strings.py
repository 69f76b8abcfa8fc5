"""String diagrams: the category whose arrows are boxes between wires (002, section 4).

A product is several wires side by side, so that what only moves values about, ``id``, ``π``,
``⟨f, g⟩``, is drawn by wires alone: a variable that is used twice is a wire that is copied. What is
left is a box:

    sin x * y + x       x ──▲──[ sin ]──[ * ]──[ + ]──
                            │      y ────┘      │
                            └───────────────────┘

A function value is a wire. ``curry`` makes it, a box around the body into which what it captures
enters, and ``eval``, a half circle, uses it up. A loop is the box of its body with the carry led
back. A closed function that has a name is drawn once, beside the diagram, and is a box of that name
where it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from combinators.kit.recursion import Step
from combinators.kit.text import Names, cut
from combinators.literal import Literal as Number
from combinators.morphisms import Label
from combinators.objects import Fun, Object, Product, Real, components
from combinators.operation import Operation
from combinators.primitives.loops import LOOP, LoopType
from combinators.primitives.structural import FIX

LONGEST = 24
"""Of what is written on a wire or in a box, in letters."""
Kind = Literal["box", "call", "const", "copy", "pair", "split", "eval", "curry", "cond", "loop"]


@dataclass(eq=False)
class Wire:
    """A value on its way; ``name`` is that of the variable, where it is one."""

    obj: Object
    name: str = ""
    source: Box | None = None
    """What it comes from: a box, or the left border."""
    parts: Bundle | None = None
    """Its components, where it has been taken apart."""
    is_cotangent: bool = False

    @property
    def label(self) -> str:
        """Its name, with its type where that is not Real; nothing where it has no name."""
        kind = "" if self.obj is Real else f" : {cut(repr(self.obj), LONGEST)}"
        return self.name and self.name + kind


@dataclass(eq=False)
class Box:
    """Between wires; λs, branches and loops have diagrams inside.

    The first wires into a diagram inside are those that enter its box; the others begin in it.
    """

    kind: Kind
    label: str
    inputs: list[Wire]
    outputs: list[Wire]
    inner: tuple[Diagram, ...] = ()
    feedback: int | None = None
    """Which wire into the diagram inside is led back from its first result, or from itself."""


@dataclass(eq=False)
class Diagram:
    """Boxes between a left and a right border, each after those that it takes wires from."""

    name: str = ""
    inputs: list[Wire] = field(default_factory=list)
    outputs: list[Wire] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)
    definitions: dict[str, Diagram] = field(default_factory=dict)
    """The closed functions that are called, by name: those of the whole stand in the outermost."""

    def add(self, kind: Kind, label: str, inputs: list[Wire], *cods: Object, **more: Any) -> Box:
        """Draw a box."""
        box = Box(kind, label, inputs, [Wire(cod) for cod in cods], **more)
        for wire in box.outputs:
            wire.source = box
        self.boxes.append(box)
        return box

    def wire(self, kind: Kind, label: str, inputs: list[Wire], cod: Object, **more: Any) -> Wire:
        """Draw a box from which one wire goes."""
        return self.add(kind, label, inputs, cod, **more).outputs[0]

    def within(self) -> Iterator[Diagram]:
        """Itself, and all diagrams in its boxes."""
        todo = [self]
        while todo:
            here = todo.pop()
            yield here
            todo += [inner for box in here.boxes for inner in box.inner]

    def pages(self) -> list[Diagram]:
        """All diagrams, those of the definitions too, each after those in its boxes."""
        wholes = (self, *self.definitions.values())
        return [page for whole in wholes for page in whole.within()][::-1]


class Bundle:
    """Wires side by side. A context grows at its end, and shares what it grew from."""

    __slots__ = ("shared", "width")

    def __init__(self, parts: list[Wires]) -> None:
        self.shared, self.width = parts, len(parts)

    def __getitem__(self, index: int) -> Wires:
        return self.shared[index]

    def __iter__(self) -> Iterator[Wires]:
        return iter(self.shared[: self.width])

    def snoc(self, last: Wires) -> Bundle:
        """With one more at the end."""
        mine = self.shared if len(self.shared) == self.width else self.shared[: self.width]
        mine.append(last)
        return Bundle(mine)


Wires: TypeAlias = Wire | Bundle
Drawn = Callable[[Diagram, Wires], Step[Wires]]
"""An arrow: it draws its boxes into a diagram, behind the wires that it is given."""


def one(page: Diagram, wires: Wires, obj: Object) -> Wire:
    """Wires side by side as one, of a product."""
    if isinstance(wires, Wire):
        return wires
    parts = components(obj)
    assert parts is not None
    inputs = [one(page, part, of) for part, of in zip(wires, parts.parts, strict=True)]
    return page.wire("pair", "", inputs, obj)


def several(page: Diagram, wires: Wires) -> Bundle:
    """The components of a product as wires: one wire is taken apart, once."""
    if isinstance(wires, Bundle):
        return wires
    if wires.parts is None:
        parts = components(wires.obj)
        assert parts is not None
        wires.parts = Bundle(list(page.add("split", "", [wires], *parts.parts).outputs))
    return wires.parts


def entering(obj: Object, names: Sequence[str]) -> tuple[list[Wire], Wires]:
    """Wires for a parameter, or for several of one function, and the value that they are."""
    parts = components(obj)
    if parts is None or len(names) != parts.width or len(names) < 2:
        wire = Wire(obj, names[0] if names else "")
        return [wire], wire
    wires = [Wire(part, name) for part, name in zip(parts.parts, names, strict=True)]
    return wires, Bundle(list(wires))


def leaving(page: Diagram, wires: Wires, obj: Object) -> list[Wire]:
    """What goes out of a diagram: a product as its components, where they lie side by side."""
    if isinstance(wires, Wire):
        return [wires]
    parts = components(obj)
    assert parts is not None
    return [one(page, part, of) for part, of in zip(wires, parts.parts, strict=True)]


class Strings:
    """The category of string diagrams: what ``interpret`` needs to draw an arrow."""

    def __init__(self, definitions: dict[str, Diagram]) -> None:
        self.definitions = definitions
        self.names = Names()
        self.known: dict[tuple[Fun, Any], str] = {}
        """The names of the closed functions, by type and body."""

    def identity(self, dom: Object) -> Drawn:
        """A wire."""
        return lambda page, x: x

    def compose(self, arrows: Sequence[Drawn]) -> Drawn:
        """One behind the other."""

        def drawn(page: Diagram, x: Wires) -> Any:
            for arrow in arrows:
                x = yield arrow(page, x)
            return x

        return drawn

    def prod(self, dom: Object, arrows: Sequence[Drawn]) -> Drawn:
        """Side by side, behind copies of the same wires."""

        def drawn(page: Diagram, x: Wires) -> Any:
            parts: list[Wires] = []
            for arrow in arrows:
                parts.append((yield arrow(page, x)))
            return Bundle(parts)

        return drawn

    def proj(self, dom: Object, index: int, cod: Object) -> Drawn:
        """One of several wires; of a vector, a box."""

        def drawn(page: Diagram, x: Wires) -> Wires:
            if isinstance(x, Wire) and components(x.obj) is None:
                return page.wire("box", f"π{index}", [x], cod)
            return several(page, x)[index]

        return drawn

    def extend(self, context: Product, arrow: Drawn) -> Drawn:
        """All wires, and one more."""

        def drawn(page: Diagram, x: Wires) -> Any:
            value = yield arrow(page, x)
            return several(page, x).snoc(value)

        return drawn

    def const(self, dom: Object, value: Number) -> Drawn:
        """A triangle from which a wire comes."""
        text = cut(repr(value), LONGEST)
        return lambda page, x: page.wire("const", text, [], value.type)

    def curry(self, captured: Product, function: Fun, body: Drawn, label: Label) -> Drawn:
        """A box around the body; the wires that it captures enter it."""

        def drawn(page: Diagram, x: Wires) -> Any:
            if not captured.width and label.called:
                name = yield self.define(label, function, body)
                return page.wire("curry", name, [], function)
            env = [one(page, *pair) for pair in zip(several(page, x), captured.parts, strict=True)]
            inner = yield self.inside(label, function, body, env)
            return page.wire("curry", label.called, env, function, inner=(inner,))

        return drawn

    def define(self, label: Label, function: Fun, body: Drawn) -> Any:
        """The name of a closed function, whose diagram is drawn once: two of one name are two."""
        name = self.known.get((function, label.body))
        if name is None:
            name = self.known[function, label.body] = self.names.fresh(label.called)
            self.definitions[name] = Diagram(name)
            drawn = self.definitions[name] = yield self.inside(label, function, body, [])
            drawn.name = name
        return name

    def define_recursive(self, operation: Operation, name: str, function: Object) -> None:
        """The diagram of a closed recursive function: its body, led back."""
        body = self.definitions[name]
        if body.inputs:
            whole = self.definitions[name] = Diagram(name)
            step = Box("curry", "", [], [], (body,))
            recursive = _recursive(whole, operation, step, [], function)
            whole.outputs = [one(whole, recursive, function)]

    def inside(self, label: Label, function: Fun, body: Drawn, env: list[Wire]) -> Any:
        """The diagram of a body: first the wires that it captures, then its parameters."""
        inner = Diagram(label.called)
        names = label.names if len(label.names) == len(env) else ("",) * len(env)
        inner.inputs = [Wire(wire.obj, name) for wire, name in zip(env, names, strict=True)]
        wires, argument = entering(function.dom, label.parameters)
        context = Bundle(list(inner.inputs)).snoc(argument)
        inner.inputs += wires
        inner.outputs = leaving(inner, (yield body(inner, context)), function.cod)
        return inner

    def eval(self, function: Fun) -> Drawn:
        """A half circle; where the function is a closed one that has a name, a box."""

        def drawn(page: Diagram, x: Wires) -> Wires:
            f, argument = several(page, x)
            assert isinstance(f, Wire)
            source = f.source
            if source is None or source.inner or source.kind != "curry":
                taken = [f, *leaving(page, argument, function.dom)]
                return page.wire("eval", "", taken, function.cod)
            taken = leaving(page, argument, function.dom)
            return page.wire("call", source.label, taken, function.cod)

        return drawn

    def primitive(self, operation: Operation, dom: Object, cod: Object) -> Drawn:
        """A box; a loop of a λ is a box around its body."""
        types = dom.parts if isinstance(dom, Product) else (dom,)
        looped = {LOOP: _loop, FIX.primitive: _recursive}.get(operation.primitive)

        def drawn(page: Diagram, x: Wires) -> Wires:
            given = several(page, x) if isinstance(dom, Product) else [x]
            inputs = [one(page, part, obj) for part, obj in zip(given, types, strict=True)]
            function = inputs[0].source if inputs else None
            if looped is not None and function is not None and function.kind == "curry":
                if function.inner:
                    return looped(page, operation, function, inputs, cod)
                if operation == FIX:
                    self.define_recursive(operation, function.label, cod)
                    return page.wire("curry", function.label, [], cod)
            return page.wire("box", called(operation), inputs, cod)

        return drawn

    def cond(self, dom: Object, then: Drawn, other: Drawn) -> Drawn:
        """Two boxes in one, of which one is run."""

        def drawn(page: Diagram, x: Wires) -> Any:
            test, rest = several(page, x)
            assert isinstance(dom, Product)
            assert isinstance(test, Wire)
            env = leaving(page, several(page, rest), dom.parts[1])
            branches: list[Diagram] = []
            for name, branch in (("then", then), ("else", other)):
                inner = Diagram(name, [Wire(wire.obj, wire.name) for wire in env])
                found = yield branch(inner, Bundle(list(inner.inputs)))
                inner.outputs = [one(inner, found, _of(found))]
                branches.append(inner)
            cod = branches[0].outputs[0].obj
            return page.wire("cond", "", [test, *env], cod, inner=tuple(branches))

        return drawn


def _of(wires: Wires) -> Object:
    """The type of a value."""
    return wires.obj if isinstance(wires, Wire) else Product(*map(_of, wires))


def called(operation: Operation) -> str:
    """What stands in the box of a primitive: its sign, or its name."""
    return operation.primitive.infix or repr(operation)


def _loop(
    page: Diagram, operation: Operation, function: Box, inputs: list[Wire], cod: Object
) -> Wires:
    """The box of a loop: what the body captures, where it starts, and the rows enter it."""
    types = LoopType.of(operation, [wire.obj for wire in inputs])
    taken = [*function.inputs, *inputs[1:]]
    (body,) = function.inner
    if len(body.outputs) != 1 and (types.carry is None or types.item is None):
        body.outputs = [one(body, Bundle([*body.outputs]), types.function.cod)]
    back = None if types.carry is None else len(function.inputs)
    return page.wire("loop", called(operation), taken, cod, inner=(body,), feedback=back)


def _recursive(
    page: Diagram, operation: Operation, function: Box, inputs: list[Wire], cod: Object
) -> Wires:
    """The box of a recursive function, which is led back into its body."""
    taken = function.inputs
    inner = function.inner
    return page.wire("curry", function.label, taken, cod, inner=inner, feedback=len(taken))
