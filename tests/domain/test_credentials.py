"""Credentials of other services in a text are found wherever they stand, and examples are not."""

import random
import re
import string
from collections.abc import Callable
from pathlib import Path

import pytest

from stoa.domain import credential_formats, credentials
from tools.docs import ROOT

WORD = string.ascii_letters + string.digits
DASHED = f"{WORD}_-"
HEX = string.hexdigits[:16]
BASE32 = string.ascii_uppercase + "234567"

R = random.Random(20)


def some(alphabet: str, count: int) -> str:
    """Random characters: an invented secret."""
    return "".join(R.choices(alphabet, k=count))


def pem(kind: str) -> str:
    """An invented private key of 16 lines."""
    lines = "\n".join(some(f"{WORD}+/", 64) for _ in range(16))
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{lines}\n-----END {kind}PRIVATE KEY-----"


INVENTED: dict[str, Callable[[], str]] = {
    "private key": lambda: pem(R.choice(["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])),
    "AWS access key": lambda: f"AKIA{some(BASE32, 16)}",
    "AWS secret key": lambda: f"aws_secret_access_key = {some(f'{WORD}/+', 40)}",
    "GitHub token": lambda: f"ghp_{some(WORD, 36)}",
    "GitLab token": lambda: f"glpat-{some(DASHED, 20)}",
    "Slack token": lambda: f"xoxb-{some('123456789', 12)}-{some('123456789', 12)}-{some(WORD, 24)}",
    "Slack webhook": lambda: (
        f"https://hooks.slack.com/services/T{some(BASE32, 8)}/B{some(BASE32, 8)}/{some(WORD, 24)}"
    ),
    "Stripe key": lambda: f"sk_live_{some(WORD, 24)}",
    "Anthropic key": lambda: f"sk-ant-api03-{some(DASHED, 93)}AA",
    "OpenAI key": lambda: f"sk-proj-{some(DASHED, 74)}T3BlbkFJ{some(DASHED, 74)}",
    "Google API key": lambda: f"AIza{some(DASHED, 35)}",
    "Hugging Face token": lambda: f"hf_{some(string.ascii_letters, 34)}",
    "npm token": lambda: f"npm_{some(WORD, 36)}",
    "PyPI token": lambda: f"pypi-AgEIcHlwaS5vcmc{some(DASHED, 150)}",
    "SendGrid key": lambda: f"SG.{some(DASHED, 22)}.{some(DASHED, 43)}",
    "Twilio key": lambda: f"SK{some(HEX, 32)}",
    "Mailgun key": lambda: f"key-{some(HEX, 32)}",
    "Mailchimp key": lambda: f"{some(HEX, 32)}-us12",
    "Telegram token": lambda: f"{some('123456789', 9)}:AA{some(DASHED, 33)}",
    "Discord token": lambda: f"M{some(WORD, 23)}.{some(DASHED, 6)}.{some(DASHED, 27)}",
    "DigitalOcean token": lambda: f"dop_v1_{some(HEX, 64)}",
    "Shopify token": lambda: f"shpat_{some(HEX, 32)}",
    "Databricks token": lambda: f"dapi{some(HEX, 32)}",
    "Vault token": lambda: f"hvs.{some(DASHED, 95)}",
    "Doppler token": lambda: f"dp.pt.{some(WORD, 43)}",
    "Linear key": lambda: f"lin_api_{some(WORD, 40)}",
    "Notion token": lambda: f"ntn_{some(WORD, 46)}",
    "Figma token": lambda: f"figd_{some(DASHED, 40)}",
    "Atlassian token": lambda: f"ATATT3{some(DASHED, 186)}",
    "Postman key": lambda: f"PMAK-{some(HEX, 24)}-{some(HEX, 34)}",
    "Grafana token": lambda: f"glsa_{some(WORD, 32)}_{some(HEX, 8)}",
    "New Relic key": lambda: f"NRAK-{some(BASE32, 27)}",
    "Sentry token": lambda: f"sntryu_{some(HEX, 64)}",
    "PlanetScale token": lambda: f"pscale_tkn_{some(DASHED, 43)}",
    "Supabase token": lambda: f"sbp_{some(HEX, 40)}",
    "Airtable token": lambda: f"pat{some(WORD, 14)}.{some(HEX, 64)}",
    "Dropbox token": lambda: f"sl.{some(DASHED, 135)}",
    "Azure storage key": lambda: f"AccountKey={some(f'{WORD}+/', 86)}==",
}

AROUND = [
    "{}",
    "Use {} for now.",
    "key={}",
    "'{}',",
    "`{}`.",
    "**{}**",
    "_{}_",
    '{{"key": "{}"}}',
    "(see {})",
    "export KEY={}\n",
    "https://a.example/?key={}&b=1",
    "钥匙是{}。",
    "キーは{}です",
    "\t{}\n",
    "[a key]({})",
    "It is {}, I think; or not.",
]
"""With each kind once: more than 400 invented credentials."""


@pytest.mark.parametrize("kind", INVENTED)
def test_every_kind_is_found_whatever_stands_around_it(kind: str) -> None:
    R.seed(kind)
    for around in AROUND:
        secret = INVENTED[kind]()
        text = f"What is wrong?\n\n{around.format(secret)}"
        found = credentials.find_in(text)
        assert found, text
        assert found.kind == kind
        assert found.start >= text.index(secret)


@pytest.mark.parametrize("kind", INVENTED)
def test_every_kind_is_found_as_the_whole_text(kind: str) -> None:
    R.seed(kind)
    found = credentials.find_in(INVENTED[kind]())
    assert found
    assert found.kind == kind


EXAMPLES = [
    "AKIAIOSFODNN7EXAMPLE",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    f"ghp_{'x' * 36}",
    f"sk-ant-api03-{'0' * 93}AA",
    "sk_test_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "110201543:" + "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
    "hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----",
    "Look for -----BEGIN PRIVATE KEY----- in your files.",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYD\n",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1LfVLPHC\n",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b of 2026-11-01",
    "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    "0b1c7f3e-5d3a-4e43-9d3c-2f7c1d0a8b11",
    "https://a.example/a/very/long/path/that-has-many-words/and_numbers_1234567890",
    "task-ant-api03-is-a-name",
]


@pytest.mark.parametrize("text", EXAMPLES)
def test_examples_of_documentations_and_other_long_words_pass(text: str) -> None:
    assert credentials.find_in(text) is None


WORDS = ("example", "Redacted", "PLACEHOLDER", "dummy", "foobar", "xxxxx", "XXXXX", "1234567")
YOURS = ("yourtoken", "yourToken", "yourAPIkey", "YourToken", "YourAPIKey", "YOURTOKEN")
CHANCE = ("yOurtoken", "your9", "YOUR9", "Your9", "yourT9", "yourTo9", "exAmple", "dUmmy", "xxXxx")


def with_letters(letters: str) -> list[str]:
    """Invented credentials with these letters in their middle."""
    line = f"{some(WORD, 20)}9{letters}9{some(WORD, 30)}"
    token = f"{some(WORD, 10)}9{letters}9{some(WORD, 36)}"[:36]
    return [f"-----BEGIN RSA PRIVATE KEY-----\n{line}\n{some(WORD, 64)}", f"ghp_{token}"]


def test_letters_that_look_like_an_example_by_chance_hide_no_credential() -> None:
    for letters in CHANCE:
        for text in with_letters(letters):
            assert credentials.find_in(text), text


def test_a_word_of_documentations_makes_an_example() -> None:
    for letters in (*WORDS, *YOURS):
        for text in with_letters(letters):
            assert credentials.find_in(text) is None, text
    for letters in ("your-token", "Your_token", "YOUR_TOKEN"):
        assert credentials.find_in(f"glpat-{letters}-{some(WORD, 20)}") is None, letters


def test_an_older_key_is_found_by_its_middle() -> None:
    key = f"sk-{some(WORD, 20)}T3BlbkFJ{some(WORD, 20)}"
    for around in AROUND:
        found = credentials.find_in(around.format(key))
        assert found
        assert found.kind == "OpenAI key"
    assert credentials.find_in(f"a{key}") is None
    assert credentials.find_in(f"{key}a") is None
    assert credentials.find_in(key[1:]) is None


def test_a_token_inside_a_longer_word_is_none() -> None:
    token = INVENTED["GitHub token"]()
    assert credentials.find_in(token)
    assert credentials.find_in(f"a{token}") is None
    assert credentials.find_in(f"{token}a") is None


def test_a_credential_among_a_hundred_examples_is_found_and_more_examples_are_refused() -> None:
    example = "AKIAIOSFODNN7EXAMPLE "
    among = f"{example * 50}{INVENTED['GitHub token']()} {example * 50}"
    found = credentials.find_in(among)
    assert found
    assert (found.kind, found.start) == ("GitHub token", 50 * len(example))
    assert credentials.find_in(example * 100) is None
    assert credentials.find_in(example * 101)


def test_one_pass_over_a_text_finds_where_a_format_can_begin() -> None:
    for known in credential_formats.FORMATS:
        begins = known.pattern.pattern.replace("\\", "")
        assert begins.startswith(known.part)
        assert known.part or re.match(r"(?:\[[A-Za-z0-9]+\]|[A-Za-z0-9])(?![?*+{|])", begins)


def test_four_hundred_invented_ones_are_of_more_than_twenty_kinds() -> None:
    assert len(INVENTED) > 20
    assert len(INVENTED) * len(AROUND) >= 400


def test_at_most_one_technical_text_in_a_thousand_is_refused() -> None:
    """The paragraphs of the documentation, the code and the lock files, full of hashes."""
    kinds = {"docs": "*.md", "src": "*.py", "deploy": "*.*", "requirements": "*.txt"}
    files = [file for folder, kind in kinds.items() for file in (ROOT / folder).rglob(kind)]
    texts = [
        text
        for file in filter(Path.is_file, files)
        for text in file.read_text("utf-8").split("\n\n")
    ]
    refused = [text for text in texts if credentials.find_in(text)]
    assert len(texts) > 2_000
    assert len(refused) * 1_000 <= len(texts), refused


def test_at_least_twenty_services_are_known() -> None:
    assert len({kind.name.split()[0] for kind in credential_formats.FORMATS}) >= 20
