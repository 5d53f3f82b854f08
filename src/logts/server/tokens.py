"""Tokens: who may do what. Only their hashes are kept, in a journal of their own beside the studies."""

import hashlib
import hmac
import secrets
import threading
import time
from dataclasses import dataclass
from enum import IntEnum

from logts.journal import Event, Store
from logts.journal.base import OWN

JOURNAL = f"{OWN}tokens"
FRESH = 1.0  # seconds after which the journal is read again


class Role(IntEnum):
    """What a token permits; each role permits what those before it do."""

    READ = 1
    ANSWER = 2
    MANAGE = 3


@dataclass(frozen=True)
class Caller:
    """Who calls: the public part of a token, what it permits, and for which studies (None: for all)."""

    token: str
    role: Role
    studies: frozenset[str] | None = None
    label: str = ""
    until: float | None = None

    def sees(self, study: str) -> bool:
        """Whether this study is one of theirs."""
        return self.studies is None or study in self.studies


ANYBODY = Caller("", Role.MANAGE)  # on a machine where nobody made a token


class Tokens:
    """The tokens of a database; those made or revoked elsewhere are known within a second."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._hashes: dict[str, tuple[str, Caller]] = {}
        self._position = 0
        self._read_at = -FRESH

    def make(self, role: Role, *, studies: list[str] | None, label: str, days: float | None) -> str:
        """Make a token and return it; it cannot be shown again."""
        name, secret = secrets.token_hex(4), secrets.token_urlsafe(32)
        until = None if days is None else round(time.time() + 86400.0 * days, 3)
        said = {"role": role.name.lower(), "studies": studies, "label": label, "until": until}
        self._append({"kind": "made", "at": _now(), "token": name, "hash": _hash(secret), **said})
        return f"logts_{name}_{secret}"

    def revoke(self, name: str) -> Caller:
        """Let a token, given by its public part, permit nothing any more."""
        public = name.removeprefix("logts_").partition("_")[0]
        known = self.listed()
        if public not in known:
            there = ", ".join(known) or "there are none"
            raise ValueError(f"no token is called {public!r}; there are: {there}")
        self._append({"kind": "revoked", "at": _now(), "token": public})
        return known[public]

    def listed(self) -> dict[str, Caller]:
        """All tokens that are valid, by their public part."""
        self.refresh()
        return {name: caller for name, (_, caller) in self._hashes.items() if not _over(caller)}

    @property
    def fresh(self) -> bool:
        """Whether the journal was read a moment ago."""
        return time.monotonic() - self._read_at < FRESH

    @property
    def needed(self) -> bool:
        """Whether a token was ever made here; then nobody gets in without one."""
        return self._position > 0

    def refresh(self) -> None:
        """Read what was made and revoked meanwhile."""
        with self._lock:
            for event in self._store.read_from(JOURNAL, self._position):
                self._take_in(event)
            self._read_at = time.monotonic()

    def find(self, token: str) -> Caller | None:
        """Who calls with this token, as far as the journal was read; None if it is not valid."""
        name, _, secret = token.removeprefix("logts_").partition("_")
        kept, caller = self._hashes.get(name, (_NOBODY, None))
        right = hmac.compare_digest(_hash(secret), kept)
        return caller if right and caller is not None and not _over(caller) else None

    def _append(self, event: Event) -> None:
        self._store.append(JOURNAL, self._position, lambda _: [event])
        self.refresh()

    def _take_in(self, event: Event) -> None:
        self._position += 1
        if event["kind"] == "revoked":
            self._hashes.pop(event["token"], None)
            return
        studies = None if event["studies"] is None else frozenset(event["studies"])
        role = Role[event["role"].upper()]
        caller = Caller(event["token"], role, studies, event["label"], event["until"])
        self._hashes[event["token"]] = event["hash"], caller


def _hash(secret: str) -> str:
    """Secrets are drawn with 256 bits, so a plain hash cannot be guessed back."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


_NOBODY = _hash("")


def _now() -> float:
    return round(time.time(), 3)


def _over(caller: Caller) -> bool:
    return caller.until is not None and caller.until <= time.time()
