"""The page on a public server, and the image, work on a Debian that has nothing else on it."""

import json
import re
import shlex
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.docs import ROOT
from tests.support.certificates import make_certificate
from tests.support.debian import Debian, missing

PAGE = ROOT / "docs/public-server.md"
IMAGE = ROOT / "deploy/container/Containerfile"
NAME = "stoa.example.org"
LOCAL = "http://127.0.0.1:8080"
START = """
ip link set lo up
mount -t proc proc "$2/proc"
$1 {serve} &
until $1 {check}; do kill -0 $!; sleep 0.2; done
kill $!
wait $!
"""
"""Starts the server, waits until it is ready, and ends it."""

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
    told = running.run("curl --fail --silent 'http://127.0.0.1:9090/api/v1/query?query=stoa_ready'")
    (ready,) = json.loads(told)["data"]["result"]
    assert ready["value"][1] == "1"


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


def steps() -> list[list[tuple[str, str]]]:
    """The instructions of each stage of the image, with their values."""
    text = re.sub(r"\\\n\s*", "", IMAGE.read_text("utf-8"))
    lines = [line.split(" ", 1) for line in text.splitlines() if line and line[0] != "#"]
    stages: list[list[tuple[str, str]]] = []
    for instruction, value in lines:
        if instruction == "FROM":
            stages.append([])
        stages[-1].append((instruction, value))
    return stages


def test_each_step_of_the_image_works_and_what_it_starts_is_ready(bare: Debian) -> None:
    """On Debian's own Python, in the place of the image that it begins with."""
    base = bare.copied(bare.folder.parent / "base")
    base.run("apt-get install --yes --no-install-recommends python3-venv >/dev/null")
    base.run("ln -s python3 /usr/bin/python")
    building, serving = steps()
    build = base.copied(bare.folder.parent / "build")
    build.run("mv /root/stoa /source")
    for command in [value for instruction, value in building if instruction == "RUN"]:
        build.run(command)
    for command in [value for instruction, value in serving if instruction == "RUN"]:
        base.run(command)
    subprocess.run(["cp", "-a", build.folder / "opt/stoa", base.folder / "opt/stoa"], check=True)
    given = dict(serving)
    variables = dict(pair.split("=") for pair in given["ENV"].split())
    command = [*json.loads(given["ENTRYPOINT"]), *json.loads(given["CMD"])]
    check = json.loads(given["HEALTHCHECK"].partition(" CMD ")[2])
    script = START.format(serve=shlex.join(command), check=shlex.join(check))
    apart = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "sh", "-euc", script]
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **variables, "STOA_BASE_URL": LOCAL}
    subprocess.run(
        [*apart, "sh", f"chroot --userspec={given['USER']} {base.folder}", str(base.folder)],
        env=environment,
        check=True,
    )
