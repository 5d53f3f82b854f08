"""The state of an object as JSON and back, to the last bit.

A class lists the attributes that change after its construction; all others are made anew by the constructor.
Nothing is pickled: arrays are written as their bytes, and only classes that were announced here can come out
again.
"""

import base64
import math
from copy import deepcopy
from dataclasses import fields
from enum import Enum
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np

T = TypeVar("T", bound=type)

RECORDS: dict[str, type] = {}


def record(kind: T) -> T:
    """Announce a dataclass or an enum whose values may stand in a state.

    With ``to_json`` and ``from_json`` it writes itself.
    """
    RECORDS[kind.__name__] = kind
    return kind


class Stateful:
    """An object that can be put back into a state it was in, in another process.

    ``_kept`` names what changes.
    """

    _kept: ClassVar[tuple[str, ...]] = ()

    def state(self) -> dict[str, Any]:
        """All that changed since the construction.

        Returns
        -------
        dict
            Plain JSON.
        """
        return {name: encode(getattr(self, name)) for name in self._kept}

    def restore(self, state: dict[str, Any]) -> None:
        """Put back a state of an object that was constructed like this one.

        Parameters
        ----------
        state
            What ``state`` gave.
        """
        for name in self._kept:
            mine = getattr(self, name)
            if isinstance(mine, Stateful):
                mine.restore(state[name])
            else:
                setattr(self, name, decode(state[name]))

    def saved(self) -> dict[str, Any]:
        """The state as it is now, in this process only: quicker than :meth:`state`.

        Returns
        -------
        dict
            What ``put_back`` takes.
        """
        return {name: _saved(getattr(self, name)) for name in self._kept}

    def put_back(self, saved: dict[str, Any]) -> None:
        """Go back to what was saved, once.

        Parameters
        ----------
        saved
            What ``saved`` gave.
        """
        for name, value in saved.items():
            mine = getattr(self, name)
            if isinstance(mine, Stateful):
                mine.put_back(value)
            else:
                setattr(self, name, value)


def _saved(value: Any) -> Any:
    """What is changed in place is copied; all else is only ever replaced."""
    if isinstance(value, Stateful):
        return value.saved()
    if isinstance(value, (np.ndarray, list, dict)):
        return value.copy()
    return deepcopy(value) if isinstance(value, np.random.Generator) else value


def encode(value: Any) -> Any:
    """A value as what ``json`` can write."""
    if isinstance(value, Stateful):
        return value.state()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.ndarray):
        order: Literal["C", "F"] = "C" if value.flags.c_contiguous else "F"
        body = base64.b64encode(value.tobytes(order)).decode()
        return {"array": body, "type": value.dtype.str, "shape": list(value.shape), "order": order}
    if type(value) in (list, tuple):
        return {type(value).__name__: [encode(part) for part in value]}
    if isinstance(value, dict):
        return {"dict": [[encode(key), encode(part)] for key, part in value.items()]}
    if isinstance(value, np.random.Generator):
        return {"generator": _encode_generator(value)}
    kind = type(value)
    if RECORDS.get(kind.__name__) is not kind:
        raise TypeError(f"{kind.__name__} cannot stand in a state: announce it with logts.tools.state.record")
    if isinstance(value, Enum):
        return {"record": kind.__name__, "name": value.name}
    if hasattr(value, "to_json"):
        return {"record": kind.__name__, "json": value.to_json()}
    return {
        "record": kind.__name__,
        "fields": {field.name: encode(getattr(value, field.name)) for field in fields(value)},
    }


def decode(value: Any) -> Any:
    """The value that was encoded."""
    if not isinstance(value, dict):
        return value
    if "float" in value:
        return float(value["float"])
    if "array" in value:
        flat = np.frombuffer(base64.b64decode(value["array"]), dtype=value["type"])
        return flat.reshape(value["shape"], order=value["order"]).copy(order=value["order"])
    if "list" in value:
        return [decode(part) for part in value["list"]]
    if "tuple" in value:
        return tuple(decode(part) for part in value["tuple"])
    if "dict" in value:
        return {decode(key): decode(part) for key, part in value["dict"]}
    if "generator" in value:
        return _decode_generator(value["generator"])
    kind: Any = RECORDS[value["record"]]
    if "name" in value:
        return kind[value["name"]]
    if "json" in value:
        return kind.from_json(value["json"])
    return kind(**{name: decode(part) for name, part in value["fields"].items()})


def _encode_generator(rng: np.random.Generator) -> dict[str, Any]:
    source: Any = rng.bit_generator
    if not isinstance(source, np.random.PCG64) or not isinstance(source.seed_seq, np.random.SeedSequence):
        raise TypeError(f"only NumPy's default generator can stand in a state; got {type(source).__name__}")
    seed = source.seed_seq
    return {
        "entropy": seed.entropy,
        "key": list(seed.spawn_key),
        "spawned": seed.n_children_spawned,
        "state": source.state,
    }


def _decode_generator(value: dict[str, Any]) -> np.random.Generator:
    seed = np.random.SeedSequence(
        value["entropy"], spawn_key=tuple(value["key"]), n_children_spawned=value["spawned"]
    )
    source = np.random.PCG64(seed)
    source.state = value["state"]
    return np.random.Generator(source)
