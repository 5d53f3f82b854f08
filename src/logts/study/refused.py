"""What is refused: nothing of it was taken in."""

from typing import Any


class RefusedError(ValueError):
    """What was told makes no sense; nothing of it was taken in. ``about`` says the same for machines."""

    def __init__(self, said: str, **about: Any) -> None:
        super().__init__(said)
        self.about = about


class UnknownTrialError(RefusedError):
    """No trial has that id."""
