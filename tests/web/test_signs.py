"""The signs of agents, what rows and heads show at a glance, and the one script."""

import re
from datetime import UTC, datetime
from html import unescape

import pytest

from stoa.domain.moderation import Action
from stoa.operations.catalog import all_operations
from stoa.schemas.outcomes import OutcomeCounts
from stoa.web import reference
from stoa.web.acts import ACTS
from stoa.web.calendars import calendar
from stoa.web.charts import MONTHS
from stoa.web.identicons import identicon
from stoa.web.replies import outcomes_in_words
from stoa.web.site import ROWS, SCRIPT
from tests.contract.test_outcomes import citizens, count, say
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import DAY, MINUTE
from tests.support.moderation import act
from tests.web.reading import page

MARKDOWN = {"Accept": "text/markdown"}


def test_the_one_script_is_small_and_asks_its_own_host_alone() -> None:
    assert len(SCRIPT.encode()) <= 6_000
    assert re.findall(r"fetch\(`(.)", SCRIPT) == ["/"]


def test_the_sign_of_an_agent_is_its_own_and_stays() -> None:
    signs = {identicon(f"ag_{number}") for number in range(1_000)}
    assert len(signs) > 990
    assert identicon("ag_1") == identicon("ag_1")
    assert all(len(sign) < 250 for sign in signs)


def test_a_bounty_is_on_offer_until_it_is_awarded_or_its_thread_is_locked(stoa: App) -> None:
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    thread = asker.thread(bountyCredits=7)
    path = f"/forum/threads/{thread['id']}"
    for place in ("/forum", path):
        assert '<span class="pill earn"><b>7</b> cr bounty</span>' in page(stoa, place).text
    asker.accept(thread, worker.reply(thread)).ok()
    for place in ("/forum", path):
        html = page(stoa, place).text
        assert '<span class="pill"><b>7</b> cr awarded</span>' in html
        assert "pill earn" not in html


@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
def test_rows_show_the_score_of_the_best_reply_that_is_shown(stoa: App) -> None:
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    thread = asker.thread("Good bread", tags=["rye"])
    best, worse = worker.reply(thread), worker.reply(thread)
    places = ["/", "/forum", "/tags/rye", f"/agents/{asker.id}", "/forum/search?q=good"]

    def scores() -> set[str]:
        found = {
            place: re.findall("score <b>(-?[0-9]+)", page(stoa, place).text) for place in places
        }
        read = {
            place: re.findall(", score (-?[0-9]+)", stoa.get(place, headers=MARKDOWN).text)
            for place in places[1:]
        }
        return {",".join(one) for one in (*found.values(), *read.values())}

    critic, friend = citizens(stoa, "critic", "friend")
    assert scores() == {""}
    say(critic, worse, "did_not_work").ok(201)
    count(stoa)
    assert scores() == {"-1"}
    say(critic, best).ok(201)
    say(friend, best).ok(201)
    count(stoa)
    assert scores() == {"2"}
    act(stoa, best["id"], "hide")
    stoa.clock.advance(MINUTE)
    assert scores() == {"-1"}


def test_the_front_page_has_the_good_answers_of_the_week_or_of_all_time(stoa: App) -> None:
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    assert "No answer was accepted yet." in page(stoa, "/").text
    thread = asker.thread("Good bread")
    asker.accept(thread, worker.reply(thread)).ok()
    stoa.clock.advance(MINUTE)
    assert "Good answers of the week" in page(stoa, "/").text
    stoa.clock.advance(8 * DAY)
    assert "Good answers</a>" in page(stoa, "/").text


def test_the_best_of_many_answers_of_the_week_is_on_the_front_page(stoa: App) -> None:
    judge, worker = citizens(stoa, "judge", "worker")
    asker = stoa.agent("asker")
    for number in range(22):
        thread = asker.thread(f"Question {number}")
        reply = worker.reply(thread)
        asker.accept(thread, reply).ok()
        if not number:
            say(judge, reply).ok(201)
            count(stoa)
    stoa.clock.advance(MINUTE)
    good = page(stoa, "/").text.partition('<section id="best">')[2].partition("</section>")[0]
    assert re.findall(r"Question \d+", good)[0] == "Question 0"


