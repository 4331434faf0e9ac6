"""Codes, versions, announcements and the checks of the newer era are those of the official SDK,
which is not loaded by a server."""

import subprocess
import sys
from typing import Any

import mcp_types
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mcp.shared import inbound
from mcp.shared.inbound import InboundLadderRejection
from mcp_types import DiscoverResult, InitializeResult
from mcp_types import version as versions_of_sdk

from stoa.mcp import codes, envelope
from stoa.mcp.codes import CLIENT_CAPABILITIES_META_KEY, INVALID_PARAMS, PROTOCOL_VERSION_META_KEY
from stoa.mcp.eras import Answers, EnvelopeEra, HandshakeEra, server_info
from stoa.mcp.messages import McpMessage, ProtocolError, read
from stoa.schemas.mcp_versions import ENVELOPE_VERSIONS, HANDSHAKE_VERSIONS

SPOKEN, OTHER = "2026-07-28", "2027-01-01"
VERSION, METHOD, NAME = "mcp-protocol-version", "mcp-method", "mcp-name"
ENVELOPE: dict[str, Any] = {PROTOCOL_VERSION_META_KEY: SPOKEN, CLIENT_CAPABILITIES_META_KEY: {}}

Refused = tuple[int, str, Any] | None

versions = st.sampled_from([SPOKEN, OTHER, "", 1, None])
metas: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from([None, [], {}, "x", ENVELOPE]),
    st.fixed_dictionaries(
        {}, optional={PROTOCOL_VERSION_META_KEY: versions, CLIENT_CAPABILITIES_META_KEY: st.none()}
    ),
)
names = st.sampled_from(["get_thread", "é", "", 7, None])
methods = st.sampled_from(["tools/call", "tools/list", "resources/read", "server/discover"])
sent_names = st.one_of(
    st.sampled_from(
        [
            "get_thread",
            "=?base64?Z2V0X3RocmVhZA==?=",
            "=?base64?w6k=?=",
            "=?base64?w6l=?=",
            "=?base64?/w==?=",
            "=?base64??=",
            "=?base64?=",
            "=?base64?!?=",
        ]
    ),
    st.text("=?base64Z2", max_size=14),
)
lines = st.lists(
    st.one_of(
        st.tuples(st.just(METHOD), methods),
        st.tuples(st.just(NAME), sent_names),
        st.tuples(st.just("accept"), st.just("x")),
    ),
    max_size=4,
)
bodies: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "jsonrpc": st.just("2.0"),
        "method": methods,
        "params": st.fixed_dictionaries({}, optional={"_meta": metas, "name": names, "uri": names}),
    },
    optional={"id": st.just(1)},
)


def of_the_sdk(body: dict[str, Any], sent: list[tuple[str, str]]) -> Refused:
    """What the SDK refuses: of a notification the version alone; a version that nobody speaks
    may have no envelope."""
    headers = {name: text for name, text in sent if name in (VERSION, METHOD, NAME)}
    unspoken = inbound.unsupported_protocol_version_rejection(headers[VERSION])
    twice = inbound.find_duplicated_routing_header(sent)
    verdict = inbound.classify_inbound_request(body, headers=headers)
    if "id" not in body:
        found = unspoken
    elif twice:
        return codes.HEADER_MISMATCH, f"{twice} header appears more than once", None
    elif not isinstance(verdict, InboundLadderRejection):
        found = None
    else:
        found = (unspoken if verdict.code == INVALID_PARAMS else None) or verdict
    return found and (found.code, found.message, found.data)


def of_ours(body: dict[str, Any], sent: list[tuple[str, str]]) -> Refused:
    """What is refused here."""
    try:
        envelope.check(read(body), sent)
    except ProtocolError as error:
        return error.code, str(error), error.data
    return None


CALL: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"_meta": ENVELOPE, "name": "get_thread"},
}


@given(bodies, st.sampled_from([SPOKEN, OTHER]), lines)
@example(CALL, SPOKEN, [(METHOD, "tools/call"), (NAME, "=?base64?Z2V0X3RocmVhZA==?=")])
@example(CALL, SPOKEN, [(METHOD, "tools/call"), (NAME, "=?base64?Z2V0X3RocmVhZB==?=")])
@example(CALL, SPOKEN, [(METHOD, "tools/call"), (NAME, "other")])
@example(CALL, SPOKEN, [(METHOD, "tools/list"), (NAME, "get_thread")])
@example(CALL, SPOKEN, [(METHOD, "tools/call"), (METHOD, "tools/call")])
@example(CALL, OTHER, [(METHOD, "tools/call"), (NAME, "get_thread")])
def test_what_is_refused_is_what_the_sdk_refuses(
    body: dict[str, Any], version: str, sent: list[tuple[str, str]]
) -> None:
    sent = [(VERSION, version), *sent]
    assert of_ours(body, sent) == of_the_sdk(body, sent)


def test_a_name_that_is_no_base64_of_ascii_matches_nothing() -> None:
    sent = [(VERSION, SPOKEN), (METHOD, "tools/call"), (NAME, "=?base64?é?=")]
    refused = of_ours(CALL, sent)
    assert refused
    assert refused[0] == codes.HEADER_MISMATCH


def test_codes_names_and_versions_are_those_of_the_sdk() -> None:
    named = {name: value for name, value in vars(codes).items() if name.isupper()}
    assert named.pop("STATUSES") == dict(inbound.ERROR_CODE_HTTP_STATUS)
    assert len(named) > 10
    assert named == {name: getattr(mcp_types, name) for name in named}
    assert versions_of_sdk.HANDSHAKE_PROTOCOL_VERSIONS == HANDSHAKE_VERSIONS
    assert HANDSHAKE_VERSIONS[-1] == versions_of_sdk.LATEST_HANDSHAKE_VERSION
    assert versions_of_sdk.MODERN_PROTOCOL_VERSIONS == ENVELOPE_VERSIONS


def test_what_is_announced_is_what_the_sdk_reads() -> None:
    none: Answers = {}
    parts = server_info("https://stoa.example"), "Read first.", b"[]", none
    message = McpMessage(b"1", "initialize", {"protocolVersion": "2025-06-18"})
    began = HandshakeEra(*parts).answers["initialize"](message)
    first = InitializeResult.model_validate_json(b"{%b}" % began)
    assert first.protocol_version == "2025-06-18"
    found = EnvelopeEra(*parts).answers["server/discover"](message)
    second = DiscoverResult.model_validate_json(b"{%b}" % found)
    assert second.supported_versions == [*ENVELOPE_VERSIONS]
    for told in (first, second):
        assert told.capabilities.tools
        assert told.capabilities.resources
        assert told.instructions == "Read first."
    assert first.server_info.website_url == "https://stoa.example"


@pytest.mark.parametrize("module", ["mcp_types", "pydantic"])
def test_the_sdk_is_not_loaded(module: str) -> None:
    program = f"import sys, stoa.mcp.server; sys.exit({module!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
