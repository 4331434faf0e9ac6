"""What is done to the primary, and how it is mended."""

from collections.abc import Callable
from dataclasses import dataclass

from tools.drill import network, patroni
from tools.drill.node import Node

Act = Callable[[Node], object]


@dataclass(frozen=True)
class Harm:
    """`survives`: the PostgreSQL of the old primary runs on, and may be asked to write."""

    name: str
    do: Act
    mend: Act
    survives: bool = False


def _others(node: Node) -> list[int]:
    return [number for number in patroni.NUMBERS if number != node.number]


KILLS = [
    # Patroni is still there, and brings its PostgreSQL back by itself.
    Harm("kill -9 PostgreSQL", lambda node: node.kill("postgres"), lambda _: None),
    Harm(
        "kill -9 PostgreSQL and Patroni",
        lambda node: node.kill("patroni", "postgres"),
        lambda node: node.start_patroni(),
    ),
    Harm("kill -9 the whole machine", lambda node: node.power_off(), lambda node: node.boot()),
]
CUTS = [
    Harm(
        "cut off from all",
        lambda node: network.cut_off(node.number),
        lambda node: network.plug_in(node.number),
        survives=True,
    ),
    Harm(
        "cut off from the other nodes",
        lambda node: network.cut_from(node.pid, _others(node)),
        lambda node: network.join_to(node.pid, _others(node)),
        survives=True,
    ),
    Harm(
        "kill -9 Patroni alone",
        lambda node: node.kill("patroni"),
        lambda node: node.start_patroni(),
        survives=True,
    ),
]
"""After these the old primary is still there, and must not acknowledge anything any more."""
