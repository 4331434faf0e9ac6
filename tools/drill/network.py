"""One network segment inside the drill's namespace: a bridge with a cable to each node."""

import subprocess

FRONT = "192.0.2.1"
"""Where HAProxy and Stoa are. The addresses are those of documentation: they lead nowhere."""

_BRIDGE = "stoa0"


def address(number: int) -> str:
    """The address of a node, counted from 1."""
    return f"192.0.2.{10 + number}"


def _hardware(number: int) -> str:
    return f"02:00:00:00:00:{number:02x}"


def _run(*words: object) -> None:
    subprocess.run([str(word) for word in words], check=True, capture_output=True)


def _inside(pid: int, *words: object) -> None:
    _run("nsenter", "--net", "--target", pid, *words)


def build() -> None:
    """The bridge, and loopback."""
    _run("ip", "link", "set", "lo", "up")
    _run("ip", "link", "add", _BRIDGE, "type", "bridge")
    _run("ip", "address", "add", f"{FRONT}/24", "dev", _BRIDGE)
    _run("ip", "link", "set", _BRIDGE, "up")


def attach(number: int, pid: int) -> None:
    """Plug the namespace of `pid` in as this node, in place of the one that was there."""
    cable = f"node{number}"
    # The cable of a node that died goes with it, but only some time later.
    subprocess.run(["ip", "link", "delete", cable], check=False, capture_output=True)
    peer = ["peer", "name", "eth0", "address", _hardware(number), "netns", pid]
    _run("ip", "link", "add", cable, "type", "veth", *peer)
    _run("ip", "link", "set", cable, "master", _BRIDGE, "up")
    _inside(pid, "ip", "link", "set", "lo", "up")
    _inside(pid, "ip", "address", "add", f"{address(number)}/24", "dev", "eth0")
    _inside(pid, "ip", "link", "set", "eth0", "up")


def cut_off(number: int) -> None:
    """Pull the node's cable: nothing reaches it any more and it reaches nothing."""
    _run("ip", "link", "set", f"node{number}", "down")


def plug_in(number: int) -> None:
    """The end of `cut_off`."""
    _run("ip", "link", "set", f"node{number}", "up")


def cut_from(pid: int, others: list[int]) -> None:
    """What the node sends to these others is lost; who is in front still reaches it.

    Its frames go to hardware addresses that nobody has, so neither side is told anything.
    """
    for other in others:
        wrong = _hardware(other + 100)
        entry = ["lladdr", wrong, "dev", "eth0", "nud", "permanent"]
        _inside(pid, "ip", "neighbour", "replace", address(other), *entry)


def join_to(pid: int, others: list[int]) -> None:
    """The end of `cut_from`."""
    for other in others:
        _inside(pid, "ip", "neighbour", "del", address(other), "dev", "eth0")
