"""The files of `deploy/` for systemd and containers: what they say is what the program knows."""

import configparser
import json
import re
import shlex
import shutil
import subprocess
from typing import Any

import pytest
import yaml
from typer.main import get_command

from stoa.settings import Settings, environment_name
from tests.support.command import app
from tools.docs import ROOT

DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
COMPOSE = sorted((DEPLOY / "compose").glob("*.yaml"))
VARIABLES = {environment_name(name) for name in Settings.__struct_fields__}
HARDENED = {
    "CapabilityBoundingSet": "",
    "NoNewPrivileges": "yes",
    "PrivateDevices": "yes",
    "PrivateTmp": "yes",
    "ProtectHome": "yes",
    "ProtectSystem": "strict",
    "RestrictNamespaces": "yes",
    "RestrictSUIDSGID": "yes",
    "SystemCallErrorNumber": "EPERM",
    "SystemCallFilter": "@system-service",
    "User": "stoa",
}


def unit(name: str) -> configparser.ConfigParser:
    """A unit of systemd. No option stands twice in those that are read here."""
    read = configparser.ConfigParser(interpolation=None, delimiters="=", strict=False)
    read.optionxform = str  # pyright: ignore[reportAttributeAccessIssue] - names keep their case
    read.read_string((DEPLOY / "systemd" / name).read_text("utf-8"))
    return read


def services(file: str) -> dict[str, dict[str, Any]]:
    """The services of a compose file."""
    return yaml.safe_load((DEPLOY / "compose" / file).read_text("utf-8"))["services"]


def settings_in(text: str) -> set[str]:
    """The variables of Stoa that a text names, a file of a value by its setting."""
    return {name.removesuffix("_FILE") for name in re.findall(r"\bSTOA_[A-Z_]+\b", text)}


def test_every_setting_that_a_file_names_is_one() -> None:
    files = [file for file in DEPLOY.rglob("*") if file.is_file()]
    assert len(files) > 10
    named = {name for file in files for name in settings_in(file.read_text("utf-8"))}
    assert named >= {"STOA_DATA_DIR", "STOA_DATABASE_URL", "STOA_TRUSTED_PROXIES"}
    assert named <= VARIABLES
    assert not settings_in("STOA_DATABASE_URI_FILE") <= VARIABLES


@pytest.mark.parametrize("name", [file.name for file in UNITS])
def test_a_unit_is_hardened_and_starts_a_command_that_there_is(name: str) -> None:
    service = unit(name)["Service"]
    assert {option: service[option] for option in HARDENED} == HARDENED
    program, subcommand, *arguments = shlex.split(service["ExecStart"])
    assert program == "/opt/stoa/bin/stoa"
    command: Any = get_command(app)
    options = {str(name) for given in command.commands[subcommand].params for name in given.opts}
    assert {word for word in arguments if word.startswith("--")} <= options


@pytest.mark.parametrize("name", [file.name for file in UNITS])
def test_a_unit_comes_back_however_it_ended_and_is_never_given_up(name: str) -> None:
    read = unit(name)
    assert read["Service"]["Restart"] == "always"
    assert read["Unit"]["StartLimitIntervalSec"] == "0"
    assert read["Install"]["WantedBy"] == "multi-user.target"


def test_the_service_notifies_is_watched_and_keeps_its_state() -> None:
    service = unit("stoa.service")["Service"]
    assert (service["Type"], service["NotifyAccess"]) == ("notify", "main")
    assert int(service["WatchdogSec"]) >= 10
    assert service["StateDirectory"] == "stoa"
    assert service["Environment"] == "STOA_DATA_DIR=/var/lib/stoa"
    credentials = (DEPLOY / "systemd/stoa.service.d/credentials.conf").read_text("utf-8")
    loaded = re.findall(r"^(#?)LoadCredential=(\w+):/", credentials, re.MULTILINE)
    # systemd starts no service without one of the files: a server on PostgreSQL has only the first.
    assert loaded == [("", "database_url"), ("#", "valkey_url")]
    assert {name for _, name in loaded} <= set(Settings.__struct_fields__)
    assert unit("stoa.socket")["Socket"]["ListenStream"] == "127.0.0.1:8080"


