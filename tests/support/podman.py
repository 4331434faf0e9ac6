"""Images that podman builds and runs on this machine, in a store of their own, from no registry."""

import os
import resource
import shutil
import subprocess
from pathlib import Path
from typing import IO

from tests.support.debian import Debian

_SERVE = Path(__file__).parents[1] / "programs" / "container.sh"
_PATH = "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_OF_PIP = {"PIP_CERT"}
"""Variables by which pip trusts an index, beside the files of the system."""


def no_podman() -> str:
    """Why no image can be built on this machine; empty when one can."""
    lacking = [tool for tool in ("podman", "buildah", "crun") if not shutil.which(tool)]
    return f"needs {', '.join(lacking)}, which Debian has" if lacking else ""


class Podman:
    """Podman with all that it keeps in this folder."""

    def __init__(self, folder: Path) -> None:
        places = {"root": folder / "kept", "runroot": folder / "run", "tmpdir": folder / "tmp"}
        fixed = {"storage-driver": "vfs", "cgroup-manager": "cgroupfs", "events-backend": "none"}
        options = {**{name: str(place) for name, place in places.items()}, **fixed}
        self._command = ["podman", *(f"--{name}={value}" for name, value in options.items())]

    def bring(self, system: Debian, name: str) -> None:
        """Make an image of a system, with the name of one that would be downloaded."""
        variables = {"PATH": _PATH} | {name: os.environ[name] for name in _OF_PIP & {*os.environ}}
        changes = [f"--change=ENV {name}={value}" for name, value in variables.items()]
        packing = ["tar", "-C", system.folder, "-c", "."]
        with subprocess.Popen(packing, stdout=subprocess.PIPE) as packed:
            self._run("import", "--quiet", *changes, "-", name, given=packed.stdout)
        assert packed.returncode == 0

    def build(self, name: str, file: Path, context: Path) -> None:
        """Build an image as its file says, with the network of this machine and no registry."""
        local = ("--pull=never", "--isolation=chroot", "--network=host", "--layers=false")
        self._run(
            "build", "--quiet", "--format=docker", *local, f"-t={name}", f"-f={file}", str(context)
        )

    def served(self, name: str, options: list[str]) -> str:
        """Run an image until it has been healthy, without a network; what was seen of it."""
        files = resource.getrlimit(resource.RLIMIT_NOFILE)
        limits = (f"--ulimit=nofile={files[0]}:{files[1]}", "--ulimit=nproc=4096:4096")
        here = ("--network=host", "--cgroups=disabled", *limits)  # all in namespaces of the script
        apart = ["unshare", "--net", "--mount", "--pid", "--mount-proc", "--fork", "--kill-child"]
        command = [*apart, "sh", "-eu", str(_SERVE), " ".join(self._command), name]
        done = subprocess.run(
            [*command, *here, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    def _run(self, *arguments: str, given: IO[bytes] | None = None) -> None:
        done = subprocess.run(
            [*self._command, *arguments],
            stdin=given or subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
