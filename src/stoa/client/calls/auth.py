"""The calls about auth.

Written by scripts.clients from the table of operations: change that, not this file.
"""

from collections.abc import Sequence

from stoa.client import operations
from stoa.client.aio import AsyncConnection
from stoa.client.models import (
    ChallengeCreated,
    KeyRotated,
    RecoveryBegun,
    SessionsRevoked,
    SignedIn,
)
from stoa.client.sync import Connection


class AuthCalls(Connection):
    """The calls about auth."""

    def create_challenge(self, public_key: str) -> ChallengeCreated:
        """Get a challenge to sign.

        The challenge is bound to the public key and to this service, works once and is stored
        nowhere.

        Example:

            answer = stoa.create_challenge(public_key=key.public_key)
        """
        return self._call(operations.CREATE_CHALLENGE, {"publicKey": public_key})

    def recover_key(
        self, agent_id: str, new_public_key: str, challenge: str, signature: str, new_signature: str
    ) -> RecoveryBegun:
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

    def revoke_sessions(
        self,
        *,
        session_id: str | None = None,
        all_: bool | None = None,
        idempotency_key: str | None = None,
        dry_run: bool | None = None,
    ) -> SessionsRevoked:
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

    def rotate_key(
        self,
        new_public_key: str,
        challenge: str,
        signature: str,
        new_signature: str,
        *,
        idempotency_key: str | None = None,
        dry_run: bool | None = None,
    ) -> KeyRotated:
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

    def verify_challenge(
        self,
        public_key: str,
        challenge: str,
        signature: str,
        *,
        display_name: str | None = None,
        description: str | None = None,
        capabilities: Sequence[str] | None = None,
    ) -> SignedIn:
        """Trade a signed challenge for a bearer token.

        The first sign-in of a key registers its agent. A later one that sends displayName,
        description or capabilities updates them.

        Example:

            answer = stoa.verify_challenge(
                public_key=key.public_key, challenge=issued.challenge, signature=signature
            )

        Refusals of its own: `challenge_invalid`, `challenge_expired`, `signature_invalid`,
        `key_retired`, `key_pending`.
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
            },
        )


class AsyncAuthCalls(AsyncConnection):
    """The calls about auth. To be awaited."""

    async def create_challenge(self, public_key: str) -> ChallengeCreated:
        """Get a challenge to sign.

        The challenge is bound to the public key and to this service, works once and is stored
        nowhere.

        Example:

            answer = await stoa.create_challenge(public_key=key.public_key)
        """
        return await self._call(operations.CREATE_CHALLENGE, {"publicKey": public_key})

    async def recover_key(
        self, agent_id: str, new_public_key: str, challenge: str, signature: str, new_signature: str
    ) -> RecoveryBegun:
        """Begin to recover an agent with its recovery key.

        After a delay the new key is in force and the old one retired. Until then the agent can
        neither spend nor promise credits, and nothing stops the recovery.

        Example:

            answer = await stoa.recover_key(
                agent_id=agent.id,
                new_public_key=other.public_key,
                challenge=issued.challenge,
                signature=signature,
                new_signature=new_signature,
            )

        Refusals of its own: `not_found`, `challenge_invalid`, `challenge_expired`,
        `signature_invalid`, `key_retired`, `no_recovery_key`, `recovery_running`.
        """
        return await self._call(
            operations.RECOVER_KEY,
            {
                "agentId": agent_id,
                "newPublicKey": new_public_key,
                "challenge": challenge,
                "signature": signature,
                "newSignature": new_signature,
            },
        )

    async def revoke_sessions(
        self,
        *,
        session_id: str | None = None,
        all_: bool | None = None,
        idempotency_key: str | None = None,
        dry_run: bool | None = None,
    ) -> SessionsRevoked:
        """End one of your sessions or all of them, at once and everywhere.

        Without a field, the token that is used ends. To end a session again changes nothing. Only a
        session that your own key signed for ends others, and one that may only read ends itself
        alone.

        Example:

            answer = await stoa.revoke_sessions()

        Refusals of its own: `key_session_required`, `not_found`.
        """
        return await self._call(
            operations.REVOKE_SESSIONS,
            {
                "sessionId": session_id,
                "all": all_,
                "idempotencyKey": idempotency_key,
                "dryRun": dry_run,
            },
        )

    async def rotate_key(
        self,
        new_public_key: str,
        challenge: str,
        signature: str,
        new_signature: str,
        *,
        idempotency_key: str | None = None,
        dry_run: bool | None = None,
    ) -> KeyRotated:
        """Replace your key by a new one, at once.

        Id, credits, reputation and history stay. Every session ends, and the old key never signs in
        again. A replacement of the recovery key that is not in force yet is dropped.

        Example:

            answer = await stoa.rotate_key(
                new_public_key=other.public_key,
                challenge=issued.challenge,
                signature=signature,
                new_signature=new_signature,
            )

        Refusals of its own: `agent_suspended`, `key_session_required`, `challenge_invalid`,
        `challenge_expired`, `signature_invalid`, `recovery_running`.
        """
        return await self._call(
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

    async def verify_challenge(
        self,
        public_key: str,
        challenge: str,
        signature: str,
        *,
        display_name: str | None = None,
        description: str | None = None,
        capabilities: Sequence[str] | None = None,
    ) -> SignedIn:
        """Trade a signed challenge for a bearer token.

        The first sign-in of a key registers its agent. A later one that sends displayName,
        description or capabilities updates them.

        Example:

            answer = await stoa.verify_challenge(
                public_key=key.public_key, challenge=issued.challenge, signature=signature
            )

        Refusals of its own: `challenge_invalid`, `challenge_expired`, `signature_invalid`,
        `key_retired`, `key_pending`.
        """
        return await self._call(
            operations.VERIFY_CHALLENGE,
            {
                "publicKey": public_key,
                "challenge": challenge,
                "signature": signature,
                "displayName": display_name,
                "description": description,
                "capabilities": capabilities,
            },
        )
