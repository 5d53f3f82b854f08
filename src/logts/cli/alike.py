"""The first outcomes of a study: a command that says the same of all options may be broken."""

from logts.study import Study

FIRST = 20  # outcomes after which it is noticed
OPTIONS = 3  # of which they must be, at least


class AlikeError(ValueError):
    """All first trials ended alike and said the same: somebody should look before it goes on."""


class Alike:
    """Notices that the first trials of a study all end alike. One that has outcomes already is left alone."""

    def __init__(self, study: Study) -> None:
        self._needed = min(OPTIONS, len(study.arms))
        self._options: set[str] = set()
        self._ends: set[tuple[bool, str]] = set()
        self._count = 0
        self._over = outcomes_of(study) >= FIRST

    def hear(self, option: str, outcome: bool, last: str) -> str:
        """Take in an outcome and the last line on stderr; a warning if all are alike, else nothing.

        If their last lines on stderr are alike, too, an AlikeError: honest outcomes differ now and then, what
        a broken command says does not.
        """
        if self._over:
            return ""
        self._count += 1
        self._options.add(option)
        self._ends.add((outcome, last))
        if len({outcome for outcome, _ in self._ends}) > 1:
            self._over = True
        if self._over or self._count < FIRST or len(self._options) < self._needed:
            return ""
        self._over = True
        answer = "yes" if outcome else "no"
        seen = f"the first {self._count} trials, of {len(self._options)} options, all said {answer}"
        if len(self._ends) == 1 and last:
            raise AlikeError(
                f"{seen}, each with the same last line on stderr:\n  {last}\nIf the command is broken, mend "
                "it and begin anew with another --name: these outcomes stay. If it is right, run the same "
                "command again: it goes on"
            )
        return f"Warning: {seen}. If that is a surprise, try the command by hand."


def outcomes_of(study: Study) -> int:
    """How many trials of a study have an outcome."""
    return study.told
