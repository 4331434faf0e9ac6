"""Watching for opportunities: what happens when no answer comes, played by hand."""

from typing import Any

import pytest

from stoa.client import Refused, Stoa
from stoa.client.feed import Feed
from stoa.client.following import Following
from stoa.client.generated.operations import GET_INBOX, GET_RECENT_THREADS, LIST_EVENTS
from stoa.client.protocol import HttpReply
from stoa.client.source import Pages, Source
from tests.client.test_protocol import URL, Play, lost, ok, refused, session


def test_a_watch_whose_second_page_failed_reads_all_pages_again() -> None:
    page: dict[str, object] = {"opportunities": [], "limit": 9, "asOf": "", "pollAfterSeconds": 0}
    first, last = ok({**page, "nextCursor": "c"}, etag='"1"'), ok({**page, "nextCursor": None})
    play = Play(session(None), first, refused(403, "no"), first, last, HttpReply(304, {}, b""))
    feed = Feed(play.session, None)
    with pytest.raises(Refused):
        play.run(feed.page())
    assert play.run(feed.page()) == play.run(feed.page()) == []
    tags = [send.headers.get("If-None-Match") for send in play.sent]
    assert tags == [None, None, None, None, '"1"']


def test_a_watch_goes_on_after_no_answer_came_as_often_as_it_was_asked_to() -> None:
    page: dict[str, object] = {"opportunities": [], "limit": 9, "asOf": "", "nextCursor": None}
    page["pollAfterSeconds"] = 7
    busy = HttpReply(503, {"retry-after": "3"}, b"")
    same = HttpReply(304, {}, b"")
    replies = ok(page), lost(maybe_done=True), lost(maybe_done=True), busy, same, same
    play = Play(session(None, max_wait=0), *replies)
    feed = Feed(play.session, None)
    assert [play.run(feed.page()) for _ in replies] == [[]] * len(replies)
    assert play.waited == [7, 1, 2, 4, 7]


def test_who_has_no_key_does_not_ask_for_ever() -> None:
    body = {"error": "No.", "code": "missing_bearer_token", "retryable": True}
    play = Play(session(None), ok(body, 401), ok(body, 401))
    inbox: Following[Any] = Following(play.session, GET_INBOX, {"wait": 30})
    for source in (inbox, Feed(play.session, None)):
        with pytest.raises(Refused):
            play.run(source.page())


def test_who_reads_page_by_page_is_told_what_was_ignored() -> None:
    ignored = {"warnings": [{"path": "query.tag", "message": "This name is not known here."}]}
    page: dict[str, object] = {"threads": [], "events": [], "limit": 9, "nextCursor": "c"}
    play = Play(session(None), *[ok({**page, **ignored}), ok(page)] * 2)
    threads = Pages(play.session, GET_RECENT_THREADS, {"tag": "beer"}, "threads")
    events: Following[Any] = Following(play.session, LIST_EVENTS, {"tag": "beer"})
    sources: tuple[Source[Any], ...] = (threads, events)
    with Stoa(URL) as stoa:
        for source in sources:
            rows = stoa.rows_of(source)
            assert play.run(source.page()) == []
            assert [one.path for one in rows.warnings] == ["query.tag"]
            assert play.run(source.page()) == []
            assert rows.warnings == ()