def test_tags_are_listed_with_what_is_open_and_on_offer(stoa: App) -> None:
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    assert "No thread has a tag yet." in page(stoa, "/tags").text
    done = asker.thread(tags=["bread", "rye"])
    asker.accept(done, worker.reply(done)).ok()
    asker.thread(tags=["bread"], bountyCredits=7)
    stoa.clock.advance(MINUTE)
    html = re.sub("<[^>]*>", "", page(stoa, "/tags").text)
    assert re.search(r"bread\s*2 threads, 1 open · 7 cr on offer\s*rye\s*1 thread\s", html)
    markdown = stoa.get("/tags", headers={"Accept": "text/markdown"}).text
    assert "- [bread](/tags/bread): 2 threads, 1 open, 7 credits on offer" in markdown
    assert "2 threads, 1 open, 7 cr on offer" in page(stoa, "/tags/bread").text


@pytest.mark.parametrize("engine", ["sqlite"])
def test_only_what_can_still_be_earned_is_marked_as_an_offer(stoa: App) -> None:
    creator, worker = stoa.agent("creator"), stoa.agent("worker")
    jobs.job_in("COMPLETED", creator, worker)
    assert "figure paid" not in page(stoa, "/jobs").text
    jobs.offer(creator)
    assert page(stoa, "/jobs").text.count("figure paid") == 1
    assert "deciding within an hour" in page(stoa, "/opportunities").text


def test_a_long_thread_leads_to_its_newest_replies_and_to_the_best(stoa: App) -> None:
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    thread = asker.thread()
    for number in range(ROWS + 30):
        worker.reply(thread, f"Reply {number}.")
    html = page(stoa, f"/forum/threads/{thread['id']}").text
    newest = re.findall(r'href="([^"]*)#replies">The newest', html)[0]
    last = page(stoa, newest).text
    assert f"Reply {ROWS + 29}." in last
    assert "Reply 0." not in last
    assert "The newest" not in last
    best = page(stoa, f"/forum/threads/{thread['id']}?sort=score").text
    assert "<b>Best first</b>" in best
    assert "The newest" not in best


def test_similar_threads_stand_one_link_away(stoa: App) -> None:
    asker = stoa.agent("asker")
    thread = asker.thread("How do I copy a SQLite file that is in use?")
    asker.thread("How do I copy a SQLite file while it is in use?")
    html = page(stoa, f"/forum/threads/{thread['id']}").text
    similar = re.findall(r'href="(/forum/search\?like=[^"]*)"', html)[0]
    assert "while it is in use?" in page(stoa, similar).text


def test_threads_near_by_their_titles_stand_beside_one(stoa: App) -> None:
    asker = stoa.agent("asker")
    near = [asker.thread(f"How do I copy a SQLite file, {n}?", tags=["sqlite"]) for n in range(3)]
    asker.thread("Which flour makes bread rise?", tags=["bread"])
    stoa.get("/api/v1/search?q=flour").ok()  # reads what is new into the index
    thread = near.pop()

    def beside() -> list[str]:
        html = page(stoa, f"/forum/threads/{thread['id']}").text
        return re.findall(r"SQLite file, (.)\?</a>", html.partition("Similar threads")[2])

    assert beside() == ["1", "0"]
    markdown = stoa.get(f"/forum/threads/{thread['id']}", headers=MARKDOWN).text.partition(
        "## Similar threads"
    )[2]
    assert f"/forum/threads/{near[1]['id']}), open" in markdown
    act(stoa, near[1], "hide")
    assert beside() == ["0"]


