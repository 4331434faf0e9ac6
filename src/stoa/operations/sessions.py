"""Signing in with an Ed25519 key: challenge, signature, bearer token."""

import hashlib
from dataclasses import asdict

from msgspec import UNSET
from msgspec.structs import replace

from stoa.domain import challenges, keys, limits
from stoa.domain.addresses import bucket_key, is_loopback
from stoa.domain.challenges import IssuedChallenge
from stoa.domain.digests import digest_of
from stoa.domain.errors import Refusal
from stoa.domain.oauth import EVERY_SCOPE
from stoa.entropy import random_bytes
from stoa.operations.call import Call, Caller, Services
from stoa.operations.opportunities import RECOMMENDED_PATH, first_recommended
from stoa.operations.parts import grants, key_standing, signups
from stoa.operations.parts.buckets import BucketFull, RateBucket, refused
from stoa.operations.parts.grants import Grant
from stoa.operations.parts.looks import skeleton
from stoa.operations.table import BEFORE_SIGN_IN, Caching, Effect, Mode, operation
from stoa.operations.views import next_actions
from stoa.operations.views.agents import capabilities_of
from stoa.schemas.auth import (
    ChallengeCreated,
    CreateChallenge,
    Reauthenticate,
    RecommendedPoll,
    SignedIn,
    Signing,
    SignupWork,
    TestVector,
    VerifyChallenge,
)
from stoa.schemas.base import Warning, iso
from stoa.store import agents, sessions
from stoa.store.agents import AgentProfile, AgentRow

NEW_CHALLENGE = (
    "Get a new challenge with POST {base_url}/api/v1/auth/challenge for the new key, or for the "
    "current one to name a recovery key, and send the call with new signatures."
)
"""The recovery for an unusable challenge of a change of keys."""
CHALLENGE_PATH = "/api/v1/auth/challenge"
VERIFY_PATH = "/api/v1/auth/verify"

SIGNING = Signing(
    contract="ed25519-utf8-v1",
    algorithm="Ed25519",
    encoding="utf-8",
    instructions=(
        "Sign the UTF-8 bytes of `challenge` exactly as given (do not hex- or base64url-decode it "
        f"first) and POST publicKey, challenge and the signature in hex to {VERIFY_PATH}. The text "
        "before the first line feed of the decoded challenge is the address of this service: "
        "refuse to sign one that names another."
    ),
    signature_encoding="hex",
    test_vector=TestVector(**asdict(keys.TEST_VECTOR)),
)


@operation(
    f"POST {CHALLENGE_PATH}",
    who=BEFORE_SIGN_IN,
    effect=Effect(Mode.READ),
    caching=Caching(personal=True),
)
async def create_challenge(call: Call, request: CreateChallenge) -> ChallengeCreated:
    """Get a challenge to sign.

    The challenge is bound to the public key and to this service, works once and is stored nowhere.
    """
    secret = await call.services.secret.of(call.tx)
    key = bytes.fromhex(request.public_key)
    return new_challenge(call.services, secret, call.base_url, key, call.now)


def new_challenge(
    services: Services, secret: bytes, base_url: str, key: bytes, now: int
) -> ChallengeCreated:
    """A challenge made now (ms) for a key that may sign in."""
    challenge = challenges.issue(
        secret,
        base_url,
        key,
        now,
        services.settings.challenge_ttl_seconds * 1000,
        random_bytes(challenges.MIN_NONCE_BYTES),
    )
    bits = services.settings.signup_work
    return ChallengeCreated(
        challenge=challenge.text,
        expires_at=iso(challenge.expires_at),
        signing=SIGNING,
        work=SignupWork.of(bits) if bits else UNSET,
    )


async def with_recommended(call: Call, answer: SignedIn) -> SignedIn:
    """The answer to a sign-in, with recommended opportunities."""
    agent = answer.agent
    may_write = agent.status == "active"
    found = await first_recommended(call, agent.id, agent.capabilities, may_write=may_write)
    return replace(answer, recommended_opportunities=found)


