"""What stands between Stoa and the nodes: HAProxy, and PgBouncer where it is wanted."""

import subprocess
from pathlib import Path

from tools.drill import network, patroni

WRITES = 5000
READS = 5001
POOLED = 6432
USER = "stoa"

_GLOBAL = """\
global
    maxconn 1000
defaults
    mode tcp
    retries 0
    timeout connect 2s
    timeout client 30m
    timeout server 30m
    timeout check 1s
    option clitcpka
    option srvtcpka
"""
_SECTION = """\
listen {name}
    bind 127.0.0.1:{port}
    option httpchk GET {path}
    http-check expect status 200
    default-server check port {api} inter 1s fastinter 500ms fall 3 rise 1 on-marked-down \
shutdown-sessions
"""
_POOLER = """\
[databases]
* = host=127.0.0.1 port={writes}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {users}
pool_mode = transaction
max_prepared_statements = 200
default_pool_size = 20
max_client_conn = 500
server_login_retry = 1
server_connect_timeout = 3
query_wait_timeout = 10
tcp_keepalive = 1
"""


def start_haproxy(folder: Path) -> "subprocess.Popen[bytes]":
    """Writes go to the node that says it is primary, reads to those that say they follow."""
    sections = [_GLOBAL]
    for name, port, path in (("writes", WRITES, "/primary"), ("reads", READS, "/replica")):
        sections.append(_SECTION.format(name=name, port=port, path=path, api=patroni.API))
        for number in patroni.NUMBERS:
            place = f"{network.address(number)}:{patroni.DATABASE}"
            sections.append(f"    server node{number} {place}\n")
    file = folder / "haproxy.cfg"
    file.write_text("".join(sections), encoding="utf-8")
    return _start(["haproxy", "-db", "-f", str(file)], folder / "haproxy.log")


def start_pgbouncer(folder: Path) -> "subprocess.Popen[bytes]":
    """A pool in transaction mode in front of HAProxy's port for writes."""
    users = folder / "pgbouncer.users"
    users.write_text(f'"{USER}" "{patroni.PASSWORD}"\n', encoding="utf-8")
    file = folder / "pgbouncer.ini"
    file.write_text(_POOLER.format(writes=WRITES, port=POOLED, users=users), encoding="utf-8")
    # It refuses to be root, which in these namespaces is just the user that started the drill.
    command = ["unshare", "--user", "--map-user=1000", "pgbouncer", str(file)]
    return _start(command, folder / "pgbouncer.log")


def _start(command: list[str], log: Path) -> "subprocess.Popen[bytes]":
    with log.open("ab") as out:
        return subprocess.Popen(command, stdout=out, stderr=out)
