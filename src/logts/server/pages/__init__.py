"""What people see: pages made by the server from templates, a style and a small script of our own.

A page gets its study from :mod:`logts.server.access` like any route, and its links from ``url``, which puts
the proxy's prefix before them. There is no script or style in a page itself: both stand in ``static``.
"""

from logts.server.pages.router import router

__all__ = ["router"]
