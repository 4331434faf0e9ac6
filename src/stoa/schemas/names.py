"""The field that a caller may have meant by an unknown name: another spelling, a slip or an alias.

A bounty that is silently left out cannot be added later, so such a name is refused, not ignored.
"""

from collections.abc import Iterable
from string import punctuation, whitespace

ALIASES: dict[str, tuple[str, ...]] = {
    "acceptanceCriteria": ("criteria", "acceptance", "successCriteria"),
    "agentId": ("id", "agent"),
    "amount": ("credits", "value", "reward", "rewardCredits", "price"),
    "artifacts": ("attachments", "files", "links"),
    "Idempotency-Key": ("query.idempotencyKey",),
    "asset": ("currency", "unit"),
    "author": ("authorId", "authorAgentId", "agent", "agentId", "user"),
    "authorization": ("token", "accessToken", "bearerToken", "bearer", "auth", "apiKey"),
    "body": ("text", "content", "contents", "markdown", "message", "description", "comment"),
    "bounty": ("reward",),
    "bountyCredits": ("credits", "bountyAmount", "rewardCredits", "price"),
    "capabilities": ("skills",),
    "capability": ("skill", "capabilities"),
    "claimedBy": ("claimer", "claimedByAgentId", "worker", "assignee"),
    "creator": ("creatorId", "creatorAgentId", "createdBy"),
    "credits": ("amount", "value", "reward", "bountyCredits", "price"),
    "cursor": ("nextCursor", "pageToken", "after", "upTo", "lastEventId"),
    "deadline": ("due", "dueDate", "dueAt", "deadlineAt", "expires", "expiresAt"),
    "deadlineHours": ("hours", "expiresInHours", "deadlineDays", "duration"),
    "description": ("body", "text", "content", "bio", "about"),
    "displayName": ("name", "username"),
    "effortEstimate": ("effort", "estimate"),
    "include": ("embed", "expand", "includeReplies", "withReplies", "replies"),
    "jobId": ("id", "job"),
    "kinds": ("events", "eventTypes", "eventKinds", "types"),
    "limit": ("pageSize", "perPage", "size", "count", "maxResults"),
    "mediaType": ("contentType", "mimeType", "mime", "type"),
    "message": ("text", "body", "content", "comment", "feedback", "explanation", "reason"),
    "minReward": ("minAmount", "minCredits", "minimumReward"),
    "name": ("title", "filename", "label"),
    "note": ("body", "text", "content", "comment", "message", "details", "description"),
    "offset": ("page", "skip", "start"),
    "parentReplyId": ("parent", "parentId", "replyTo", "replyId", "inReplyTo", "replyingTo"),
    "publicKey": ("key", "publicKeyHex"),
    "q": (
        *("query", "search", "searchQuery", "searchTerm", "term", "terms", "keyword", "keywords"),
        *("words", "name", "displayName", "text", "topic", "question"),
    ),
    "query": ("q", "search", "words", "keyword", "keywords"),
    "query.dryRun": ("dryRun",),
    "reason": ("message", "note", "comment", "explanation"),
    "reasonCode": ("reason", "code"),
    "replyId": ("id", "reply"),
    "requirements": ("skills", "capabilities"),
    "result": ("outcome", "verdict"),
    "reward": ("bounty",),
    "rewardCredits": ("credits", "amount", "rewardAmount", "bountyCredits", "price", "budget"),
    "sessionId": ("id", "session"),
    "sha256": ("hash", "checksum", "digest"),
    "signature": ("sig", "signatureHex"),
    "sort": ("order", "orderBy", "sortBy"),
    "status": ("state",),
    "tag": ("label", "topic"),
    "tags": ("labels", "topics", "category", "categories"),
    "text": ("body", "content", "data"),
    "threadId": ("id", "thread"),
    "title": ("subject", "headline", "name"),
    "type": ("kind", "category"),
    "types": ("kind", "kinds"),
    "url": ("uri", "link", "href"),
    "wait": ("timeout", "timeoutSeconds", "waitSeconds"),
}
"""Names that others use for a field, by the field's name. A field of the same object that has such
a name itself keeps it."""

IN_QUERY = "query."
"""Stands before the names of the parameters of a write."""

PARTS_OF_A_REWARD = (
    *(
        "amount",
        "bonus",
        "bounty",
        "fraction",
        "half",
        "part",
        "partial",
        "partially",
        "partialPayment",
    ),
    *("pay", "payment", "payout", "percent", "percentage", "portion", "share", "split", "tip"),
)
"""What a caller may say that wants to pay less or more than the whole; with their aliases."""

NAME_CHARS_MAX = 40
"""A longer name is never compared: none of ours comes near that length."""

_IGNORED = str.maketrans("", "", punctuation + whitespace)


class Names:
    """The names of the fields of one object, and what other names nearly are."""

    def __init__(self, names: Iterable[str]) -> None:
        names = tuple(names)
        self._plain = {name: plain(name) for name in names}
        self._spelled: dict[str, tuple[str, ...]] = {}
        for name in names:
            for alias in ALIASES.get(name, ()):
                key = plain(alias)
                self._spelled[key] = (*self._spelled.get(key, ()), name)
        self._spelled |= {key: (name,) for name, key in self._plain.items()}

    def meant(self, name: str, *, measured: bool = True) -> tuple[str, ...]:
        """The fields that an unknown name nearly is, empty for none.

        It is another spelling or an alias of them or, where it is `measured`, one or two letters
        off, which takes longer to find out.
        """
        if len(name) > NAME_CHARS_MAX:
            return ()
        key = plain(name)
        return self._spelled.get(key) or (self._closest(key) if measured else ())

    def _closest(self, key: str) -> tuple[str, ...]:
        found: dict[str, int] = {}
        for name, own in self._plain.items():
            most = _slips(key, own)
            slips = distance(key, own, most) if abs(len(key) - len(own)) <= most else most + 1
            if slips <= most:
                found[name] = slips
        least = min(found.values(), default=0)
        return tuple(name for name, slips in found.items() if slips == least)


def plain(name: str) -> str:
    """A name without what snake_case, `tags[]` and other cases add to it."""
    return name.translate(_IGNORED).lower()


def _slips(one: str, other: str) -> int:
    """How many letters two names may differ by: short words differ little without being meant."""
    shorter = min(len(one), len(other))
    return 2 if shorter >= 5 else 1 if shorter >= 3 else 0


def distance(one: str, other: str, most: int) -> int:
    """How many letters are added, left out, changed or swapped with the next one; more than `most`
    may be any larger number.

    It is the optimal string alignment distance, and stops early where texts are unlike.
    """
    before, row = list[int](), list(range(len(other) + 1))
    for place, letter in enumerate(one):
        last, before, row = before, row, [place + 1]
        for index, against in enumerate(other):
            steps = min(before[index] + (letter != against), before[index + 1] + 1, row[index] + 1)
            swapped = place and index and letter == other[index - 1] and one[place - 1] == against
            row.append(min(steps, last[index - 1] + 1) if swapped else steps)
        if min(row) > most and min(before) > most:
            return most + 1
    return row[-1]
