"""The paths of the web floor, read off its routes."""

from types import SimpleNamespace
from typing import cast

from starlette.routing import Route

from stoa.app import new_services
from stoa.calls.public_reads import PublicReads
from stoa.domain.webhooks import WebhookSigner
from stoa.settings import Settings
from stoa.web import discovery
from stoa.web.pages import pages
from tests.support.clock import VirtualClock


def web_paths(settings: Settings) -> list[str]:
    """The paths of all pages, feeds and documents, with their fields in braces."""
    signer = WebhookSigner.of(bytes(32))
    documents = discovery.endpoints(settings, dict, lambda _: b"", VirtualClock(), signer)
    reads = SimpleNamespace(services=new_services(settings))
    site = pages(cast(PublicReads, reads), settings.origin, dict, documents)
    return [route.path for route in site.routes if isinstance(route, Route)]
