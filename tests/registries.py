"""Registries that are as they were after a test."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from logts.tools.registry import Registry


@contextmanager
def unchanged(*registries: Registry[Any]) -> Iterator[None]:
    """What is entered meanwhile is gone afterwards."""
    before = [dict(registry) for registry in registries]
    try:
        yield
    finally:
        for registry, known in zip(registries, before, strict=True):
            registry.clear()
            registry.update(known)
