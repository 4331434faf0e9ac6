"""`stoa`, loaded once: runs it in a new process for each request that comes over a socket.

    loaded.py DESCRIPTOR

A request is a length of four bytes, with which come the descriptors of stdout, stderr and a pipe,
and so many bytes of JSON. The pipe gets the id of the process and, when it has ended, its status,
four bytes each. The process finds what it would find if it had been started by itself; but what
commands and `stoa serve` import and prepare is there already, which takes most of their time.
"""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import runpy
import signal
import socket
import struct
import sys
import threading
from contextlib import suppress
from typing import Any

import stoa.cli
from stoa.store import dependencies
from stoa.store.engines.sqlite import access

_MODULES = (
    "stoa.app",
    "stoa.cli.main",
    "stoa.cli.serve_flags",
    "stoa.cli.serving",
    "stoa.cli.starting",
    "stoa.cli.supervising",
    "stoa.cli.worker_process",
    "stoa.server.server",
    "stoa.store.engines.postgres.engine",
    "stoa.store.engines.sqlite.engine",
    "typer._adapters",
    "uvicorn.loops.uvloop",
    "uvloop",
    *(found.name for found in pkgutil.walk_packages(stoa.cli.__path__, "stoa.cli.")),
)


def _reap(*_: object) -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _exactly(requests: socket.socket, length: int) -> bytes:
    found = b""
    while len(found) < length:  # a process that ends interrupts a longer look too
        found += requests.recv(length - len(found))
    return found


def _next(requests: socket.socket) -> dict[str, Any]:
    """Fork for each request; it returns only in a process that is to run one."""
    while True:
        start, given, *_ = socket.recv_fds(requests, 4, 3)
        if not start:
            sys.exit()
        wanted = json.loads(_exactly(requests, *struct.unpack("I", start)))
        if not os.fork():
            requests.close()
            _fork_again(*given)
            return wanted
        for one in given:
            os.close(one)


def _fork_again(stdout: int, stderr: int, told: int) -> None:
    """Go on in a fork, for which this process waits."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if process := os.fork():
        os.close(stdout)
        os.close(stderr)
        os.write(told, struct.pack("I", process))
        _, status = os.waitpid(process, 0)
        with suppress(BrokenPipeError):  # nobody wants to know any more
            os.write(told, struct.pack("I", status))
        os._exit(0)
    os.close(told)
    os.dup2(stdout, 1)
    os.dup2(stderr, 2)
    os.close(stdout)
    os.close(stderr)


def _open_streams() -> None:
    """The ones there are were opened for other descriptors: they know whether those are files."""
    for number, name, buffering in ((1, "stdout", -1), (2, "stderr", 1)):
        how = getattr(sys, name)
        new = os.fdopen(number, "w", buffering, how.encoding, how.errors, closefd=False)
        setattr(sys, name, new)


def _end(code: object) -> None:
    """End without taking apart what is loaded, which takes longer than most commands. It returns
    where that is not so plain: a code that is a text, a stream that nobody reads."""
    if code is not None and not isinstance(code, int):
        return
    library: Any = threading
    library._shutdown()  # as an exit does: it waits for threads
    library = atexit
    library._run_exitfuncs()
    with suppress(OSError, ValueError):
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code or 0)


def main() -> None:
    """See above."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends this one with what it serves
    signal.signal(signal.SIGCHLD, _reap)
    gc.disable()
    for name in _MODULES:
        importlib.import_module(name)
    dependencies.prepare()
    access.close()  # no connection goes over a fork
    gc.freeze()
    wanted = _next(socket.socket(fileno=int(sys.argv[1])))
    gc.enable()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _open_streams()
    os.environ.clear()
    os.environ.update(wanted["environment"])
    os.chdir(wanted["folder"])
    sys.argv = ["stoa", *wanted["arguments"]]
    try:
        if wanted["program"]:
            runpy.run_path(wanted["program"], run_name="__main__")
        else:
            runpy.run_module("stoa", run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        _end(ended.code)
        raise


if __name__ == "__main__":
    main()
