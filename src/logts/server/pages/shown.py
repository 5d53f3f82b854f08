"""What the page of a study shows, found once for all who look at it. Nothing of it grows with the trials."""

import threading
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from logts.reports.course import Step, course_of
from logts.reports.preview import preview_of
from logts.server.pages import beside, sections
from logts.server.pages.charts import Course, course_chart
from logts.study import Study


@dataclass(frozen=True)
class Shown:
    """A study as its page shows it, section by section."""

    head: sections.Head
    options: sections.Options
    steps: list[Step]
    course: Course | None
    allocation: sections.Allocation
    evidence: sections.Evidence
    fit: sections.FitShown
    running: beside.Running
    about: beside.About


_LOOKING: WeakKeyDictionary[Study, threading.Lock] = WeakKeyDictionary()
_SEEN: WeakKeyDictionary[Study, tuple[int, Shown]] = WeakKeyDictionary()


def shown_of(study: Study) -> Shown:
    """What there is to show of a study now; all who ask at the same position get the same."""
    with _LOOKING.setdefault(study, threading.Lock()):
        position, kept = _SEEN.get(study, (-1, None))
        if kept is None or position != study.read():
            position, kept = _look(study)
            _SEEN[study] = position, kept
        return kept


def _look(study: Study) -> tuple[int, Shown]:
    with study.at_rest() as at:
        seen = preview_of(at)
        steps = course_of(at)
        return study.position, Shown(
            head=sections.head(study, at, seen),
            options=sections.options(at),
            steps=steps,
            course=course_chart(steps, 1.0 - at.permitted(at.free)) if steps else None,
            allocation=sections.allocation(at),
            evidence=sections.evidence(at, seen),
            fit=sections.fit(at),
            running=beside.running(study),
            about=beside.about(study, at),
        )
