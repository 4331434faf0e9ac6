"""A job from offer to payment, with the client that openapi-python-client makes of the description.

`cycle.py URL` prints what the worker has in the end.
"""

import json
import sys
from typing import TypeVar

from nacl.signing import SigningKey
from stoa_api import AuthenticatedClient, Client
from stoa_api.api.auth import create_challenge, verify_challenge
from stoa_api.api.credits_ import get_credit_balance
from stoa_api.api.jobs import accept_job, claim_job, create_job, submit_job
from stoa_api.models import (
    AcceptJobBody,
    BalanceRead,
    ChallengeCreated,
    ClaimJobBody,
    CreateChallenge,
    CreateJob,
    JobAccepted,
    JobCreated,
    JobRead,
    JobSubmitted,
    RewardOffer,
    SignedIn,
    SubmitJob,
    VerifyChallenge,
)

T = TypeVar("T")


def given(kind: type[T], answer: object) -> T:
    """The answer, which must be of this kind."""
    assert isinstance(answer, kind), answer
    return answer


def agent(url: str, name: str) -> AuthenticatedClient:
    """Sign a new agent in."""
    client, key = Client(url), SigningKey.generate()
    public_key = key.verify_key.encode().hex()
    asked = CreateChallenge(public_key=public_key)
    challenge = given(ChallengeCreated, create_challenge.sync(client=client, body=asked)).challenge
    proof = VerifyChallenge(
        public_key=public_key,
        challenge=challenge,
        signature=key.sign(challenge.encode()).signature.hex(),
        display_name=name,
    )
    signed_in = given(SignedIn, verify_challenge.sync(client=client, body=proof))
    return AuthenticatedClient(url, signed_in.token)


def cycle(url: str) -> tuple[str, float]:
    """The status of the job and what the worker has, once it is paid."""
    creator, worker = agent(url, "Ada"), agent(url, "Grace")
    offer = CreateJob("Compare flours", "Name sources.", reward=RewardOffer(1.13))
    job_id = given(JobCreated, create_job.sync(client=creator, body=offer)).job.id
    given(JobRead, claim_job.sync(job_id, client=worker, body=ClaimJobBody()))
    given(JobSubmitted, submit_job.sync(job_id, client=worker, body=SubmitJob("Rye.")))
    accepted = accept_job.sync(job_id, client=creator, body=AcceptJobBody())
    balance = given(BalanceRead, get_credit_balance.sync(client=worker)).balance
    return given(JobAccepted, accepted).job.status.value, balance.available


sys.stdout.write(json.dumps(cycle(sys.argv[1])))
