"""Terms of Source and Target as the paper writes them."""

from __future__ import annotations

from combinators.kit.tree import distinct_nodes
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var
from papers.unary_form.languages import SECOND_ORDER, replaced

INFIX = {"add": "+", "subtract": "-", "multiply": "*"}


def as_written(t: Term) -> str:
    """The text of a term."""
    match t:
        case Var(name):
            return name
        case Const(literal):
            array = literal.array
            uniform = {0.0: "ZerosLike", 1.0: "OnesLike"}
            if not array.shape:
                return f"{array:g}"
            first = float(array.flat[0]) if len({*array.flat}) == 1 else None
            return f"{uniform[first]}({array.size})" if first in uniform else f"{array}"
        case Let(((p, e1),), Let(((y, Proj(0, a)),), Let(((Y, Proj(1, b)),), e2))) if a == b == p:
            return f"let {y.name}, {Y.name} ={bound(e1)} in\n{as_written(e2)}"
        case Let(((x, e1),), e2):
            return f"let {x.name} ={bound(e1)} in\n{as_written(e2)}"
        case Lam(params, body):
            names = [*(f"y{i + 1}" for i in range(len(params) - 1)), "z"]
            inside = {x.name for x in distinct_nodes(body) if isinstance(x, Var)}
            if (inside - {x.name for x in params}) & {*names}:
                names = [x.name for x in params]
            pairs = zip(params, names, strict=True)
            body = replaced(body, {x.name: Var(name, x.type) for x, name in pairs})
            return f"fun ({', '.join(names)}) → {as_written(body)}"
        case App(function, argument):
            items = argument.items if isinstance(argument, Tuple) else (argument,)
            return f"{operand(function)}({', '.join(map(as_written, items))})"
        case Tuple(items):
            return f"⟨{', '.join(map(as_written, items))}⟩"
        case Proj(i, product):
            return f"π{i + 1} {operand(product)}"
        case Cond(test, then, other):
            return f"if {as_written(test)} then {as_written(then)} else {as_written(other)}"
        case Prim(f, (Lam((x, y), body), *args)) if f in SECOND_ORDER:
            return " ".join([f.name, function_of(x, y, body), *map(operand, args)])
        case Prim(f, (first, second)) if f.name in INFIX:
            return f"{operand(first)}{INFIX[f.name]}{operand(second)}"
        case Prim(f, args):
            return f"{f.name}({', '.join(map(as_written, args))})"
    return repr(t)


def bound(t: Term) -> str:
    """What is bound; lets of its own go on lines of their own."""
    text = as_written(t)
    return f" {text}" if "\n" not in text else "\n  " + text.replace("\n", "\n  ")


def operand(t: Term) -> str:
    """In parentheses, where it is no name, no number and no tuple."""
    text = as_written(t)
    return text if isinstance(t, Var | Const | Tuple) else f"({text})"


def function_of(x: Var, y: Var, body: Term) -> str:
    """``(x, y. e)``; of an operation of both, its sign."""
    match body:
        case Prim(f, (a, b)) if (a, b) == (x, y):
            return INFIX.get(f.name, f.name)
    return f"({x.name}, {y.name}. {as_written(body)})"
