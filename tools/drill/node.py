"""A node: etcd, Patroni and PostgreSQL as the processes of a machine of their own."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from tools.drill import needs, network, patroni

_MACHINE = [
    *("unshare", "--user", "--map-user=1000", "--map-group=1000", "--net", "--pid", "--fork"),
    *("--kill-child", "--mount-proc", "sh", "-c", "echo up; sleep infinity & wait"),
]
"""Namespaces with a user who is not root, as PostgreSQL wants it, and a shell that reaps."""


class Node:
    """One of the three, counted from 1. Its files stay when it dies."""

    def __init__(self, number: int, folder: Path) -> None:
        self.number = number
        self.name = f"node{number}"
        self.address = network.address(number)
        self.folder = folder / self.name
        self.folder.mkdir()
        self._configuration = patroni.write(number, self.folder)
        self._machine: subprocess.Popen[bytes] | None = None
        self.pid = 0

    def boot(self) -> None:
        """Switch the machine on, with everything that runs on it."""
        with self._log("machine") as log:
            self._machine = subprocess.Popen(_MACHINE, stdout=subprocess.PIPE, stderr=log)
        assert self._machine.stdout
        assert self._machine.stdout.readline() == b"up\n", "no namespaces for a node"
        own = self._machine.pid
        self.pid = int(Path(f"/proc/{own}/task/{own}/children").read_text("ascii"))
        network.attach(self.number, self.pid)
        self.start("etcd", *patroni.etcd_command(self.number, self.folder))
        self.start_patroni()

    def start_patroni(self) -> None:
        """Start Patroni, which starts PostgreSQL as what it has to be now."""
        self.start("patroni", str(needs.patroni_program()), str(self._configuration))

    def start(self, name: str, *command: str) -> None:
        """Start a program on this machine; it writes to a log of this name."""
        with self._log(name) as log:
            subprocess.Popen(self.inside(*command), stdout=log, stderr=log, cwd=self.folder)

    def inside(self, *command: str) -> list[str]:
        """The command that runs `command` on this machine, in the folder it is given in."""
        spaces = ["--user", "--net", "--pid", "--mount", "--preserve-credentials", "--wd=."]
        return ["nsenter", *spaces, "--target", str(self.pid), *command]

    def _log(self, name: str) -> IO[bytes]:
        return (self.folder / f"{name}.log").open("ab")

    def kill(self, *programs: str) -> int:
        """End all processes of these programs at once with SIGKILL; how many there were."""
        killed = 0
        while found := list(self._processes(programs)):
            for pid in found:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            killed += len(found)
        return killed

    def _processes(self, programs: tuple[str, ...]) -> Iterator[int]:
        own = Path(f"/proc/{self.pid}/ns/pid").readlink()
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                program = (entry / "comm").read_text("utf-8").strip()
                if program in programs and (entry / "ns/pid").readlink() == own:
                    yield int(entry.name)
            except OSError:
                continue  # it has ended

    def power_off(self) -> None:
        """End every process of the machine at once, as when it loses its power."""
        assert self._machine
        os.kill(self.pid, signal.SIGKILL)
        self._machine.wait()
