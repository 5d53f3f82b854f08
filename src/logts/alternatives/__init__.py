"""Where an answer is wrong: unions of half-spaces, and the values that go with them."""

from logts.alternatives.all_pairs import AllPairs
from logts.alternatives.base import Alternatives, Answer, Comparisons, Posed
from logts.alternatives.compared import NOBODY, Compared
from logts.alternatives.half_spaces import HalfSpaces
from logts.tools.algebra import Indices

__all__ = [
    "NOBODY",
    "AllPairs",
    "Alternatives",
    "Answer",
    "Compared",
    "Comparisons",
    "HalfSpaces",
    "Indices",
    "Posed",
]
