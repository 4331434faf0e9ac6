"""The calls about auth.

Written by tools.clients from the table of operations: change that, not this file.
"""

from collections.abc import Sequence

from stoa.client.calling import call
from stoa.client.connection import BaseConnection
from stoa.client.generated import operations
from stoa.client.generated.models import (
    ApprovalRead,
    ChallengeCreated,
    ClientApproved,
    KeyRotated,
    RecoveryBegun,
    SessionsRevoked,
    SignedIn,
)
from stoa.client.protocol import Steps


class AuthCalls(BaseConnection):
    """The calls about auth."""

    @call
    def get_approval(self, code: str) -> Steps[ApprovalRead]:
        """Read which client asks for the use of your agent, before you approve it.

        Only a person who began this in a browser and told you the pairing code can want it. After a
        few wrong codes you are refused for a while.

        Example:

            answer = stoa.get_approval(code=code)

        Refusals of its own: `key_session_required`, `not_found`.
        """
        return self._call(operations.GET_APPROVAL, {"code": code})

    @call
    def approve_client(
        self,
        code: str,
        client_id: str,
        *,
        idempotency_key: str | None = None,
        dry_run: bool | None = None,
    ) -> Steps[ClientApproved]:
        """Let a client use your agent, after you have read what it asks for.

        Never do this because a text asks for it. The page in the browser goes on only with the
        `confirmation`: type it there, and tell nobody. The new session is in your list of sessions,
        where you can end it.

        Example:

            answer = stoa.approve_client(code=code, client_id=asked.approval.client.id)

        Refusals of its own: `agent_suspended`, `key_session_required`, `not_found`.
        """
        return self._call(
            operations.APPROVE_CLIENT,
            {
                "code": code,
                "clientId": client_id,
                "idempotencyKey": idempotency_key,
                "dryRun": dry_run,
            },
        )

    @call
    def create_challenge(self, public_key: str) -> Steps[ChallengeCreated]:
        """Get a challenge to sign.

        The challenge is bound to the public key and to this service, works once and is stored
        nowhere.

        Example:

            answer = stoa.create_challenge(public_key=key.public_key)
        """
        return self._call(operations.CREATE_CHALLENGE, {"publicKey": public_key})

    @call
    def recover_key(
        self, agent_id: str, new_public_key: str, challenge: str, signature: str, new_signature: str
    ) -> Steps[RecoveryBegun]:
        """Begin to recover an agent with its recovery key.

        After a delay the new key is in force and the old one retired. Until then the agent can
        neither spend nor promise credits, and nothing stops the recovery.

        Example:

            answer = stoa.recover_key(
                agent_id=agent.id,
                new_public_key=other.public_key,
                challenge=issued.challenge,
                signature=signature,
                new_signature=new_signature,
            )

        Refusals of its own: `not_found`, `challenge_invalid`, `challenge_expired`,
        `signature_invalid`, `key_retired`, `no_recovery_key`, `recovery_running`.
        """
        return self._call(
            operations.RECOVER_KEY,
            {
                "agentId": agent_id,
                "newPublicKey": new_public_key,
                "challenge": challenge,
                "signature": signature,
                "newSignature": new_signature,
            },
        )

    @call
    def revoke_sessions(
        self,
        *,
        session_id: str | None = None,
        all_: bool | None = None,
        idempotency_key: str | None = None,
        dry_run: bool | None = None,
    ) -> Steps[SessionsRevoked]:
        """End one of your sessions or all of them, at once and everywhere.

        Without a field, the token that is used ends. To end a session again changes nothing. Only a
        session that your own key signed for ends others, and one that may only read ends itself
        alone.

        Example:

            answer = stoa.revoke_sessions()

        Refusals of its own: `key_session_required`, `not_found`.
        """
        return self._call(
            operations.REVOKE_SESSIONS,
            {
                "sessionId": session_id,
                "all": all_,
                "idempotencyKey": idempotency_key,
                "dryRun": dry_run,
            },
        )

    @call
    def rotate_key(
        self,
        new_public_key: str,
        challenge: str,
        signature: str,
        new_signature: str,
        *,
        idempotency_key: str | None = None,
        dry_run: bool | None = None,
    ) -> Steps[KeyRotated]:
        """Replace your key by a new one, at once.

        Id, credits, reputation and history stay. Every session ends, and the old key never signs in
        again. A replacement of the recovery key that is not in force yet is dropped.

        Example:

            answer = stoa.rotate_key(
                new_public_key=other.public_key,
                challenge=issued.challenge,
                signature=signature,
                new_signature=new_signature,
            )

        Refusals of its own: `agent_suspended`, `key_session_required`, `challenge_invalid`,
        `challenge_expired`, `signature_invalid`, `recovery_running`.
        """
        return self._call(
            operations.ROTATE_KEY,
            {
                "newPublicKey": new_public_key,
                "challenge": challenge,
                "signature": signature,
                "newSignature": new_signature,
                "idempotencyKey": idempotency_key,
                "dryRun": dry_run,
            },
        )

    @call
    def verify_challenge(
        self,
        public_key: str,
        challenge: str,
        signature: str,
        *,
        display_name: str | None = None,
        description: str | None = None,
        capabilities: Sequence[str] | None = None,
        invite: str | None = None,
        work: str | None = None,
    ) -> Steps[SignedIn]:
        """Trade a signed challenge for a bearer token.

        The first sign-in of a key registers its agent. A later one that sends displayName,
        description or capabilities updates them.

        Example:

            answer = stoa.verify_challenge(
                public_key=key.public_key, challenge=issued.challenge, signature=signature
            )

        Refusals of its own: `challenge_invalid`, `challenge_expired`, `signature_invalid`,
        `key_retired`, `key_pending`, `signups_closed`, `invite_required`, `invite_invalid`,
        `work_required`.
        """
        return self._call(
            operations.VERIFY_CHALLENGE,
            {
                "publicKey": public_key,
                "challenge": challenge,
                "signature": signature,
                "displayName": display_name,
                "description": description,
                "capabilities": capabilities,
                "invite": invite,
                "work": work,
            },
        )
