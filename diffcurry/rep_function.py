"""``vjp`` as a function of the language: a value, and the pullback there (004, section 3).

At numbers both are compiled: the pullback is a closure of the code that computed the value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, ParamSpec

import numpy as np

from combinators.bulk import bulk
from combinators.errors import TypeMismatch, UnknownCode, check_endless
from combinators.kit.memory import Remembered
from combinators.kit.text import Names
from combinators.objects import Fun, Object, Product, Tensor, components
from combinators.operation import Operation
from combinators.primitives.structural import ZEROS
from combinators.simplify import simplify, simplifying
from combinators.terms import App, Lam, Let, Prim, Proj, Term, Tuple, Var, pack
from combinators.terms import captured as captured_by
from combinators.tracing.definition import call, types_given
from combinators.tracing.faces import Face
from combinators.tracing.functions import Faces
from combinators.tracing.mirrors import mirrored
from combinators.tracing.scope import current
from combinators.type_folds import is_first_order, rep_function, represented
from diffcurry import interpretation
from diffcurry.arguments import holds_functions, leaves, of_pair
from diffcurry.border import At, Ats, Border, Held, owned
from diffcurry.derivative import Derivative, transformed
from diffcurry.derived import Written, closed_of, tangent_face, unrepresented
from diffcurry.dual_function import Pushed
from diffcurry.function import Function
from diffcurry.known import Known, NotKnown, holds_known_functions, tangents_of
from diffcurry.modes import written
from diffcurry.program import Program, Quick, folded, is_of_data
from diffcurry.tangents_in_traces import PullbackInTrace, Returned
from diffcurry.values import NotThese
from interpreters.staging import programs

P = ParamSpec("P")


class Pulled(Derivative[P, Any]):
    """The rep-function of a function: ``x ↦ (y, pullback)``."""

    about = "The value and the pullback"
    verb = "vjp of"
    word = "vjp"
    is_rep = True

    def __init__(self, inner: Function[..., Any], **options: Any) -> None:
        self._ways: Remembered[Program, Way] = Remembered()
        super().__init__(inner, **options)

    def _derive(self, closed: Lam, captured: int, face: Face | None, faces: Faces) -> Written:
        """``λ(x…). (y, λȳ. (x̄, …))``."""
        _, of_value = of_pair(closed.body.type, face, self.has_aux)
        which, mode = range(captured, len(closed.params)), written(self.mode)
        writer = simplifying(folded)
        both = programs.pullback(closed, which, mode, has_aux=self.has_aux, writer=writer)

        def results(whole: Var) -> Term:
            value, pull = self.shown(Proj(0, whole), closed.body.type), Proj(1, whole)
            each = (Proj(0, value), pull, Proj(1, value)) if self.has_aux else (value, pull)
            return Tuple(each)

        lam = self.finish(both, results, closed, writer)
        aux = (face.children[1],) if self.has_aux and face is not None else ()
        return Written(lam, Face(tuple, (), (of_value, None, *aux)))

    def mirrored(self, found: Var, params: Sequence[Var]) -> Term:
        """The pullback, whose cotangents are at the arguments."""
        value, pull, *aux = (Proj(i, found) for i in range(2 + self.has_aux))
        assert isinstance(pull.type, Fun)
        names = Names(param.name for param in (*params, found))
        dy, pulled = Var(names.fresh("dy"), pull.type.dom), Var(names.fresh("dx"), pull.type.cod)
        each = (mirrored(Proj(i, pulled), param) for i, param in enumerate(params))
        back = Lam((dy,), Let(((pulled, App(pull, dy)),), Tuple(tuple(each))))
        return Tuple((value, back, *aux))

    def shown(self, value: Term, obj: Object) -> Term:
        """The value, from what reverse mode gives."""
        return unrepresented(value, obj)

    def _in_trace(self, values: tuple[Any, ...]) -> Any:
        if holds_known_functions(values):
            return super()._in_trace(values)
        value, pull, *aux = call(self, values)
        made = self.inner.specialise(*self.inner.declared(*types_given(self.inner, values)))
        obj, _ = of_pair(made.lam.body.type, made.face, self.has_aux)
        if represented(obj, rep_function) is obj:
            return value, pull, *aux
        rep = call(_Rep(self.inner, **self.options), values)[0]
        layout = programs.result_shape(bulk(closed_of(made)))
        shape = layout.part(0) if self.has_aux else layout
        return value, PullbackInTrace(pull, Returned(obj, rep, shape)), *aux

    def evaluate(self, args: tuple[Any, ...]) -> Any:
        """At numbers, arrays and functions."""
        return interpretation.vjp(self.inner, args, has_aux=self.has_aux, mode=self.mode)

    def _entry(self, program: Program, quick: Quick) -> Callable[[tuple[Any, ...]], Any]:
        return self._mapping(program, quick, super()._entry(program, quick))

    def _run(self, program: Program, quick: Quick, args: tuple[Any, ...]) -> Any:
        return self._mapping(program, quick, partial(super()._run, program, quick))(args)

    def _mapping(
        self, program: Program, quick: Quick, forward: Callable[[tuple[Any, ...]], Any]
    ) -> Callable[[tuple[Any, ...]], Any]:
        """``forward``, with a linear map for what it gives as compiled code."""
        way = self._ways.of(program, lambda: self._way(program, quick))

        def entry(args: tuple[Any, ...]) -> tuple[Any, ...]:
            value, run, *aux = forward(args)
            run, *held = run if type(run) is tuple else (run,)
            if way.has_arrays:  # what compiled code keeps for later is its own
                kept = [cell.cell_contents for cell in getattr(run, "__closure__", None) or ()]
                value, args = owned(value, kept), owned(args, args)
            return value, LinearMap(way, run, held, partial(self.again, args)), *aux

        return entry

    def ats(self, program: Program) -> tuple[Sequence[At | None], Ats]:
        """The pullback is at the value, and at the arguments, where it asks what they are."""
        of = self.inner.shown_at(program.types, program.faces)
        of, *aux = of if self.has_aux and isinstance(of, tuple) else (of,)
        names = ("y[0]", *(f"x{i}" for i in range(len(program.types))))
        held = Held(names) if _holds_sums(program) else None
        return (), (of, held, *(aux or [None] * self.has_aux))

    def _way(self, program: Program, quick: Quick) -> Way:
        """From cotangents of the result to those of the arguments."""
        value, cotangent, arguments, moved = _types(program)
        faces = Face(tuple, (), _argument_faces(program))
        given = zip(program.types, program.faces, strict=True)
        shown = tuple(At(f"h{i}", *one, "cotangent") for i, one in enumerate(given, 1))
        at = At("h0", value, program.face and program.face.children[0], "cotangent")
        of = self.inner.shown_at(program.types, program.faces)
        if isinstance(of, At) and of.asks:  # a gradient, which is as long as its argument
            at = shown[int(of.name[1:])]
        ats = (at,), shown
        held = len(program.types) + 1 if _holds_sums(program) else 0
        border = Border((cotangent,), (moved,), arguments, faces, ats, held)
        about = f"pullback from the cotangents of {value!r}"
        check, has_arrays = interpretation.check_one_cotangent, _has_arrays(program, quick)
        return Way(border, ("the result",), check, has_arrays, about)

    def again(self, args: tuple[Any, ...], given: tuple[Any, ...]) -> Any:
        """The linear map at ``args`` in a trace, or as it says errors in our own words."""
        made = self.otherwise(args) if current() is None else call(self, args)
        return made[1](*given)

    def _of_known(self, known: Known[Any], values: tuple[Any, ...], data: list[Any]) -> Any:
        if self.mode not in known.modes:
            raise NotKnown
        value, pull, *aux = self.on(known.function)(*data)

        def pullback(*cotangents: Any) -> Any:
            try:
                return known.gradients(range(len(values)), pull(*cotangents))
            except NotKnown:
                return self.evaluate(values)[1](*cotangents)

        return value, pullback, *aux


class _Rep(Pulled[P]):
    """The rep-function, whose value is left as reverse mode gives it: with rep-functions."""

    def shown(self, value: Term, obj: Object) -> Term:
        plain = unrepresented(value, obj)
        return Tuple((Proj(0, value), Proj(1, plain))) if self.has_aux else value


class Linearized(Pulled[P]):
    """The value and the derivative there: ``x ↦ (y, ẋ ↦ ẏ)``.

    The derivative is the transpose of the pullback, which is linear, so that what it needs of the
    value is computed with the value, and each tangent runs the linear part alone.
    """

    about = "The value and the derivative there"
    verb = "linearize of"
    word = "linearize"
    at_once = False

    def _derive(self, closed: Lam, captured: int, face: Face | None, faces: Faces) -> Written:
        """``λ(x…). (y, λẋ. ẏ)``."""
        made = super()._derive(closed, captured, face, faces)
        body = made.lam.body
        bindings, pair = (body.bindings, body.body) if isinstance(body, Let) else ((), body)
        value, pullback = pair.items if isinstance(pair, Tuple) else (pair, None)
        known = dict(bindings).get(pullback) if isinstance(pullback, Var) else pullback
        if not isinstance(known, Lam):
            raise UnknownCode("the pullback of a function that is chosen is not known")
        result = Tuple((value, _transposed(known)))
        whole = Lam(made.lam.params, Let(bindings, result) if bindings else result, made.lam.name)
        return made._replace(lam=simplify(whole, fold=folded))

    def _way(self, program: Program, quick: Quick) -> Way:
        value, tangents, tangent, shown = _types(program)
        single = len(program.types) == 1
        moved = (tangents,) if single else (components(tangents) or Product()).parts
        given = zip(program.types, program.faces, strict=True)
        ats = tuple(At("", *one) for one in given)
        border = Border(moved, _argument_faces(program), tangent, shown, (ats, None))
        about, check = f"derivative to {value!r}", partial(check_tangents, count=len(moved))
        return Way(border, program.names, check, _has_arrays(program, quick), about)

    def _in_trace(self, values: tuple[Any, ...]) -> Any:
        return self.inner(*values), lambda *tangents: self.again(values, tangents)

    def again(self, args: tuple[Any, ...], given: tuple[Any, ...]) -> Any:
        """The tangent by forward mode."""
        if current() is None:
            return self.otherwise(args)[1](*given)
        pushed: Pushed[Any] = transformed(self.inner, Pushed, has_aux=False, with_value=False)
        return pushed(*args, *tangents_of(args, given))

    def _computed(self, values: tuple[Any, ...]) -> Any:
        if not holds_functions(values) and _holds_sums(self.inner.program(*values)):
            self._quick[len(values)] = self.evaluate
            return self.evaluate(values)
        return super()._computed(values)

    def evaluate(self, args: tuple[Any, ...]) -> Any:
        """By a pushforward for each tangent, where the pullback has no transpose."""
        kept = owned(args, args)
        pushed: Pushed[Any] = transformed(self.inner, Pushed, has_aux=False)

        def derivative(*tangents: Any) -> Any:
            if current() is not None:
                return self.again(kept, tangents)
            check_tangents(tangents, len(kept))
            return pushed(*kept, *tangents)[1]

        return self.inner(*kept), derivative

    otherwise = evaluate  # type: ignore[assignment]  # at data, too

    def _of_known(self, known: Known[Any], values: tuple[Any, ...], data: list[Any]) -> Any:
        value, inner = self.on(known.function)(*data)

        def derivative(*tangents: Any) -> Any:
            try:
                return inner(*known.tangents(tangents))
            except NotKnown:
                return self.evaluate(values)[1](*tangents)

        return value, derivative


def check_tangents(tangents: tuple[Any, ...], count: int) -> None:
    """Raise unless a derivative is given a tangent for each argument."""
    if len(tangents) != count:
        raise TypeMismatch(
            f"the derivative takes a tangent for each of {count} arguments, "
            f"and was given {len(tangents)}"
        )


def _holds_sums(program: Program) -> bool:
    """Whether there are sums in its arguments, or in what it gives besides functions."""
    given = program.cod.parts if isinstance(program.cod, Product) else (program.cod,)
    return any(is_of_data(obj) and not is_first_order(obj) for obj in (*program.types, *given))


def _has_arrays(program: Program, quick: Quick) -> bool:
    """Whether code computes with arrays, or takes or gives them."""
    found = (leaf for obj in (*program.types, program.cod) for leaf in leaves(obj))
    return quick.compiled.computes_arrays or any(
        isinstance(leaf, Tensor) and leaf.shape for leaf in found
    )


def _types(program: Program) -> tuple[Object, Object, Object, Face | None]:
    """The type of the value, those of the linear map's argument and result, the tangent's face."""
    assert isinstance(program.cod, Product)
    assert program.face is not None
    value, function, *_ = program.cod.parts
    assert isinstance(function, Fun)
    face = tangent_face(program.face.children[0], value)
    return value, function.dom, function.cod, face


def _argument_faces(program: Program) -> Faces:
    """The containers of the arguments' tangents."""
    pairs = zip(program.faces, program.types, strict=True)
    return tuple(tangent_face(face, obj) for face, obj in pairs)


