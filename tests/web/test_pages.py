"""The pages for people: what they show, what they never do."""

import json
import re
import shlex
from html import unescape
from urllib.parse import urljoin

import pytest
from lxml import etree

from stoa.operations.catalog import all_operations
from stoa.operations.table import Access
from stoa.web.identicons import identicon
from stoa.web.site import REPLIES
from tests.support import jobs
from tests.support.app import NOTHING, App
from tests.support.database import rows
from tests.support.key_changes import name_recovery, recover, rotate
from tests.support.keys import Key
from tests.support.soaking import few
from tests.support.steps import Steps, look_at
from tests.web.microdata import items
from tests.web.payloads import payloads
from tests.web.reading import FIXED, PAGE_BYTES, Square, next_page, page, without_near
from tests.web.structure import outline

_IN_TRANSACTIONS = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND state = 'idle in transaction'
"""


@pytest.mark.parametrize("path", FIXED)
def test_an_empty_stoa_has_every_page(stoa: App, path: str) -> None:
    answer = page(stoa, path)
    assert len(answer.content) <= PAGE_BYTES


def test_a_stoa_in_use_has_every_page(stoa: App) -> None:
    square = Square(stoa, "A plain title", stoa.agent("other"))
    found = {*FIXED, *square.paths(), f"/forum/replies/{square.reply['id']}"}
    for path in found:
        assert len(page(stoa, path).content) <= PAGE_BYTES


@pytest.mark.promise("X3")
@pytest.mark.parametrize("part", few(range(10)))
def test_no_text_of_an_agent_changes_the_structure_of_a_page(stoa: App, part: int) -> None:
    other = stoa.agent("other")
    benign = Square(stoa, "plain", other)
    expected = [outline(page(stoa, path).text) for path in benign.paths()]
    for text in payloads()[part::10]:
        square = Square(stoa, text, other)
        found = [outline(without_near(page(stoa, path).text)) for path in square.paths()]
        assert found == expected, text


@pytest.mark.promise("X4")
@pytest.mark.parametrize("text", few(payloads()[::25], 6))
def test_no_text_changes_the_structure_of_a_list_or_a_feed(stoa: App, text: str) -> None:
    square = Square(stoa, text, stoa.agent("other"))
    for path in (
        *("/", "/forum", "/jobs", "/opportunities", "/agents", "/forum/search?q=word"),
        f"/forum/replies/{square.reply['id']}",
    ):
        html = page(stoa, path).text
        shown = [element for found in outline(html) for element in found]
        assert {"img", "iframe", "style", "object", "h6"}.isdisjoint(shown)
        assert shown.count("script") == 1
        assert html.count("<svg") == html.count('<svg class="sign i')
    atom = etree.fromstring(stoa.get("/feeds/newest.atom").content)
    assert len(atom.findall("{http://www.w3.org/2005/Atom}entry")) == 1
    assert json.loads(stoa.get("/feeds/newest.json").content)["items"][0]["title"] == text


def test_criteria_and_effort_of_a_job_are_shown_as_text_of_several_lines(stoa: App) -> None:
    text = "<b>one</b>\n\t- two\u202e\x07"
    job = jobs.offer(stoa.agent("ada"), 1, acceptanceCriteria=[text], effortEstimate=text)
    html = page(stoa, f"/jobs/{job['id']}").text
    assert html.count("&lt;b&gt;one&lt;/b&gt;\n\t- two&lt;U+202E&gt;&lt;U+0007&gt;") == 2


@pytest.mark.parametrize(
    "address",
    [
        "data:text/html,<script>alert(1)</script>",
        "data:image/png;base64,AAAA",
        "data:image/gif;base64,AAAA",
        "DATA:image/png;base64,AAAA",
        "vbscript:x",
        "file:///etc/passwd",
        "ftp://a.example",
        "blob:https://a.example/1",
    ],
)
def test_a_link_leads_to_the_web_or_to_a_mailbox_only(stoa: App, address: str) -> None:
    body = f"[a]({address}) ![b]({address}) <{address}>\n\n[c]: {address}\n\n[c] ![c]"
    html = page(stoa, f"/forum/threads/{stoa.agent('ada').thread(body=body)['id']}").text
    shown = html.partition("</h1>")[2].lower()
    assert f'href="{address.partition(":")[0].lower()}:' not in shown


@pytest.mark.parametrize(
    ("body", "noted"),
    [
        ("plain", False),
        ("two\r\nlines\tand 👩‍💻", False),
        ("zero\u200bwidth", True),
        ("tag \U000e0041", True),
    ],
)
def test_a_page_says_when_it_shows_what_cannot_be_seen(
    stoa: App, body: str, *, noted: bool
) -> None:
    ada = stoa.agent("ada")
    thread = ada.thread(body=body)
    job = jobs.offer(ada, 1, description=body)
    for path in (f"/forum/threads/{thread['id']}", f"/jobs/{job['id']}"):
        html = page(stoa, path).text
        assert ("Characters that cannot be seen are shown as" in html) is noted


def test_markdown_is_shown_without_what_could_load_or_run(stoa: App) -> None:
    asker = stoa.agent("asker")
    body = (
        "# Big\n\n```python\nx = 1\n```\n\n![a](https://evil.example/a.png) "
        "[b](javascript:alert(1)) [c](https://good.example) <b>d</b> \u202e"
    )
    html = page(stoa, f"/forum/threads/{asker.thread(body=body)['id']}").text
    assert '<h3 dir="auto">Big</h3>' in html
    assert 'href="https://evil.example/a.png" rel="nofollow ugc noopener">Image: a</a>' in html
    assert '<a href="https://good.example" rel="nofollow ugc noopener">c</a>' in html
    assert "&lt;b&gt;d&lt;/b&gt;" in html
    assert "&lt;U+202E&gt;" in html
    assert "<img" not in html
    assert 'href="javascript' not in html


def test_a_thread_page_shows_a_new_reply_at_once(stoa: App) -> None:
    asker = stoa.agent("asker")
    thread = asker.thread()
    path = f"/forum/threads/{thread['id']}"
    assert "Brand new." not in page(stoa, path).text
    asker.reply(thread, "Brand new.")
    assert "Brand new." in page(stoa, path).text


def test_a_thread_page_shows_the_refund_of_a_bounty_on_time(stoa: App) -> None:
    asker = stoa.agent("asker")
    thread = asker.thread(bountyCredits=5)
    path = f"/forum/threads/{thread['id']}"
    stoa.clock.advance(72 * 3_600_000 - 1)
    assert "for the accepted answer" in page(stoa, path).text
    stoa.clock.advance(1)
    assert "went back to its author" in page(stoa, path).text


def test_a_long_thread_is_read_page_by_page(stoa: App) -> None:
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    thread = asker.thread()
    for number in range(2 * REPLIES + 5):
        worker.reply(thread, f"Reply number {number}.")
    html = page(stoa, f"/forum/threads/{thread['id']}").text
    last, beyond = f"Reply number {REPLIES - 1}.", f"Reply number {REPLIES}."
    assert (last in html, beyond in html) == (True, False)
    assert beyond in page(stoa, next_page(html)).text


def test_a_full_page_of_replies_is_small_without_their_texts(stoa: App) -> None:
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    thread = asker.thread()
    parent = None
    for number in range(REPLIES):
        parent = worker.reply(thread, "x", parent if number % 25 else None)
    assert len(page(stoa, f"/forum/threads/{thread['id']}").content) <= PAGE_BYTES


def test_deep_branches_and_long_texts_are_folded(stoa: App) -> None:
    asker = stoa.agent("asker")
    thread = asker.thread(body="long " * 1500)
    parent = None
    for _ in range(6):
        parent = asker.reply(thread, "deeper", parent)
    html = page(stoa, f"/forum/threads/{thread['id']}").text
    assert "A long text of 7,500 characters" in html
    assert re.findall("<summary>(.*) below</summary>", html) == ["3 more"]
    for _ in range(REPLIES - 2):
        parent = asker.reply(thread, "deeper", parent)
    later = page(stoa, next_page(page(stoa, f"/forum/threads/{thread['id']}").text)).text
    assert later.partition("<details>")[0].count('class="reply"') == 3
    assert later.count("more below") == 1


def test_a_page_takes_the_same_number_of_queries_for_5_replies_as_for_500(
    stoa: App, steps: Steps
) -> None:
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    needed: list[int] = []
    asker.thread()  # stands beside the others
    for replies in (5, 500):
        thread = asker.thread()
        for _ in range(replies):
            worker.reply(thread)
        steps.taken.clear()
        page(stoa, f"/forum/threads/{thread['id']}")
        needed.append(sum("." in step for step in steps.taken))
    assert 0 < needed[0] == needed[1] <= 8


def test_search_counts_the_threads_marks_the_words_and_links_to_the_reply(stoa: App) -> None:
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    thread = asker.thread("Bread", "It stays flat.")
    reply = worker.reply(thread, "Let it rise <b>longer</b>.")
    html = page(stoa, "/forum/search?q=rise").text
    assert "Let it <mark>rise</mark> &lt;b&gt;longer&lt;/b&gt;." in html
    assert f'href="/forum/replies/{reply["id"]}"' in html
    assert "1 thread</p>" in html
    markdown = stoa.call("GET", "/forum/search?q=rise", headers={"Accept": "text/markdown"})
    assert b"1 thread:" in markdown.content
    for more, shown in (("status=open&sort=recent", True), ("status=answered", False)):
        html = page(stoa, f"/forum/search?q=rise&{more}").text
        assert ("<mark>rise</mark>" in html) is shown
        assert f'<option value="{more.split("&")[0][7:]}" selected>' in html


def test_the_image_of_a_reply_is_named_alike_wherever_the_reply_is_shown(stoa: App) -> None:
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    thread = asker.thread("Bread", "It stays flat.")
    image = "![a loaf](https://e.org/loaf.png)"
    reply = worker.reply(thread, f"{image} says more.\n\n{'word ' * 1_500}")
    long = "more " * 6_000
    worker.reply(thread, long)
    worker.reply(thread, f"{image} beyond the room. {long}")
    address = f"/forum/threads/{thread['id']}"
    for path in (address, f"/forum/replies/{reply['id']}", "/forum/search?q=says"):
        html = page(stoa, path).text
        assert "Image: a loaf" in html, path
        assert "![" not in html, path
    assert "Image: a loaf beyond the room." in page(stoa, address).text


def test_the_reference_shows_code_as_code(stoa: App) -> None:
    errors = page(stoa, "/docs/errors").text
    assert "The bucket named by <code>X-RateLimit-Resource</code> is full." in errors
    for path in ("/docs/errors", "/docs/errors/rate_limited", "/docs/api", "/docs/api/jobs"):
        shown = page(stoa, path).text.partition("<main")[2].partition("</main>")[0]
        assert "`" not in re.sub("<pre.*?</pre>", "", shown, flags=re.DOTALL)


def test_the_reference_leads_to_each_operation_with_its_fields_and_to_each_error(
    stoa: App,
) -> None:
    whole = page(stoa, "/docs/api").text
    groups = {tag: page(stoa, f"/docs/api/{tag}") for tag in {one.tag for one in all_operations()}}
    assert max(len(answer.content) for answer in groups.values()) <= PAGE_BYTES
    for one in all_operations():
        assert f'<li id="{one.name}"><a href="/docs/api/{one.tag}#{one.name}">' in whole
        shown = groups[one.tag].text.partition(f'id="{one.name}"')[2].partition("</details>")[0]
        assert all(f"<code>{name}</code>" in shown for name in one.path_fields)
        assert all(f'<a href="/docs/errors/{code}">' in shown for code in one.errors)
    described = re.findall('href="(/openapi[^"]+)"', groups["inbox"].text)
    assert stoa.get(described[-1]).ok()["paths"].keys() == {
        one.path for one in all_operations() if one.tag == "inbox"
    }
    page(stoa, "/docs/api/nothing", 404)


def test_the_reference_has_a_command_for_each_operation_that_is_a_whole_call(stoa: App) -> None:
    groups = {tag: page(stoa, f"/docs/api/{tag}").text for tag in {o.tag for o in all_operations()}}
    for one in all_operations():
        html = groups[one.tag].partition(f'id="{one.name}"')[2]
        command = unescape(re.findall('<code class="language-sh">(.*?)</code>', html, re.DOTALL)[0])
        program, _, address, *options = shlex.split(command.replace("\\\n", " "))
        assert (program, "Bearer $TOKEN" in command) == ("curl", one.who.access is Access.AGENT)
        given = dict(zip(options[::2], options[1::2], strict=True))
        assert given.get("-X", "GET") == one.method
        path = address.removeprefix(stoa.settings.origin)
        body = json.loads(given["-d"]) if "-d" in given else NOTHING
        status = stoa.agent(one.name).call(one.method, path, body).status
        refused = (400,) if one.name == "retire_agent" else (401,) if "signature" in command else ()
        assert status not in {400, 401, 405, 415, 421, 500} - {*refused}, command


def test_a_job_page_shows_its_life_and_no_submitted_work(stoa: App) -> None:
    creator, worker = stoa.agent("creator"), stoa.agent("worker")
    job = creator.post("jobs", {"title": "Work", "description": "Do it.", "rewardCredits": 5}).ok(
        201
    )["job"]
    worker.post(f"jobs/{job['id']}/claim").ok()
    worker.post(f"jobs/{job['id']}/submit", {"body": "a secret canary"}).ok(201)
    html = page(stoa, f"/jobs/{job['id']}").text
    assert [html.index(f"<span>{step}</span>") for step in ("created", "claimed", "submitted")]
    assert "canary" not in html


def test_a_job_page_names_who_gave_the_job_back(stoa: App) -> None:
    creator, worker = stoa.agent("creator"), stoa.agent("Haskell")
    offer = {"title": "Work", "description": "Do it.", "rewardCredits": 5}
    job = creator.post("jobs", offer).ok(201)["job"]
    worker.post(f"jobs/{job['id']}/claim").ok()
    worker.post(f"jobs/{job['id']}/release").ok()
    for form in ("text/html", "text/markdown"):
        text = stoa.get(f"/jobs/{job['id']}", headers={"Accept": form}).ok().text
        assert "Haskell" in text
        assert "an agent" not in text.partition("Life of this job")[2].partition("footer")[0]


def test_the_page_of_an_agent_that_withdrew_its_answer_says_that_none_can_be_read(
    stoa: App,
) -> None:
    ada, bob = stoa.agent("ada"), stoa.agent("bob")
    reply = bob.reply(ada.thread())
    bob.post(f"replies/{reply['id']}/withdraw").ok()
    html = page(stoa, f"/agents/{bob.id}").text
    assert "It gave 1 answer" in html
    assert "There is none to read yet." in html
    own = page(stoa, f"/forum/replies/{reply['id']}").text
    assert 'name="description" content="Its author withdrew this reply."' in own


def test_the_page_of_an_agent_shows_its_chain_of_keys(stoa: App) -> None:
    ada, new, offline = stoa.agent("Ada"), Key("new"), Key("offline")
    stoa.clock.advance(60_000)
    rotate(ada, new).ok()
    ada.key = new
    ada.sign_in()
    first, _ = stoa.get(f"/api/v1/agents/{ada.id}/keys").ok()["keys"]
    page = stoa.get(f"/agents/{ada.id}").text
    assert f'title="{Key("Ada").public}"' in page
    times = re.findall(r'datetime="([^"]+)"', page.partition("retired, from")[2])
    assert times[:2] == [first["since"], first["until"]]
    assert "No recovery key is named." in page
    name_recovery(ada, offline).ok()
    recover(stoa, ada.id, offline, Key("third")).ok()
    page = stoa.get(f"/agents/{ada.id}").text
    assert f'title="{Key("third").public}"' in page
    assert "pending, from" in page
    assert "A recovery key is named." in page
    assert "its key is being recovered until" in page
    markdown = stoa.get(f"/agents/{ada.id}", headers={"Accept": "text/markdown"}).text
    begun, ended = (first[of][:16] for of in ("since", "until"))
    assert f"- Key {first['publicKey']}, retired, from {begun}Z to {ended}Z\n- Key" in markdown
    assert f", active, joined {begun}Z" in markdown


def test_the_page_of_an_agent_names_those_it_worked_for(stoa: App) -> None:
    creator, worker = stoa.agent("creator"), stoa.agent("worker")
    jobs.job_in("COMPLETED", creator, worker)
    html = page(stoa, f"/agents/{worker.id}").text
    assert f'<a href="/agents/{creator.id}">{identicon(creator.id)}creator</a>' in html


def test_a_thread_is_marked_up_as_a_question_with_its_answers(stoa: App) -> None:
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    thread = asker.thread("Bread", "It stays flat.")
    worker.reply(thread, "Use less salt.")
    accepted = worker.reply(thread, "Let it rise.")
    asker.reply(thread, "I did.", accepted)
    asker.accept(thread, accepted).ok()
    (qa,) = items(page(stoa, f"/forum/threads/{thread['id']}").text)
    (question,) = qa["mainEntity"]
    assert question["name"] == ["Bread"]
    assert question["text"] == ["It stays flat."]
    assert question["author"][0]["name"] == ["asker"]
    assert question["answerCount"] == ["2"]
    (best,) = question["acceptedAnswer"]
    assert best["text"] == ["Let it rise."]
    assert best["author"][0]["name"] == ["worker"]
    (suggested,) = question["suggestedAnswer"]
    assert suggested["text"] == ["Use less salt."]
    assert suggested["dateCreated"][0].startswith("2027-01-15T")
    assert best["comment"][0]["text"] == ["I did."]


@pytest.mark.parametrize(("best", "again"), [(0, []), (REPLIES, [[f"Reply {REPLIES}"]])])
def test_an_accepted_answer_stands_once_in_the_microdata_of_a_page(
    stoa: App, best: int, again: list[list[str]]
) -> None:
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    thread = asker.thread("Bread", "It stays flat.")
    replies = [worker.reply(thread, f"Reply {number}") for number in range(REPLIES + 1)]
    asker.accept(thread, replies[best]).ok()
    first = page(stoa, f"/forum/threads/{thread['id']}").text
    second = page(stoa, next_page(first)).text
    for html, accepted in ((first, [[f"Reply {best}"]]), (second, again)):
        (qa,) = items(html)
        (question,) = qa["mainEntity"]
        assert [one["text"] for one in question.get("acceptedAnswer", ())] == accepted
        others = [one["text"] for one in question.get("suggestedAnswer", ())]
        assert [f"Reply {best}"] not in others


def test_an_accepted_reply_to_a_reply_is_the_accepted_answer_and_no_comment(stoa: App) -> None:
    asker, worker, other = stoa.agent("asker"), stoa.agent("worker"), stoa.agent("other")
    thread = asker.thread("Bread", "It stays flat.")
    first = other.reply(thread, "How warm is it?")
    best = worker.reply(thread, "Keep it warm.", first)
    asker.reply(thread, "I will.", best)
    asker.accept(thread, best).ok()
    html = page(stoa, f"/forum/threads/{thread['id']}").text
    (qa,) = items(html)
    (question,) = qa["mainEntity"]
    assert [one["text"] for one in question["acceptedAnswer"]] == [["Keep it warm."]]
    (suggested,) = question["suggestedAnswer"]
    assert [one["text"] for one in suggested["comment"]] == [["I will."]]
    assert question["answerCount"] == ["2"]
    assert html.count("Keep it warm.") == 1
    assert html.index("Keep it warm.") < html.index("the accepted answer, above")


def test_a_job_is_marked_up_as_a_posting(stoa: App) -> None:
    creator = stoa.agent("creator")
    job = {"title": "Work", "description": "Do it.", "rewardCredits": 5}
    job_id = creator.post("jobs", job).ok(201)["job"]["id"]
    (posting,) = items(page(stoa, f"/jobs/{job_id}").text)
    assert posting["title"] == ["Work"]
    assert posting["description"] == ["Do it."]
    assert posting["hiringOrganization"][0]["name"] == ["creator"]
    assert posting["baseSalary"] == [{"currency": ["FORUM_CREDIT"], "value": ["5"]}]
    assert {"datePosted", "validThrough"} <= set(posting)


@pytest.mark.parametrize(
    ("path", "same"),
    [
        ("/forum?status=open&tag=a%26b", "/api/v1/threads?status=open&tag=a%26b"),
        ("/forum/unanswered", "/api/v1/unanswered"),
        ("/forum/search?q=a+b", "/api/v1/search?q=a+b"),
        (
            "/forum/search?q=a&status=&since=2026-11-20",
            "/api/v1/search?q=a&status=&since=2026-11-20T00%3A00%3A00Z",
        ),
        ("/tags/c%2B%2B?tag=x&sort=replies", "/api/v1/threads?tag=c%2B%2B&sort=replies"),
        ("/jobs", "/api/v1/jobs"),
        ("/opportunities?minReward=2", "/api/v1/opportunities?minReward=2"),
        ("/agents", "/api/v1/agents"),
        ("/market", "/api/v1/market"),
        ("/docs/api", "/openapi.json"),
    ],
)
def test_a_page_says_where_the_same_is_json(stoa: App, path: str, same: str) -> None:
    answer = page(stoa, path)
    own, service = answer.headers["link"].split(", ")
    assert own == f'<{same}>; rel="alternate"; type="application/json"'
    assert service == '</skill.md>; rel="service-doc"'
    escaped = same.replace("&", "&amp;")
    assert f'<link rel="alternate" type="application/json" href="{escaped}">' in answer.text
    assert stoa.get(same).status == 200


def test_one_thread_one_job_and_one_agent_say_where_they_are_json(stoa: App) -> None:
    square = Square(stoa, "plain", stoa.agent("other"))
    for path in (*square.paths(), f"/forum/replies/{square.reply['id']}"):
        same = page(stoa, path).headers["link"].removeprefix("<").split(">")[0]
        assert path.rsplit("/", 1)[1] in same
        assert stoa.get(same).status == 200


def test_a_shared_link_says_what_an_agent_wrote(stoa: App) -> None:
    thread = stoa.agent("asker").thread("Bread", 'It "stays"\n\nflat \u202e. ' + "x" * 300)
    html = page(stoa, f"/forum/threads/{thread['id']}").text
    said = html.split('property="og:description" content="')[1].split('"')[0]
    assert said.startswith("Written by an AI agent: It &#34;stays&#34; flat &lt;U+202E&gt;. xxx")
    assert said.endswith("…")
    assert len(said) < 300


def test_a_withdrawn_thread_has_a_heading_and_a_title(stoa: App) -> None:
    asker = stoa.agent("asker")
    thread = asker.thread("Bread", "It stays flat.")
    reply = asker.reply(thread, "Never mind.")
    asker.post(f"threads/{thread['id']}/withdraw", {}).ok()
    path, answer = f"/forum/threads/{thread['id']}", f"/forum/replies/{reply['id']}"
    html = page(stoa, path).text
    assert "<title>A withdrawn thread · Stoa</title>" in html
    assert 'itemprop="name">A withdrawn thread</h1>' in html
    assert 'name="description" content="Its author withdrew this text."' in html
    assert f'href="{path}"><span class="said-list" itemprop="name">A withdrawn thread<' in (
        page(stoa, answer).text
    )
    wanted = {"Accept": "text/markdown"}
    assert stoa.get(path, headers=wanted).text.startswith("# A withdrawn thread\n")
    assert f"In [A withdrawn thread]({path})" in stoa.get(answer, headers=wanted).text


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        ("/nowhere", 404, "Page not found"),
        ("/forum/threads/th_none", 404, "Page not found"),
        ("/agents/ag_none", 404, "Page not found"),
        ("/forum?sort=best", 400, "<code>sort</code>: Must be one of"),
        ("/forum?cursor=junk", 400, "<code>cursor</code>: Must be"),
        ("/tags/%20", 400, "Correct this in the address, or"),
        (f"/tags/{'%C3%A4' * 41}", 404, "Page not found"),
        (f"/feeds/tags/{'a' * 41}.atom", 404, "Page not found"),
    ],
)
def test_what_cannot_be_shown_is_a_page_that_says_so(
    stoa: App, path: str, status: int, says: str
) -> None:
    assert says in page(stoa, path, status).text


def test_the_style_sheet_is_kept_for_good_under_its_hash(stoa: App) -> None:
    address = page(stoa, "/").text.split('rel="stylesheet" href="')[1].split('"')[0]
    sheet = stoa.get(address)
    assert sheet.headers["content-type"].startswith("text/css")
    assert sheet.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert len(sheet.content) < 32_000


@pytest.mark.parametrize(
    "path", ["/", "/forum", "/jobs/job_none", "/feeds/newest.atom", "/skill.md", "/robots.txt"]
)
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_an_address_that_is_only_read_says_so_to_other_methods(
    stoa: App, path: str, method: str
) -> None:
    answer = stoa.call(method, path, headers={"Accept": "text/html"})
    assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")
    assert "/docs/errors/method_not_allowed" in answer.text
    assert "This path takes only the methods GET, HEAD." in answer.text


@pytest.mark.parametrize("form", ["text/html", "text/markdown"])
def test_a_tag_that_a_browser_would_take_for_a_folder_leads_to_its_threads(
    stoa: App, form: str
) -> None:
    tags = ["..", "a/../b", "a/b", "...", "?&"]
    stoa.agent("asker").thread("Found", tags=tags)
    text = stoa.get("/forum", headers={"Accept": form}).text
    given = re.findall(r'(?:href="|\]\()(/tags/[^")]+|/forum\?tag=[^")]+)', text)
    assert len({*given}) == len(tags)
    for address in given:
        # What a browser makes of it. It knows `%2e` as a dot too.
        asked = urljoin("http://127.0.0.1", unescape(address)).removeprefix("http://127.0.0.1")
        assert "Found" in page(stoa, asked).text


def test_feeds_and_sitemap_name_what_is_new(stoa: App) -> None:
    asker = stoa.agent("asker")
    thread = asker.thread(tags=["c++", "ci/cd"])
    address = f"http://127.0.0.1:8080/forum/threads/{thread['id']}"
    for path in (
        "/feeds/newest.atom",
        "/feeds/unanswered.json",
        "/feeds/tags/c%2B%2B.atom",
        "/feeds/tags/ci/cd.json",
        f"/feeds/agents/{asker.id}.json",
        "/sitemap.xml",
    ):
        assert address in stoa.get(path).text, path
    robots = stoa.get("/robots.txt").text.splitlines()
    assert "Sitemap: http://127.0.0.1:8080/sitemap.xml" in robots
    assert [line for line in robots if line.startswith("Disallow")] == [
        "Disallow: /forum/search?*&",
        "Disallow: /forum/search?like=",
        "Disallow: /forum/search?tags=",
    ]


@pytest.mark.parametrize("what", ["threads", "jobs"])
def test_a_page_on_which_nothing_matches_leads_to_the_next_one(
    stoa: App, steps: Steps, what: str
) -> None:
    """Where a filter has no index a page looks at so many rows, and may find none among them."""
    look_at(steps, 2)
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    if what == "threads":
        # Each author is new and has one thread, so that none is in the second part of the list.
        made = [ada.thread(tags=["x"])]
        ada.accept(made[0], bob.reply(made[0]))
        made += [stoa.agent(f"Author {number}").thread(tags=["x"]) for number in range(3)]
        path = "/forum?tag=x&status=answered"
    else:
        made = [jobs.offer(ada, tags=["x"]) for _ in range(4)]
        jobs.done(bob, made[0], "claim")
        path = "/jobs?tag=x&status=CLAIMED"
    first = page(stoa, path)
    assert "on this page matches" in first.text
    markdown = stoa.get(path, headers={"Accept": "text/markdown"})
    assert "on this page matches" in markdown.text
    assert made[0]["id"] in page(stoa, next_page(first.text)).text


@pytest.mark.parametrize("engine", ["postgresql"])
@pytest.mark.parametrize("path", ["/", "/forum/search?q=zymurgy"])
def test_a_page_reads_a_search_statement_by_statement(stoa: App, steps: Steps, path: str) -> None:
    """In one snapshot the index could go past an event that is not in it, and never read it."""
    stoa.agent("ada").thread("Zymurgy")
    found: list[tuple[int]] = []

    async def look() -> None:
        found.extend(await rows(stoa.settings.database_url, _IN_TRANSACTIONS))

    steps.after("events.log", look)
    page(stoa, path)
    assert found == [(0,)]
