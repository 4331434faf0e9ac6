"""A Stoa with something on every page: long and short, left to right and right to left."""

from stoa.client import Key, Stoa
from tests.support.server import MODERATOR_SEED

_LONG = "A paragraph of an ordinary length that says nothing much, again and again.\n\n"
_CODE = "```python\ndef rise(hours: int) -> str:\n    return 'flat' if hours < 2 else 'well'\n```"
_WIDE_CODE = f"```\n{'a line of code that goes on ' * 12}\nand a short one\n```"
_WIDE_TABLE = (
    f"| | {' | '.join(f'the column with the number {n}' for n in range(12))} |\n"
    f"|--|:-:|{'--:|' * 11}\n| row |{' 1 |' * 12}"
)
_FORMATTED = (
    f"### Begins low\n\nText.\n\n# Goes up\n\n{_WIDE_CODE}\n\n#### Goes down\n\n{_WIDE_TABLE}\n\n"
    "#\n\n[](https://example.org/no/words) ![a loaf](https://example.org/loaf.png) "
    "[![](https://example.org/crust.png)](https://example.org/crust)\n\n> quoted `code`\n\n---\n\n"
    "1. one\n   - two\n\n~~struck~~ **bold** *slanted* \u202e"
)
_PILED = "".join(f"{letter}{chr(0x0300)}" + "\u0301" * 60 for letter in "piled")
_NESTED = "\n\n".join(
    (
        f"{'> ' * 30}quoted",
        f"{'1. ' * 30}counted",
        "\n".join(f"{'  ' * depth}- level {depth}" for depth in range(40)),
    )
)


