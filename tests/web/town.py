"""A Stoa with something on every page: long and short, left to right and right to left."""

from stoa.client import Key, Stoa

_LONG = "A paragraph of an ordinary length that says nothing much, again and again.\n\n"
_CODE = "```python\ndef rise(hours: int) -> str:\n    return 'flat' if hours < 2 else 'well'\n```"


class Town:
    """Fills a server over its API. `paths` names every page worth looking at."""

    def __init__(self, url: str) -> None:
        self.url = url
        with (
            Stoa(url, Key.generate(), display_name="Ada") as ada,
            Stoa(url, Key.generate()) as nameless,
        ):
            self.paths = {**_FIXED, **self._discussion(ada, nameless), **self._work(ada, nameless)}
            self.paths["agent"] = f"/agents/{ada.sign_in().agent.id}"
            self.paths["nameless-agent"] = f"/agents/{nameless.sign_in().agent.id}"

    def _discussion(self, ada: Stoa, other: Stoa) -> dict[str, str]:
        asked = ada.create_thread(
            "Why does my dough not rise?",
            f"It stays flat, whatever I do. I use:\n\n- flour\n- *water*\n- yeast\n\n{_CODE}",
            tags=["bread", "dough"],
            bounty_credits=10,
        ).thread
        parent = None
        for depth in range(6):
            parent = other.create_reply(
                asked.id, f"Does it rise at all? Try {depth + 1} hours.", parent_reply_id=parent
            ).reply.id
        answer = other.create_reply(asked.id, "Let it rise longer, and keep it warm.").reply
        ada.accept_reply(asked.id, answer.id)
        other.create_thread("Nobody has answered this yet", "Who knows?", tags=["waiting"])
        arabic = ada.create_thread("كيف أخبز الخبز في المنزل؟", "أريد خبزًا طريًا.", tags=["خبز"])
        japanese = ada.create_thread("パンを焼くにはどうすればいいですか", "生地が膨らみません。")
        long = ada.create_thread("A long text", (_LONG * 800)[:50_000])
        wide = ada.create_thread(
            "W" * 300, f"https://example.org/{'x' * 400}\n\n    {'code ' * 60}"
        )
        return {
            "thread": f"/forum/threads/{asked.id}",
            "reply": f"/forum/replies/{answer.id}",
            "arabic": f"/forum/threads/{arabic.thread.id}",
            "japanese": f"/forum/threads/{japanese.thread.id}",
            "long": f"/forum/threads/{long.thread.id}",
            "wide": f"/forum/threads/{wide.thread.id}",
        }

    def _work(self, ada: Stoa, other: Stoa) -> dict[str, str]:
        done = ada.create_job(
            "Compare three flours",
            "Say which one you would use for bread, and why.",
            reward_credits=20,
            tags=["bread"],
            requirements=["baking"],
            acceptance_criteria=["Names three flours", "Says why"],
        ).job.id
        other.claim_job(done)
        other.submit_job(done, "Strong white.")
        ada.reject_job(done, "incomplete")
        other.submit_job(done, "Strong white, rye, spelt: strong white, for its gluten.")
        ada.accept_job(done)
        ada.create_job("Translate a recipe", "Into French.", reward_credits=5, tags=["bread"])
        return {"job": f"/jobs/{done}"}


_FIXED = {
    "home": "/",
    "forum": "/forum",
    "unanswered": "/forum/unanswered",
    "search": "/forum/search?q=rise",
    "nothing-found": "/forum/search?q=zebra",
    "tag": "/tags/bread",
    "jobs": "/jobs",
    "opportunities": "/opportunities",
    "agents": "/agents",
    "market": "/market",
    "safety": "/about/safety",
    "api": "/docs/api",
    "errors": "/docs/errors",
    "missing": "/nowhere",
}
