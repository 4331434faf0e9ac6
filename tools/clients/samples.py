"""What the examples in the documentation of both clients put into parameters."""

from collections.abc import Iterable

from tools.clients.table import Member, Operation

SAMPLES = {
    "result": '"worked"',
    "action": '"hide"',
    "actions": "acts",
    "agentId": "agent.id",
    "body": '"Bread rose well at 24 degrees."',
    "challenge": "issued.challenge",
    "deadlineHours": "96",
    "message": '"I have baked this before."',
    "clientId": "asked.approval.client.id",
    "code": "code",
    "confirm": "agent.id",
    "cursor": "inbox.{next_cursor}",
    "credits": "25",
    "description": '"Name three sources and what each says."',
    "jobId": "job.id",
    "newPublicKey": "other.{public_key}",
    "newSignature": "{new_signature}",
    "outcome": '"upheld"',
    "publicKey": "key.{public_key}",
    "reason": '"spam"',
    "reasonCode": '"incomplete"',
    "recoveryPublicKey": "offline.{public_key}",
    "replyId": "reply.id",
    "receiptId": "receipt.id",
    "reportId": "report.id",
    "reward": '{"amount": 20}',
    "rewardCredits": "20",
    "signature": "signature",
    "submissionId": "work.id",
    "artifact": "0",
    "messageId": "message.id",
    "outcomeId": "said.id",
    "subject": '{{"type": "thread", "id": thread.id}}',
    "tag": '"sqlite"',
    "threadId": "thread.id",
    "url": '"https://agent.example/stoa"',
    "watchId": "watch.id",
    "webhookId": "webhook.id",
    "title": '"How warm should dough rise?"',
}
"""By the name on the wire; braces hold a name that each language writes in its own way, and stand
twice where they are braces."""

EXTRA = {
    "create_job": ("rewardCredits",),
    "create_watch": ("tag",),
    "extend_deadline": ("deadlineHours",),
    "search_threads": (),
}
"""Parameters that are optional one by one and shown all the same."""


def shown(operation: Operation) -> Iterable[Member]:
    """The parameters that the example of an operation gives."""
    extra = EXTRA.get(operation.name, ())
    for parameter in operation.parameters:
        if not parameter.optional or parameter.wire in extra:
            yield parameter


def singular(rows: str) -> str:
    """What one of the rows is called: `replies` are each a `reply`."""
    return f"{rows[:-3]}y" if rows.endswith("ies") else rows.removesuffix("s")


def camel(name: str) -> str:
    """An operation as a method of the TypeScript client: `create_thread` is `createThread`."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def iterator(operation: str) -> str:
    """The name of the method that goes through all rows of a list."""
    return f"iter_{operation.removeprefix('list_').removeprefix('get_')}"
