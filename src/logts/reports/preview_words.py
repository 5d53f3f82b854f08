"""What is known before the proof, in words: each line says whether it is proven or by the posterior."""

from collections.abc import Sequence

from logts.problems import BestArm, spoken
from logts.problems.speech import IN_OR_OUT
from logts.reports.preview import Gap, Preview
from logts.reports.standing import Standing

LETTERS = 40  # of a name
NAMED = 3  # options that are listed by name


def preview_in_words(at: Standing, seen: Preview) -> list[tuple[str, str]]:
    """Lines with a heading each; none before the first outcome, or once there is a proof."""
    if at.verdict is not None and at.verdict.proven:
        return []
    lines = [
        ("leading", "" if seen.leader is None or at.verdict is not None else seen.leader.text),
        ("not proven", _by_the_posterior(seen)),
        ("proven", "; ".join(_with_proof(at, seen))),
    ]
    if at.modelled and not at.free and lines[-1][1]:
        lines[-1] = ("proven", f"if the model is right: {lines[-1][1]}")
    return [(heading, text) for heading, text in lines if text]


def _by_the_posterior(seen: Preview) -> str:
    if seen.probability is None:
        return ""
    right = f"right with probability {probability(seen.probability)} by the posterior"
    if seen.expected_loss is None:
        return right
    return f"{right}; to stop now costs {points(seen.expected_loss)} on average"


def _with_proof(at: Standing, seen: Preview) -> list[str]:
    said = [] if seen.gap is None else [gap_in_words(at, seen.gap)]
    problem = at.policy.problem
    if isinstance(problem, BestArm) or (seen.ruled_out and spoken(problem).settled == IN_OR_OUT):
        rivals = len(at.rates) - (len(seen.leader.items) if seen.leader is not None else 0)
        if seen.ruled_out:
            said.append(f"ruled out {len(seen.ruled_out)} of {rivals}: {_listed(seen.ruled_out)}")
    elif seen.settled:
        said.append(f"{seen.settled} of {seen.settled + seen.open} options settled")
    return said


def gap_in_words(at: Standing, gap: Gap) -> str:
    """By how much the answer is ahead where it is ahead least, with an interval."""
    better, worse = shortened(gap.better), shortened(gap.worse)
    if gap.wins:
        often = f"{gap.low:.1%} to {gap.high:.1%} of the time (estimate {gap.estimate:.1%})"
        return f"{better} wins against {worse} {often}"
    by = f"by {_signed(gap.low)} to {_signed(gap.high)} points (estimate {_signed(gap.estimate)})"
    if isinstance(at.policy.problem, BestArm):
        return f"ahead of {worse} {by}"
    return f"{better} above {worse} {by}, the narrowest"


def probability(value: float) -> str:
    """A probability from some draws: no more digits than are known."""
    return "over 99%" if value > 0.995 else "below 1%" if value < 0.005 else f"about {value:.0%}"


def points(value: float) -> str:
    """A difference of rates in percentage points."""
    return f"{100 * value:.1f} points" if abs(value) >= 0.0005 else "less than 0.1 points"


def versus(gap: Gap) -> str:
    """A difference in points, with its sign and interval."""
    return f"{_signed(gap.estimate)} ({_signed(gap.low)} to {_signed(gap.high)})"


def shortened(name: str, letters: int = LETTERS) -> str:
    """A name that leaves room for others."""
    return name if len(name) <= letters else f"{name[: letters - 1]}…"


def _signed(value: float) -> str:
    return f"{100 * value:+.1f}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(shortened(name) for name in names[:NAMED]) + more
