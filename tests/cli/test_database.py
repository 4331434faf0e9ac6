"""One rule names the database of every command that works on one without serving it."""

import json
from pathlib import Path

import pytest

from tests.importers.conftest import SMALL
from tests.support.command import Finished, run_stoa_here
from tests.support.database import opened
from tests.support.migrated import migrated
from tests.support.postgresql import PostgreSQL

ELSEWHERE = "postgresql://stoa:hush@127.0.0.1:1/elsewhere"
IMPORT = ("import", "stackexchange", str(SMALL), "--direct", "--no-attribution", "--keys", "keys")
COMMANDS = [
    ("audit",),
    ("backup", "backups"),
    ("copy", "--to", "sqlite:///target/stoa.db"),
    IMPORT,
]
each_command = pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the commands are run in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def made(file: Path) -> str:
    """Make a database there; its address."""
    migrated(file)
    return f"sqlite:///{file}"


def spoiled(file: Path) -> str:
    """Make a database whose audit finds a difference; its address."""
    address = made(file)
    with opened(file) as connection:
        connection.execute("UPDATE account SET balance = balance + 1 WHERE id = 'issuer'")
    return address


def first_line(done: Finished) -> str:
    return done.out.partition("\n")[0]


def refused(done: Finished, said: str) -> None:
    """One line that says why, and nothing before it."""
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1), done
    assert said in done.err
    assert "hush" not in done.err


def test_an_audit_takes_the_config_of_the_server_and_not_a_stale_folder(folder: Path) -> None:
    stale = made(folder / "stoa-data/stoa.db")
    served = spoiled(folder / "served/stoa.db")
    (folder / "server.toml").write_text(f'data_dir = "{folder}/served"\n')
    done = run_stoa_here("audit", "--config", "server.toml")
    assert (done.code, first_line(done)) == (1, f"database: {served}")
    assert "issuer: expected" in done.out
    control = run_stoa_here("audit")
    assert (control.code, first_line(control)) == (0, f"database: {stale}")


@pytest.mark.promise("D31")
@each_command
@pytest.mark.parametrize("source", ["stoa.toml", "--config", "STOA_DATABASE_URL", "--database-url"])
def test_a_data_folder_is_refused_where_anything_names_an_address(
    folder: Path, command: tuple[str, ...], source: str
) -> None:
    made(folder / "data/stoa.db")
    flags: list[str] = []
    variables: dict[str, str] = {}
    match source:
        case "stoa.toml":
            (folder / "stoa.toml").write_text(f'database_url = "{ELSEWHERE}"\n')
        case "--config":
            (folder / "other.toml").write_text(f'database_url = "{ELSEWHERE}"\n')
            flags = ["--config", "other.toml"]
        case "STOA_DATABASE_URL":
            variables = {"STOA_DATABASE_URL": ELSEWHERE}
        case _:
            flags = ["--database-url", ELSEWHERE]
    done = run_stoa_here(*command, *flags, "--data-dir", "data", **variables)
    refused(done, "--data-dir data and ")
    assert "--database-url sqlite:///data/stoa.db" in done.err
    assert (
        "elsewhere" in run_stoa_here(*command, *flags, **variables).err
    )  # where it would have gone


@each_command
def test_a_config_is_refused_beside_another_database(
    folder: Path, command: tuple[str, ...]
) -> None:
    made(folder / "one/stoa.db")
    other = made(folder / "other/stoa.db")
    (folder / "one.toml").write_text('data_dir = "one"\n')
    one = (*command, "--config", "one.toml")
    said = "one.toml: data_dir name different databases"
    refused(run_stoa_here(*one, "--database-url", other), f"--database-url and {said}")
    refused(run_stoa_here(*one, STOA_DATABASE_URL=other), f"STOA_DATABASE_URL and {said}")
    refused(run_stoa_here(*one, "--data-dir", "other"), f"--data-dir and {said}")
    same = run_stoa_here(*one, "--data-dir", f"{folder}/one")
    assert "different databases" not in same.err


@each_command
def test_a_config_with_a_data_folder_alone_goes_with_an_address_of_postgresql(
    folder: Path, command: tuple[str, ...]
) -> None:
    (folder / "server.toml").write_text('data_dir = "search"\n')
    (folder / "credentials").mkdir()
    (folder / "credentials/database_url").write_text(ELSEWHERE)
    served = (*command, "--config", "server.toml")
    for variables in ({"STOA_DATABASE_URL": ELSEWHERE}, {"CREDENTIALS_DIRECTORY": "credentials"}):
        assert "cannot reach 127.0.0.1:1/elsewhere" in run_stoa_here(*served, **variables).err
    refused(run_stoa_here(*served, "--database-url", ELSEWHERE), "name different databases")


