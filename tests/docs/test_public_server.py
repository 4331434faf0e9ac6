"""The page on a public server, and the image, work on a Debian that has nothing else on it."""

import json
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.support.certificates import make_certificate
from tests.support.debian import Debian, missing
from tests.support.podman import Podman, no_podman
from tests.support.processes import until
from tools.docs import ROOT

PAGE = ROOT / "docs/public-server.md"
NAME = "stoa.example.org"
CERTIFICATE = "/etc/ssl/stoa"
TRUSTING = dict.fromkeys(("CURL_CA_BUNDLE", "SSL_CERT_FILE"), f"{CERTIFICATE}/cert.pem")

pytestmark = [
    pytest.mark.soak,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(bool(missing()), reason=missing() or "it can be made"),
]


@pytest.fixture(scope="module")
def bare() -> Iterator[Debian]:
    """A bare Debian, with the source."""
    with tempfile.TemporaryDirectory(prefix="stoa-debian-") as folder:
        made = Debian(Path(folder) / "bare")
        prepare(made)
        yield made


def prepare(made: Debian) -> None:
    """See `bare`."""
    made.make("systemd-sysv", "ca-certificates")
    source = made.folder / "root" / "stoa"
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    files = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True).stdout
    copy = ["xargs", "-0", "cp", "-d", "--parents", "-t", str(source)]
    source.mkdir()
    subprocess.run(copy, cwd=ROOT, input=files, check=True)


def test_a_bare_debian_becomes_a_public_server_as_the_page_says(bare: Debian) -> None:
    install, *then = re.findall(
        r"^```sh\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    machine = bare.copied(bare.folder.parent / "machine")
    certify(machine)
    hosts = machine.folder / "etc/hosts"
    hosts.write_text(f"127.0.0.1 localhost {NAME}\n", "utf-8")
    machine.run(install, "/root/stoa")
    with machine.booted(**TRUSTING) as running:
        said = running.run("\n".join(then), "/root/stoa")
        assert '"alertname":"StoaDown"' in said
        assert not re.search("^fail", said, re.MULTILINE)
        check_that_agents_are_served(running)
        check_that_backups_are_kept(running)


def certify(machine: Debian) -> None:
    """Give Caddy a certificate, since nobody outside can reach this machine to hand out one."""
    folder = machine.folder / CERTIFICATE.lstrip("/")
    folder.mkdir()
    for made, name in zip(make_certificate(NAME, folder), ("cert.pem", "key.pem"), strict=True):
        made.rename(folder / name).chmod(0o644)
    sample = machine.folder / "root/stoa/deploy/caddy/Caddyfile"
    own = f"{NAME} {{\n\ttls {CERTIFICATE}/cert.pem {CERTIFICATE}/key.pem\n"
    sample.write_text(sample.read_text("utf-8").replace(f"{NAME} {{\n", own), "utf-8")


def check_that_agents_are_served(running: Debian) -> None:
    """An agent at the public address signs in, writes and is counted."""
    key = "--key /root/ada.key"
    running.run(f"/opt/stoa/bin/stoa agent keygen --url https://{NAME} {key}")
    running.run(f"/opt/stoa/bin/stoa agent ask 'Is it open?' 'To all.' {key}")
    assert "Is it open?" in running.run(f"curl --fail --silent https://{NAME}/forum")
    until(lambda: ready(running) == ["1"])  # Prometheus asks each 15 seconds


def ready(running: Debian) -> list[str]:
    """Whether the service is ready, as Prometheus saw it last; nothing before it has asked."""
    told = running.run("curl --fail --silent 'http://127.0.0.1:9090/api/v1/query?query=stoa_ready'")
    return [found["value"][1] for found in json.loads(told)["data"]["result"]]


def check_that_backups_are_kept(running: Debian) -> None:
    """The folder has a backup that only the service can read, and it can be restored."""
    made = running.run("ls -l /var/backups/stoa").splitlines()[1:]
    assert made
    assert all(line.startswith("-rw-------") and " stoa stoa " in line for line in made)
    running.run("systemctl stop stoa stoa-backup")
    stoa = "runuser -u stoa -- /opt/stoa/bin/stoa"
    running.run(f"{stoa} restore /var/backups/stoa/*.db --config /etc/stoa/stoa.toml")
    running.run("systemctl start stoa")
    assert running.run("systemctl --failed --no-legend") == ""


@pytest.mark.skipif(bool(lacking := no_podman()), reason=lacking or "it can be built")
def test_the_image_is_built_and_serves_as_the_compose_file_has_it(bare: Debian) -> None:
    """It begins with Debian's own Python in the place of an image that a registry has."""
    base = bare.copied(bare.folder.parent / "base")
    base.run("apt-get install --yes --no-install-recommends python3-venv >/dev/null")
    base.run("ln -s python3 /usr/bin/python")
    podman = Podman(bare.folder.parent / "podman")
    podman.bring(base, "docker.io/library/python:3.13-slim")
    source = bare.folder / "root" / "stoa"
    podman.build("stoa", source / "deploy/container/Containerfile", source)
    said = podman.served("stoa", options_of("alone.yaml"))
    assert re.search(r"^10001:10001 .*/opt/stoa/bin/stoa serve $", said, re.MULTILINE)
    assert "database: sqlite:////var/lib/stoa/stoa.db" in said
    assert said.endswith("ended with 0\n")


def options_of(file: str) -> list[str]:
    """What a compose file says of the container of Stoa, as options of podman."""
    given = yaml.safe_load((ROOT / "deploy/compose" / file).read_text("utf-8"))["services"]["stoa"]
    lists = {"volumes": "--volume", "tmpfs": "--tmpfs", "security_opt": "--security-opt"}
    options = [f"{flag}={value}" for name, flag in lists.items() for value in given[name]]
    options += [f"--env={name}={value}" for name, value in given["environment"].items()]
    options += [f"--cap-drop={name}" for name in given["cap_drop"]]
    options += ["--read-only"] if given["read_only"] else []
    return [*options, f"--stop-timeout={given['stop_grace_period'].removesuffix('s')}"]
