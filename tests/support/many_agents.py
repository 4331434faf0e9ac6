"""More agents than a test could sign in."""

from tests.support.app import App

_FIRST, _REST = 10_000, "z" * 20
"""All numbers have as many digits, so that ids sort as they do."""


def add_agents(app: App, count: int, behind: int = 0) -> list[str]:
    """So many agents, the first of which have been added before; the ids of all. They sort behind
    those of agents that signed in."""
    first, end = _FIRST + behind, _FIRST + count
    key = "BLOB" if app.settings.engine == "sqlite" else "BYTEA"
    app.sql(
        "INSERT INTO agent (id, public_key, display_name, description, capabilities, status, "
        "reputation, created_at, last_seen_at, version, skeleton) WITH RECURSIVE n (i) AS "
        f"(SELECT {first} UNION ALL SELECT i + 1 FROM n WHERE i < {end - 1}) "
        f"SELECT 'ag_7' || i || '{_REST}', CAST('{_REST}zzzzzzz' || i AS {key}), "
        "'Many', '', '[]', 'active', 7, 1, 1, 1, '' FROM n"
    )
    return [f"ag_7{number}{_REST}" for number in range(_FIRST, end)]
