"""How a study stands, as a card for notebooks."""

from logts.evidence.intervals import leaders_table
from logts.judge import percent
from logts.reports.standing import Standing
from logts.reports.words import question, standing_in_words
from logts.tools import notebook
from logts.tools.html import table


def study_card(name: str, at: Standing) -> str:
    """The question, how far it is, and the options that lead."""
    title, lines = standing_in_words(at)
    asked = f"{name}: {question(at.policy.problem, at.arms.items.names)}"
    parts = notebook.paragraphs([asked])
    if at.trials:
        parts += [_bars(at), *notebook.paragraphs(lines), _leaders(at)]
    kind = "doubtful" if at.alarmed else ""
    if at.verdict is not None:
        kind = "proven" if at.verdict.proven else "doubtful"
    return notebook.card(title, parts, kind=kind)


def _bars(at: Standing) -> str:
    """How sure, and how far it probably is."""
    left = 0.0 if at.verdict is not None else at.remaining
    made = 0.0 if left is None else at.trials / (at.trials + left)
    to_go = "" if not left else f"about {float(f'{left:.2g}'):,.0f} to go"
    rows = [
        ["confidence", notebook.share(at.confidence), percent(at.confidence), _wanted(at)],
        ["trials", notebook.share(made), f"{at.trials:,}", to_go],
    ]
    return table(["", "", "", ""], rows, numbers=[2])


def _wanted(at: Standing) -> str:
    return f"wanted {100 * (1 - at.policy.delta):g}%"


def _leaders(at: Standing) -> str:
    counts = at.last.tally.trials if at.own else None
    label = "rate against average" if at.strengths else "rate"
    return leaders_table(at.shown, marked=at.marked, counts=counts, label=label)
