"""A bare Debian in a folder, as debootstrap makes it, and the same booted in its own namespaces."""

import os
import shutil
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.support.processes import until
from tests.support.server import children

RELEASE = "bookworm"
_BOOT = Path(__file__).parents[1] / "programs" / "boot.sh"
_CGROUP = "stoa-debian"
_CGROUPS = Path("/sys/fs/cgroup")
_REACHING = ("hosts", "resolv.conf", "ssl/certs/ca-certificates.crt")
"""By what the machine finds and trusts the indexes of packages, beside variables of pip."""
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def missing() -> str:
    """Why there can be no such system on this machine; empty when there can."""
    if os.geteuid():
        return "only root can make a Debian system and enter it"
    lacking = [tool for tool in ("debootstrap", "unshare", "ip") if not shutil.which(tool)]
    return f"needs {', '.join(lacking)}, which Debian has" if lacking else ""


class Debian:
    """The system in a folder. `variables` are those of all commands that are run there."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self.folder = folder
        own = {name: os.environ[name] for name in ("PIP_CERT",) if name in os.environ}
        self._environment = {"PATH": _PATH, "HOME": "/root", "LANG": "C.UTF-8", **own, **variables}
        self._enter = ["chroot", str(folder)]

    def make(self, *packages: str) -> None:
        """Fill the folder with the smallest system and these packages."""
        included = ",".join(packages)
        command = ["debootstrap", "--variant=minbase", f"--include={included}", RELEASE]
        subprocess.run([*command, str(self.folder)], check=True, stdout=subprocess.DEVNULL)
        for file in _REACHING:
            shutil.copy(f"/etc/{file}", self.folder / "etc" / file)

    def copied(self, folder: Path, **variables: str) -> "Debian":
        """The same in another folder."""
        subprocess.run(["cp", "-a", "--reflink=auto", f"{self.folder}/.", folder], check=True)
        return Debian(folder, **variables)

    def run(self, commands: str, folder: str = "/", user: str = "root") -> str:
        """Run commands of a shell there; what they printed. AssertionError when one fails."""
        become = [] if user == "root" else ["setpriv", "--clear-groups", *_ids(user), "--"]
        script = f"cd {folder}\n{commands}"
        done = subprocess.run(
            [*self._enter, *become, "sh", "-eu", "-c", script],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{commands}\n{done.stdout}"
        return done.stdout

    @contextmanager
    def booted(self, **variables: str) -> Generator["Debian"]:
        """The system with its services running, and no network but loopback."""
        log = self.folder.with_name(f"{self.folder.name}.log")
        with log.open("wb") as told:
            command = ["sh", str(_BOOT), str(self.folder), _CGROUP]
            process = subprocess.Popen(command, stdout=told, stderr=told)
        try:
            until(lambda: bool(children(process.pid)) or process.poll() is not None)
            assert process.poll() is None, log.read_text()
            (first,) = children(process.pid)
            running = Debian(self.folder, **self._environment, **variables)
            running._enter = ["nsenter", f"--target={first}", "--all", "--root", "--wd"]
            until(running._is_up)
            yield running
        finally:
            process.kill()  # and with it all that it has started
            process.wait()
            _remove_cgroups()

    def _is_up(self) -> bool:
        asked = [*self._enter, "systemctl", "is-system-running"]
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
        return done.stdout.strip() in ("running", "degraded")


def _ids(user: str) -> list[str]:
    uid, _, gid = user.partition(":")
    return [f"--reuid={uid}", f"--regid={gid}"]


def _remove_cgroups() -> None:
    for tree in (_CGROUPS, _CGROUPS / "systemd", _CGROUPS / "unified"):
        for folder, _, _ in os.walk(tree / _CGROUP, topdown=False):
            until(lambda folder=folder: _removed(folder))


def _removed(folder: str) -> bool:
    try:
        Path(folder).rmdir()
    except OSError:  # its last process is about to end
        return False
    return True
