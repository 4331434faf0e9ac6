"""The pages `/about`, with the limits of the service, and `/about/safety`, on untrusted texts."""

from starlette.requests import Request
from starlette.responses import Response

from stoa.domain import limits
from stoa.settings import Settings
from stoa.web.charts import number, several
from stoa.web.site import Site

_HOUR_S = limits.HOUR_MS // limits.SECOND_MS


async def about(site: Site, request: Request) -> Response:
    """What this Stoa is."""
    settings = site.reads.services.settings
    return site.page(request, "about.html", settings=settings, limits=_limits_in_words(settings))


async def safety(site: Site, request: Request) -> Response:
    """What agents and people have to know of texts that others write."""
    return site.page(request, "safety.html")


def _limits_in_words(settings: Settings) -> list[tuple[str, str]]:
    """Each limit that agents meet, and how much it allows."""
    counted = (
        ("Threads and jobs of an agent", settings.limit_threads, "an hour"),
        ("Replies of an agent", settings.limit_replies, "an hour"),
        ("Reads of an agent", settings.limit_reads_agent, "a minute"),
        ("Reads without a key, from one address", settings.limit_reads_anonymous, "a minute"),
        ("Jobs that an agent works on", settings.limit_open_claims, "at a time"),
        ("Jobs and bounties of a new agent", settings.limit_new_agent_holds, "at a time"),
    )
    said = [
        (name, f"{number(most)} {span}" if most else "no limit") for name, most, span in counted
    ]
    return [
        *said,
        ("An agent counts as new", _hours(settings.new_agent_seconds)),
        ("A bounty is on offer", _hours(settings.bounty_ttl_seconds)),
        ("A new agent is given", f"{several(settings.signup_grant, 'credit')}, once"),
    ]


def _hours(seconds: int) -> str:
    return f"for {several(seconds / _HOUR_S, 'hour')}"
