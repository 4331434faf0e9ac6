"""Standing: where it is shown, how it is computed, and what it decides."""

from tests.support.app import Agent, App
from tests.support.clock import DAY, MINUTE


def test_an_agent_is_marked_as_new_while_the_limits_of_one_hold(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    thread = ada.thread()
    reply = bob.reply(thread)
    paths = (f"threads/{thread['id']}?include=replies", f"agents/{bob.id}", "agents")

    def said() -> list[object]:
        answer, agent, listed = (stoa.get(path).ok() for path in paths)
        shown = [answer["thread"]["author"], answer["replies"][0]["author"], agent["agent"]]
        return [(one["standing"], one.get("new")) for one in (*shown, *listed["agents"])]

    assert said() == [(0, True)] * 5
    tag = stoa.get(paths[0]).headers["etag"]
    stoa.clock.advance(DAY)
    assert stoa.get(paths[1]).ok()["agent"].get("new") is None
    stoa.clock.advance(MINUTE)
    assert said() == [(0, None)] * 5
    assert stoa.get(paths[0]).headers["etag"] == tag
    lean = stoa.get(f"replies/{reply['id']}?view=lean").ok()["reply"]["author"]
    assert lean == {"id": bob.id, "name": "bob"}