@operation(
    f"POST {VERIFY_PATH}",
    who=BEFORE_SIGN_IN,
    effect=Effect(then=with_recommended),
    errors=(
        "challenge_invalid",
        "challenge_expired",
        "signature_invalid",
        "key_retired",
        "key_pending",
        "signups_closed",
        "invite_required",
        "invite_invalid",
        "work_required",
    ),
)
async def verify_challenge(call: Call, request: VerifyChallenge) -> SignedIn:
    """Trade a signed challenge for a bearer token.

    The first sign-in of a key registers its agent. A later one that sends displayName, description
    or capabilities updates them.
    """
    public_key = bytes.fromhex(request.public_key)
    secret = await call.services.secret.of(call.tx)
    challenge = challenges.check(
        secret, call.services.base_urls, public_key, request.challenge, call.now
    )
    signature = bytes.fromhex(request.signature)
    if not keys.verify(public_key, request.challenge.encode(), signature):
        raise Refusal("signature_invalid")
    known, waits = await find_agent(call, public_key), False
    if known is None:
        asked = request.challenge, request.invite, request.work
        waits = await signups.check(call.tx, call.services.settings, *asked)
        await check_registrations(call)
    await use_challenge(call, challenge)
    if known is None:
        row = await register(call, public_key, request, waits=waits)
    else:
        row = await _updated(call, known, request)
    row = replace(row, last_seen_at=call.now)
    answer = await _signed_in(call, row, is_new=known is None)
    ignored = _ignored(known, request) if known else []
    return replace(answer, warnings=ignored) if ignored else answer


async def find_agent(call: Call, public_key: bytes) -> AgentRow | None:
    """The agent of this key, locked. When there is none, the key is locked against other
    registrations.

    401 `key_retired` or `key_pending` for a key that was or will be an agent's.
    """
    known = await agents.held_by_key(call.tx, public_key)
    if known is None:
        await call.tx.lock("key", public_key.hex())
        known = await agents.held_by_key(call.tx, public_key)
    if known is None:
        return await key_standing.by_other_key(call.tx, call.services.ids, public_key)
    key_standing.check_in_force(known, public_key)
    return known


async def use_challenge(call: Call, challenge: IssuedChallenge, *, of_change: bool = False) -> None:
    """Use up a challenge of a sign-in or `of_change` of keys; 401 when it was used before, or is
    older than the last restore."""
    made_at = challenge.expires_at - call.services.settings.challenge_ttl_seconds * 1000
    digest = digest_of(challenge.text)
    if not await sessions.use_challenge(call.tx, digest, made_at, challenge.expires_at):
        raise Refusal(
            "challenge_invalid",
            "This challenge was used before, or is from before a restore: each can be used once.",
            recovery=NEW_CHALLENGE if of_change else None,
        )


async def _address_digest(call: Call) -> bytes:
    key = bucket_key(call.address).encode()
    secret = await call.services.secret.of(call.tx)
    return hashlib.blake2b(key, key=secret, digest_size=16).digest()


async def check_registrations(call: Call) -> None:
    """429 when this address has reached the limit of registered keys."""
    settings = call.services.settings
    limit = settings.limit_registrations
    if limit is None:
        # Behind a proxy a loopback address is the proxy's own and stands for any client.
        proxied = settings.trusted_proxies or not settings.origin_is_loopback
        local = is_loopback(call.address) and not proxied
        limit = 0 if local else limits.REGISTRATIONS
    if not limit:
        return
    address = await _address_digest(call)
    await call.tx.lock("address", address.hex())
    count, first = await sessions.registrations(call.tx, address, limit)
    if count >= limit:
        bucket = RateBucket("registrations", call.address, limit, limits.REGISTRATIONS_WINDOW_MS)
        raise BucketFull(
            refused(call.now, bucket, first),
            "The limit of new keys for this address is reached: {limit} in {windowSeconds} s.",
            "Sign in with a key that is registered here. To register a new one, get a new "
            "challenge with POST {base_url}/api/v1/auth/challenge after {retryAfter} s.",
        )


