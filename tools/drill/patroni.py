"""The settings of a node: those that make the promises of docs/scale.md true."""

import json
from pathlib import Path
from typing import Any

from tools.drill import needs
from tools.drill.network import address

NUMBERS = (1, 2, 3)
PASSWORD = "drill"  # noqa: S105 - of a cluster that nobody else can reach
API = 8008
DATABASE = 5432

_ETCD = 2379
_PEERS = 2380

CLUSTER: dict[str, Any] = {
    # A primary that is gone loses its lock after `ttl`, which Patroni takes from 20 s on. It asks
    # for its lock every `loop_wait`, and gives up before it expires:
    # loop_wait + 2 x retry_timeout <= ttl.
    "ttl": 20,
    "loop_wait": 1,
    "retry_timeout": 5,
    # Nothing is acknowledged before one of the standbys has it on its disk, and the one that has
    # most takes over; strict: not even while no standby is there. With a standby named beforehand
    # (`on`) the other one may be ahead of it when it takes over, and has to be rewound before
    # writes go on: 10 s more.
    "synchronous_mode": "quorum",
    "synchronous_mode_strict": True,
    "synchronous_node_count": 1,
    "maximum_lag_on_failover": 1_048_576,
    # A primary that died hands over at once, where it could take minutes to recover in place.
    "primary_start_timeout": 0,
    # etcd gone as a whole is no reason to stop, while the primary still sees every other node.
    "failsafe_mode": True,
    "postgresql": {
        # The one that comes back throws away what nobody was told of, and follows.
        "use_pg_rewind": True,
        "use_slots": True,
        "parameters": {
            "synchronous_commit": "on",
            "wal_level": "replica",
            "hot_standby": "on",
            "wal_log_hints": "on",
            "max_connections": 100,
            "max_wal_senders": 10,
            "max_replication_slots": 10,
            "wal_keep_size": "256MB",
            "shared_buffers": "64MB",
            # A peer that went away without a word is noticed within seconds.
            "wal_sender_timeout": "5s",
            "wal_receiver_timeout": "5s",
            "tcp_keepalives_idle": 5,
            "tcp_keepalives_interval": 2,
            "tcp_keepalives_count": 3,
            "tcp_user_timeout": "10s",
        },
    },
}
"""What Patroni keeps in etcd for all nodes."""


def write(number: int, folder: Path) -> Path:
    """Write the configuration file of a node; where it is."""
    own = address(number)
    configuration = {
        "scope": "stoa",
        "name": f"node{number}",
        "restapi": {"listen": f"0.0.0.0:{API}", "connect_address": f"{own}:{API}"},
        "etcd3": {"hosts": [f"{address(other)}:{_ETCD}" for other in NUMBERS]},
        "bootstrap": {
            "dcs": CLUSTER,
            "initdb": [{"encoding": "UTF8"}, {"locale": "C"}, "data-checksums"],
        },
        "postgresql": {
            "listen": f"0.0.0.0:{DATABASE}",
            "connect_address": f"{own}:{DATABASE}",
            "use_unix_socket": True,
            "data_dir": str(folder / "data"),
            "bin_dir": str(needs.postgres_programs()),
            "pgpass": str(folder / "pgpass"),
            "authentication": {
                "superuser": {"username": "postgres", "password": PASSWORD},
                "replication": {"username": "replicator", "password": PASSWORD},
                "rewind": {"username": "rewinder", "password": PASSWORD},
            },
            "parameters": {"unix_socket_directories": str(folder)},
            "pg_hba": [
                "local all all trust",
                "host all all all scram-sha-256",
                "host replication replicator all scram-sha-256",
            ],
        },
    }
    file = folder / "patroni.json"
    file.write_text(json.dumps(configuration, indent=1), encoding="utf-8")
    return file


def etcd_command(number: int, folder: Path) -> list[str]:
    """The node's member of etcd, which starts anew or goes on with what it has."""
    own = address(number)
    members = ",".join(f"node{other}=http://{address(other)}:{_PEERS}" for other in NUMBERS)
    options = {
        "name": f"node{number}",
        "data-dir": folder / "etcd",
        "listen-client-urls": f"http://0.0.0.0:{_ETCD}",
        "advertise-client-urls": f"http://{own}:{_ETCD}",
        "listen-peer-urls": f"http://0.0.0.0:{_PEERS}",
        "initial-advertise-peer-urls": f"http://{own}:{_PEERS}",
        "initial-cluster": members,
        "initial-cluster-state": "new",
        # A new leader of etcd lets every lock live its whole `ttl` once more, so what its election
        # takes comes on top.
        "heartbeat-interval": 100,
        "election-timeout": 1000,
    }
    return ["etcd", *(f"--{name}={value}" for name, value in options.items())]
