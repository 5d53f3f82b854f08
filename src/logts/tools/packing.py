"""Many whole numbers as JSON in little room: ids that follow each other, arms, outcomes.

A few are written as a list, which people can read. Of many that follow each other the first is written, and
how many there are; of all others their bytes, each number in as few as will do (zeros and ones in bits),
compressed.
"""

import base64
import zlib
from typing import Any

import numpy as np

from logts.tools.algebra import Indices

MANY = 256  # from so many on they are packed
BITS = "bits"


def pack(numbers: Indices) -> Any:
    """Whole numbers from zero on, as what ``json`` can write."""
    if len(numbers) < MANY:
        return numbers.tolist()
    first = int(numbers[0])
    if numbers[-1] - first == len(numbers) - 1 and (np.diff(numbers) == 1).all():
        return {"first": first, "count": len(numbers)}
    largest = int(numbers.max())
    kind = BITS if largest <= 1 else np.min_scalar_type(largest).newbyteorder("<").str
    body = np.packbits(numbers.astype(np.bool_)) if kind == BITS else numbers.astype(kind)
    text = base64.b64encode(zlib.compress(body.tobytes(), 1)).decode()
    return {"count": len(numbers), "type": kind, "zip": text}


def packed(said: Any) -> bool:
    """Whether these are numbers that were packed because they are many."""
    return isinstance(said, dict)


def counted(said: Any) -> int:
    """How many numbers there are."""
    return int(said["count"]) if packed(said) else len(said)


def unpack(said: Any) -> Indices:
    """The numbers that were packed."""
    if not packed(said):
        return np.array(said, dtype=np.intp)
    if "first" in said:
        return np.arange(said["first"], said["first"] + said["count"], dtype=np.intp)
    body = zlib.decompress(base64.b64decode(said["zip"]))
    if said["type"] == BITS:
        return np.unpackbits(np.frombuffer(body, dtype=np.uint8), count=said["count"]).astype(np.intp)
    return np.frombuffer(body, dtype=said["type"]).astype(np.intp)
