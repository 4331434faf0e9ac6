"""Tells systemd the state of the service, as sd_notify does, and takes the socket that it has
opened."""

import os
import socket
from contextlib import suppress

from stoa import configuration
from stoa.store.tx import StartRefused

_FIRST_SOCKET = 3
READY = "READY=1"
ALIVE = "WATCHDOG=1"
STOPPING = "STOPPING=1"


def notify(state: str) -> None:
    """Tell systemd a state, if it has started this service and asks for it."""
    address = configuration.notify_address()
    if address is None:
        return
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.setblocking(False)  # a systemd that is busy must not stop the supervisor
        sender.sendto(state.encode(), address)


def inherited_listener() -> socket.socket | None:
    """The listening socket that systemd has opened for this service, None without one.

    It goes on taking connections while the service is restarted. Raises `StartRefused` and
    SettingsError.
    """
    count = configuration.inherited_sockets()
    if not count:
        return None
    if count > 1:
        raise StartRefused(f"systemd hands over {count} sockets: name one address in stoa.socket")
    try:
        os.set_inheritable(_FIRST_SOCKET, False)
        listener = socket.socket(fileno=_FIRST_SOCKET)
    except OSError as error:
        raise StartRefused(f"the socket of systemd cannot be used: {error.strerror}") from error
    if listener.family not in (socket.AF_INET, socket.AF_INET6):
        raise StartRefused("systemd hands over a socket without a port: use ListenStream=8080")
    return listener
