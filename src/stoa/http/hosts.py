"""Which host names this service answers to, the base address of each, and whose word it takes for a
client's address."""

from urllib.parse import urlsplit

from stoa.domain.addresses import parse_networks
from stoa.settings import Settings

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_HTTP_PORT = 80


class Hosts:
    """Built from the settings once the port is known."""

    def __init__(self, settings: Settings) -> None:
        self._origin = settings.origin
        suffix = "" if settings.port == _HTTP_PORT else f":{settings.port}"
        loopback = {f"{name}{suffix}" for name in _LOOPBACK}
        self._own_names: frozenset[str] = frozenset(() if settings.base_url else loopback)
        self.trusted = parse_networks(settings.trusted_proxies)
        self._any = "*" in settings.allowed_hosts
        self._allowed = frozenset(
            name.lower()
            for name in (urlsplit(self._origin).netloc, *loopback, *settings.allowed_hosts)
        )

    @property
    def base_urls(self) -> frozenset[str]:
        """Every base address that a challenge of this service may carry."""
        return frozenset({self._origin, *(f"http://{name}" for name in self._own_names)})

    def allows(self, host: str) -> bool:
        """Whether a request under this `Host` is for us."""
        return self._any or host.lower() in self._allowed

    def allows_origin(self, origin: str) -> bool:
        """Whether a web page of this `Origin` is one of ours, under a name that is listed."""
        scheme, _, name = origin.lower().partition("://")
        return scheme in ("http", "https") and name in self._allowed

    def base_url(self, host: str) -> str:
        """The base address for a request under this `Host`: while none is set, the name it used."""
        name = host.lower()
        return f"http://{name}" if name in self._own_names else self._origin
