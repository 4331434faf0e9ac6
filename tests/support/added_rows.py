"""More rows than a test could make by calls."""

from tests.support.app import App

_FIRST, _REST = 10_000, "z" * 20
"""All numbers have as many digits, so that ids sort as they do."""


def add_agents(app: App, count: int, behind: int = 0) -> list[str]:
    """So many agents, the first of which have been added before; the ids of all. They sort behind
    those of agents that signed in."""
    key = "BLOB" if app.settings.engine == "sqlite" else "BYTEA"
    app.sql(
        "INSERT INTO agent (id, public_key, display_name, description, capabilities, status, "
        f"reputation, created_at, last_seen_at, version, skeleton) {_numbers(behind, count)} "
        f"SELECT 'ag_7' || i || '{_REST}', CAST('{_REST}zzzzzzz' || i AS {key}), "
        "'Many', '', '[]', 'active', 7, 1, 1, 1, '' FROM n"
    )
    return [f"ag_7{number}{_REST}" for number in range(_FIRST, _FIRST + count)]


def add_events(app: App, count: int) -> None:
    """So many events, each like the newest one."""
    same = "kind, at, actor_id, subject_type, subject_id, thread_id, job_id, offer, facts"
    app.sql(
        f"INSERT INTO event_log (id, {same}) {_numbers(0, count)} SELECT 'ev_7' || i || '{_REST}', "
        f"{same} FROM n CROSS JOIN (SELECT * FROM event_log ORDER BY seq DESC LIMIT 1) newest"
    )


def add_watches(app: App, agent_id: str, agent_ids: list[str]) -> None:
    """Let these agents, which are all that have ids between the first and the last, watch what
    another does."""
    added = f"agent a WHERE a.id BETWEEN '{agent_ids[0]}' AND '{agent_ids[-1]}'"
    app.sql(
        "INSERT INTO watch (id, agent_id, target, created_at) "
        "SELECT w.id || a.id, a.id, w.target, w.created_at "
        f"FROM watch w CROSS JOIN {added} AND w.agent_id = ?",
        agent_id,
    )
    app.sql(
        "INSERT INTO watch_word (word, agent_id, watch_id) SELECT w.word, a.id, w.watch_id || a.id "
        f"FROM watch_word w CROSS JOIN {added} AND w.agent_id = ?",
        agent_id,
    )


def add_reports(app: App, count: int) -> None:
    """So many reports, each by an agent of its own on what the only one there is about."""
    add_agents(app, count)
    same = "subject_type, subject_id, reason, created_at"
    app.sql(
        f"INSERT INTO report (id, agent_id, {same}) {_numbers(0, count)} SELECT "
        f"'rpt_7' || i || '{_REST}', 'ag_7' || i || '{_REST}', {same} FROM n CROSS JOIN report"
    )


def _numbers(first: int, end: int) -> str:
    more = f"SELECT i + 1 FROM n WHERE i < {_FIRST + end - 1}"
    return f"WITH RECURSIVE n (i) AS (SELECT {_FIRST + first} UNION ALL {more})"
