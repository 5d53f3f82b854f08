"""Counts and times for Prometheus, in its text format."""

from collections import Counter, defaultdict

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
KIND = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """What has happened in this process; it is touched in the event loop alone."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._seconds: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(BUCKETS) + 1))
        self._sums: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()  # trials asked, outcomes told, commits
        self.listeners = 0

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Note a request that was answered."""
        self._requests[route, method if method in METHODS else "other", status] += 1
        self._seconds[route][next((i for i, top in enumerate(BUCKETS) if seconds <= top), len(BUCKETS))] += 1
        self._sums[route] += seconds  # type: ignore[assignment]  # a sum, not a count

    def text(self, *, open_studies: int) -> str:
        """All of it."""
        lines = ["# TYPE logts_requests_total counter"]
        for (route, method, status), count in sorted(self._requests.items()):
            labels = f'route="{route}",method="{method}",status="{status}"'
            lines.append(f"logts_requests_total{{{labels}}} {count}")
        lines.append("# TYPE logts_request_seconds histogram")
        for route, counts in sorted(self._seconds.items()):
            below = 0
            for top, count in zip((*BUCKETS, "+Inf"), counts, strict=True):
                below += count
                lines.append(f'logts_request_seconds_bucket{{route="{route}",le="{top}"}} {below}')
            lines.append(f'logts_request_seconds_sum{{route="{route}"}} {self._sums[route]:.6f}')
            lines.append(f'logts_request_seconds_count{{route="{route}"}} {below}')
        for name in ("asked", "told", "commits"):
            lines += [f"# TYPE logts_{name}_total counter", f"logts_{name}_total {self.counts[name]}"]
        for name, value in (("open_studies", open_studies), ("listeners", self.listeners)):
            lines += [f"# TYPE logts_{name} gauge", f"logts_{name} {value}"]
        return "\n".join(lines) + "\n"
