"""A thief against the owner: in every order of their moves the holder of the recovery key wins.

What a move may lead to depends on the present state alone, so the states that six moves lead to
stand for every order of six moves.
"""

from collections.abc import Callable
from itertools import product

import pytest

from tests.model.keyring import MOVES, OWNER, THIEF, Begun, Move, Ring, after, reachable, starts
from tests.support.answers import Answer
from tests.support.app import App
from tests.support.clock import HOUR
from tests.support.jobs import new_job
from tests.support.key_changes import chain, naming, recovery, rotation
from tests.support.keys import Key
from tests.support.soaking import few, fourth

STARTS = list(starts())
DEPTH = 6
DELAY = 72 * HOUR
ALONE = frozenset({THIEF})


def name(ring: Ring) -> str:
    """What the thief has stolen."""
    stolen = [
        thing
        for thing, holders in (
            ("key", ring.current),
            ("token", ring.tokens),
            ("recovery key", ring.recovery),
        )
        if THIEF in holders
    ]
    guard = "guarded" if ring.recovery else "unguarded"
    return f"{guard} and {' '.join(stolen) or 'nothing'} stolen"


every_start = pytest.mark.parametrize("start", STARTS, ids=name)


# --- The model.


@pytest.mark.promise("K15")
@every_start
def test_a_recovery_always_gives_the_agent_to_the_holder_of_the_recovery_key(start: Ring) -> None:
    for ring in reachable(start, DEPTH):
        for holder in ring.recovery:
            begun = _delayed_if_recovering(ring)
            assert holder in begun.recovery
            recovered = after(begun, Move(holder, "recover"))
            assert recovered is not None
            for ended in _whatever_the_others_do(recovered):
                assert ended.current == frozenset({holder})


def _delayed_if_recovering(ring: Ring) -> Ring:
    delayed = after(ring, Move("", "delay"))
    return delayed if ring.recovering and delayed is not None else ring


def _whatever_the_others_do(ring: Ring) -> list[Ring]:
    """The states after the delay, with any two moves before it."""
    ended: list[Ring] = []
    for first, second in product(MOVES[:-1], repeat=2):
        moved = after(ring, first) or ring
        moved = after(moved, second) or moved
        delayed = after(moved, Move("", "delay"))
        assert delayed is not None
        ended.append(delayed)
    return ended


@pytest.mark.promise("K16")
@every_start
def test_nobody_spends_and_no_key_changes_while_a_recovery_runs(start: Ring) -> None:
    running = [ring for ring in reachable(start, DEPTH) if ring.recovering]
    assert running
    for ring, move in product(running, MOVES[:-1]):
        if move.act == "sign in":
            continue
        assert after(ring, move) is None, (ring, move)


@every_start
def test_a_thief_without_the_recovery_key_gets_it_only_if_it_is_left_alone_for_the_delay(
    start: Ring,
) -> None:
    for ring, move in product(reachable(start, DEPTH - 1), MOVES):
        reached = after(ring, move)
        if reached is None or THIEF in ring.recovery or THIEF not in reached.recovery:
            continue
        if ring.recovery:
            assert (move.act, ring.begun) == ("delay", Begun("name", ALONE))
        else:
            assert THIEF in ring.current


@every_start
def test_a_token_alone_never_becomes_a_key(start: Ring) -> None:
    if THIEF in start.current or THIEF in start.recovery:
        return
    for ring in reachable(start, DEPTH):
        assert THIEF not in ring.current
        assert THIEF not in ring.recovery


# --- The service.


