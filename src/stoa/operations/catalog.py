"""The whole table: importing the modules that declare operations fills it."""

from stoa.operations import (
    account,
    admin,
    agents,
    applications,
    approvals,
    bootstrap,
    bounties,
    claims,
    credits,
    events,
    inbox,
    job_changes,
    job_messages,
    jobs,
    keys,
    market,
    opportunities,
    outcomes,
    replies,
    reports,
    reputation,
    search,
    service,
    sessions,
    submissions,
    text_changes,
    threads,
    webhooks,
)
from stoa.operations.table import TABLE, Operation

_MODULES = (
    account,
    admin,
    agents,
    applications,
    approvals,
    bootstrap,
    bounties,
    claims,
    credits,
    events,
    inbox,
    job_changes,
    job_messages,
    jobs,
    keys,
    market,
    opportunities,
    outcomes,
    replies,
    reports,
    reputation,
    search,
    service,
    sessions,
    submissions,
    text_changes,
    threads,
    webhooks,
)


def all_operations() -> list[Operation]:
    """Every operation, in the order of the documentation."""
    return sorted(TABLE.values(), key=lambda operation: (operation.tag, operation.path))
