"""Terms of Source and Target as the paper writes them."""

from __future__ import annotations

from combinators.kit.text import brief
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var
from papers.unary_form.languages import SECOND_ORDER

INFIX = {"add": "+", "subtract": "-", "multiply": "*"}
UNIFORM = {0.0: "ZerosLike", 1.0: "OnesLike"}


def as_written(t: Term) -> str:
    """The text of a term."""
    match t:
        case Var(name):
            return name
        case Const(literal):
            numbers = {*literal.array.flat} if literal.array.shape else ()
            like = UNIFORM.get(*numbers) if len(numbers) == 1 else None
            return (
                f"{like}({literal.array.size})" if like else brief(literal.array[()], between=", ")
            )
        case Let(((x, bound),), e2):
            return let(x.name, bound, e2)
        case App(Lam(params, e2), bound):
            return let(listed(params), bound, e2)
        case Lam(params, body):
            return f"fun ({listed(params)}) → {as_written(body)}"
        case App(function, Tuple(items)):
            return f"{operand(function)}({listed(items)})"
        case App(function, item):
            return f"{operand(function)}({as_written(item)})"
        case Tuple(items):
            return f"⟨{listed(items)}⟩"
        case Proj(i, product):
            return f"π{i + 1} {operand(product)}"
        case Cond(test, then, other):
            return f"if {as_written(test)} then {as_written(then)} else {as_written(other)}"
        case Prim(f, (Lam((x, y), body), *args)) if f in SECOND_ORDER:
            sign = getattr(body, "operation", f).name
            binding = f"({x.name}, {y.name}. {as_written(body)})"
            shown = INFIX.get(sign, sign) if body.below() == (x, y) else binding
            return " ".join([f.name, shown, *map(operand, args)])
        case Prim(f, (first, second)) if f.name in INFIX:
            return f"{operand(first)}{INFIX[f.name]}{operand(second)}"
        case Prim(f, args):
            return f"{f.name}({listed(args)})"
    return repr(t)


def let(names: str, e1: Term, e2: Term) -> str:
    """``let x = e₁ in e₂``; lets of its own go on lines of their own."""
    text = as_written(e1)
    text = f" {text}" if "\n" not in text else "\n  " + text.replace("\n", "\n  ")
    return f"let {names} ={text} in\n{as_written(e2)}"


def listed(terms: tuple[Term, ...]) -> str:
    """``e₁, …, eₙ``."""
    return ", ".join(map(as_written, terms))


def operand(t: Term) -> str:
    """In parentheses, where it is no name, no number and no tuple."""
    text = as_written(t)
    return text if isinstance(t, Var | Const | Tuple) else f"({text})"
