"""A command that makes a trial: columns filled in, no shell unless asked for, its exit code an answer."""

import os
import re
import secrets
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from logts.cli.answers import Answers, listed
from logts.cli.processes import end_all

PLACE = re.compile(r"\{([^{}]*)\}")
NAME = re.compile(r"\w[\w .-]*")
MARK = "LOGTS_MARK"
COLOURS = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
LOOKED = 2**18  # bytes of stderr that are looked at, from its end
KEPT = 5  # lines of it that are kept
LONGEST = 200  # letters of a line


@dataclass(frozen=True)
class Ended:
    """How a command ended.

    Attributes
    ----------
    outcome
        True for yes, False for no, None for an error.
    trouble, advice
        What went wrong, and what can be done about it.
    said
        The last lines on stderr.
    """

    outcome: bool | None
    trouble: str = ""
    advice: str = ""
    said: str = ""

    @property
    def last(self) -> str:
        """The last line on stderr."""
        return self.said.rpartition("\n")[2]


class TrialCommand:
    """A command line with places such as ``{column}``.

    Parameters
    ----------
    words
        The command and its arguments; with ``shell`` they are joined and given to the shell, every value
        quoted for it.
    columns
        Names that may stand in braces; where there are none, braces mean nothing.
    shell
        Whether a shell runs it.
    timeout
        Seconds after which it is ended and counts as an error.
    answers
        Which exit codes are a yes, and which a no.
    """

    def __init__(
        self,
        words: Sequence[str],
        columns: Sequence[str],
        *,
        shell: bool,
        timeout: float | None,
        answers: Answers = Answers(),  # noqa: B008  it never changes
    ) -> None:
        self._words = list(words)
        self._columns = list(columns)
        self._shell = shell
        self._timeout = timeout
        self._answers = answers
        if not words:
            raise ValueError("say what to run, after --: for instance  -- ./try.sh {prompt}")
        for word in words:
            for name in PLACE.findall(word):
                if columns and name not in columns and NAME.fullmatch(name):
                    known = ", ".join(columns)
                    raise ValueError(
                        f"the command names {{{name}}}, and no column is called that; there are {known}"
                    )

    @property
    def described(self) -> dict[str, Any]:
        """What a study keeps of it: the command as it was given, where it runs, what its codes mean."""
        answers = self._answers
        meant = {"yes": list(answers.yes), "no": list(answers.no), "unless_broken": not answers.chosen}
        return {"words": self._words, "shell": self._shell, "folder": os.getcwd(), **meant}

    @property
    def warning(self) -> str:
        """Said of a command that does the same for every option; empty if it does not."""
        names = {name for word in self._words for name in PLACE.findall(word)}
        if names & set(self._columns) or any("LOGTS_OPTION" in word for word in self._words):
            return ""
        places = ", ".join(f"{{{name}}}" for name in self._columns)
        return (
            f"Warning: every option runs the same command, as none of {places} stands in it. That is right "
            "only if it reads the name of the option from LOGTS_OPTION in its environment."
        )

    def filled(self, columns: Mapping[str, Any]) -> list[str] | str:
        """The command line of one trial."""

        def put(place: re.Match[str]) -> str:
            if place[1] not in columns:
                return place[0]  # braces of the command's own
            text = "" if columns[place[1]] is None else str(columns[place[1]])
            return shlex.quote(text) if self._shell else text

        words = [PLACE.sub(put, word) for word in self._words]
        return " ".join(words) if self._shell else words

    def start(self, columns: Mapping[str, Any], trial: int, option: str) -> "Running":
        """Start it, in a process group of its own: Ctrl-C reaches us, and we decide what becomes of it."""
        line = self.filled(columns)
        errors = tempfile.TemporaryFile()  # noqa: SIM115  it lives as long as the process
        mark = secrets.token_hex(8)  # by which all that it starts is known
        known = os.environ | {"LOGTS_TRIAL": str(trial), "LOGTS_OPTION": option, MARK: mark}
        try:
            process = subprocess.Popen(
                line,
                shell=self._shell,
                env=known,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
            )
        except OSError as error:
            errors.close()
            program = line if isinstance(line, str) else line[0]
            raise ValueError(f"{shlex.quote(program)} cannot be run: {error.strerror}") from error
        return Running(process, errors, self._timeout, self._answers, f"{MARK}={mark}")


class Running:
    """A command that was started.

    Parameters
    ----------
    process, errors
        The process, and the file with its stderr.
    timeout
        Seconds after which it is ended.
    answers
        What its exit code means.
    mark
        What it has in its environment and no other.
    """

    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        errors: Any,
        timeout: float | None,
        answers: Answers,
        mark: str,
    ) -> None:
        self._process = process
        self._errors = errors
        self._timeout = timeout
        self._answers = answers
        self._mark = mark

    def wait(self) -> Ended:
        """Wait for its end: a yes, a no, or an error. What broke has not said no, though its code may."""
        late = False
        try:
            code = self._process.wait(self._timeout)
        except subprocess.TimeoutExpired:
            late = True
            self.end()
        finally:
            errors = self._read_errors()
        said = "\n".join(map(_plain, errors.strip().splitlines()[-KEPT:]))
        last = said.rpartition("\n")[2]
        if late:
            return Ended(None, f"no answer within {self._timeout:g} seconds", said=said)
        if sign := self._answers.broken(code, errors):
            advice = f"--no {listed(self._answers.no)} counts it as a no anyway"
            return Ended(None, f"exit code {code}, but with {sign} on stderr: {last}", advice, said)
        outcome = self._answers.outcome(code)
        if outcome is not None:
            return Ended(outcome, said=said)
        named = {number.value: number.name for number in signal.Signals}
        how = f"exit code {code}" if code >= 0 else f"ended by signal {named.get(-code, -code)}"
        return Ended(None, f"{how}: {last}" if last else how, said=said)

    def end(self) -> None:
        """End it, with all that it started."""
        end_all(self._process, self._mark)

    def _read_errors(self) -> str:
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - LOOKED))
        text: str = self._errors.read().decode(errors="replace")
        self._errors.close()
        return text


def _plain(line: str) -> str:
    """A line without colours and other bytes that no terminal should get, cut if it is long."""
    shown = (
        letter if letter.isprintable() else " " if letter == "\t" else "?" for letter in COLOURS.sub("", line)
    )
    return "".join(shown)[:LONGEST]
