"""Names as they can be shown: what would move the cursor, change colours or turn text around is escaped."""

import unicodedata

HIDDEN = ("Cc", "Cs", "Zl", "Zp")  # controls, halves of letters, separators of lines
TURNING = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def shown(text: str) -> str:
    """The text on one line, as it would be written in Python where it cannot be seen."""
    return "".join(
        letter.encode("unicode_escape").decode()
        if letter in TURNING or unicodedata.category(letter) in HIDDEN
        else letter
        for letter in text
    )
