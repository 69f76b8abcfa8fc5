"""How tests of laws ask: a law of one model, at few examples."""

import diffcurry.models  # noqa: F401 (what makes models of our own things)
from laws.checking import check_law
from laws.claims import model_of

EXAMPLES = 8


def claimed(laws, things):
    """Each law with each model that claims it, for ``parametrize``."""
    models = [model_of(thing) for thing in things]
    return [(law, model) for model in models for law in laws if law.structure.is_claimed_by(model)]


def names(pairs):
    return [f"{law.name}-{model.name}" for law, model in pairs]


def holds(law, model, examples=EXAMPLES):
    verdict = check_law(law, model, examples=examples)
    assert verdict, (law.name, verdict.reason, verdict.counterexample)


def fails(law, model, examples=300):
    """It fails at an example, and not for want of one."""
    verdict = check_law(law, model, examples=examples)
    assert verdict.outcome == "failed"
    assert verdict.counterexample is not None
    return verdict.counterexample


def by_name(laws):
    return {law.name: law for law in laws}