def _transposed(pullback: Lam) -> Lam:
    """``λẋ. ẏ`` of ``λȳ. (x̄, …)``, a linear map: the pullback of it at 0, or at anything."""
    held, _ = captured_by(pullback)
    (cotangent,) = pullback.params
    closed = Lam((*held, cotangent), pullback.body)
    if not all(is_first_order(param.type) for param in closed.params):
        raise UnknownCode("the pullback keeps functions")
    rep = programs.pullback(closed, (len(held),), written("dependent"))
    zero = Prim(Operation(ZEROS, (("of", cotangent.type),)), ())
    back = Proj(1, App(rep, pack((*held, zero))))
    assert isinstance(back.type, Fun)
    taken = components(back.type.dom)
    assert taken is not None
    names = Names(var.name for var in held)
    params = tuple(Var(names.fresh("dx"), part) for part in taken.parts)
    return Lam(params, Proj(0, App(back, Tuple(params))))


class Way(NamedTuple):
    """What the linear maps of a program have in common."""

    border: Border
    names: tuple[str, ...]
    """What errors call a user's arguments."""
    check: Callable[[tuple[Any, ...]], None]
    """Raises where there are not as many as there are to be."""
    has_arrays: bool
    about: str


class LinearMap:
    """A pullback, or the derivative at a point: compiled, and called again and again.

    What it needs of the value was computed with the value.
    """

    def __init__(
        self,
        way: Way,
        run: Callable[..., Any],
        held: Sequence[Any],
        again: Callable[[tuple[Any, ...]], Any],
    ) -> None:
        # ``run`` is compiled; ``again`` serves traces, and says errors in our own words.
        self._way, self._run, self._held, self._again = way, run, held, again
        self._entry = way.border.entry(run, held=held)

    def __call__(self, *args: Any) -> Any:
        """The value at ``args``: one cotangent, or a tangent for each argument."""
        if current() is not None:
            return self._again(args)
        try:
            if not self._way.has_arrays:
                return self._entry(args)
            with np.errstate(all="ignore"):
                return owned(self._entry(args), args)
        except (NotThese, ValueError, TypeError, LookupError, ArithmeticError, RecursionError):
            return self._carefully(args)

    def _carefully(self, args: tuple[Any, ...]) -> Any:
        way = self._way
        way.check(args)
        try:
            with np.errstate(all="ignore"):
                return owned(way.border.run(self._run, args, way.names, self._held), args)
        except (IndexError, ArithmeticError, RecursionError) as error:
            check_endless(error)
            return self._again(args)

    def __repr__(self) -> str:
        return f"<{self._way.about}>"
