"""Scopes and the resource of a request for tokens."""

import pickle

import pytest

from stoa.domain.oauth import OAuthRefusal, check_resource, check_scopes, granted_scopes

BASES = frozenset({"https://a.example", "http://localhost:8080"})


@pytest.mark.parametrize(
    ("asked", "granted"),
    [
        (None, "read write"),
        ("read", "read"),
        ("write", "read write"),
        ("write read", "read write"),
        ("read read", "read"),
        ("openid read offline_access", "read"),
    ],
)
def test_scopes_are_granted_as_asked_and_write_includes_read(
    asked: str | None, granted: str
) -> None:
    assert granted_scopes(asked) == granted


@pytest.mark.parametrize("asked", ["admin", "READ", "read,write", "openid email", " "])
def test_unknown_scopes_alone_are_refused(asked: str) -> None:
    with pytest.raises(OAuthRefusal, match="invalid_scope"):
        granted_scopes(asked)


def test_a_renewal_asks_for_no_more_than_was_granted() -> None:
    for asked, granted in ((None, "read"), ("read", "read"), ("read", "read write")):
        check_scopes(asked, granted)
    with pytest.raises(OAuthRefusal, match="invalid_scope"):
        check_scopes("read write", "read")


@pytest.mark.parametrize(
    "asked",
    [
        None,
        "",
        "https://a.example/mcp/oauth",
        "https://a.example/mcp/oauth/",
        "https://A.example.:443/mcp/oauth",
    ],
)
def test_the_resource_may_be_missing_or_end_in_a_slash(asked: str | None) -> None:
    check_resource(BASES, asked)


@pytest.mark.parametrize(
    "asked",
    [
        "https://a.example",
        "https://a.example/mcp",
        "https://b.example/mcp/oauth",
        "https://a.example:8443/mcp/oauth",
        "x",
    ],
)
def test_another_resource_is_refused(asked: str) -> None:
    with pytest.raises(OAuthRefusal, match="invalid_target"):
        check_resource(BASES, asked)


def test_a_refusal_crosses_to_another_process_whole() -> None:
    crossed = pickle.loads(pickle.dumps(OAuthRefusal("invalid_client", "Why.", 401)))  # noqa: S301
    assert (crossed.error, crossed.description, crossed.status) == ("invalid_client", "Why.", 401)
