"""A server for studies: an HTTP interface for workers and programs, and pages for people. Needs ``[server]``.

How it hangs together, from the wire to the journal:

- :mod:`app` makes the application: :func:`make_app` takes :class:`Settings` and nothing else is global.
- :mod:`gate` is the first to see a request: host, origin, size, pace; then headers, log, metrics.
- :mod:`access` says who calls: a token (:mod:`tokens`, kept hashed in the same database) with a role (read,
  answer, manage), perhaps for some studies only, from a header or from the cookie of a signed-in browser.
- :mod:`routes`, one file a noun, are the interface under ``/api``; :mod:`pages` are what people see.
  Both get a :class:`logts.Study` from :mod:`access` and do nothing but call it, in threads.
- :mod:`studies` opens each study once per process. Its state follows the journal event by event, so any
  number of processes and machines may serve the same studies.
- :mod:`together` lets all that is asked and told of a study at one time share one commit.
- :mod:`live` tells who listens that the journal has grown; an event's id is the journal's position.
- :mod:`errors` turns whatever goes wrong into a sentence, as ``application/problem+json``.
"""
