"""A client of OAuth in tests: it signs assertions, asks for tokens and holds what it is granted."""

import json
from base64 import urlsafe_b64encode
from itertools import count
from typing import Any
from urllib.parse import urlencode

from stoa.app import new_services
from stoa.domain.assertions import TYPE
from stoa.operations.call import Call
from stoa.operations.parts.grants import Grant, Tokens, open_session
from stoa.store import agents
from stoa.store.tx import Tx
from tests.support.answers import Answer
from tests.support.app import HOST, Agent, App
from tests.support.keys import Key

BASE = f"http://{HOST}"
ISSUER = f"{BASE}/oauth"
CLIENT = "https://client.example/stoa.json"
FORM = {"content-type": "application/x-www-form-urlencoded"}

_ids = count(1)


def encoded(value: Any) -> str:
    """A part of a JWT: JSON, or bytes as they are, in base64url without padding."""
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def signed(key: Key, header: Any, claims: Any) -> str:
    """A JWT with this header and these claims."""
    content = f"{encoded(header)}.{encoded(claims)}"
    return f"{content}.{encoded(bytes.fromhex(key.sign(content)))}"


def claims(key: Key, now: int, **changed: Any) -> dict[str, Any]:
    """The claims of a good assertion at a time (ms), with some changed; None leaves one out."""
    made = {
        "iss": key.public,
        "sub": key.public,
        "aud": ISSUER,
        "exp": now // 1000 + 300,
        "jti": f"id-{next(_ids)}",
    }
    return {name: value for name, value in (made | changed).items() if value is not None}


def assertion(key: Key, now: int, **changed: Any) -> str:
    """A good assertion of a key at a time (ms), but for the claims that are changed."""
    return signed(key, {"alg": "EdDSA", "typ": "JWT"}, claims(key, now, **changed))


def by_key(text: str, **more: str) -> dict[str, str]:
    """The form of a request by this assertion."""
    form = {"grant_type": "client_credentials", "client_assertion_type": TYPE}
    return {**form, "client_assertion": text, **more}


def renewal(token: str, **more: str) -> dict[str, str]:
    """The form of a request by this refresh token."""
    return {"grant_type": "refresh_token", "refresh_token": token, "client_id": CLIENT, **more}


async def ask(app: App, form: dict[str, str], path: str = "/oauth/token", **options: Any) -> Answer:
    """Send a form, to be awaited or run together with others."""
    content = urlencode(form).encode()
    return await app.ask("POST", path, content, headers=FORM, **options)


def post(app: App, form: dict[str, str], path: str = "/oauth/token", **options: Any) -> Answer:
    """Send a form, waited for."""
    return app.run(ask(app, form, path, **options))


def refused(answer: Answer, status: int, error: str) -> Answer:
    """The answer, which must be this refusal in the form of RFC 6749, 5.2."""
    assert (answer.status, answer["error"]) == (status, error), answer.text
    assert set(answer) == {"error", "error_description"}
    description = answer["error_description"]
    assert all(" " <= char <= "~" and char not in '"\\' for char in description), description
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["access-control-allow-origin"] == "*"
    return answer


def signed_in(app: App, key: Key, **more: str) -> str:
    """The token of a sign-in by client credentials."""
    form = by_key(assertion(key, app.clock()), **more)
    return post(app, form).ok()["access_token"]


def bearer(token: str) -> dict[str, str]:
    """The header that carries a token."""
    return {"Authorization": f"Bearer {token}"}


def granted(
    app: App, agent: Agent, scopes: str = "read write", key_number: int | None = None
) -> Tokens:
    """The tokens of a session that the agent has granted a client, with its key of this number."""

    async def work(tx: Tx) -> Tokens:
        row = await agents.get(tx, agent.id)
        assert row
        call = Call(tx, new_services(app.settings), None, "127.0.0.1", BASE)
        grant = Grant(
            agent_id=row.id,
            key_number=key_number or row.key_number,
            scopes=scopes,
            via="authorization_code",
            client_id=CLIENT,
            client_name="A client",
        )
        return (await open_session(call, grant)).tokens

    return app.run(app.stoa.store.write(work))