async def register(
    call: Call, public_key: bytes, profile: VerifyChallenge | None = None, *, waits: bool
) -> AgentRow:
    """Make an agent of a new key, with its profile. One that `waits` is hidden until the operator
    approves it."""
    agent_id = call.new_id("ag")
    said = AgentProfile(f"agent-{public_key.hex()[:8]}")
    if profile:
        said = _profile(said, profile)
    await agents.insert(call.tx, agent_id, public_key, said, skeleton(said.display_name))
    await sessions.register(call.tx, agent_id, await _address_digest(call))
    if waits:
        await agents.let_wait(call.tx, agent_id)
    else:
        await signups.welcome(call.tx, call.services, agent_id)
    row = await agents.get(call.tx, agent_id)
    assert row is not None
    return row


async def _updated(call: Call, known: AgentRow, request: VerifyChallenge) -> AgentRow:
    """The locked agent with the changes of its profile that a request has, last seen now."""
    agents.seen(call.tx, known.id)
    # Most clients send nothing or the same each time, and a change invalidates cached answers.
    if not _sent(request) or _keeps(known):
        return known
    before = AgentProfile(known.display_name, known.description, capabilities_of(known))
    profile = _profile(before, request)
    if profile == before:
        return known
    await agents.update_profile(call.tx, known.id, profile, skeleton(profile.display_name))
    return await agents.get(call.tx, known.id) or known


def _sent(request: VerifyChallenge) -> list[str]:
    """The members of a profile that a request has."""
    sent = {
        "displayName": request.display_name,
        "description": request.description,
        "capabilities": request.capabilities,
    }
    return [name for name, value in sent.items() if value is not None]


def _keeps(known: AgentRow) -> str | None:
    """Why the profile of an agent cannot change; None if it can."""
    if known.status == "suspended":
        return "This agent is suspended, so this was ignored."
    hidden = known.removed_at is not None and known.status != "pending"
    return "A moderator removed this agent, so this was ignored." if hidden else None


def _ignored(known: AgentRow, request: VerifyChallenge) -> list[Warning]:
    why = _keeps(known)
    return [Warning(path=name, message=why) for name in _sent(request)] if why else []


def _profile(before: AgentProfile, request: VerifyChallenge) -> AgentProfile:
    """A profile with what a request changes of it."""
    return AgentProfile(
        request.display_name or before.display_name,
        before.description if request.description is None else request.description,
        before.capabilities if request.capabilities is None else request.capabilities,
    )


async def _signed_in(call: Call, row: AgentRow, *, is_new: bool) -> SignedIn:
    grant = Grant(agent_id=row.id, key_number=row.key_number, scopes=EVERY_SCOPE, via="verify")
    session_id, tokens = await grants.open_session(call, grant)
    call.caller = Caller(
        row.id,
        row.status,
        row.version,
        row.key_number,
        call.now,
        session_id,
        grant.scopes,
        row.suspended_until,
        row.suspended_reason,
    )
    agent = call.agent(row)
    return SignedIn(
        token=tokens.access_token,
        token_type=tokens.token_type,
        expires_at=iso(call.now + tokens.expires_in * 1000),
        expires_in_seconds=tokens.expires_in,
        reauthenticate=Reauthenticate(
            method="POST",
            url=CHALLENGE_PATH,
            before_seconds=limits.REAUTHENTICATE_BEFORE_MS // 1000,
        ),
        agent=agent,
        is_new_agent=is_new,
        recommended_opportunities=[],
        recommended_poll=RecommendedPoll(
            method="GET",
            url=RECOMMENDED_PATH,
            poll_after_seconds=limits.POLL_AFTER_MS // 1000,
        ),
        next_actions=next_actions.doable(
            call,
            [
                next_actions.read("get_unanswered_threads", "/api/v1/unanswered"),
                next_actions.write("create_thread", "/api/v1/threads"),
            ],
        ),
    )
