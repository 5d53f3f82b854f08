"""Run a server until it is told to end, by Ctrl-C or a signal."""

from types import FrameType

import uvicorn

from logts.server.app import make_app
from logts.server.live import Live
from logts.server.log import log_to_stderr
from logts.server.settings import Settings

PATIENCE = 30  # seconds for requests that are under way when the server is told to end


class _Server(uvicorn.Server):
    """Ends live streams when it is told to end: they would go on for ever."""

    def __init__(self, config: uvicorn.Config, live: Live) -> None:
        super().__init__(config)
        self._live = live

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end."""
        self._live.close()
        super().handle_exit(sig, frame)


def run(settings: Settings) -> None:
    """Serve, and say where once compiled code is warm."""
    app = make_app(settings)
    log_to_stderr()
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=True,
        timeout_graceful_shutdown=PATIENCE,
    )
    _Server(config, app.state.live).run()