@pytest.mark.promise("D32")
@each_command
@pytest.mark.parametrize("flag", ["--data-dir", "--database-url"])
def test_an_absent_database_is_an_error_and_none_is_made(
    folder: Path, command: tuple[str, ...], flag: str
) -> None:
    value = {"--data-dir": "absent", "--database-url": f"sqlite:///{folder}/absent/stoa.db"}[flag]
    refused(run_stoa_here(*command, flag, value), "there is no database at")
    refused(
        run_stoa_here(*command),
        "there is no database at stoa-data/stoa.db: name it with --config, --data-dir or "
        "--database-url, or make one with stoa migrate",
    )
    refused(run_stoa_here(*command, flag, ""), f"{flag} is empty")
    assert [path.name for path in folder.iterdir() if path.name != "keys"] == []


@pytest.mark.parametrize("command", [COMMANDS[0], IMPORT], ids=["audit", "import"])
def test_an_empty_database_on_postgresql_stays_empty(
    postgresql: PostgreSQL, command: tuple[str, ...]
) -> None:
    url = postgresql.empty()
    for _ in range(2):
        refused(run_stoa_here(*command, "--database-url", url), "run `stoa migrate --database-url")


def test_each_command_says_first_which_database_it_works_on_without_the_password(
    postgresql: PostgreSQL,
) -> None:
    plain = postgresql.new()
    scheme, _, rest = plain.partition("://")
    user, _, place = rest.rpartition("@")
    url = f"{scheme}://{user.partition(':')[0]}:hush@{place}"
    shown = url.replace("hush", "***")
    done = run_stoa_here("audit", "--database-url", url)
    assert first_line(done) == f"database: {shown}"
    imported = run_stoa_here(*IMPORT, STOA_DATABASE_URL=url)
    assert (imported.code, first_line(imported)) == (0, f"database: {shown}")
    target = postgresql.empty()
    copied = run_stoa_here("copy", "--from", url, STOA_COPY_TO=target)
    assert (copied.code, first_line(copied)) == (0, f"from: {shown}")
    described = json.loads(run_stoa_here("audit", "--json", "--database-url", url).out)
    assert described["database"] == shown
    for said in (done, imported, copied):
        assert "hush" not in said.out + said.err


def test_an_audit_as_json_has_the_checks_and_what_they_found(folder: Path) -> None:
    address = spoiled(folder / "stoa-data/stoa.db")
    done = run_stoa_here("audit", "--json")
    described = json.loads(done.out)
    assert (done.code, described["database"]) == (1, address)
    found = {check["name"]: check["differences"] for check in described["checks"]}
    assert {"subject": "issuer", "expected": "0", "found": "1"} in found["accounts"]
    assert found["seals"] == []
    assert described["settlementsStopped"] is None


def test_settings_of_the_server_do_not_stop_work_on_another_database(folder: Path) -> None:
    address = made(folder / "old/stoa.db")
    (folder / "stoa.toml").write_text(
        f'database_url = "{ELSEWHERE}"\nworkers = 4\nvalkey_url = "redis://127.0.0.1/0"\n'
    )
    done = run_stoa_here("audit", "--database-url", address)
    assert (done.code, first_line(done)) == (0, f"database: {address}"), done.err


def test_a_copy_takes_its_addresses_from_the_environment_or_from_files(folder: Path) -> None:
    source = made(folder / "old/stoa.db")
    assert run_stoa_here(*IMPORT, "--database-url", source).code == 0
    (folder / "old.toml").write_text(f'data_dir = "{folder}/old"\n')
    (folder / "new.toml").write_text(f'data_dir = "{folder}/new"\n')
    by_file = run_stoa_here("copy", "--config", "old.toml", "--to-config", "new.toml")
    wanted = f"from: {source}\nto:   sqlite:///{folder}/new/stoa.db\n"
    assert (by_file.code, by_file.out.startswith(wanted)) == (0, True), by_file
    variables = {"STOA_DATABASE_URL": source, "STOA_COPY_TO": f"sqlite:///{folder}/newer/stoa.db"}
    by_environment = run_stoa_here("copy", **variables)
    assert by_environment.code == 0, by_environment.err
    assert f"to:   {variables['STOA_COPY_TO']}\n" in by_environment.out
    assert run_stoa_here("config", "show", **variables).code == 0


def test_mistakes_in_naming_the_sides_of_a_copy_are_one_line(folder: Path) -> None:
    source = made(folder / "stoa-data/stoa.db")
    (folder / "none.toml").write_text("port = 1\n")
    for options, said in (
        ((), "name the database to copy to: --to, --to-config or STOA_COPY_TO"),
        (("--to-config", "none.toml"), "none.toml names no database"),
        (("--to-config", "none.toml", "--to", source), "leave out one of them"),
        (("--to", source), "the default data folder and --to are the same database"),
        (("--from", source, "--database-url", source, "--to", "x"), "leave out one of them"),
        (("--from", source, "--data-dir", "stoa-data", "--to", "x"), "--data-dir stoa-data and"),
    ):
        refused(run_stoa_here("copy", *options), said)
