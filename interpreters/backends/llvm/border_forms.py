"""Skeletons at the border to Python: which records are taken and given, and which are not."""

from __future__ import annotations

from interpreters.backends.llvm.native_forms import (
    AGAIN,
    ArrayForm,
    Form,
    FunctionForm,
    PackedForm,
    PointerForm,
    ProductForm,
    Sort,
    SumForm,
    is_whole,
    kinds,
)


def pointed_to(form: Form, found: dict[Sort, bool], *, inside: bool = False) -> dict[Sort, bool]:
    """The sorts of records that a skeleton points to, and whether each is of data, to its end."""
    match form:
        case PointerForm(sort, rows):
            if sort.root not in found:
                found[sort.root] = not rows and not inside and is_whole(sort.form)
                pointed_to(sort.form, found, inside=inside)
        case ProductForm(parts) | SumForm(parts) | PackedForm(_, parts):
            for part in parts:
                pointed_to(part, found, inside=inside)
        case FunctionForm(captured=captured):
            for parts in captured:
                for part in parts:
                    pointed_to(part, found, inside=True)
        case _:
            pass
    return found


def border_kinds(form: Form) -> tuple[ArrayForm | PointerForm, ...]:
    """The same, with pointers to records as they are."""
    match form:
        case PointerForm():
            return (form,)
        case ProductForm(parts) | PackedForm(_, parts):
            return tuple(leaf for part in parts for leaf in border_kinds(part))
        case SumForm(parts, rows):
            inside = (leaf for part in parts for leaf in border_kinds(part))
            return (ArrayForm(rows, "int64"), *inside)
        case _:
            return tuple(kinds(form))


def to_be_shown(form: Form) -> Form:
    """The skeleton of a result, in which functions that captured records are computed again."""
    match form:
        case FunctionForm() if pointed_to(form, {}):
            return AGAIN
        case PointerForm(sort) if isinstance(sort.form, FunctionForm):
            return AGAIN
        case ProductForm(parts):
            return ProductForm(tuple(map(to_be_shown, parts)))
        case _:
            return form


def is_ambiguous(form: Form) -> bool:
    """Whether there are tangents among the values of a skeleton that may be of several types."""
    match form:
        case ProductForm(parts) | SumForm(parts) | PackedForm(_, parts):
            several = isinstance(form, PackedForm) and len(parts) > 1
            return several or any(map(is_ambiguous, parts))
        case _:
            return False
