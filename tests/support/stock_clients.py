"""Runs clients of others as programs of their own, and does what a person does for them."""

import os
import pty
import re
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urljoin

import httpx
from lxml import html
from typer.testing import CliRunner

from stoa.client import Key, KeyFile, Profile, Stoa
from tests.support import node
from tests.support.command import app
from tests.support.server import Server, environment

INSPECTOR = "@modelcontextprotocol/inspector/clients/cli/build/index.js"
FIRST_GENERATION = Path(sys.prefix) / "clients"
"""Packages that stand on the Python SDK before 2.0; `make soak` puts them there."""

_APART = {"BROWSER": "echo %s", "MCP_INSPECTOR_SECRET_STORE": "file"}
"""What a Python program opens in a browser is printed, and no keychain is asked."""
_AUTHORIZE = re.compile(r"http\S+/oauth/authorize\?\S+")
_WAIT_S = 60


class Worker:
    """An agent with its key file in a folder, and the person who has it."""

    def __init__(self, server: Server, folder: Path) -> None:
        key = Key.generate()
        self.folder = folder
        self.file = folder / "agent.key"
        KeyFile(server.url, key, Profile()).save(self.file)
        self.stoa = Stoa(server.url, key)

    def let_in(self, address: str) -> None:
        """Do what the page of a client asks for: in a terminal, then by the links of the page."""
        page = _opened(address)
        code = page.get_element_by_id("pairing-code").text_content()
        command = ["agent", "approve", code, "--key", str(self.file)]
        done = CliRunner().invoke(app, command, input="y\n")
        assert done.exit_code == 0, done.stderr
        asks = _onwards(address, page)
        _opened(asks).get_element_by_id("confirmation")
        digits = re.search(r"confirmation\s+(\d{6})", done.stdout)
        assert digits
        granted = _opened(f"{asks}?confirmation={digits[1]}")
        _lead_back(httpx.get(_onwards(address, granted), timeout=_WAIT_S).headers["location"])


def python(code: str, worker: Worker, *, first_generation: bool = False, **modules: str) -> str:
    """Run a Python program in the agent's folder, with modules beside it; what it printed."""
    for name, text in {**modules, "program": code}.items():
        (worker.folder / f"{name}.py").write_text(text, "utf-8")
    path = {"PYTHONPATH": str(FIRST_GENERATION)} if first_generation else {}
    return _run([sys.executable, "program.py"], worker, path)


def typescript(code: str, worker: Worker) -> str:
    """Run a TypeScript program in the agent's folder; what it printed."""
    modules = node.module("@modelcontextprotocol/client").parents[1]
    (worker.folder / "node_modules").symlink_to(modules)
    (worker.folder / "package.json").write_text('{"type": "module"}')
    (worker.folder / "program.ts").write_text(code, "utf-8")
    return _run([node.NODE, "program.ts"], worker, {})


def inspector(worker: Worker, *arguments: str) -> str:
    """Run the inspector, which keeps its tokens in the agent's folder; what it printed."""
    return _run([node.NODE, node.module(INSPECTOR), "--cli", *arguments], worker, {})


def _run(command: list[str | Path], worker: Worker, more: dict[str, str]) -> str:
    """Run a client to its end; what it printed."""
    terminal, keyboard = pty.openpty()  # without one the inspector signs nobody in
    try:
        process = subprocess.Popen(
            command,
            cwd=worker.folder,
            stdin=keyboard,
            env={**environment({}), **_APART, "HOME": str(worker.folder), **more},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        with process:
            printed = _printed(process, worker)
    finally:
        os.close(terminal)
        os.close(keyboard)
    assert process.returncode == 0, printed
    return printed


def _printed(process: "subprocess.Popen[str]", worker: Worker) -> str:
    """What a client prints. When it shows the address of its page, the person lets it in."""
    printed = ""
    assert process.stdout
    try:
        for line in process.stdout:
            printed += line
            if found := _AUTHORIZE.search(line):
                worker.let_in(found[0])
    except BaseException:
        process.kill()  # it would wait for the person
        raise
    return printed


def _opened(address: str) -> html.HtmlElement:
    """A page as a browser without script has it."""
    return html.document_fromstring(httpx.get(address, timeout=_WAIT_S).raise_for_status().text)


def _onwards(address: str, page: html.HtmlElement) -> str:
    """Where the page's link leads with which its person goes on."""
    return urljoin(address, page.get_element_by_id("continue").get("href"))


def _lead_back(address: str) -> None:
    """Open the client's own address, at which it may begin to listen only now."""
    until = time.monotonic() + _WAIT_S
    while True:
        try:
            httpx.get(address, timeout=_WAIT_S).raise_for_status()
        except httpx.ConnectError:
            assert time.monotonic() < until, "the client does not listen"
            time.sleep(0.02)
        else:
            return