class Stage:
    """Plays moves against the service, and knows which keys there are."""

    def __init__(self, stoa: App, start: Ring, number: int) -> None:
        self.stoa = stoa
        self.number = number
        self.keys = 0
        self.current = self.fresh(OWNER)
        self.recovery = self.fresh(OWNER)
        self.begun: Key | None = None
        signed_in = stoa.verify(self.current).ok()
        self.id: str = signed_in["agent"]["id"]
        token: str = signed_in["token"]
        self.tokens: dict[str, str] = dict.fromkeys(start.tokens, token)
        self.named = bool(start.recovery)
        if self.named:
            body = naming(stoa, self.id, self.current, self.recovery)
            self.post(token, "agents/me/recovery", body).ok()

    def fresh(self, who: str) -> Key:
        """A key of one of the two that was not used before."""
        self.keys += 1
        return Key(f"{who} {self.number} {self.keys}")

    def post(self, token: str, path: str, body: object) -> Answer:
        """A call with a token, or with one that is none."""
        return self.stoa.post(path, body, headers={"Authorization": f"Bearer {token}"})

    def token(self, ring: Ring, who: str) -> str:
        """A token for who holds the current key, or the one that is left."""
        if who in ring.current and not ring.retired:
            self.tokens[who] = self.stoa.verify(self.current).ok()["token"]
        return self.tokens.get(who, "none")

    def play(self, ring: Ring, move: Move) -> bool:
        """Try a move in a state; whether the service did it."""
        who, act = move
        if act == "delay":
            self.stoa.clock.advance(DELAY)
            self._settle(ring)
            return True
        signer = self.current if who in ring.current else self.fresh(who)
        acts: dict[str, Callable[[Ring, str, Key], Answer]] = {
            "rotate": self._rotate,
            "name": self._name,
            "recover": self._recover,
            "spend": self._spend,
            "retire": self._retire,
            "sign in": self._sign_in,
        }
        answer = acts[act](ring, who, signer)
        assert answer.status in (200, 201, 401, 409), answer.text
        return answer.status < 300

    def _settle(self, ring: Ring) -> None:
        self.tokens = {}
        if ring.begun and self.begun:
            if ring.begun.act == "recover":
                self.current = self.begun
            else:
                self.recovery = self.begun
        self.begun = None

    def _rotate(self, ring: Ring, who: str, signer: Key) -> Answer:
        new = self.fresh(who)
        body = rotation(self.stoa, self.id, signer, new)
        answer = self.post(self.token(ring, who), "auth/rotate", body)
        if answer.status == 200:
            self.current, self.begun, self.tokens = new, None, {}
        return answer

    def _name(self, ring: Ring, who: str, signer: Key) -> Answer:
        new = self.fresh(who)
        body = naming(self.stoa, self.id, signer, new)
        answer = self.post(self.token(ring, who), "agents/me/recovery", body)
        if answer.status == 200 and self.named:
            self.begun = new
        elif answer.status == 200:
            self.recovery, self.named = new, True
        return answer

    def _recover(self, ring: Ring, who: str, _: Key) -> Answer:
        new = self.fresh(who)
        signer = self.recovery if who in ring.recovery else self.fresh(who)
        answer = self.stoa.post("auth/recover", recovery(self.stoa, self.id, signer, new))
        if answer.status == 200:
            self.begun = new
        return answer

    def _spend(self, _: Ring, who: str, signer: Key) -> Answer:
        return self.post(self.tokens.get(who, "none"), "jobs", new_job(1))

    def _retire(self, _: Ring, who: str, signer: Key) -> Answer:
        token = self.tokens.get(who, "none")
        return self.post(token, "agents/me/retire", {"confirm": self.id})

    def _sign_in(self, ring: Ring, who: str, signer: Key) -> Answer:
        if who not in ring.current:
            # A key of one's own would register an agent of its own.
            return self.post("none", "agents/me/retire", {})
        answer = self.stoa.verify(signer)
        if answer.status == 200:
            self.tokens[who] = answer["token"]
        return answer

    def check(self, ring: Ring) -> None:
        """The chain must show the keys that the model has."""
        shown = chain(self.stoa, self.id)
        current = [key["publicKey"] for key in shown["keys"] if key["status"] == "current"]
        assert current == ([] if ring.retired else [self.current.public])
        if not ring.retired:
            assert shown["recoveryKey"] == (self.recovery.public if self.named else None)


@pytest.mark.promise("K17")
@pytest.mark.costly
@pytest.mark.long
@pytest.mark.settings(signup_grant=1000)
@pytest.mark.parametrize("depth", few([2, 3]))
@pytest.mark.parametrize("start", fourth(STARTS, 0), ids=name)
def test_the_service_does_what_the_model_does(stoa: App, start: Ring, depth: int) -> None:
    ways = reachable(start, depth if stoa.settings.engine == "sqlite" else depth - 1)
    for number, (ring, way) in enumerate(ways.items()):
        stage, at = Stage(stoa, start, number), start
        for move in way:
            reached = after(at, move)
            assert reached is not None
            assert stage.play(at, move), (at, move)
            at = reached
        assert at == ring
        stage.check(ring)
        for move in MOVES:
            if after(ring, move) is None:
                assert not stage.play(ring, move), (ring, move)
        stage.check(ring)
