"""What a server is told when it starts."""

import ipaddress
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Limits:
    """How much of everything a caller may send.

    Attributes
    ----------
    body
        Bytes of a request.
    options, columns, features
        Of a new study; columns are those of its table, features the parameters of its model.
    studies
        In one database.
    trials
        In one ask.
    pace
        Requests a second, for each token, or each address where there are none.
    guesses
        Wrong tokens a minute, for each address.
    plan_seconds
        How long a plan may simulate.
    """

    body: int = 8_000_000
    options: int = 10_000
    columns: int = 1_000
    features: int = 200
    studies: int = 10_000
    trials: int = 10_000
    pace: float = 2_000.0
    guesses: float = 30.0
    plan_seconds: float = 10.0


@dataclass(frozen=True)
class Settings:
    """Which studies are served, where, and within which limits.

    Attributes
    ----------
    db
        The file or URL that keeps the studies; made if it is not there.
    host, port
        The address to listen at.
    root_path
        The prefix under which a proxy shows the server, such as ``/logts``.
    limits
        How much callers may send.
    """

    db: str
    host: str = "127.0.0.1"
    port: int = 8000
    root_path: str = ""
    limits: Limits = field(default_factory=Limits)

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host == "localhost" or _is_loopback(self.host)

    @property
    def prefix(self) -> str:
        """The root path without a slash at its end."""
        return "/" + self.root_path.strip("/") if self.root_path.strip("/") else ""


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
