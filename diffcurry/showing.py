"""How a function of the language shows itself: as code, formula, cost, and in notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from combinators.errors import WrongMode
from combinators.objects import components

if TYPE_CHECKING:
    from diffcurry.cost import Report
    from diffcurry.explain import Explanation
    from diffcurry.function import Function
    from diffcurry.program import Program


class Showing:
    """The methods by which one looks at a function; each takes arguments, or their types."""

    @property
    def _function(self) -> Function[..., Any]:
        return self  # type: ignore[return-value]  # only functions are Showing

    def source(self, *at: Any) -> str:
        """Python that stands alone: it needs ``math`` and ``numpy`` at most, and nothing of ours.

        ``source("jax", …)`` is a module of JAX instead, for XLA. It tells JAX to keep 64 bits where
        the program has numbers of 64 bits. Containers are tuples in either, in the order that the
        docstring says.

        >>> from combinators.objects import Real
        >>> from diffcurry.function import fun
        >>> print(fun(lambda x: x * x + 1.0, Real).source())
        def f(x):
            return x * x + 1.0
        <BLANKLINE>
        """
        from diffcurry.at import program_at

        language, at = (at[0], at[1:]) if at and isinstance(at[0], str) else ("python", at)
        program = program_at(self._function, at)
        name = self._function.__name__ if self._function.__name__.isidentifier() else "f"
        if language == "jax":
            from diffcurry.xla import written

            return written(program, name, _containers(program)).source
        if language not in ("python", "numpy"):
            raise WrongMode(
                f'sources are written in "python" and in "jax", and not in {language!r}'
            )
        doc = " ".join(filter(None, (self._function.__doc__, _containers(program))))
        return program.compiled(program.lam.name or name, doc).source

    def sympy(self, *at: Any, **assumptions: Any) -> Any:
        """The formula, on symbols named after the parameters.

        Containers and small tensors are structures of symbols. ``assumptions`` are SymPy's, as
        ``positive=True``. A large program gives ``(definitions, result)``, as ``sympy.cse`` does;
        ``definitions=`` decides it.

        >>> from combinators.objects import Real
        >>> from diffcurry.function import fun
        >>> fun(lambda x, y: x * y + x, Real, Real).sympy()
        x*y + x
        """
        from diffcurry.at import program_at
        from diffcurry.formula import formula_of

        return formula_of(program_at(self._function, at), **assumptions)

    def cost(self, *at: Any) -> Report:
        """The operations of the function and of its gradient, and the certificate (law K1)."""
        from diffcurry.cost import cost

        return cost(self._function, *at)

    def explain(self, *at: Any) -> Explanation:
        """One program on its way to a gradient, stage by stage."""
        from diffcurry.explain import explain

        return explain(self._function, *at)

    def _repr_html_(self) -> str:
        """The programs, coloured."""
        from diffcurry.display import html

        return html(self._function)

    def _repr_latex_(self) -> str | None:
        """The formula, where there is one that is not huge."""
        from diffcurry.latex import latex

        programs = self._function.programs()
        return latex(programs[-1].lam, self._function.__name__) if programs else None


def _containers(program: Program) -> str:
    """The types of the parameters that are containers, which are tuples in Python."""
    params = [param for param in program.lam.params if components(param.type) is not None]
    listed = ", ".join(f"{param.name} : {param.type!r}" for param in params)
    return f"Containers are tuples: {listed}." if params else ""