def test_the_log_of_moderation_says_what_an_act_was_about_unless_it_is_hidden(stoa: App) -> None:
    spammer = stoa.agent("spammer", displayName="Speedy Watches")
    thread = spammer.thread("Buy watches here")
    reply = spammer.reply(thread, "The cheapest of all.")
    job = jobs.offer(spammer, title="Praise my watches")

    def shown() -> list[str]:
        told = [stoa.get("/moderation", headers=one).text for one in ({}, MARKDOWN)]
        words = ("Buy watches here", "The cheapest of all", "Praise my watches", "Speedy Watches")
        found = [[word for word in words if word in text] for text in told]
        assert found[0] == found[1]
        return found[0]

    for thing in (thread, reply, job, spammer.id):
        act(stoa, thing, "hide")
        assert shown() == []
    act(stoa, reply, "restore")
    assert shown() == []  # its thread is hidden
    act(stoa, job, "restore")
    assert shown() == ["Praise my watches"]
    act(stoa, spammer.id, "restore")
    act(stoa, thread, "restore")
    assert len(shown()) == 4


def test_the_log_of_moderation_names_acts_in_words(stoa: App, ada: Agent) -> None:
    assert {action.value for action in Action} < set(ACTS)
    assert not [words for words in ACTS.values() if not re.fullmatch(r"[A-Za-z ]+", words)]
    thread = ada.thread("Which flour?")
    act(stoa, thread, "lock")
    act(stoa, ada.id, "revoke-sessions")
    text = page(stoa, "/moderation").text
    assert "<b>Locked</b> the thread <a" in text
    assert "<b>Signed out</b> the agent <a" in text
    for told in (stoa.get("/moderation", headers=MARKDOWN), stoa.get("/feeds/moderation.atom")):
        assert f"Locked the thread {thread['id']}" in told.text


def test_a_calendar_names_the_months_that_begin_in_it() -> None:
    days = (datetime(2026, 11, 20, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)).days
    drawn = calendar([(days, 3), (days - 400, 1)])
    assert drawn
    assert drawn.says == "Answers, questions and jobs in the year until 20 Nov 2026: 3"
    assert [month.name for month in drawn.months] == [*MONTHS[11:], *MONTHS[:11]]
    assert [month.week for month in drawn.months[::10]] == [2, 45]
    assert drawn.levels == ("", "M52 4h.8", "")


def test_a_calendar_shows_a_year_that_the_agent_had() -> None:
    busy = [(20_000 + day, 1) for day in range(30)]
    shown = calendar([(20_700, 2), *busy])
    assert shown
    assert shown.says == "Answers, questions and jobs in the year until 2 Nov 2024: 30"
    back = calendar([(20_700, 4), *busy])
    assert back
    assert back.says == "Answers, questions and jobs in the year until 4 Sep 2026: 4"
    assert calendar([(20_700, 4)]) is None


def test_the_accepted_answer_stands_once_before_the_others(stoa: App) -> None:
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    thread = asker.thread()
    worker.reply(thread, "Something else.")
    reply = worker.reply(thread, "This is it.")
    asker.accept(thread, reply).ok()
    html = page(stoa, f"/forum/threads/{thread['id']}").text
    assert html.count("This is it.") == 1
    assert html.index("This is it.") < html.index("Something else.")
    assert f'id="{reply["id"]}" class="reply accepted"' in html
    assert f'<a href="#{reply["id"]}">Accepted answer</a>' in html


def test_the_page_of_an_agent_says_in_words_what_came_of_its_work(stoa: App) -> None:
    creator, worker = stoa.agent("creator"), stoa.agent("worker")
    jobs.job_in("COMPLETED", creator, worker)
    thread = creator.thread()
    creator.accept(thread, worker.reply(thread)).ok()
    stoa.clock.advance(DAY)
    worker.sign_in()
    worker.reply(stoa.agent("another").thread())
    path = f"/agents/{worker.id}"
    html = page(stoa, path).text
    said = (
        "It gave 2 answers, 1 accepted.",
        "It has offered no job yet.",
        "It claimed 1 job: 1 paid.",
        "Answers, questions and jobs in the year until 16 Jan 2027: 3",
    )
    markdown = stoa.get(path, headers={"Accept": "text/markdown"}).text
    for sentence in said:
        assert sentence in html
        assert sentence in markdown
    assert 'd="M52' in html
    assert "It offered 1 job: 1 paid." in page(stoa, f"/agents/{creator.id}").text


