"""A command that makes a trial: columns filled in, no shell unless asked for, its exit code an answer."""

import contextlib
import os
import re
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

PLACE = re.compile(r"\{([^{}]*)\}")
NAME = re.compile(r"\w[\w .-]*")
YES = 0
NO = 1


@dataclass(frozen=True)
class Ended:
    """How a command ended: True for yes, False for no, or None and what went wrong."""

    outcome: bool | None
    trouble: str = ""


class TrialCommand:
    """A command line with places such as ``{column}``.

    Parameters
    ----------
    words
        The command and its arguments; with ``shell`` they are joined and given to the shell, every value
        quoted for it.
    columns
        Names that may stand in braces.
    shell
        Whether a shell runs it.
    timeout
        Seconds after which it is ended and counts as an error.
    """

    def __init__(
        self, words: Sequence[str], columns: Sequence[str], *, shell: bool, timeout: float | None
    ) -> None:
        self._words = list(words)
        self._shell = shell
        self._timeout = timeout
        if not words:
            raise ValueError("say what to run, after --: for instance  -- ./try.sh {prompt}")
        for word in words:
            for name in PLACE.findall(word):
                if name not in columns and NAME.fullmatch(name):
                    known = ", ".join(columns)
                    raise ValueError(
                        f"the command names {{{name}}}, and no column is called that; there are {known}"
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
        known = os.environ | {"LOGTS_TRIAL": str(trial), "LOGTS_OPTION": option}
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
        return Running(process, errors, self._timeout)


class Running:
    """A command that was started."""

    def __init__(self, process: "subprocess.Popen[bytes]", errors: Any, timeout: float | None) -> None:
        self._process = process
        self._errors = errors
        self._timeout = timeout

    def wait(self) -> Ended:
        """Wait for its end: exit code 0 is yes, 1 is no, anything else an error."""
        try:
            code = self._process.wait(self._timeout)
        except subprocess.TimeoutExpired:
            self.end()
            return Ended(None, f"no answer within {self._timeout:g} seconds")
        finally:
            said = self._last_words()
        if code in (YES, NO):
            return Ended(code == YES)
        named = {number.value: number.name for number in signal.Signals}
        how = f"exit code {code}" if code > 0 else f"ended by signal {named.get(-code, -code)}"
        return Ended(None, f"{how}: {said}" if said else how)

    def end(self) -> None:
        """End it, with all that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _last_words(self) -> str:
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - 400))
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        self._errors.close()
        return lines[-1][:200] if lines else ""
