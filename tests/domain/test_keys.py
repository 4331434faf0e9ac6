"""Keys and signatures: which texts and points are refused, and that verification is strict."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nacl.signing import SigningKey

from stoa.domain.keys import (
    PUBLIC_KEY_PATTERN,
    SIGNATURE_PATTERN,
    TEST_VECTOR,
    parse_public_key,
    parse_signature,
    verify,
)

P = 2**255 - 19
GROUP_ORDER = 2**252 + 27742317777372353535851937790883648493
SIGN_BIT = 2**255

SEEDS = st.binary(min_size=32, max_size=32)

# RFC 8032, 7.1: seed, public key, message, signature.
RFC_8032 = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        (
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
            "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        (
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        ),
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        (
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
            "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
        ),
    ),
]
KEY = RFC_8032[0][1]
SIGNATURE = RFC_8032[0][3]

SMALL_ORDER = [
    (y % 2**255 | sign).to_bytes(32, "little").hex()
    for y in (0, 1, P - 1, P, P + 1)
    for sign in (0, SIGN_BIT)
] + [
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
]


class WycheproofTest(TypedDict):
    """One line of ed25519_wycheproof.json; bytes are hex."""

    id: int
    flag: str
    result: str
    key: str
    message: str
    signature: str


def _wycheproof() -> list[WycheproofTest]:
    path = Path(__file__).parents[1] / "data" / "ed25519_wycheproof.json"
    return json.loads(path.read_text("utf-8"))


WYCHEPROOF = _wycheproof()


def _verifies(test: WycheproofTest) -> bool:
    signature = bytes.fromhex(test["signature"])
    return verify(bytes.fromhex(test["key"]), bytes.fromhex(test["message"]), signature)


def _is_key(text: str) -> bool:
    try:
        parse_public_key(text)
    except ValueError:
        return False
    return True


def test_the_patterns_are_those_of_the_interface():
    assert PUBLIC_KEY_PATTERN == "^[0-9a-fA-F]{64}$"
    assert SIGNATURE_PATTERN == "^[0-9a-fA-F]{128}$"


@pytest.mark.parametrize(("seed", "key", "message", "signature"), RFC_8032)
def test_the_vectors_of_rfc_8032_verify(seed: str, key: str, message: str, signature: str):
    assert SigningKey(bytes.fromhex(seed)).verify_key.encode().hex() == key
    assert verify(parse_public_key(key), bytes.fromhex(message), parse_signature(signature))


def test_a_key_is_the_same_bytes_in_lower_upper_and_mixed_case():
    mixed = "".join(c.upper() if i % 2 else c for i, c in enumerate(KEY))
    assert mixed not in {KEY, KEY.upper()}
    assert {parse_public_key(text) for text in (KEY, KEY.upper(), mixed)} == {bytes.fromhex(KEY)}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param(KEY[:-1], id="63 digits"),
        pytest.param(KEY + "0", id="65 digits"),
        pytest.param(KEY + "\n", id="line end"),
        pytest.param(KEY + "\r\n", id="carriage return and line end"),
        pytest.param("\n" + KEY, id="line end first"),
        pytest.param(KEY[:-1] + "\n", id="63 digits and line end"),
        pytest.param(KEY + " ", id="blank"),
        pytest.param(" " + KEY, id="blank first"),
        pytest.param(KEY[:32] + " " + KEY[32:], id="blank between"),
        pytest.param(KEY[:62] + " " + KEY[62:63], id="blank that keeps the length"),
        pytest.param("\t" + KEY, id="tab"),
        pytest.param(KEY + "\x00", id="NUL"),
        pytest.param(KEY + "\u00a0", id="no-break space"),
        pytest.param(KEY + "\u200b", id="zero-width space"),
        pytest.param(KEY + "\u2028", id="line separator"),
        pytest.param("\ufeff" + KEY, id="byte order mark"),
        pytest.param("0x" + KEY, id="prefix"),
        pytest.param("0x" + KEY[2:], id="prefix that keeps the length"),
        pytest.param("-" + KEY[1:], id="minus"),
        pytest.param(KEY[:31] + "_" + KEY[32:], id="underscore"),
        pytest.param("g" + KEY[1:], id="not a hex digit"),
        pytest.param(KEY.replace("1", "１"), id="full-width digits"),
        pytest.param(KEY.replace("a", "ａ"), id="full-width letters"),
        pytest.param(KEY.replace("1", "١"), id="Arabic digits"),
        pytest.param(KEY.replace("1", "𝟏"), id="mathematical digits"),
        pytest.param(KEY[:-1] + "\ud800", id="lone surrogate"),
        pytest.param(KEY + KEY, id="seed and key"),
    ],
)
def test_a_key_text_of_another_form_is_refused_with_what_is_expected(text: str):
    with pytest.raises(ValueError, match=r"exactly 64 hex digits.*got \d+ characters"):
        parse_public_key(text)


@given(st.text(max_size=70))
def test_no_text_but_64_hex_digits_is_a_key(text: str):
    assert not _is_key(text) or re.fullmatch("[0-9a-fA-F]{64}", text)


@pytest.mark.parametrize("text", SMALL_ORDER)
def test_a_key_of_small_order_is_refused_in_every_case(text: str):
    for spelling in (text, text.upper()):
        with pytest.raises(ValueError, match=r"a usable Ed25519 public key.*generate"):
            parse_public_key(spelling)


def test_there_are_14_distinct_small_order_keys():
    assert len(SMALL_ORDER) == len(set(SMALL_ORDER)) == 14


def test_every_encoding_with_y_not_below_p_is_refused():
    encodings = [y | sign for y in range(P, 2**255) for sign in (0, SIGN_BIT)]
    assert len(encodings) == 38
    assert not any(_is_key(encoding.to_bytes(32, "little").hex()) for encoding in encodings)


def test_a_point_off_the_curve_is_refused():
    # (y² - 1) / (d y² + 1) is no square for y = 2.
    assert not _is_key((2).to_bytes(32, "little").hex())


def test_the_published_test_vector_key_is_refused_in_every_case():
    for text in (TEST_VECTOR.public_key, TEST_VECTOR.public_key.upper()):
        with pytest.raises(ValueError, match="published test vector"):
            parse_public_key(text)


def test_the_test_vector_verifies_and_can_be_made_again_from_its_seed():
    key = SigningKey(bytes.fromhex(TEST_VECTOR.private_key_seed))
    message = TEST_VECTOR.challenge.encode()
    assert key.verify_key.encode().hex() == TEST_VECTOR.public_key
    assert key.sign(message).signature.hex() == TEST_VECTOR.signature
    assert verify(key.verify_key.encode(), message, parse_signature(TEST_VECTOR.signature))


@given(SEEDS)
def test_every_generated_key_is_accepted(seed: bytes):
    key = SigningKey(seed).verify_key.encode()
    assert parse_public_key(key.hex()) == key


def test_a_signature_is_128_hex_digits_of_any_case():
    assert parse_signature(SIGNATURE) == parse_signature(SIGNATURE.upper())
    assert len(parse_signature(SIGNATURE)) == 64


@pytest.mark.parametrize(
    "text",
    [
        "",
        SIGNATURE[:-1],
        SIGNATURE[:-2],
        SIGNATURE + "0",
        SIGNATURE + "00",
        SIGNATURE + "\n",
        SIGNATURE[:-1] + "\n",
        SIGNATURE[:126] + " " + SIGNATURE[126:127],
        " " + SIGNATURE,
        "0x" + SIGNATURE[2:],
        SIGNATURE.replace("1", "１"),
        SIGNATURE[:-1] + "g",
        SIGNATURE[:-1] + "\x00",
    ],
)
def test_a_signature_text_of_another_form_is_refused(text: str):
    with pytest.raises(ValueError, match=r"exactly 128 hex digits.*got \d+ characters"):
        parse_signature(text)


@given(SEEDS, st.binary(max_size=200), st.integers(0, 511))
def test_a_signature_with_one_bit_changed_is_false(seed: bytes, message: bytes, bit: int):
    key = SigningKey(seed)
    signature = key.sign(message).signature
    changed = (int.from_bytes(signature, "little") ^ 1 << bit).to_bytes(64, "little")
    assert verify(key.verify_key.encode(), message, signature)
    assert not verify(key.verify_key.encode(), message, changed)


@given(SEEDS, SEEDS, st.binary(max_size=200), st.binary(max_size=200))
def test_a_signature_fits_one_key_and_one_message(a: bytes, b: bytes, message: bytes, other: bytes):
    key = SigningKey(a)
    signature = key.sign(message).signature
    assert verify(key.verify_key.encode(), other, signature) == (message == other)
    assert verify(SigningKey(b).verify_key.encode(), message, signature) == (a == b)


@given(SEEDS, st.binary(max_size=200), st.integers(1, 14))
def test_adding_the_group_order_to_s_makes_no_second_signature(
    seed: bytes, message: bytes, times: int
):
    key = SigningKey(seed)
    signature = key.sign(message).signature
    s = int.from_bytes(signature[32:], "little") + times * GROUP_ORDER
    second = signature[:32] + s.to_bytes(32, "little")
    assert not verify(key.verify_key.encode(), message, second)


@given(SEEDS, st.binary(max_size=200), st.binary(min_size=64, max_size=64))
def test_verify_answers_for_any_key_message_and_signature(
    key: bytes, message: bytes, signature: bytes
):
    assert verify(key, message, signature) is False


@pytest.mark.parametrize("length", [0, 1, 31, 33, 64])
def test_a_key_of_the_wrong_length_is_false(length: int):
    assert not verify((bytes.fromhex(KEY) * 2)[:length], b"", parse_signature(SIGNATURE))


@pytest.mark.parametrize("length", [0, 1, 32, 63, 65, 128])
def test_a_signature_of_the_wrong_length_is_false(length: int):
    signature = parse_signature(SIGNATURE) * 2
    assert not verify(bytes.fromhex(KEY), b"", signature[:length])


def test_no_byte_can_move_between_signature_and_message():
    signature, message = parse_signature(RFC_8032[2][3]), bytes.fromhex(RFC_8032[2][2])
    joined = signature + message
    accepted = [
        n for n in range(67) if verify(bytes.fromhex(RFC_8032[2][1]), joined[n:], joined[:n])
    ]
    assert accepted == [64]


def test_no_key_of_small_order_verifies_a_forgery():
    # Under the identity key, S = 0 and R = the identity satisfy the equation for every message.
    forgery = bytes.fromhex(SMALL_ORDER[2]) + bytes(32)
    for key in SMALL_ORDER:
        assert not any(verify(bytes.fromhex(key), bytes([n]), forgery) for n in range(100))


def test_the_wycheproof_tests_are_complete():
    assert [test["id"] for test in WYCHEPROOF] == list(range(1, 211))
    assert Counter(test["flag"] for test in WYCHEPROOF[:151]) == {
        "Ktv": 38,
        "TinkOverflow": 32,
        "InvalidEncoding": 22,
        "InvalidSignature": 20,
        "Valid": 18,
        "SignatureMalleability": 8,
        "SignatureWithGarbage": 5,
        "CompressedSignature": 4,
        "TruncatedSignature": 3,
        "InvalidKtv": 1,
    }
    assert Counter((test["flag"], test["result"]) for test in WYCHEPROOF[151:]) == {
        ("Valid", "valid"): 29,
        ("MixedOrderPublicKey", "acceptable"): 21,
        ("SmallOrderPublicKey", "acceptable"): 8,
        ("MixedOrderPublicKey", "invalid"): 1,
    }


def test_all_117_valid_wycheproof_signatures_verify_under_accepted_keys():
    valid = [test for test in WYCHEPROOF if test["result"] == "valid"]
    assert len(valid) == 117
    assert [t["id"] for t in valid if not (_is_key(t["key"]) and _verifies(t))] == []


def test_all_64_invalid_wycheproof_signatures_are_false():
    invalid = [test for test in WYCHEPROOF if test["result"] == "invalid"]
    assert len(invalid) == 64
    assert [test["id"] for test in invalid if _verifies(test)] == []


def test_the_30_wycheproof_keys_outside_the_prime_order_group_are_refused():
    flags = {"SmallOrderPublicKey", "MixedOrderPublicKey"}
    outside = [test for test in WYCHEPROOF if test["flag"] in flags]
    assert len({test["key"] for test in outside}) == 30
    assert [test["id"] for test in outside if _is_key(test["key"])] == []
    # Verification alone would let these pass: it is the refusal of the key that keeps them out.
    assert sum(map(_verifies, outside)) == 21
