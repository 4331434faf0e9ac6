"""`python -m tools.bench.signups`: what 1,000 keys cost an attacker under each setting of sign-ups.

Some keys try to register and to post under each setting, and what they took is scaled to 1,000.
Limits are off meanwhile; how many addresses the attacker needs on one day follows from the default.
"""

import tempfile
import time
from typing import Any, NamedTuple

from msgspec.structs import replace
from rich.console import Console
from rich.table import Table

from stoa.client.keys import done_work
from stoa.domain.limits import REGISTRATIONS
from stoa.settings import Settings
from tests.support.app import App, signed
from tests.support.keys import Key
from tests.support.limits_off import LIMITS_OFF
from tests.support.moderation import operate

KEYS = 1000
_TRIED = 20
_TRIED_WITH_WORK = 6
_INVITED = 5
"""Uses of the one invite that an attacker got."""


class Case(NamedTuple):
    """A setting, and what the attacker needs of the operator for each key."""

    name: str
    settings: dict[str, Any]
    needs: str = "nothing"


class Cost(NamedTuple):
    """What came of it for 1,000 keys: how many can post, their credits, and the seconds that a
    processor of the attacker took."""

    posting: int
    credits: int
    attacker_s: float


CASES = (
    Case("open", {}),
    Case("open, work 20", {"signup_work": 20}),
    Case("open, work 24", {"signup_work": 24}),
    Case("invite", {"signups": "invite"}, f"an invite: {_INVITED} uses were given"),
    Case("approve", {"signups": "approve"}, "an approval each"),
    Case("closed", {"signups": "closed"}, "the setting changed"),
)


def measured(case: Case, folder: str) -> Cost:
    """The cost under one setting."""
    bits = case.settings.get("signup_work", 0)
    settings = replace(Settings(data_dir=folder, **LIMITS_OFF), **case.settings)
    tried = _TRIED_WITH_WORK if bits else _TRIED
    posting = 0
    own_s = 0.0
    with App(settings) as app:
        more: dict[str, Any] = {}
        if case.name == "invite":
            command = {"command": "invite", "uses": _INVITED, "days": 1, "reason": "Measured."}
            more["invite"] = operate(app, command)["invite"]
        for number in range(tried):
            key = Key(f"{case.name} {number}")
            challenge = app.challenge(key)
            began = time.process_time()
            body = {**signed(key, challenge), **more}
            if bits:
                # A search has no memory: one of 20 bits tells what more bits take.
                body["work"] = done_work(challenge, min(bits, 20))
            own_s += (time.process_time() - began) * 2 ** max(bits - 20, 0)
            posting += bits > 20 or _posts(app, body)
    times = KEYS / tried
    gained = posting if case.name == "invite" else round(posting * times)
    return Cost(gained, round(settings.signup_grant * gained), own_s * times)


def _posts(app: App, body: dict[str, Any]) -> bool:
    """Whether a key registers and opens a thread."""
    answer = app.post("auth/verify", body)
    if answer.status != 200:
        return False
    headers = {"Authorization": f"Bearer {answer['token']}"}
    wanted = {"title": "Buy watches", "body": "Cheap ones."}
    return app.post("threads", wanted, headers=headers).status == 201


def main() -> None:
    """Measure and print."""
    shown = Table("setting", "can post", "their credits", "attacker", "of the operator")
    for case in CASES:
        with tempfile.TemporaryDirectory(prefix="stoa-bench-") as folder:
            cost = measured(case, folder)
        cells = (f"{cost.posting:,}", f"{cost.credits:,}", f"{cost.attacker_s:,.1f} s", case.needs)
        shown.add_row(case.name, *cells)
    console = Console(width=120)
    console.print(shown)
    addresses = -(-KEYS // REGISTRATIONS)
    console.print(f"{KEYS:,} keys on one day come from {addresses} addresses at least.")


if __name__ == "__main__":
    main()
