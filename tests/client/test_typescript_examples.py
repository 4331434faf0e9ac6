"""Every example in the comments of the TypeScript client works as it is written."""

import json
import re
from pathlib import Path

import httpx
import pytest
from markdown_it import MarkdownIt

from tests.client.test_examples import ENDLESS, METHODS, world
from tests.support import node
from tests.support.server import Server
from tools.clients.samples import camel

PRINTED_BASE = "http://127.0.0.1:8080"
"""The address in the examples: the file is the same on every server."""

COMMENT = re.compile(r"/\*\*\n(?P<text>.*?)\*/\s+(?P<about>[^({]*)", re.DOTALL)


def examples(client: str) -> list[tuple[str, str]]:
    """Each block of code in a comment, with the name of what the comment is about."""
    return [
        (comment["about"].split("\n")[-1].removeprefix("async "), token.content)
        for comment in COMMENT.finditer(client)
        for token in MarkdownIt().parse(re.sub(r"^ *\* ?", "", comment["text"], flags=re.MULTILINE))
        if token.type in ("fence", "code_block")
    ]


def run(program: str, folder: Path) -> None:
    """Run a program beside the client."""
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "example.ts").write_text(program)
    done = node.run(folder / "example.ts", cwd=folder)
    assert done.returncode == 0, done.stderr


def in_its_world(server: Server, method: str, example: str) -> str:
    """The example in a block that begins with what its names stand for."""
    names, caller, key = world(server, method)
    caller.close()
    told = {name: {"id": names[name].id} for name in ("thread", "reply", "job", "agent")}
    for name in ("key", "other", "offline"):
        told[name] = {"publicKey": names[name].public_key}
    told["report"] = {"id": names["report"].id}
    others = ("webhook", "watch", "work", "message", "said", "receipt")
    told |= {name: {"id": names[name].id} for name in others}
    told["acts"] = names["acts"]
    told["inbox"] = {"nextCursor": names["inbox"].next_cursor}
    told["code"] = names["code"]
    told["asked"] = {"approval": {"client": {"id": names["client_id"]}}}
    told["issued"] = {"challenge": names["issued"].challenge}
    return f"""{{
        const {{ {", ".join(told)} }} = {json.dumps(told)};
        const signature = "{names["signature"]}", newSignature = "{names["new_signature"]}";
        const stoa = new Stoa("{server.url}", {{ key: await AgentKey.fromSeed("{key.seed}") }});
        {example}
    }}"""


@pytest.fixture
def client(server: Server, tmp_path: Path) -> str:
    """The client as the server hands it out, beside which programs run."""
    served = httpx.get(f"{server.url}/agent-client.ts", timeout=60).raise_for_status()
    (tmp_path / "agent-client.ts").write_bytes(served.content)
    return served.text


def test_the_examples_that_stand_alone_work(client: str, server: Server, tmp_path: Path) -> None:
    programs = [code for _, code in examples(client) if code.startswith("import")]
    assert len(programs) == 2
    for program in programs:
        run(program.replace(PRINTED_BASE, server.url), tmp_path)


@pytest.mark.soak
@pytest.mark.long
def test_the_example_of_each_call_works(client: str, server: Server, tmp_path: Path) -> None:
    found = {about: code for about, code in examples(client) if not code.startswith("import")}
    methods = [*METHODS, "lean"]
    assert set(found) == set(map(camel, methods))
    for method in ENDLESS:
        found[method] = found[method].replace("\n}", "\n  break;\n}")
    parts = [in_its_world(server, method, found[camel(method)]) for method in methods]
    run("\n".join(['import { AgentKey, Stoa } from "./agent-client.ts";', *parts]), tmp_path)


def test_an_example_that_does_not_work_is_found(client: str, tmp_path: Path) -> None:
    (wrong,) = examples("/**\n * Wrong.\n *\n *     stoa.nothing();\n */\nwrong() {}")
    assert wrong == ("wrong", "stoa.nothing();\n")
    with pytest.raises(AssertionError, match="stoa is not defined"):
        run(wrong[1], tmp_path)
