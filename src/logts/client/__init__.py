"""A study on a server, as if it were here. It needs nothing but the core."""

from logts.client.client import Client

__all__ = ["Client"]
