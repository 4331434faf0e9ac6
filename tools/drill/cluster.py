"""The three nodes together: who is primary, and whether all is well."""

import http.client
import json
import time
from pathlib import Path
from typing import Any

from tools.drill import network, patroni
from tools.drill.node import Node

_ANSWER_S = 1.0
_PAUSE_S = 0.1


class Unwell(Exception):
    """The cluster did not get where it should; the message says how it stands."""


class Cluster:
    """Three nodes, running when the constructor returns."""

    def __init__(self, folder: Path) -> None:
        network.build()
        self.nodes = [Node(number, folder) for number in patroni.NUMBERS]
        for node in self.nodes:
            node.boot()

    def ask(self, node: Node, path: str) -> tuple[int, dict[str, Any]]:
        """What a node's Patroni answers: status and JSON; 0 and nothing where it does not."""
        connection = http.client.HTTPConnection(node.address, patroni.API, timeout=_ANSWER_S)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError):
            return 0, {}
        finally:
            connection.close()

    def primary(self) -> Node | None:
        """The node that holds the lock, if one does."""
        return next((node for node in self.nodes if self.ask(node, "/primary")[0] == 200), None)

    def others(self, node: Node) -> list[Node]:
        """All but this one."""
        return [other for other in self.nodes if other is not node]

    def await_whole(self, seconds: float) -> Node:
        """Wait until there are a primary and two standbys that follow; the primary."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            primary = self.primary()
            if primary and self._whole(primary):
                return primary
            time.sleep(_PAUSE_S)
        standing = {node.name: self.ask(node, "/patroni")[1] for node in self.nodes}
        raise Unwell(f"the cluster is not whole after {seconds:.0f} s: {standing}")

    def _whole(self, primary: Node) -> bool:
        # Each speaks for itself: what etcd knows of a node may be older than what befell it.
        told = {node: self.ask(node, "/patroni")[1] for node in self.nodes}
        timeline = told[primary].get("timeline")
        follow = [
            own.get("replication_state") == "streaming"
            and own.get("timeline") == timeline
            and self.ask(node, "/quorum")[0] == 200
            for node, own in told.items()
            if node is not primary
        ]
        return all(follow)

    def await_other(self, old: Node, seconds: float) -> Node:
        """Wait until a node other than `old` is primary; that one."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            for node in self.others(old):
                if self.ask(node, "/primary")[0] == 200:
                    return node
            time.sleep(_PAUSE_S)
        raise Unwell(f"no other primary than {old.name} after {seconds:.0f} s")
