"""The host names that this service answers to, the base address of each, and its trusted
proxies."""

from urllib.parse import urlsplit

from stoa.domain.addresses import parse_networks, plain_host
from stoa.http.proxies import Proxies
from stoa.settings import Settings

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_HTTP_PORT = 80


class Hosts:
    """Built from the settings once the port is known. `origin` is the base address; while none is
    set, a request under one of `own_urls` has the address that it used."""

    def __init__(self, settings: Settings) -> None:
        self.origin = settings.origin
        suffix = "" if settings.port == _HTTP_PORT else f":{settings.port}"
        loopback = {f"{name}{suffix}" for name in _LOOPBACK}
        own = () if settings.base_url else loopback
        self.own_urls = {plain_host(name): f"http://{name}" for name in own}
        self.proxies = Proxies(parse_networks(settings.trusted_proxies))
        self._any = "*" in settings.allowed_hosts
        self._allowed = frozenset(
            plain_host(name)
            for name in (urlsplit(self.origin).netloc, *loopback, *settings.allowed_hosts)
        )

    @property
    def base_urls(self) -> frozenset[str]:
        """Every base address that a challenge of this service may carry."""
        return frozenset({self.origin, *self.own_urls.values()})

    def allows(self, host: str) -> bool:
        """Whether a request under this `Host` is for us."""
        return self._any or host in self._allowed or plain_host(host) in self._allowed

    def base_url(self, host: str) -> str:
        """The base address of a request under this `Host`, for challenges and texts."""
        own = self.own_urls
        return (own.get(host) or own.get(plain_host(host), self.origin)) if own else self.origin

    def allows_origin(self, origin: str) -> bool:
        """Whether a web page of this `Origin` is one of ours, under a name that is listed."""
        scheme, _, name = origin.lower().partition("://")
        return scheme in ("http", "https") and plain_host(name) in self._allowed