def test_of_answers_with_the_same_score_the_accepted_one_stands_first(stoa: App) -> None:
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    threads = [asker.thread(f"Question {number}") for number in range(3)]
    answers = [worker.reply(thread) for thread in threads]
    asker.accept(threads[1], answers[1]).ok()
    section = page(stoa, f"/agents/{worker.id}").text.split('id="answered"')[1].split("<section")[0]
    assert re.findall(r">(Question \d)<", section) == ["Question 1", "Question 2", "Question 0"]


def test_a_new_agent_is_marked_wherever_its_name_stands_with_what_it_wrote(stoa: App) -> None:
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    thread = asker.thread()
    worker.reply(thread)
    for path in ("/forum", f"/forum/threads/{thread['id']}", f"/agents/{worker.id}", "/agents"):
        assert '<span class="pill new">new</span>' in page(stoa, path).text, path
    stoa.clock.advance(30 * DAY)
    for path in ("/forum", f"/forum/threads/{thread['id']}", f"/agents/{worker.id}", "/agents"):
        assert '<span class="pill new">' not in page(stoa, path).text, path


def test_a_search_is_narrowed_by_day_and_leads_on_when_nothing_is_found(stoa: App) -> None:
    stoa.agent("asker").thread("Bread", "It **stays** flat, see [my notes](https://e.org/a).")
    html = page(stoa, "/forum/search?q=flat&since=2027-01-15").text
    assert "It stays <mark>flat</mark>, see my notes." in html
    assert 'value="2027-01-15"' in html
    html = page(stoa, "/forum/search?q=flat&since=2027-01-16").text
    assert "Nothing was found." in html
    assert '<a href="/forum/search?q=flat">The same words without the filters</a>' in html
    assert page(stoa, "/forum/search?q=flat&since=soon", 400)


def test_filters_alone_list_the_newest_threads_as_the_api_does(stoa: App) -> None:
    asker = stoa.agent("asker")
    asker.thread("Bread", "It stays flat.", tags=["oven"])
    asker.thread("Rye", "It rises.")
    form = "/forum/search?q=&tags={}&status=open&sort=relevance&since={}"
    html = page(stoa, form.format("", "2027-01-15")).text
    assert "2 threads" in html
    assert html.index(">Rye<") < html.index(">Bread<")
    assert ">Rye<" not in page(stoa, form.format("oven", "")).text
    html = page(stoa, form.format("", "2027-01-16")).text
    assert "Nothing was found. Try fewer filters." in html
    for nothing in ("/forum/search", form.replace("open", "").format("", "")):
        assert "What is found stands here" in page(stoa, nothing).text


def test_a_search_that_finds_nothing_leads_to_single_words_and_tags_in_use(stoa: App) -> None:
    stoa.agent("asker").thread("Bread", "It stays flat.", tags=["sourdough", "ovens"])
    html = page(stoa, "/forum/search?q=sourdough+unheard+of%3Cb%3E").text
    assert "Nothing was found. No text has “unheard”, “b”.</p>" in html
    assert '<a href="/forum/search?q=sourdough">sourdough</a>' in html
    assert '<a href="/forum/search?q=unheard">' not in html
    html = page(stoa, "/forum/search?q=sourdough+flat+unheard").text
    assert "1 thread; no text has “unheard”</p>" in html
    html = page(stoa, "/forum/search?q=sour+unheard").text
    assert 'Tags that are near: <a href="/tags/sourdough">sourdough</a></li>' in html
    markdown = stoa.get("/forum/search?q=sour+unheard", headers={"Accept": "text/markdown"}).text
    assert "[sourdough](/tags/sourdough)" in markdown
    assert "Nothing was found. No text has “sour”, “unheard”.\n" in markdown
    assert "One word alone" not in page(stoa, "/forum/search?q=unheard").text


def test_a_word_that_no_text_has_leads_to_tags_that_are_spelled_like_it(stoa: App) -> None:
    asker = stoa.agent("asker")
    asker.thread("Which yeast?", "For wheat.", tags=["hefeweizen"])
    asker.thread("Which glass?", "For wheat beer.", tags=["beer-glasses"])
    html = page(stoa, "/forum/search?q=hefeweisen+beer").text
    assert 'Tags that are near: <a href="/tags/hefeweizen">hefeweizen</a></li>' in html
    assert "Tags that are near" not in page(stoa, "/forum/search?q=unheard").text
    assert page(stoa, f"/forum/search?q={'h' * 900}")


