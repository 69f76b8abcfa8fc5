"""The two forms of a function's cotangent, and what the laws ask of each.

In both, a list of calls may be pulled back through a closure, since that is how the kit writes a
function's covector.
"""

from __future__ import annotations

from typing import Any

from combinators.literal import Literal
from combinators.objects import Fun, Mu, Object, Sum, components
from combinators.type_folds import unfolded
from combinators.value_folds import Injected, opened_at
from laws.observation import point_of
from tests.laws.bugs.arrows import Arrow, Closure
from tests.laws.bugs.naive import Naive


class Pulling(Naive):
    """What the laws of function tangents ask of either form."""

    def pull(self, arrow: Arrow, point: Any, cotangent: Any) -> Any:
        return arrow.rep(point).pullback(cotangent)

    def covector(self, covector: Any, obj: Object) -> Any:
        """A covector of the kit, a function's as a list of calls."""
        obj, (covector,), tag = opened_at(obj, (covector,))
        if tag is not None:
            return Injected(tag, self.covector(covector, obj))
        product = components(obj)
        if covector is not None and product is not None:
            pairs = zip(covector, product.parts, strict=True)
            return tuple(self.covector(*pair) for pair in pairs)
        if isinstance(obj, Fun):
            return [(point_of(self, x), self.covector(w, obj.cod)) for x, w in covector]
        return self.exact(covector.array) if isinstance(covector, Literal) else None

    def sparse(self, vector: Any, obj: Object) -> Any:
        return vector

    def part(self, cotangent: Any, index: int) -> Any:
        return None if cotangent is None else cotangent[index]

    def plus(self, cotangents: list[Any], obj: Object) -> Any:
        return self.total(cotangents)

    def run_again(self, closure: Closure, calls: list[Any]) -> Any:
        """What recorded calls give for the captured values (Fig. 3)."""
        return self.total([self.called(closure, x, w) for x, w in calls])

    def called(self, closure: Closure, x: Any, w: Any) -> Any:
        pulled = self.enter(closure, x).pullback(w)
        return None if pulled is None else pulled[:-1]


class Environments(Pulling):
    """A function's cotangent is that of what it captured (Fig. 5)."""

    name = "naive, environments"

    def pulled_call(self, closure: Closure, x: Any, g: Any, pulled: Any) -> Any:
        """``pb g``, which ends with the argument's."""
        *environment, argument = pulled or (None,) * (len(closure.captured) + 1)
        return self.halves(tuple(environment), argument)

    def pulled_closure(self, closure: Closure, g: Any) -> Any:
        """The environment's cotangent is handed on."""
        return self.run_again(closure, g) if isinstance(g, list) else g

    def at(self, cotangent: Any, obj: Object, value: Any) -> Any:
        """Lists of calls as cotangents of the environments, so that they can be added."""
        obj = unfolded(obj) if isinstance(obj, Mu) else obj
        product = components(obj)
        if isinstance(obj, Sum):
            if cotangent is None:
                return None
            tag, inner = cotangent
            return Injected(tag, self.at(inner, obj.parts[tag], value.value))
        if product is not None and cotangent is not None:
            triples = zip(cotangent, product.parts, value, strict=True)
            return tuple(self.at(*triple) for triple in triples)
        if isinstance(obj, Fun) and cotangent is not None:
            calls = [(x, self.at(w, obj.cod, self.enter(value, x).value)) for x, w in cotangent]
            return self.run_again(value, calls)
        return cotangent

    def pulled_fixed(self, step: Closure, itself: Closure, g: Any) -> Any:
        return None if g is None else self.pulled_closure(itself, g)

    def captured(self, cotangent: Any) -> Any:
        return cotangent

    def environment(self, cotangent: Any) -> Any:
        return cotangent


class Calls(Pulling):
    """A function's cotangent is the list of its calls (Fig. 3)."""

    name = "naive, calls"

    def pulled_call(self, closure: Closure, x: Any, g: Any, pulled: Any) -> Any:
        """The call, and the argument's cotangent."""
        return self.halves(self.recorded(closure, x, g), pulled and pulled[-1])

    def recorded(self, closure: Closure, x: Any, g: Any) -> list[Any]:
        return [(x, g)]

    def pulled_closure(self, closure: Closure, g: Any) -> Any:
        return self.run_again(closure, g or [])

    def pulled_fixed(self, step: Closure, itself: Closure, g: Any) -> Any:
        """The calls of a recursive function, and those of itself inside, as calls of its step."""
        found, todo = [], list(g or [])
        while todo:
            x, w = todo.pop(0)
            found.append(((itself, x), w))
            pulled = self.enter(step, (itself, x)).pullback(w)
            again, _ = (pulled and pulled[-1]) or (None, None)
            todo += again or []
        return found

    def at(self, cotangent: Any, obj: Object, value: Any) -> Any:
        return cotangent

    def calls(self, cotangent: Any) -> Any:
        return cotangent or []
