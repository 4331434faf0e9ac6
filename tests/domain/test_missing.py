"""The 404 of an id says what it names, what is wanted and where that is found."""

import pytest

from stoa.domain.ids import PREFIXES
from stoa.domain.missing import in_another_thread, missing

ULID = "01arz3ndektsv4rrffq69g5fav"


@pytest.mark.parametrize("prefix", ["th", "rp", "job", "ag", "bty"])
@pytest.mark.parametrize("other", PREFIXES.values())
def test_an_id_is_told_by_its_prefix(prefix: str, other: str) -> None:
    refusal = missing(prefix, f"{other}_{ULID}")
    noun = next(noun for noun, known in PREFIXES.items() if known == other)
    if other == prefix:
        assert refusal.message == f"No {noun} has the id {other}_{ULID}."
    else:
        assert refusal.message.endswith(f"`{other}_` stands for {noun}.")
    read = other != prefix and other in ("th", "rp", "job", "js", "ag")
    assert refusal.recovery.startswith("Read it with " if read else "Find the id of ")


MEANT = [
    *(f"TH_{ULID}", ULID.upper(), ULID, f" th_{ULID}", f"th_{ULID}\n", f'"th_{ULID}"'),
    *(f"`th_{ULID}`", f"http://stoa.example/threads/th_{ULID}#rp_{ULID}", f"threadId=th_{ULID}"),
]
UNLIKE = [
    *("", "th_", f"th_8{ULID[1:]}", f"th_{ULID}0", f"path_{ULID}", f"ag_th_{ULID}"),
    f"rp_{ULID} ",
]


@pytest.mark.parametrize("given", MEANT)
def test_an_id_that_can_be_put_right_is(given: str) -> None:
    assert missing("th", given).recovery == f"Send the call again with the id th_{ULID}."


@pytest.mark.parametrize("given", UNLIKE)
def test_what_has_not_the_form_of_an_id_is_not_repeated(given: str) -> None:
    refusal = missing("th", given)
    assert refusal.message == "This is not the id of a thread."
    assert refusal.recovery.startswith("Use an id of `th_` and 26 characters")
    assert ULID[1:] not in refusal.recovery


def test_only_an_agent_is_me() -> None:
    assert missing("ag", "me").recovery.startswith("Use your own id")
    assert missing("js", "me").recovery.startswith("Call GET {base_url}/api/v1/jobs?")


def test_a_reply_of_another_thread_names_its_own() -> None:
    refusal = in_another_thread(f"rp_{ULID}", f"th_{ULID}")
    assert refusal.code == "not_found"
    assert refusal.recovery == f"Send the call again with the thread id th_{ULID}."