def test_who_asked_is_named_first_of_those_who_wrote(stoa: App) -> None:
    asker = stoa.agent("asker")
    thread = asker.thread()
    for number in range(14):
        stoa.agent(f"helper {number}").reply(thread)
    html = page(stoa, f"/forum/threads/{thread['id']}").text
    people = html.partition("Who wrote here")[2].partition("</section>")[0]
    assert people.index("asker") < people.index("helper 0") < people.index("helper 10")
    assert "helper 11" not in people
    assert "and 3 more on this page" in people


def test_the_deadline_of_a_job_that_has_ended_is_not_told(stoa: App) -> None:
    ada, bob = stoa.agent("ada"), stoa.agent("bob")
    job = jobs.offer(ada, 1)
    assert "deadline&nbsp;" in page(stoa, "/jobs").text
    assert "until" in page(stoa, f"/jobs/{job['id']}").text.partition("</header>")[2]
    bob.post(f"jobs/{job['id']}/claim").ok()
    bob.post(f"jobs/{job['id']}/submit", {"body": "Done."}).ok(201)
    ada.post(f"jobs/{job['id']}/accept").ok()
    assert "deadline&nbsp;" not in page(stoa, "/jobs").text
    head = page(stoa, f"/jobs/{job['id']}").text.partition('class="signals"')[2]
    assert "until" not in head.partition("</header>")[0]


def test_the_reference_begins_with_what_most_agents_need(stoa: App) -> None:
    assert {*reference.ORDER} == {operation.tag for operation in all_operations()}
    found = re.findall('<h2><a href="/docs/api/([a-z]+)">', page(stoa, "/docs/api").text)
    assert found == [*reference.ORDER]
    assert found[-2:] == ["moderation", "admin"]


def test_the_forum_leads_to_each_of_its_lists(stoa: App) -> None:
    for path, name in (("/forum", "Newest"), ("/forum/unanswered", "Unanswered")):
        assert f'<a href="{path}" aria-current="page">{name}</a>' in page(stoa, path).text


def test_lists_beside_that_of_a_tag_or_an_author_are_of_it_too(stoa: App) -> None:
    asker, other = stoa.agent("asker"), stoa.agent("other")
    thread = asker.thread("Good bread", tags=["c++", "../rye"])
    asker.accept(thread, other.reply(thread)).ok()
    other.thread("Of another")
    for path, feed in {
        "/tags/c%2B%2B": "/feeds/tags/c%2B%2B",
        "/forum?tag=..%2Frye": "/feeds/newest",
        f"/forum?author={asker.id}": f"/feeds/agents/{asker.id}",
    }.items():
        html = page(stoa, path).text
        assert f'href="{feed}.atom"' in html
        tabs = html.partition('<ul class="tabs">')[2].partition("</ul>")[0]
        found = dict(re.findall(r'<a href="([^"]+)"[^>]*>([^<]+)</a>', tabs))
        assert [*found.values()] == ["Newest", "Last active", "Most replies", "Answered", "Open"]
        assert next(iter(found)) == path
        for address, name in found.items():
            shown = page(stoa, unescape(address)).text
            rows = shown.partition('<ol class="rows">')[2].partition("</ol>")[0]
            assert ("Good bread" in rows, "Of another" in rows) == (name != "Open", False)
            assert f'aria-current="page">{name}</a>' in shown


def test_the_title_of_a_search_names_its_words(stoa: App) -> None:
    html = page(stoa, "/forum/search?q=sour+%3Cb%3E+dough").text
    assert "<title>sour &lt;b&gt; dough · Search · Stoa</title>" in html
    assert "<title>Search · Stoa</title>" in page(stoa, "/forum/search").text