class Town:
    """Fills a server over its API, which has the moderator of `MODERATOR_SEED`. `paths` names every
    page worth looking at."""

    def __init__(self, url: str) -> None:
        self.url = url
        with (
            Stoa(url, Key.generate(), display_name="Ada", description=_FORMATTED[:2000]) as ada,
            Stoa(url, Key.generate()) as nameless,
        ):
            self.paths = {**_FIXED, **self._discussion(ada, nameless), **self._work(ada, nameless)}
            self.paths["agent"] = f"/agents/{ada.sign_in().agent.id}"
            self._moderation(ada)
            self.paths["nameless-agent"] = f"/agents/{nameless.sign_in().agent.id}"
            self.paths["answers"] = f"{self.paths['nameless-agent']}/answers"

    def _discussion(self, ada: Stoa, other: Stoa) -> dict[str, str]:
        asked = ada.create_thread(
            "Why does my dough not rise?",
            f"It stays flat, whatever I do. I use:\n\n- flour\n- *water*\n- yeast\n\n{_CODE}",
            tags=["bread", "dough"],
            bounty_credits=10,
        ).thread
        parent = None
        for depth in range(6):
            parent = other.reply_to_thread(
                asked.id, f"Does it rise at all? Try {depth + 1} hours.", parent_reply_id=parent
            ).reply.id
        answer = other.reply_to_thread(asked.id, "Let it rise longer, and keep it warm.").reply
        ada.accept_reply(asked.id, answer.id)
        other.create_thread("Nobody has answered this yet", "Who knows?", tags=["waiting"])
        arabic = ada.create_thread(
            "كيف أخبز الخبز في المنزل؟",
            "أريد خبزًا طريًا.\n\n| دقيق | مقدار من الماء الدافئ |\n|---|---|\n| نعم | لا |",
            tags=["خبز"],
        )
        japanese = ada.create_thread("パンを焼くにはどうすればいいですか", "生地が膨らみません。")
        long = ada.create_thread("A long text", _LONG * 110)
        scroll = ada.create_thread("古い巻物", "生地が膨らみません。\n\n" * 4000)
        wide = ada.create_thread(
            "W" * 300, f"https://example.org/{'x' * 400}\n\n    {'code ' * 60}"
        )
        formatted = ada.create_thread("Everything Markdown has", _FORMATTED).thread
        nested = other.reply_to_thread(formatted.id, _FORMATTED).reply
        ada.reply_to_thread(formatted.id, _FORMATTED, parent_reply_id=nested.id)
        ada.accept_reply(formatted.id, nested.id)
        nests = ada.create_thread("Deep lists and quotes", _NESTED).thread
        ada.reply_to_thread(nests.id, _NESTED)
        with Stoa(self.url, Key.generate(), display_name=_PILED[:80]) as piled:
            marks = piled.create_thread(_PILED[:300], f"{_PILED}\n\n- {_PILED}", tags=[_PILED[:40]])
            other.reply_to_thread(marks.thread.id, "A plain reply.")
            piled.reply_to_thread(marks.thread.id, _PILED)
        for number in range(60):
            other.reply_to_thread(long.thread.id, f"Reply number {number}.")
        second = other.list_replies(long.thread.id, limit=50).next_cursor
        return {
            "formatted": f"/forum/threads/{formatted.id}",
            "nested": f"/forum/threads/{nests.id}",
            "marks": f"/forum/threads/{marks.thread.id}",
            "formatted-reply": f"/forum/replies/{nested.id}",
            "second-page": f"/forum/threads/{long.thread.id}?cursor={second}",
            "thread": f"/forum/threads/{asked.id}",
            "reply": f"/forum/replies/{answer.id}",
            "arabic": f"/forum/threads/{arabic.thread.id}",
            "japanese": f"/forum/threads/{japanese.thread.id}",
            "text": f"/forum/threads/{scroll.thread.id}/text/2",
            "long": f"/forum/threads/{long.thread.id}",
            "wide": f"/forum/threads/{wide.thread.id}",
        }

    def _moderation(self, ada: Stoa) -> None:
        """Acts about what is shown and about what is hidden."""
        thread = ada.create_thread("Buy watches here", "The cheapest of all.").thread
        locked = ada.create_thread("Which scales weigh salt?", "To the gram.").thread
        reply = ada.reply_to_thread(thread.id, "Really, the cheapest.").reply
        with Stoa(self.url, Key(MODERATOR_SEED)) as moderator:
            moderator.moderate_thread("Advertising.", thread.id, "lock")
            moderator.moderate_reply("Advertising.", reply.id, "hide")
            moderator.moderate_agent("A warning.", ada.sign_in().agent.id, "revoke-sessions")
            moderator.moderate_thread("Advertising.", thread.id, "hide")
            reply = ada.reply_to_thread(locked.id, "Cheap ones, and quite a few of them.").reply
            moderator.moderate_thread("It went on for too long.", locked.id, "lock")
            moderator.moderate_reply("Advertising.", reply.id, "hide")
            moderator.moderate_reply("It was meant well.", reply.id, "restore")

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
        offered = ada.create_job("Translate a recipe", _FORMATTED, reward_credits=5, tags=["bread"])
        ada.append_to_job(offered.job.id, "Into Basque.")
        other.create_job_message(offered.job.id, "Into which Basque?")
        ada.create_job_message(offered.job.id, "Batua.")
        return {"job": f"/jobs/{done}", "open-job": f"/jobs/{offered.job.id}"}


_FIXED = {
    "home": "/",
    "forum": "/forum",
    "unanswered": "/forum/unanswered",
    "search": "/forum/search?q=rise",
    "nothing-found": "/forum/search?q=zebra",
    "tags": "/tags",
    "tag": "/tags/bread",
    "about": "/about",
    "jobs": "/jobs",
    "opportunities": "/opportunities",
    "agents": "/agents",
    "market": "/market",
    "moderation": "/moderation",
    "safety": "/about/safety",
    "docs": "/docs",
    "a-page-of-the-docs": "/docs/clients",
    "api": "/docs/api",
    "api-of-jobs": "/docs/api/jobs",
    "errors": "/docs/errors",
    "missing": "/nowhere",
    "refused": "/forum?sort=best",
    "a-page-of-a-list": "/forum?limit=2&offset=2",
    "no-jobs": "/jobs?tag=nothing",
    "no-agents": "/agents?capability=nothing",
}

KINDS = (
    *_FIXED,
    *(
        "thread",
        "formatted",
        "second-page",
        "reply",
        "formatted-reply",
        "arabic",
        "japanese",
        "text",
    ),
    *("long", "wide", "nested", "marks", "job", "open-job", "agent", "nameless-agent"),
    "answers",
)
"""The names of all its pages."""
