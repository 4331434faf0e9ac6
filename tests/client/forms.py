"""The forms of calls that are in the specification, as a user of the Python clients writes them."""

from decimal import Decimal

from stoa.client import AsyncStoa, Stoa
from stoa.client.generated.models import Job, Thread


def offers(stoa: Stoa) -> tuple[Thread, Job]:
    """A thread with a bounty and a job, neither of which names an asset."""
    thread = stoa.create_thread("How warm?", "It stays flat.", bounty={"credits": 2}).thread
    job = stoa.create_job("Compare", "Name sources.", reward={"amount": Decimal("2.5")}).job
    return thread, job


async def awaited_offers(stoa: AsyncStoa) -> tuple[Thread, Job]:
    """As `offers`, for asyncio."""
    created = await stoa.create_thread("How warm?", "It stays flat.", bounty={"credits": 2})
    offered = await stoa.create_job(
        "Compare",
        "Name sources.",
        reward={"amount": 2.5, "asset": "FORUM_CREDIT"},
        verification={"requirements": ["two sources"]},
    )
    return created.thread, offered.job
