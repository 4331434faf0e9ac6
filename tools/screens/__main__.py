"""`make screens`: takes the pictures in docs/screens anew.

They show an imported archive of Stack Exchange, the demo, and a town that has what is hard to set.
"""

import argparse
import asyncio
import subprocess
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple
from urllib.parse import quote

import httpx
from playwright.sync_api import Browser, sync_playwright

from stoa.client import Key
from stoa.demo.stage import stage
from stoa.demo.story import Story
from tests.support.browser import launch
from tests.support.limits_off import LIMITS_OFF
from tests.support.server import MODERATOR_SEED, Server
from tests.web.town import Town

Scheme = Literal["light", "dark"]
Shot = tuple[int, Scheme]

_HEIGHTS = {360: 800, 768: 900, 1440: 900, 1920: 1080}
_ALL: tuple[Shot, ...] = tuple(product(_HEIGHTS, ("light", "dark")))
_QUALITY = 35


class Picture(NamedTuple):
    """A page that is shown, and how."""

    name: str
    path: str
    shots: Iterable[Shot]


def of_site(url: str, prefix: str, job: str | None = None) -> list[Picture]:
    """Every page that is another on each site: one of its most answered threads, its best agent, a
    `job`; with names that begin with `prefix`."""

    def first(path: str, member: str) -> Any:
        return httpx.get(f"{url}/api/v1/{path}").raise_for_status().json()[member][0]

    answered = first("threads?sort=replies&status=answered", "threads")
    longest = first("threads?sort=replies", "threads")
    agent = first("agents", "agents")["id"]
    shown = {
        "home": "/",
        "forum": "/forum",
        "unanswered": "/forum/unanswered",
        "thread": f"/forum/threads/{answered['id']}",
        "longest-thread": f"/forum/threads/{longest['id']}",
        "reply": f"/forum/replies/{answered['acceptedReplyId']}",
        "search": f"/forum/search?q={quote(answered['title'].split()[-1].strip('?'))}",
        "nothing-found": "/forum/search?q=zebras",
        "tags": "/tags",
        "tag": f"/tags/{quote(answered['tags'][0])}",
        "jobs": "/jobs",
        "opportunities": "/opportunities",
        "agents": "/agents",
        "agent": f"/agents/{agent}",
        "answers": f"/agents/{agent}/answers",
        "market": "/market",
        "moderation": "/moderation",
    }
    if job:
        shown["job"] = f"/jobs/{job}"
    return [Picture(f"{prefix}{name}", path, _ALL) for name, path in shown.items()]


def of_demo(url: str) -> list[Picture]:
    """Pages of the demo, and those that are the same everywhere."""
    jobs = httpx.get(f"{url}/api/v1/jobs?status=COMPLETED").json()["jobs"]
    steps = max(jobs, key=lambda job: job["submissionCount"])
    same = {
        "about": "/about",
        "safety": "/about/safety",
        "docs": "/docs",
        "docs-page": "/docs/quickstart",
        "api": "/docs/api",
        "api-of-jobs": "/docs/api/jobs",
        "errors": "/docs/errors",
        "error": "/docs/errors/rate_limited",
    }
    pictures = [Picture(name, path, _ALL) for name, path in same.items()]
    return [*of_site(url, "demo-", steps["id"]), *pictures]


def of_town(paths: dict[str, str]) -> list[Picture]:
    """Pages with what is hard to set, and what the others lack."""
    return [
        Picture("moderation", paths["moderation"], _ALL),
        Picture("text", paths["text"], _ALL),
        Picture("open-job", paths["open-job"], _ALL),
        Picture("missing", paths["missing"], [(360, "dark")]),
        Picture("long", paths["long"], [(360, "light")]),
        Picture("wide", paths["formatted"], [(360, "light")]),
        Picture("marks", paths["marks"], [(768, "light")]),
        Picture("arabic", paths["arabic"], [(360, "light")]),
        Picture("japanese", paths["japanese"], [(360, "dark")]),
        Picture("nameless-agent", paths["nameless-agent"], [(360, "light")]),
    ]


def take(folder: Path, url: str, pictures: Iterable[Picture], now_ms: int | None = None) -> None:
    """Keep the pictures, wide ones at half their size; `now_ms` is the time that pages are read
    at, where it is not now."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for picture in pictures:
            for width, scheme in picture.shots:
                _shoot(browser, folder, url, picture, width, scheme, now_ms)
        browser.close()


def _shoot(
    browser: Browser,
    folder: Path,
    url: str,
    picture: Picture,
    width: int,
    scheme: Scheme,
    now_ms: int | None,
) -> None:
    page = browser.new_page(
        viewport={"width": width, "height": _HEIGHTS[width]},
        color_scheme=scheme,
        device_scale_factor=1 if width == 360 else 0.5,
    )
    if now_ms is not None:
        page.clock.set_fixed_time(now_ms / 1000)
    page.goto(url + picture.path)
    name = f"{picture.name}-{width}-{scheme}.jpg"
    page.screenshot(path=folder / name, type="jpeg", quality=_QUALITY)
    page.close()


@contextmanager
def served(data: Path) -> Generator[str]:
    """The address of a server of this data, with a moderator."""
    moderator = Key(MODERATOR_SEED).public_key
    server = Server(data, {**LIMITS_OFF, "admin_keys": moderator})
    try:
        yield server.url
    finally:
        server.stop()


def archive(folder: Path, posts: Path, data: Path) -> None:
    """Import an archive, and show it."""
    place = ("--data-dir", str(data))
    _stoa("migrate", *place)
    _stoa(
        "import",
        "stackexchange",
        str(posts),
        "--direct",
        *place,
        "--site",
        _SITE,
        "--keys",
        str(data / "keys"),
    )
    with served(data) as url:
        take(folder, url, of_site(url, "beer-"))


_SITE = "beer.stackexchange.com"


def _stoa(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "stoa", *arguments], check=True)


async def demo(folder: Path) -> None:
    """Play the demo, and show where it ends."""
    async with stage() as running:
        await Story(running, lambda _: None).play()
        url, now = running.url, running.clock()
        await asyncio.to_thread(lambda: take(folder, url, of_demo(url), now))


def town(folder: Path, data: Path) -> None:
    """Fill a town, and show it."""
    with served(data) as url:
        take(folder, url, of_town(Town(url).paths))


def main() -> None:
    """Take all pictures anew."""
    parser = argparse.ArgumentParser(prog="python -m tools.screens", description=__doc__)
    parser.add_argument("posts", type=Path, help="Posts.xml of an archive")
    parser.add_argument("--folder", type=Path, default=Path("docs/screens"))
    asked = parser.parse_args()
    with TemporaryDirectory() as scratch:
        archive(asked.folder, asked.posts, Path(scratch) / "archive")
        town(asked.folder, Path(scratch) / "town")
    asyncio.run(demo(asked.folder))


if __name__ == "__main__":
    main()
