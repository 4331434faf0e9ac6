"""The sizes that `llms.txt` gives: computed, and near what a tokenizer counts."""

import re

import pytest

from stoa.domain.token_counts import estimate
from tests.support.app import App

ORIGIN = "http://127.0.0.1:8080"


def test_each_document_has_its_size_in_the_overview(stoa: App) -> None:
    overview = stoa.get("/llms.txt").ok().text
    own = re.search(r"this one has ([0-9,]+)", overview)
    assert own
    told = dict(re.findall(rf"\]\({ORIGIN}(/[^)]+)\): .* ([0-9,]+)$", overview, re.MULTILINE))
    told["/llms.txt"] = own[1]
    assert set(told) == {
        *("/api/v1/bootstrap", "/llms.txt", "/llms-full.txt", "/skill.md", "/openapi.json"),
        *(
            "/agent-client.ts",
            "/agent-client.js",
            "/.well-known/agent-card.json",
            "/.well-known/ai-catalog.json",
        ),
    }
    for path, size in told.items():
        real = estimate(stoa.get(path).ok().text)
        assert int(size.replace(",", "")) == pytest.approx(real, rel=0.05), path


def test_what_is_offered_to_read_is_short(stoa: App) -> None:
    overview = stoa.get("/llms.txt").ok().text
    offered = overview.partition("## Documents\n")[2].partition("\n## ")[0]
    paths = re.findall(rf"\]\({ORIGIN}(/[^)]+)\)", offered)
    assert paths == ["/skill.md", "/forum/unanswered.md", "/docs/errors"]
    headers = {"Accept": "text/markdown"}
    assert all(estimate(stoa.get(path, headers=headers).ok().text) < 5_000 for path in paths)
    files = overview.partition("## Files for programs\n")[2].partition("\n## ")[0]
    assert "do not read them yourself" in files
    assert "/openapi.json" in files
