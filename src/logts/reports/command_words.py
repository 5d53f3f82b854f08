"""What made the trials of a study, and what it said when it failed, in words."""

import re
import shlex
from typing import Any

from logts.journal import Event

PLAIN = re.compile(r"[\w@%+=:,./{}-]+")
SHOWN = 20  # options whose failures are listed


def command_in_words(said: Any) -> str:
    """A command as it was typed, where, and what its exit codes mean; or who answers.

    >>> command_in_words({"words": ["try", "{a}"], "shell": False, "folder": "/x", "yes": [0], "no": [1, 2]})
    'try {a}   (in /x; exit code 0 is yes, 1 or 2 no)'
    """
    if not _has(said, "words", "shell", "folder", "yes", "no"):
        return str(said["by"] if _has(said, "by") else said)
    words = said["words"]
    line = " ".join(words if said["shell"] else map(_word, words))
    how = "by a shell, " if said["shell"] else ""
    yes, no = (" or ".join(map(str, said[answer])) for answer in ("yes", "no"))
    broken = " unless it broke" if said.get("unless_broken") else ""
    return f"{line}   ({how}in {said['folder']}; exit code {yes} is yes, {no} no{broken})"


def notes_in_words(journal: list[Event]) -> list[str]:
    """Which commands made the trials, and what failures of each option last said on stderr."""
    notes: dict[str, dict[str, Any]] = {"command": {}, "failures": {}}
    for event in journal:
        if event["kind"] == "noted" and event["about"] in notes:
            notes[event["about"]] |= event["said"]
    lines = [f"Made by: {command_in_words(said)}" for said in notes["command"].values()]
    if notes["failures"]:
        lines.append("What trials that did not say yes had on stderr, one of the last for each option:")
    lines += [_failure(option, said) for option, said in list(notes["failures"].items())[:SHOWN]]
    if len(notes["failures"]) > SHOWN:
        lines.append(f"And so on, for {len(notes['failures']):,} options; the journal has them all.")
    return lines


def _failure(option: str, said: Any) -> str:
    if not _has(said, "trial", "as", "said"):
        return f"{option}: {said}"  # noted by somebody else
    return f"{option} (trial {said['trial']}, {said['as']}): {said['said']}"


def _has(said: Any, *names: str) -> bool:
    return isinstance(said, dict) and all(name in said for name in names)


def _word(word: str) -> str:
    return word if PLAIN.fullmatch(word) else shlex.quote(word)
