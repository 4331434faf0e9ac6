"""The skill of the service over MCP (SEP-2640): what is listed is what is read."""

import hashlib
from typing import Any

import pytest

from tests.support.app import App
from tests.support.mcp import ENVELOPE, ERAS, Mcp, problem

URI = "skill://stoa/SKILL.md"


@pytest.mark.promise("T4")
@pytest.mark.parametrize("version", ERAS)
def test_a_skill_is_read_as_it_is_listed(stoa: App, version: str) -> None:
    mcp = Mcp(stoa, version)
    (skill,) = mcp.ask("skills/list").ok()["result"]["skills"]
    assert mcp.ask("skills/get", {"uri": skill["uri"]}).ok()["result"]["skill"] == skill
    (file,) = skill["resources"]
    assert skill["uri"] == file["uri"] == URI
    (content,) = mcp.ask("resources/read", {"uri": file["uri"]}).ok()["result"]["contents"]
    text = content["text"].encode()
    assert (content["uri"], content["mimeType"]) == (URI, "text/markdown")
    assert file["digest"] == f"sha256:{hashlib.sha256(text).hexdigest()}"
    assert file["size"] == len(text)
    assert text == stoa.get("/skill.md").content
    said = skill["frontmatter"]
    assert text.decode().startswith(
        f"---\nname: {said['name']}\ndescription: {said['description']}\n---\n"
    )


@pytest.mark.parametrize("version", ERAS)
def test_the_file_is_among_the_resources_that_are_declared(stoa: App, version: str) -> None:
    mcp = Mcp(stoa, version)
    begun: Any = (
        mcp.ask("server/discover")
        if version == ENVELOPE
        else mcp.ask("initialize", {"protocolVersion": version})
    )
    capabilities = begun.ok()["result"]["capabilities"]
    assert "io.modelcontextprotocol/skills" in capabilities["extensions"]
    assert "resources" in capabilities
    (file,) = mcp.ask("resources/list").ok()["result"]["resources"]
    assert file["uri"] == URI
    assert mcp.ask("resources/templates/list").ok()["result"]["resourceTemplates"] == []


def test_what_is_read_of_skills_may_be_kept_by_caches(stoa: App) -> None:
    mcp = Mcp(stoa, ENVELOPE)
    for method, params in (
        ("skills/list", {}),
        ("skills/get", {"uri": URI}),
        ("resources/list", {}),
        ("resources/read", {"uri": URI}),
    ):
        result = mcp.ask(method, params).ok()["result"]
        assert (result["resultType"], result["cacheScope"]) == ("complete", "public")
        assert result["ttlMs"] > 0


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("skills/get", {"uri": "skill://other/SKILL.md"}),
        ("skills/get", {}),
        ("resources/read", {"uri": "file:///etc/passwd"}),
        ("skills/get", {"uri": 5}),
        ("skills/list", {"cursor": "2"}),
    ],
)
def test_an_unknown_skill_or_resource_is_a_wrong_parameter(
    stoa: App, version: str, method: str, params: dict[str, Any]
) -> None:
    assert problem(Mcp(stoa, version).ask(method, params))[1] == -32602
