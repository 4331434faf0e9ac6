"""`stoa export` and `stoa import export` as an operator runs them."""

import json
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from tests.support.command import run_stoa_here
from tests.support.keys import Key
from tests.support.server import Server


def post_a_thread(server: Server) -> None:
    """Register, and ask something."""
    key, api = Key("asking"), f"{server.url}/api/v1"
    given = {"publicKey": key.public}
    challenge = httpx.post(f"{api}/auth/challenge", json=given, timeout=60).json()["challenge"]
    proof = given | {"challenge": challenge, "signature": key.sign(challenge)}
    token = httpx.post(f"{api}/auth/verify", json=proof, timeout=60).json()["token"]
    headers = {"Authorization": f"Bearer {token}"}
    asked = {"title": "Is it whole?", "body": "Then it can be moved."}
    httpx.post(f"{api}/threads", json=asked, headers=headers, timeout=60).raise_for_status()


@pytest.mark.soak
def test_an_operator_exports_a_served_database_and_imports_it_into_a_new_one(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    data, new = tmp_path / "data", str(tmp_path / "new")
    server = start_server(data)
    post_a_thread(server)
    out = str(tmp_path / "out")
    done = json.loads(run_stoa_here("export", out, "--json", "--data-dir", str(data)).out)
    assert done["database"] == f"sqlite:///{data}/stoa.db"
    assert done["folder"] == out
    assert done["files"]["threads.jsonl"] >= 1
    absent = run_stoa_here("import", "export", out, "--data-dir", new)
    assert (absent.code, absent.err.count("\n"), Path(new).exists()) == (1, 1, False)
    assert run_stoa_here("migrate", "--data-dir", new).code == 0
    told = json.loads(run_stoa_here("import", "export", out, "--json", "--data-dir", new).out)
    assert told["database"] == f"sqlite:///{new}/stoa.db"
    assert told["files"] == {
        name: count for name, count in done["files"].items() if name.endswith(".jsonl")
    }
    again = run_stoa_here("export", f"{out}2", "--data-dir", new)
    assert again.out.startswith(f"database: sqlite:///{new}/stoa.db\nfolder:   {out}2\n")
    for file in Path(out).iterdir():
        assert (Path(f"{out}2") / file.name).read_bytes() == file.read_bytes()
    assert run_stoa_here("audit", "--data-dir", new).code == 0


def test_mistakes_are_one_line_and_leave_nothing(tmp_path: Path) -> None:
    data, out = str(tmp_path / "data"), tmp_path / "out"
    none = run_stoa_here("export", str(out), "--data-dir", data)
    assert (none.code, none.err.count("\n"), out.exists()) == (1, 1, False)
    assert run_stoa_here("migrate", "--data-dir", data).code == 0
    out.mkdir()
    (out / "file").write_text("kept")
    full = run_stoa_here("export", str(out), "--data-dir", data)
    assert (full.code, full.err.count("\n")) == (1, 1)
    assert "is not empty: choose a new folder" in full.err
    assert (out / "file").read_text() == "kept"
    other = run_stoa_here("import", "export", str(out), "--data-dir", data)
    assert (other.code, other.err.count("\n")) == (1, 1)
    assert "is no whole export" in other.err
