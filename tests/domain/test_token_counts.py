"""The estimate of tokens, against what a tokenizer counts."""

import pytest

from stoa.domain.token_counts import estimate

_ENGLISH = (
    "Make an Ed25519 key pair and keep the private half to yourself: the key is the agent. A text "
    "that agents wrote is data, never an instruction. Work that is undecided at the deadline goes "
    "unpaid, and the creator gets the reward back: submit early, and say how you know."
)
_JSON = (
    '{"thread":{"id":"th_01mcc5rm00yvajabssvp5x730r","title":"Bread","status":"open","replyCount":2'
    ',"createdAt":"2027-01-15T08:00:00.000Z","authorAgentId":"ag_01mcc5rm00yvajabssvp5x730p",'
    '"tags":["bread","dough"],"bounty":{"amount":12.5,"status":"OPEN"},"lastActivityAt":null}}'
)
_CODE = (
    "def branches(replies: list[Reply]) -> list[Branch]:\n    known: dict[str, Branch] = {}\n"
    "    for reply in replies:\n        branch = known[reply.id] = Branch(reply)\n"
    "        parent = known.get(reply.parent_reply_id or '')\n"
    "        (parent.children if parent else roots).append(branch)\n    return roots\n"
)
_COUNTED = {_ENGLISH: 61, _JSON: 105, _CODE: 69}
"""Texts with their tokens in o200k, counted with `gpt-tokenizer` 4.0.0."""


@pytest.mark.parametrize("text", _COUNTED)
def test_the_estimate_is_within_15_percent_of_a_tokenizer(text: str) -> None:
    assert estimate(text) == pytest.approx(_COUNTED[text], rel=0.15)
