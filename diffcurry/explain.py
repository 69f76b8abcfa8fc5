"""How one looks at a function: code, formula, cost, and ``explain``, its way to a gradient."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from html import escape
from os import PathLike
from typing import Any

from combinators.bulk import bulk
from combinators.errors import (
    DiffcurryError,
    DomainError,
    NotDifferentiable,
    TypeMismatch,
    WrongMode,
)
from combinators.kit.tree import distinct_nodes
from combinators.objects import Fun, Object, Product, components
from combinators.simplify import Fired
from combinators.terms import Prim
from combinators.tracing.faces import face_of
from combinators.tracing.functions import Specialised
from combinators.type_folds import tangent_of
from diffcurry.arguments import are_types
from diffcurry.derived import Derived, derived
from diffcurry.display import WORDS, Report, coloured, cost, framed, html, shortened
from diffcurry.picture import Picture
from diffcurry.program import Program

READABLE = 1_000
"""How many operations a program may have whose formula is shown."""


@dataclass
class Walked:
    """A program, and what its stages have in common."""

    program: Program
    count: Callable[[], Report]
    """What counts its cost, when a stage asks for it."""

    @cached_property
    def report(self) -> Report:
        """What it costs, and what its gradient does."""
        return self.count()

    @cached_property
    def derived(self) -> Derived:
        """Its gradient in every argument that has one, stage by stage."""
        return derived(self.program.lam)


@dataclass(frozen=True)
class Stage:
    """A title, what kind of text follows (``term``, ``python`` or ``text``), and what writes it.

    ``write`` raises a ``DiffcurryError`` where a program has no such stage, and that says why; a
    stage without text is left out.
    """

    title: str
    kind: str
    write: Callable[[Walked], str]


def _rep_function(walked: Walked) -> str:
    """The type of the rep-function: the value, and the pullback of cotangents (Fig. 2 of 004)."""
    dom, cod = walked.program.lam.dom, walked.program.cod
    return repr(Fun(dom, Product(cod, Fun(tangent_of(cod), tangent_of(dom)))))


def _bulk_operations(walked: Walked) -> str:
    """The program that runs, where it has maps or builds (003, section 5); elsewhere nothing."""
    program = walked.program
    return "" if program.bulk is program.lam else str(program.bulk)


def _bulk_equations(walked: Walked) -> str:
    """The equations of the bulk-operation transform that were used, and for what, once each."""
    fired: list[Fired] = []
    bulk(walked.program.lam, trace=fired.append)
    return _listed(f"{one.rule}: {one.before!r}" for one in fired)


def _rules(walked: Walked) -> str:
    """The rules that made the gradient simpler, with what each made of what, once each."""
    fired = walked.derived.fired
    return _listed(f"{one.rule}: {one.before!r} ⇝ {one.after!r}" for one in fired) or "none"


def _listed(fired: Iterable[str]) -> str:
    counts = Counter(fired).items()
    return "\n".join(f"{line}  ({n} times)" if n > 1 else line for line, n in counts)


def _formulas(walked: Walked) -> str:
    """The formulas of the program and of its gradient, each after the definitions it shares."""
    name = walked.program.lam.name or "f"
    lines = _equations(name, walked.program)
    with suppress(NotDifferentiable):
        lines += _equations(f"∇{name}", walked.derived.alone)
    return "\n".join(lines)


def _equations(name: str, program: Program) -> list[str]:
    size = sum(isinstance(node, Prim) for node in distinct_nodes(program.lam))
    if size > READABLE:
        raise DomainError(f"{size:,} operations are no formula to read; diffcurry.formula gives it")
    definitions, result = program.formula(definitions=True, most_operations=READABLE)
    return [f"{symbol} = {meaning}" for symbol, meaning in [*definitions, (name, result)]]


LANGUAGES = ("c", "jax", "llvm", "numpy", "python")


def code(program: Program, language: str = "python", name: str = "", doc: Any = None) -> str:
    """The program in a language, which needs nothing of ours; ``doc`` is its type if it is None."""
    name = program.lam.name or (name if name.isidentifier() else "f")
    if language == "jax":
        return program.for_xla(name, doc or "").source
    if language not in LANGUAGES:
        raise WrongMode(f"sources are written in {', '.join(LANGUAGES)}, and not in {language!r}")
    if language in ("c", "llvm"):
        return str(getattr(program.standing_alone(name), language))
    return program.compiled(name, repr(program.lam.type) if doc is None else doc).source


def _costs(walked: Walked) -> str:
    report = walked.report
    gradient = f"\nwith its gradient: {report.gradient}" if report.gradient is not None else ""
    ran = f"\nran on the backend {report.ran}" if report.ran else ""
    return f"{report.program}{gradient}{ran}"


STAGES: tuple[Stage, ...] = (
    Stage("term", "term", lambda walked: str(walked.program)),
    Stage("combinators", "term", lambda walked: str(walked.program.combinators)),
    Stage("bulk operations", "term", _bulk_operations),
    Stage("bulk equations that were used", "text", _bulk_equations),
    Stage("rep-function", "term", _rep_function),
    Stage("gradient, as written", "term", lambda walked: str(walked.derived.raw)),
    Stage("rules that fired", "text", _rules),
    Stage("value and gradient, simplified", "term", lambda walked: str(walked.derived.both)),
    Stage("formula", "text", _formulas),
    Stage("code", "python", lambda walked: code(walked.program)),
    Stage("the gradient's code", "python", lambda walked: code(walked.derived.alone)),
    Stage("cost", "text", _costs),
    Stage(
        "certificate", "text", lambda walked: str(walked.report.certificate or walked.report.remark)
    ),
)


_STYLES = {"k": "red", "t": "cyan", "n": "green"}


@dataclass(frozen=True)
class Section:
    """A stage, written; ``kind`` is ``note`` where it says why there is nothing to write."""

    title: str
    kind: str
    text: str


@dataclass(frozen=True, repr=False)
class Explanation:
    """The sections of one program; it prints as plain text, and in colour by ``rich``."""

    title: str
    sections: tuple[Section, ...]

    def __str__(self) -> str:
        parts = [f"── {section.title} ──\n{section.text}" for section in self.sections]
        return "\n\n".join([self.title, *parts])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """In a notebook."""
        blocks = [f'<div class="head"><b>{escape(self.title)}</b></div>']
        for section in self.sections:
            dim = ' class="m"' if section.kind == "note" else ""
            plain = f"<pre{dim}>{escape(section.text)}</pre>"
            text = coloured(section.text) if section.kind == "term" else plain
            blocks.append(f"<h4>{escape(section.title)}</h4>{text}")
        return framed(blocks)

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        from rich import rule, syntax, text

        yield text.Text(self.title, style="bold magenta")
        for section in self.sections:
            yield rule.Rule(section.title, align="left", style="magenta")
            if section.kind == "python":
                yield syntax.Syntax(section.text, "python", background_color="default")
                continue
            shown = text.Text(section.text, style="dim" if section.kind == "note" else "")
            for match in WORDS.finditer(section.text) if section.kind == "term" else ():
                shown.stylize(_STYLES[match.lastgroup or "k"], *match.span())
            yield shown


def explain(walked: Walked, stages: tuple[Stage, ...] = STAGES) -> Explanation:
    """A program, walked through its stages."""
    lam = walked.program.lam
    sections = (_section(stage, walked) for stage in stages)
    shown = tuple(section for section in sections if section.text)
    return Explanation(f"{lam.name or 'λ'} : {lam.type!r}", shown)


def _section(stage: Stage, walked: Walked) -> Section:
    try:
        return Section(stage.title, stage.kind, shortened(stage.write(walked)))
    except DiffcurryError as error:
        return Section(stage.title, "note", f"(none: {error.args[0]})")


class Shown:
    """The methods by which one looks at a function; each takes arguments, or their types."""

    __name__: str
    verb: str = "fun"
    """What made it, as it shows itself."""
    types: tuple[Object, ...] | None
    program: Callable[..., Program]
    traced: Callable[[tuple[Any, ...], tuple[Any, ...]], Specialised]
    without_functions: Callable[[tuple[Any, ...]], tuple[Any, tuple[Any, ...]]]
    _programs: dict[Any, Program]

    @property
    def latex_name(self) -> str:
        """What its formula is called."""
        return self.__name__

    def programs(self) -> list[Program]:
        """Those of the types that it has met; of a function with declared types, that one."""
        if self.types is not None and not self._programs:
            self.program()
        return list(self._programs.values())

    def at_types(self, args: tuple[Any, ...]) -> Program:
        """The program at ``args``: all types, all values, or none if it is typed.

        >>> from diffcurry import Real, fun
        >>> fun(lambda x: x * x).at_types((Real,))
        λx. x * x
        """
        if not are_types(args):
            return self.program(*args)
        if self.types is not None and self.types != args:
            raise TypeMismatch(f"{self!r} is declared at {self.types}, and asked for at {args}")
        return Program(self.traced(args, tuple(map(face_of, args))))

    def __repr__(self) -> str:
        types = ", ".join(repr(made.lam.type) for made in self._programs.values())
        return f"<{self.verb} {self.__name__}{' : ' + types if types else ''}>"

    def __str__(self) -> str:
        """Its programs, one for each choice of types that it has met, in let-normal form."""
        return "\n\n".join(map(str, self.programs())) or repr(self)

    def source(self, *at: Any) -> str:
        """Python that stands alone: it needs ``math`` and ``numpy`` at most, and nothing of ours.

        ``source("c", …)`` is a file of C99 instead, ``source("llvm", …)`` that for LLVM and this
        processor, ``source("jax", …)`` a module for XLA, which keeps 64 bits where there are such.
        Containers are tuples in Python; in C each of their parts is a parameter.

        >>> from diffcurry import Real, fun
        >>> print(fun(lambda x: x * x + 1.0, Real).source())
        def f(x):
            return x * x + 1.0
        <BLANKLINE>
        """
        language, at = (at[0], at[1:]) if at and isinstance(at[0], str) else ("python", at)
        program = self.at_types(at)
        own = None if language == "jax" else self.__doc__
        doc = " ".join(filter(None, (own, _containers(program))))
        return code(program, language, self.__name__, doc)

    def compile(self, path: str | PathLike[str], *at: Any) -> None:
        """Write a shared library ``path`` for this processor, of the function of ``source("c")``.

        The header ``.h`` beside it says how to call it. ``path.o`` is an object file: no linker is
        needed, and ``MissingRule`` says where one is. See docs/native.md.
        """
        self.at_types(at).standing_alone(self.__name__).compile(path)

    def sympy(self, *at: Any, **assumptions: Any) -> Any:
        """The formula, on symbols named after the parameters.

        Containers and small tensors are structures of symbols. ``assumptions`` are SymPy's, as
        ``positive=True``. A large program gives ``(definitions, result)``, as ``sympy.cse`` does;
        ``definitions=`` decides it.

        >>> from diffcurry import Real, fun
        >>> fun(lambda x, y: x * y + x, Real, Real).sympy()
        x*y + x
        """
        return self.at_types(at).formula(**assumptions)

    def diagram(self, *at: Any, derivative: bool = False) -> Picture:
        """The string diagram at types or at arguments: a picture in notebooks, SVG or DOT in files.

        With ``derivative`` it is that of the rep-function, whose cotangents are dashed.

        >>> from diffcurry import Real, fun
        >>> fun(lambda x, y: x * y + x, Real, Real).diagram()
        <diagram of a function: 3 boxes>
        """
        return Picture.of(self.at_types(at).lam, derivative=derivative)

    def cost(self, *at: Any) -> Report:
        """The operations of the function and of its gradient, at types or at arguments (law K1).

        At types nothing is run, and where conditionals leave a choice the count is that of the
        dearest path; given arguments such a program is run and counted exactly. Functions among the
        arguments are constants here: what they cost counts, and there is no gradient in what they
        capture.

        >>> from diffcurry import Real, fun
        >>> fun(lambda x, y: x * y + x, Real, Real).cost().program.counts
        {'add': 1, 'multiply': 1}
        """
        function, args = self.without_functions(at)
        name = "the program" if self.__name__ == "<lambda>" else self.__name__
        return cost(function.at_types(args), args if not are_types(args) else (), name)

    def explain(self, *at: Any, stages: tuple[Stage, ...] = STAGES) -> Explanation:
        """One program on its way to a gradient, stage by stage, at types or at arguments.

        A stage that the program cannot have, as the gradient of what is no Real, says so in a line.

        >>> from diffcurry import Real, fun
        >>> print(fun(lambda x: x * x).explain(Real, stages=STAGES[:1]))
        λ : Real ⇒ Real
        <BLANKLINE>
        ── term ──
        λ(x : Real).
          x * x
        """
        return explain(Walked(self.at_types(at), lambda: self.cost(*at)), stages)

    def _repr_html_(self) -> str:
        """The programs, coloured."""
        return html(self.programs(), repr(self))

    def _repr_latex_(self) -> str | None:
        """The formula, where there is one that is not huge."""
        programs = self.programs()
        return programs[-1].latex(self.latex_name) if programs else None


def _containers(program: Program) -> str:
    """The types of the parameters that are containers, which are tuples in Python."""
    params = [param for param in program.lam.params if components(param.type) is not None]
    listed = ", ".join(f"{param.name} : {param.type!r}" for param in params)
    return f"Containers are tuples: {listed}." if params else ""
