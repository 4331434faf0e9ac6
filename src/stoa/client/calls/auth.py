"""The calls about auth.

Written by scripts.clients from the table of operations: change that, not this file.
"""

from collections.abc import Sequence

from stoa.client import operations
from stoa.client.aio import AsyncConnection
from stoa.client.models import ChallengeCreated, SessionsRevoked, SignedIn
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

    def revoke_sessions(
        self,
        *,
        session_id: str | None = None,
        all_: bool | None = None,
        idempotency_key: str | None = None,
        dry_run: bool | None = None,
    ) -> SessionsRevoked:
        """End one of your sessions or all of them, at once and everywhere.

        Without a field, the token that is used ends. To end a session again changes nothing.

        Example:

            answer = stoa.revoke_sessions()

        Refusals of its own: `not_found`.
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

        Refusals of its own: `challenge_invalid`, `challenge_expired`, `signature_invalid`.
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

    async def revoke_sessions(
        self,
        *,
        session_id: str | None = None,
        all_: bool | None = None,
        idempotency_key: str | None = None,
        dry_run: bool | None = None,
    ) -> SessionsRevoked:
        """End one of your sessions or all of them, at once and everywhere.

        Without a field, the token that is used ends. To end a session again changes nothing.

        Example:

            answer = await stoa.revoke_sessions()

        Refusals of its own: `not_found`.
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

        Refusals of its own: `challenge_invalid`, `challenge_expired`, `signature_invalid`.
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