@pytest.mark.skipif(
    not shutil.which("systemd-analyze"), reason="no systemd-analyze: see tools/programs"
)
def test_systemd_itself_finds_nothing_wrong() -> None:
    assert UNITS
    for file in UNITS:
        command = ["systemd-analyze", "security", "--offline=yes", "--threshold=25", str(file)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert "Unknown" not in done.stderr
        assert done.returncode == 0, done.stdout[-500:]


def test_an_image_of_the_other_architecture_is_built_without_running_anything_of_it() -> None:
    lines = (DEPLOY / "container/Containerfile").read_text("utf-8")
    first, last = re.split("^FROM ", lines, flags=re.MULTILINE)[1:]
    assert first.startswith("--platform=$BUILDPLATFORM ")
    assert last.startswith("--platform=$TARGETPLATFORM ")
    assert not re.search("^RUN ", last, re.MULTILINE)
    (target,) = json.loads((DEPLOY / "container/bake.json").read_text("utf-8"))["target"].values()
    built = {one.removeprefix("linux/") for one in target["platforms"]}
    assert built == {*re.findall(r"\b(\w+)\) on=\w+", first)}


def test_the_image_is_built_from_locks_and_does_not_run_as_root() -> None:
    lines = (DEPLOY / "container/Containerfile").read_text("utf-8")
    _, last = lines.split("\nFROM ", 1)
    assert re.search(r"^USER 10001:10001$", last, re.MULTILINE)
    assert re.search(r'^ENTRYPOINT \["/opt/stoa/bin/stoa"\]$', last, re.MULTILINE)
    # Commands are run beside the server by their name.
    assert re.search(r"^ENV .*\bPATH=/opt/stoa/bin:\$PATH$", last, re.MULTILINE)
    assert "--require-hashes" in lines
    for file in re.findall(r"/source/(requirements/\S+)", lines):
        assert (ROOT / file).is_file()
    copied = (DEPLOY / "container/Containerfile.dockerignore").read_text("utf-8").split()
    assert copied[0] == "*"
    kept = [name.removeprefix("!") for name in copied[1:]]
    assert all((ROOT / name).exists() for name in kept if not name.startswith(".git/"))
    assert ".git/HEAD" in kept  # or no image says its commit


@pytest.mark.parametrize("name", [file.name for file in COMPOSE])
def test_a_compose_file_runs_the_image_without_privileges(name: str) -> None:
    stoa = services(name)["stoa"]
    build = (DEPLOY / "compose" / stoa["build"]["context"]).resolve()
    assert build == ROOT
    assert (build / stoa["build"]["dockerfile"]).is_file()
    assert stoa["cap_drop"] == ["ALL"]
    assert stoa["security_opt"] == ["no-new-privileges:true"]
    assert stoa["read_only"] is True
    assert "privileged" not in stoa


@pytest.mark.parametrize("name", [file.name for file in COMPOSE])
def test_a_container_comes_back_after_a_reboot_and_its_log_is_bounded(name: str) -> None:
    for service in services(name).values():
        assert service["restart"] == "unless-stopped"
        options = service["logging"]["options"]
        assert service["logging"]["driver"] == "json-file"
        assert re.fullmatch(r"\d+m", options["max-size"])
        assert 1 < int(options["max-file"]) < 10


def test_a_database_in_a_container_has_time_to_stop() -> None:
    assert services("full.yaml")["postgresql"]["stop_grace_period"] == "60s"


def test_a_public_server_shows_its_metrics_to_itself_alone() -> None:
    page = (ROOT / "docs/public-server.md").read_text("utf-8")
    assert "--web.listen-address=127.0.0.1:9090" in page
    assert page.index("/etc/default/prometheus") < page.index("systemctl restart prometheus")
    assert "--web.listen-address=127.0.0.1:9093" in page


def test_the_compose_files_name_what_they_use() -> None:
    for file in COMPOSE:
        whole = yaml.safe_load(file.read_text("utf-8"))
        for kind in ("secrets", "networks"):
            used = {
                name for service in whole["services"].values() for name in service.get(kind, [])
            }
            assert used == set(whole.get(kind, {}))
        needed = {
            name for service in whole["services"].values() for name in service.get("depends_on", [])
        }
        assert needed <= set(whole["services"])
    full = services("full.yaml")
    assert set(full) == {"stoa", "caddy", "postgresql", "valkey"}
    assert "ports" not in full["stoa"]
    assert services("alone.yaml")["stoa"]["ports"] == ["127.0.0.1:8080:8080"]


def test_the_caddy_of_compose_differs_from_the_sample_in_its_upstream_alone() -> None:
    one, other = (
        re.sub(r"^#.*\n", "", (DEPLOY / name).read_text("utf-8"), flags=re.MULTILINE)
        for name in ("caddy/Caddyfile", "compose/Caddyfile")
    )
    assert one.replace("127.0.0.1:8080", "stoa:8080") == other
