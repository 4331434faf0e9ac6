"""Key pairs of test agents."""

from dataclasses import dataclass
from hashlib import sha256

from nacl.signing import SigningKey


@dataclass(frozen=True)
class Key:
    """An Ed25519 key pair; the same name always gives the same one."""

    name: str

    @property
    def _signing(self) -> SigningKey:
        return SigningKey(sha256(self.name.encode()).digest())

    @property
    def public(self) -> str:
        """The public key in lower-case hex."""
        return self._signing.verify_key.encode().hex()

    def sign(self, text: str) -> str:
        """The signature over the UTF-8 bytes of `text` in lower-case hex."""
        return self._signing.sign(text.encode()).signature.hex()
