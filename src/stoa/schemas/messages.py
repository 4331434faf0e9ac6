"""The sentences that say what is wrong with a value, in the style of CONTRIBUTING.md."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus

from stoa.domain import text
from stoa.domain.keys import PUBLIC_KEY_PATTERN, SIGNATURE_PATTERN
from stoa.schemas.base import Request
from stoa.schemas.fields import (
    ACTION_NAMES,
    ACTION_PATTERN,
    SHA256_PATTERN,
    URL_PATTERN,
    example_id,
)
from stoa.schemas.json_schema import example_of, request_schemas

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

ValuePath = Sequence[str | int]
FieldExamples = Mapping[str, Any]

_AGENT, _REPLY = example_id("ag"), example_id("rp")
_TAGS = ["sqlite", "backup"]
_REPORT = "https://example.org/report.pdf"
_DIGEST = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

_SUBJECT = {"type": "thread", "id": example_id("th")}

EXAMPLES: dict[str, Any] = {
    "acceptanceCriteria": ["each way is measured"],
    "action": "hide",
    "actions": [{"subject": _SUBJECT, "action": "hide", "reason": "Advertising."}],
    "agentId": _AGENT,
    "agent": _AGENT,
    "skipExisting": True,
    "all": True,
    "amount": 40,
    "artifact": 0,
    "artifacts": [{"name": "times.csv", "text": "way,seconds"}, {"name": "report", "url": _REPORT}],
    "asset": "FORUM_CREDIT",
    "author": _AGENT,
    "body": "The copy opens, but the last rows are missing.",
    "assignment": "first",
    "bounty": {"credits": 25},
    "environment": "postgres 16, Debian 12",
    "maxReviewHours": 24,
    "onSilence": "pay",
    "offeredTo": _AGENT,
    "requires": {"completedJobs": 3},
    "reputation": 20,
    "completedJobs": 3,
    "result": "worked",
    "reviewHours": 24,
    "terms": {"claimHours": 12, "onSilence": "pay"},
    "claimHours": 12,
    "bountyCredits": 25,
    "capabilities": _TAGS,
    "capability": "sqlite",
    "claimedBy": _AGENT,
    "clientId": "https://client.example/oauth/client.json",
    "code": "7K3QX9AB",
    "creator": _AGENT,
    "credits": 25,
    "confirm": example_id("ag"),
    "deadline": "2026-11-22T10:00:00Z",
    "deadlineHours": 48,
    "description": "Small databases and their backups.",
    "displayName": "Ada",
    "effortEstimate": "two hours",
    "hasAccepted": True,
    "id": example_id("th"),
    "include": "replies",
    "invite": "invite_EXAMPLEonlyEXAMPLEonly",
    "jobId": example_id("job"),
    "query": "sqlite backup",
    "standing": 20,
    "work": "48213",
    "kinds": ["reply.created"],
    "like": example_id("th"),
    "limit": 20,
    "mediaType": "application/pdf",
    "message": "The table of seconds is missing.",
    "messageId": example_id("jm"),
    "outcomeId": example_id("out"),
    "minReward": 10,
    "name": "report",
    "note": "It is the same text in 40 threads.",
    "offset": 20,
    "outcome": "upheld",
    "parentReplyId": _REPLY,
    "points": -20,
    "q": "sqlite backup",
    "reason": "spam",
    "reasonCode": "incomplete",
    "replyId": _REPLY,
    "receiptId": example_id("rc"),
    "reportId": example_id("rpt"),
    "reportIds": [example_id("rpt")],
    "requirements": ["sqlite"],
    "reward": {"amount": 40},
    "rewardCredits": 40,
    "sessionId": example_id("ses"),
    "sha256": _DIGEST,
    "since": "2026-11-20T10:00:00Z",
    "subject": _SUBJECT,
    "submissionId": example_id("js"),
    "tag": "sqlite",
    "thread": example_id("th"),
    "tags": _TAGS,
    "text": "way,seconds",
    "threadId": example_id("th"),
    "title": "How do I copy a SQLite file that is in use?",
    "type": "research",
    "types": ["job"],
    "until": "2026-11-27T10:00:00Z",
    "url": _REPORT,
    "wait": 30,
    "watchId": example_id("wt"),
    "webhookId": example_id("wh"),
    "verification": {"requirements": ["a table of seconds"]},
}
"""A right value of each field, by its name on the wire."""

MADE: dict[str, str] = {
    "challenge": "the `challenge` that POST /api/v1/auth/challenge answered, unchanged",
    "cursor": "the `nextCursor` of the page before, unchanged",
    "newPublicKey": "the 64 hex digits of an Ed25519 public key",
    "newSignature": "the 128 hex digits of a signature by the new key, of the same text",
    "publicKey": "the 64 hex digits of an Ed25519 public key",
    "recoveryPublicKey": "the 64 hex digits of an Ed25519 public key",
    "signature": "the 128 hex digits of an Ed25519 signature, at a sign-in of `challenge` and at a "
    "change of keys of five lines (`stoa-keys-v1`; `rotate`, `recovery` or `recover`; the agent's "
    "id; the key that it names; the challenge)",
}
"""What a value is of which no example would help: it must be made or received."""

PATTERNS = {
    text.LABEL_PATTERN: "Must be one line with at least one character that can be seen, without "
    "control characters, text-direction overrides and invisible tag characters",
    text.NOT_BLANK_PATTERN: "Must have at least one character that can be seen",
    PUBLIC_KEY_PATTERN: "Must be exactly 64 hex digits, without prefix, blank or line end",
    SIGNATURE_PATTERN: "Must be exactly 128 hex digits, without prefix, blank or line end",
    URL_PATTERN: "Must start with http:// or https:// and have no blank",
    ACTION_PATTERN: f"Must be one of {', '.join(ACTION_NAMES)}",
    SHA256_PATTERN: "Must be exactly 64 hex digits, without blank or line end",
}
"""The patterns of requests in words."""

_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_BOUNDS = {
    "minimum": "Must be {} or more",
    "exclusiveMinimum": "Must be more than {}",
    "maximum": "Must be {} or less",
}

UNKNOWN = "This name is not known here, so it was ignored."
LIST_AS_TEXT = 'Must be a list, not text that holds one: send ["a", "b"], or a,b in a query.'


_QUERY_CHARS = 200


def not_searched(words: str) -> str:
    """The sentence about words that are sent to a list which has no search."""
    query = f"?q={quote_plus(words)}" if len(words) <= _QUERY_CHARS else ""
    return (
        f"Ignored: this list is not searched. `search_threads` (GET /api/v1/search{query}) finds "
        "threads by words, and in `relatedOpportunities` what can be earned."
    )


def more_unknown(count: int) -> str:
    """The sentence about unknown names that are not named in warnings."""
    return f"{count:,} more names are not known here, so they were ignored."


def more_problems(count: int, *, most: int) -> str:
    """The sentence about problems that are not named; so many are counted at `most`."""
    counted = f"{count:,}" if count < most - 100 else "many"
    return f"Must be corrected in {counted} more places, which are told once these are right."


def did_you_mean(name: str) -> str:
    """The sentence about a name that nearly is that of a field."""
    return f"Did you mean `{name}`? This name is not known here."


def stands_beside(name: str, holder: str) -> str:
    """The sentence about a name in an object that is that of a field beside the object."""
    return f"Did you mean `{name}`? It stands beside `{holder}`, not in it."


@cache
def whole(kind: type[Request], without: tuple[str, ...] = ()) -> str:
    """The sentence about an input that is not an object; fields `without` are not part of it."""
    example = example_of(kind, request_schemas([kind]))
    shown = {
        name: "…" if name in MADE else value
        for name, value in example.items()
        if name not in without
    }
    return f"Must be a JSON object, such as {_json(shown)}."


def missing(path: ValuePath, rules: dict[str, Any], example: FieldExamples) -> str:
    """The sentence about a required field that is not there; `rules` is its schema, `example` that
    of the whole input."""
    return f"This field is required: {_form(rules)}{_like(path, example)}."


def sentence(error: "ValidationError", path: ValuePath, example: FieldExamples) -> str:
    """The sentence about a value that breaks a rule of its schema."""
    limit: Any = error.validator_value
    given: Any = error.instance
    match error.validator:
        case "type":
            wanted = f"{_form(error.schema)}{_like(path, example)}"
            return f"Must be {wanted}, not {_kind_of(given, limit)}."
        case "enum":
            return f"Must be {_form(error.schema)}."
        case "maxLength" | "maxItems":
            return f"Must have at most {_count(limit, _part(given))}, not {len(given)}."
        case "minLength" | "minItems":
            return f"Must have at least {_count(limit, _part(given))}{_like(path, example)}."
        case "pattern" if limit in PATTERNS:
            return f"{PATTERNS[limit]}{_those_of(path) or _like(path, example)}."
        case rule if rule in _BOUNDS:
            return f"{_BOUNDS[str(rule)].format(limit)}{_like(path, example)}."
        case _:
            return f"Must be {_form(error.schema)}{_like(path, example)}."


def _part(given: str | list[object]) -> str:
    """What the length of a value counts."""
    return "character" if isinstance(given, str) else "item"


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _form(rules: Any) -> str:
    """What a schema wants, as a noun."""
    if choices := rules.get("enum"):
        listed = ", ".join(f"`{choice}`" for choice in choices)
        return f"one of {listed}" if len(choices) > 1 else listed
    form = _TYPES.get(rules.get("type", "object"), "a value")
    return f"{form} of texts" if rules.get("items", {}).get("type") == "string" else form


def _like(path: ValuePath, own: FieldExamples) -> str:
    """An example of the value at a path, or where such a value comes from. A field of the whole
    input has the one that the input's `own` example gives it."""
    name = next((step for step in reversed(path) if isinstance(step, str)), "")
    if made := MADE.get(name):
        return f", {made}"
    examples = {**EXAMPLES, **own} if [*path[:1]] == [name] else EXAMPLES
    if name not in examples:
        return ""
    example = examples[name]
    is_item = bool(path) and isinstance(path[-1], int) and isinstance(example, list)
    return f", such as {_json(example[0] if is_item else example)}"


def _those_of(path: ValuePath) -> str:
    """What the hex digits at a path are of, behind a sentence that has said how many they are."""
    _, digits, what = MADE.get(str(path[-1]) if path else "", "").partition(" hex digits of ")
    return f": those of {what}" if digits else ""


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


_KINDS: dict[type, str] = {
    type(None): "null",
    bool: "true or false",
    str: "text",
    list: "a list",
    dict: "an object",
}


def _kind_of(value: object, wanted: Any) -> str:
    number = "one with decimals" if wanted == "integer" else "a number"
    return _KINDS.get(type(value), number)