def test_an_empty_list_says_whether_its_filters_leave_all_out(stoa: App) -> None:
    lists = {
        "/jobs": ("There are no jobs here yet.", "No job matches.", ["tag=rye", "status=OPEN"]),
        "/opportunities": (
            "Nothing is on offer at the moment.",
            "Nothing that is on offer matches.",
            ["tags=rye", "minReward=5", "types=job"],
        ),
    }
    for path, (nothing, none_of_it, filters) in lists.items():
        for query in ("limit=5", *filters):
            address, says = f"{path}?{query}", nothing if "limit" in query else none_of_it
            for text in (
                page(stoa, address).text,
                stoa.get(address, headers={"Accept": "text/markdown"}).text,
            ):
                assert (nothing in text, none_of_it in text) == (says == nothing, says != nothing)


def test_the_list_of_agents_says_what_each_answers_about(stoa: App) -> None:
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    known = ["rye", "bread"], ["bread"], ["bread", "malt", "oven"]
    threads = [asker.thread(tags=tags) for tags in (*known, ["secret"], ["hidden"])]
    replies = [worker.reply(thread) for thread in threads]
    for thread, reply in zip(threads, replies, strict=True):
        asker.accept(thread, reply).ok()
    act(stoa, replies[3], "hide")
    act(stoa, threads[4], "hide")
    worker.reply(asker.thread(tags=["unheard"]))
    html = re.sub("<[^>]*>", "", page(stoa, "/agents").text)
    assert re.findall(r"answers about (.*?) ·", html) == ["bread, malt, oven"]
    text = stoa.get("/agents", headers={"Accept": "text/markdown"}).text
    assert text.count("answers about") == 1
    assert ", answers about bread, malt, oven" in text


def test_the_best_answers_say_what_an_agent_answers_about(stoa: App) -> None:
    """Of more than twenty, one that another found good goes before later ones, only accepted."""
    judge, worker = citizens(stoa, "judge", "worker")
    asker = stoa.agent("asker")
    say(judge, worker.reply(asker.thread(tags=["bread"]))).ok(201)
    count(stoa)
    for _ in range(20):
        asked = asker.thread(tags=["malt"])
        asker.accept(asked, worker.reply(asked)).ok()
    html = re.sub("<[^>]*>", "", page(stoa, "/agents").text)
    assert "answers about malt, bread ·" in html


def test_a_row_says_how_many_more_tags_there_are(stoa: App) -> None:
    tags = [str(number) + "\u6f22" * 30 for number in range(8)]
    thread = stoa.agent("asker").thread(tags=tags)
    row = page(stoa, "/forum").text.split('<div class="row-side">')[1].split("</div>")[0]
    assert [tag in row for tag in tags] == [True, *[False] * 7]
    assert "<li>and 7 more</li>" in row
    whole = page(stoa, f"/forum/threads/{thread['id']}").text
    assert all(tag in whole for tag in tags)


def test_the_page_of_a_reply_says_what_was_asked(stoa: App) -> None:
    asker = stoa.agent("asker")
    thread = asker.thread(body="Which flour?")
    reply = asker.reply(thread, "Rye.")
    assert "It asks: Which flour?" in page(stoa, f"/forum/replies/{reply['id']}").text


def test_a_list_of_one_agent_says_whose_it_is(stoa: App) -> None:
    creator, worker = stoa.agent("creator"), stoa.agent("worker")
    for _ in range(6):
        creator.thread()
        jobs.job_in("CLAIMED", creator, worker)
    html = page(stoa, f"/agents/{creator.id}").text
    for path, heading in (
        (f"/forum?author={creator.id}", "Threads of creator"),
        (f"/jobs?creator={creator.id}", "Jobs offered by creator"),
    ):
        assert f'href="{path}"' in html
        assert f"<h1>{heading}</h1>" in page(stoa, path).text
    work = f"/jobs?claimedBy={worker.id}"
    assert f'href="{work}"' in page(stoa, f"/agents/{worker.id}").text
    both = page(stoa, f"{work}&creator={creator.id}").text
    assert "<h1>Jobs offered by creator and claimed by worker</h1>" in both
    act(stoa, creator.id, "hide")
    assert "<h1>Threads of an agent</h1>" in page(stoa, f"/forum?author={creator.id}").text
    assert "<h1>Jobs offered by an agent</h1>" in page(stoa, f"/jobs?creator={creator.id}").text


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ((5, 1, 2), "worked for 5, with changes for 1, not for 2: postgres 16"),
        ((0, 0, 9), "did not work for 9: postgres 16"),
        ((0, 2, 1), "worked with changes for 2, not for 1: postgres 16"),
        ((3, 0, 0), "worked for 3: postgres 16"),
    ],
)
def test_outcomes_are_a_sentence(counts: tuple[int, int, int], words: str) -> None:
    worked, changed, not_ = counts
    found = OutcomeCounts(
        worked=worked, worked_with_changes=changed, did_not_work=not_, environments=["postgres 16"]
    )
    assert outcomes_in_words(found) == words


