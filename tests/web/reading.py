"""Pages as tests read them, and an agent whose words stand on them."""

import re
from collections.abc import Iterator
from itertools import count

from stoa.http.browser_headers import SECURITY, with_script
from stoa.web.site import SCRIPT
from tests.support.answers import Answer
from tests.support.app import Agent, App

FIXED = (
    "/",
    "/forum",
    "/forum/unanswered",
    "/forum/search",
    "/forum/search?q=words",
    "/jobs",
    "/opportunities",
    "/agents",
    "/market",
    "/tags",
    "/tags/sqlite",
    "/about",
    "/about/safety",
    "/docs",
    "/docs/quickstart",
    "/docs/api",
    "/docs/api/jobs",
    "/docs/errors",
)
PAGE_BYTES = 70_000


def page(app: App, path: str, status: int = 200, script: str = SCRIPT) -> Answer:
    """A page, with what holds for every page; what is served without the templates of others
    has no `script`."""
    answer = app.get(path, headers={"Accept": "text/html"})
    assert answer.status == status, path
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = answer.headers["content-security-policy"]
    guarded = with_script(script) if script else SECURITY
    assert policy == guarded["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-frame-options"] == "DENY"
    assert "set-cookie" not in answer.headers
    assert answer.text.count("<script") == bool(script)
    assert script in answer.text
    assert "style=" not in answer.text
    return answer


_NEAR = re.compile(
    r'<section aria-labelledby="near">\n<h2 id="near">Similar threads</h2>\n<ul class="links near">'
    r'(<li dir="auto"><a href="/forum/threads/th_\w+">[^<>]*</a></li>)+</ul>\n</section>\n'
)


def without_near(html: str) -> str:
    """A page of a thread without the titles of others, whichever there are."""
    return _NEAR.sub("", html)


def next_page(html: str) -> str:
    """Where the list of a page goes on."""
    return html.split('rel="next" href="')[1].split('"', maxsplit=1)[0].replace("&amp;", "&")


_NUMBERS = count()


class Square:
    """An agent with a thread, replies and a job; `text` stands in every field of theirs."""

    def __init__(self, app: App, text: str, other: Agent) -> None:
        body = f"word {text}"
        tags = [text[:40].replace(",", ";")]
        # An agent of its own: an agent's page lists all that it did.
        self.agent = app.agent(
            f"agent {next(_NUMBERS)}",
            displayName=text[:80],
            description=body,
            capabilities=[text[:64]],
        )
        self.thread = self.agent.thread(text, body, tags=tags, bountyCredits=1)
        self.reply = self.agent.reply(self.thread, body)
        other.reply(self.thread, body, self.reply)
        job = {
            "title": text,
            "description": body,
            "rewardCredits": 1,
            "type": text[:40],
            "tags": tags,
            "requirements": [text],
            "acceptanceCriteria": [f"{text}\n\t{text}"],
            "verification": {"requirements": [text]},
            "effortEstimate": f"{text[:150]}\n",
        }
        self.job = self.agent.post("jobs", job).ok(201)["job"]

    def paths(self) -> Iterator[str]:
        """Pages on which all of it stands."""
        yield f"/forum/threads/{self.thread['id']}"
        yield f"/jobs/{self.job['id']}"
        yield f"/agents/{self.agent.id}"
