"""Challenges: only what was issued, for the key and address it was issued for, until it expires."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from string import ascii_letters, digits

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoa.domain.challenges import MAX_LENGTH, IssuedChallenge, check, issue
from stoa.domain.errors import Refusal

SECRET = b"a secret of the server: 32 bytes"
BASE_URL = "https://stoa.example"
KEY = bytes(range(32))
OTHER_KEY = bytes(range(1, 33))
NOW = 1_800_000_000_000
TTL = 300_000
NONCE = b"sixteen bytes..."
BASE64URL = ascii_letters + digits + "-_"

KEYS = st.binary(min_size=32, max_size=32)
SECRETS = st.binary(min_size=16, max_size=64)
NONCES = st.binary(min_size=16, max_size=64)
TIMES = st.integers(0, 2**53)
BASE_URLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=80)


def _issue(base_url: str = BASE_URL, nonce: bytes = NONCE) -> IssuedChallenge:
    return issue(SECRET, base_url, KEY, NOW, TTL, nonce)


def _decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _refusal(text: str, key: bytes = KEY, now: int = NOW, base_url: str = BASE_URL) -> str | None:
    """The code that `check` refuses with, or None where it accepts."""
    try:
        check(SECRET, [base_url], key, text, now)
    except Refusal as refusal:
        return refusal.code
    return None


ISSUED = _issue()


@given(SECRETS, BASE_URLS, KEYS, TIMES, st.integers(1, 10**9), NONCES)
def test_what_was_issued_is_accepted_as_it_was(
    secret: bytes, base_url: str, key: bytes, now: int, ttl_ms: int, nonce: bytes
):
    issued = issue(secret, base_url, key, now, ttl_ms, nonce)
    assert issued.expires_at == now + ttl_ms
    assert check(secret, {base_url}, key, issued.text, now) == issued
    assert check(secret, {base_url}, key, issued.text, issued.expires_at - 1) == issued


def test_a_challenge_works_until_the_millisecond_before_it_expires():
    assert ISSUED.expires_at == NOW + 300_000
    assert _refusal(ISSUED.text, now=ISSUED.expires_at - 1) is None
    assert _refusal(ISSUED.text, now=ISSUED.expires_at) == "challenge_expired"
    assert _refusal(ISSUED.text, now=ISSUED.expires_at + 10**12) == "challenge_expired"


def test_a_client_can_read_the_base_url_before_the_first_line_feed():
    # A nonce full of line feeds must not confuse it either.
    for nonce in (NONCE, b"\n" * 16):
        base_url, separator, opaque = _decoded(_issue(nonce=nonce).text).partition(b"\n")
        assert (base_url, separator) == (BASE_URL.encode(), b"\n")
        assert nonce in opaque


def test_the_text_is_unpadded_base64url():
    texts = [_issue("http://" + "a" * n).text for n in range(3)]
    assert {len(text) % 4 for text in texts} == {0, 2, 3}
    assert all(set(text) <= set(BASE64URL) for text in texts)


def test_equal_arguments_give_equal_challenges_and_another_nonce_another_one():
    assert _issue() == ISSUED
    assert _issue(nonce=b"another 16 bytes").text != ISSUED.text


def test_every_single_changed_character_is_refused():
    text = ISSUED.text
    changed = {
        text[:i] + other + text[i + 1 :]
        for i in range(len(text))
        for other in BASE64URL + "=+/. \n"
        if other != text[i]
    }
    assert len(changed) == len(text) * 69
    assert {_refusal(other) for other in changed} == {"challenge_invalid"}


def test_every_removed_doubled_or_swapped_character_is_refused():
    text = ISSUED.text
    changed = {text[:i] + text[i + 1 :] for i in range(len(text))}
    changed |= {text[:i] + text[i] + text[i:] for i in range(len(text))}
    changed |= {text[:i] + text[i + 1] + text[i] + text[i + 2 :] for i in range(len(text) - 1)}
    assert {_refusal(other) for other in changed - {text}} == {"challenge_invalid"}


def test_every_beginning_and_end_of_a_challenge_is_refused():
    parts = [ISSUED.text[:i] for i in range(len(ISSUED.text))]
    parts += [ISSUED.text[i:] for i in range(1, len(ISSUED.text))]
    assert {_refusal(part) for part in parts} == {"challenge_invalid"}


@pytest.mark.parametrize("base_url", ["http://a", "http://ab", "http://abc"])
def test_a_second_spelling_of_the_same_bytes_is_refused(base_url: str):
    text = _issue(base_url).text
    twins = [text[:-1] + last for last in BASE64URL if last != text[-1]]
    twins = [twin for twin in twins if _decoded(twin) == _decoded(text)]
    assert len(twins) == {0: 0, 2: 15, 3: 3}[len(text) % 4]
    assert [twin for twin in twins if _refusal(twin, base_url=base_url) is None] == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "="),
        ("", "=="),
        ("", "===="),
        ("=", ""),
        ("", "\n"),
        ("", "\r\n"),
        (" ", ""),
        ("", " "),
        ("", "!!!!"),
        ("", "\x00"),
        ("", "."),
        ("\ufeff", ""),
        ("", "\u200b"),
        ("", "ａ"),
        ("", "\ud800"),
        ('"', '"'),
    ],
)
def test_padding_and_junk_around_a_challenge_are_refused(before: str, after: str):
    assert _refusal(before + ISSUED.text + after) == "challenge_invalid"


def test_junk_that_a_lenient_decoder_drops_is_refused_inside_a_challenge():
    for junk in "!=\n \x00é":
        text = ISSUED.text[:8] + junk * 4 + ISSUED.text[8:]
        assert _refusal(text) == "challenge_invalid"


def test_the_other_base64_alphabet_is_refused():
    issued = next(
        c for n in range(256) if {"-", "_"} <= set((c := _issue(nonce=bytes([n]) * 16)).text)
    )
    for other in (issued.text.replace("-", "+"), issued.text.replace("_", "/")):
        assert _refusal(other) == "challenge_invalid"
    assert _refusal(issued.text) is None


@pytest.mark.parametrize("text", ["", "A", "AAAA", "A" * 43, "A" * 1024, "A" * 1025, "A" * 10**6])
def test_a_text_of_any_length_that_was_not_issued_is_refused(text: str):
    assert _refusal(text) == "challenge_invalid"


@given(st.text(max_size=200) | st.text(BASE64URL, max_size=200))
def test_no_other_text_is_accepted(text: str):
    assert _refusal(text) == "challenge_invalid"


def test_a_challenge_of_another_key_is_refused():
    assert _refusal(ISSUED.text, key=OTHER_KEY) == "challenge_invalid"


@given(st.integers(0, 255))
def test_a_challenge_is_refused_for_a_key_that_differs_in_one_bit(bit: int):
    key = (int.from_bytes(KEY) ^ 1 << bit).to_bytes(32)
    assert _refusal(ISSUED.text, key=key) == "challenge_invalid"


@pytest.mark.parametrize(
    "base_url",
    [
        "http://stoa.example",
        "https://stoa.example/",
        "https://stoa.example:443",
        "https://STOA.example",
        "https://stoa.exampl",
        "https://stoa.example.evil.example",
        "",
    ],
)
def test_a_challenge_of_another_base_url_is_refused(base_url: str):
    assert _refusal(ISSUED.text, base_url=base_url) == "challenge_invalid"
    assert _refusal(_issue(base_url).text, base_url=base_url) is None


def test_each_of_several_base_urls_is_accepted_under_its_own_name():
    names = {"http://127.0.0.1:8000", "http://localhost:8000", "http://[::1]:8000"}
    for name in names:
        issued = _issue(name)
        assert check(SECRET, names, KEY, issued.text, NOW) == issued
        with pytest.raises(Refusal, match="challenge_invalid"):
            check(SECRET, names - {name}, KEY, issued.text, NOW)


def test_a_challenge_sealed_with_another_secret_is_refused():
    foreign = issue(b"the secret of another server", BASE_URL, KEY, NOW, TTL, NONCE)
    assert _refusal(foreign.text) == "challenge_invalid"


def test_no_part_of_one_challenge_can_be_put_into_another():
    one, other = _decoded(ISSUED.text), _decoded(_issue(nonce=b"another 16 bytes").text)
    spliced = [one[:i] + other[i:] for i in range(len(one) + 1)]
    texts = {urlsafe_b64encode(raw).rstrip(b"=").decode() for raw in spliced}
    accepted = {text for text in texts if _refusal(text) is None}
    assert accepted == {ISSUED.text, _issue(nonce=b"another 16 bytes").text}


def test_an_expiry_cannot_be_moved():
    raw = bytearray(_decoded(ISSUED.text))
    raw[-40:-32] = (ISSUED.expires_at + 1).to_bytes(8, "big")
    assert _decoded(ISSUED.text)[-40:-32] == ISSUED.expires_at.to_bytes(8, "big")
    assert _refusal(urlsafe_b64encode(raw).rstrip(b"=").decode()) == "challenge_invalid"


def test_an_altered_challenge_is_invalid_even_after_its_time():
    altered = ISSUED.text[:-2] + ("AA" if ISSUED.text[-2:] != "AA" else "BB")
    assert _refusal(altered, now=ISSUED.expires_at) == "challenge_invalid"
    assert _refusal(ISSUED.text, key=OTHER_KEY, now=ISSUED.expires_at) == "challenge_invalid"
    assert _refusal(ISSUED.text, base_url="", now=ISSUED.expires_at) == "challenge_invalid"


@pytest.mark.parametrize("code", ["challenge_invalid", "challenge_expired"])
def test_a_refusal_is_a_401_that_says_to_ask_for_a_new_challenge(code: str):
    text = "no challenge" if code == "challenge_invalid" else ISSUED.text
    with pytest.raises(Refusal) as refused:
        check(SECRET, [BASE_URL], KEY, text, ISSUED.expires_at)
    assert (refused.value.code, refused.value.status) == (code, 401)
    assert "new challenge" in refused.value.recovery


def test_a_short_nonce_is_an_error_of_the_caller():
    with pytest.raises(ValueError, match="16 bytes, got 15"):
        _issue(nonce=NONCE[:15])


def test_a_line_feed_in_a_base_url_is_an_error_of_the_caller():
    with pytest.raises(ValueError, match="line feed"):
        _issue("https://stoa.example\nhttps://evil.example")


def test_a_base_url_too_long_for_its_challenge_to_come_back_is_an_error_of_the_caller():
    longest = "u" * 710
    assert len(_issue(longest).text) == MAX_LENGTH
    assert _refusal(_issue(longest).text, base_url=longest) is None
    with pytest.raises(ValueError, match="shorten the base URL"):
        _issue(longest + "u")


@pytest.mark.parametrize("length", [0, 15, 65])
def test_a_secret_of_the_wrong_size_is_an_error_of_the_caller(length: int):
    with pytest.raises(ValueError, match=f"16 to 64 bytes, got {length}"):
        issue(b"s" * length, BASE_URL, KEY, NOW, TTL, NONCE)


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_key_of_the_wrong_size_is_an_error_of_the_caller(length: int):
    with pytest.raises(ValueError, match=f"32 bytes, got {length}"):
        issue(SECRET, BASE_URL, bytes(length), NOW, TTL, NONCE)