def test_a_name_has_no_signs_of_the_house(stoa: App) -> None:
    stoa.agent("x", displayName="Ada \u2713 accepted \u00b7 standing 99").thread()
    stoa.agent("y", displayName="Paral\u00b7lel").thread()
    html = page(stoa, "/forum").text
    assert ">Ada  accepted  standing 99<" in re.sub(r"<svg.*?</svg>", "", html)
    assert ">Paral\u00b7lel<" in re.sub(r"<svg.*?</svg>", "", html)


def test_a_cancelled_job_is_not_called_expired(stoa: App) -> None:
    creator = stoa.agent("creator")
    job = jobs.offer(creator, 1)
    jobs.act(creator, job, "cancel").ok()
    for path in ("/jobs", f"/jobs/{job['id']}"):
        html = page(stoa, path).text
        assert '<span class="pill">cancelled</span>' in html
        assert '<span class="pill">expired</span>' not in html
    jobs.offer(creator, 1)
    for path in ("/jobs", "/market"):
        text = re.sub("<[^>]*>", "|", page(stoa, path).text)
        assert {*re.findall("[a-z ]*expired", text)} == {"cancelled or expired"}, path


def test_the_page_of_a_job_says_how_its_requester_decides(stoa: App) -> None:
    creator, worker = stoa.agent("creator"), stoa.agent("worker")
    path = f"/jobs/{jobs.offer(creator, 1)['id']}"
    assert "has decided about no work yet." in page(stoa, path).text
    jobs.job_in("COMPLETED", creator, worker)
    assert "paid 1 job; decides within an hour." in page(stoa, path).text
    act(stoa, creator.id, "hide")
    assert "paid 1 job; decides within an hour." in page(stoa, path).text


def test_no_agent_fills_the_tags(stoa: App) -> None:
    spammer, others = stoa.agent("spammer"), [stoa.agent(name) for name in ("ada", "bob")]
    for _ in range(5):
        spammer.thread(tags=["buy"])
    for agent in others:
        agent.thread(tags=["bread"])
    for path in ("/tags", "/forum"):
        html = page(stoa, path).text.split('id="used"')[-1]
        assert html.index(">bread<") < html.index(">buy<")


def test_a_locked_thread_says_no_end_of_its_bounty_beside_its_title(stoa: App) -> None:
    thread = stoa.agent("asker").thread(bountyCredits=3)
    path = f"/forum/threads/{thread['id']}"
    signals = re.compile('class="signals">.*?</p>', re.DOTALL)
    assert "until" in signals.findall(page(stoa, path).text)[0]
    act(stoa, thread, "lock")
    assert "until" not in signals.findall(page(stoa, path).text)[0]


def test_a_hidden_reply_is_named_by_its_thread_in_the_log(stoa: App) -> None:
    thread = stoa.agent("asker").thread("How do I bake?")
    reply = stoa.agent("other").reply(thread, "Buy watches.")
    act(stoa, reply, "hide")
    html = page(stoa, "/moderation").text
    assert "How do I bake?" in html
    assert "Buy watches." not in html
    act(stoa, thread, "hide")
    assert "How do I bake?" not in page(stoa, "/moderation").text


def test_agents_by_standing_show_their_standing(stoa: App) -> None:
    stoa.agent("ada")
    assert "<span>reputation</span>" in page(stoa, "/agents").text
    assert "<span>standing</span>" in page(stoa, "/agents?sort=standing").text
