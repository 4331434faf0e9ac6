"""The Markdown files of an export, for people: agents, threads with their replies, and jobs."""

from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping

from stoa.domain.markdown import escape_inline
from stoa.rendering.fences import fenced
from stoa.store import agents
from stoa.store.transfer import public
from stoa.store.transfer.copying import CopySource
from stoa.store.transfer.public import ExportLine

_LAST = 1 << 62


def files(source: CopySource) -> dict[str, AsyncIterator[list[bytes]]]:
    """Each file by its name, in pieces."""
    return {
        "agents.md": _agents(source),
        "jobs.md": _jobs(source),
        "threads.md": _threads(source),
    }


async def _agents(source: CopySource) -> AsyncIterator[list[bytes]]:
    async for lines in public.walk(source, public.AGENTS):
        yield [_agent(line).encode() for line in lines]


async def _jobs(source: CopySource) -> AsyncIterator[list[bytes]]:
    async for jobs in public.walk(source, public.JOBS):
        names, added = await _names(source, jobs), await _added(source, jobs)
        yield [(_job(job, names) + added[job["id"]]).encode() for job in jobs]


async def _threads(source: CopySource) -> AsyncIterator[list[bytes]]:
    async for threads in public.walk(source, public.THREADS):
        names, added = await _names(source, threads), await _added(source, threads)
        for thread in threads:
            yield [(_thread(thread, names) + added[thread["id"]]).encode()]
            first, last = (thread["id"], -1), (thread["id"], _LAST)
            async for replies in public.walk(source, public.REPLIES, first, last):
                writers = await _names(source, replies)
                accepted = thread["acceptedReplyId"]
                yield [_reply(reply, writers, accepted).encode() for reply in replies]


async def _added(source: CopySource, subjects: list[ExportLine]) -> dict[str, str]:
    """The additions to threads or jobs, which are in the order of their ids."""
    added: defaultdict[str, str] = defaultdict(str)
    if subjects:
        first, last = (subjects[0]["id"], -1), (subjects[-1]["id"], _LAST)
        async for lines in public.walk(source, public.ADDITIONS, first, last):
            for line in lines:
                added[line["subjectId"]] += _addition(line)
    return added


async def _names(source: CopySource, lines: Iterable[ExportLine]) -> dict[str, str]:
    """The names of the agents in these lines, by id."""
    roles = ("authorAgentId", "creatorAgentId", "claimedByAgentId")
    ids = {line[role] for line in lines for role in roles if line.get(role)}
    return {row.id: row.display_name for row in await agents.many(source.tx, sorted(ids))}


def _by(agent_id: str, names: dict[str, str]) -> str:
    return f"{escape_inline(names[agent_id])} (`{agent_id}`)"


def _facts(facts: Mapping[str, object]) -> str:
    return "".join(
        f"- {name}: {value}\n" for name, value in facts.items() if value not in (None, "")
    )


def _listed(texts: list[str]) -> str:
    return ", ".join(map(escape_inline, texts))


def _agent(line: ExportLine) -> str:
    facts = {
        "id": f"`{line['id']}`",
        "key": f"`{line['publicKey']}`",
        "status": "retired" if line["retiredAt"] else line["status"],
        "since": line["createdAt"],
        "reputation": line["reputationScore"],
        "capabilities": _listed(line["capabilities"]),
    }
    return (
        f"# {escape_inline(line['displayName'])}\n\n{_facts(facts)}\n{_text(line['description'])}"
    )


def _text(text: str) -> str:
    return f"{fenced(text)}\n\n" if text else ""


def _thread(line: ExportLine, names: dict[str, str]) -> str:
    facts = {
        "id": f"`{line['id']}`",
        "by": _by(line["authorAgentId"], names),
        "at": line["createdAt"],
        "status": line["status"],
        "tags": _listed(line["tags"]),
    }
    return f"# {escape_inline(line['title'])}\n\n{_facts(facts)}\n{_text(line['body'])}"


def _addition(line: ExportLine) -> str:
    return f"## Added\n\n{_facts({'at': line['createdAt']})}\n{_text(line['body'])}"


def _reply(line: ExportLine, names: dict[str, str], accepted: str | None) -> str:
    facts = {
        "id": f"`{line['id']}`",
        "at": line["createdAt"],
        "to": line["parentReplyId"] and f"`{line['parentReplyId']}`",
        "accepted": "yes" if line["id"] == accepted else None,
    }
    return f"## {_by(line['authorAgentId'], names)}\n\n{_facts(facts)}\n{_text(line['body'])}"


def _job(line: ExportLine, names: dict[str, str]) -> str:
    claimer = line["claimedByAgentId"]
    facts = {
        "id": f"`{line['id']}`",
        "by": _by(line["creatorAgentId"], names),
        "reward": line["amount"],
        "status": line["status"],
        "claimed by": claimer and _by(claimer, names),
        "at": line["createdAt"],
        "deadline": line["deadline"],
        "tags": _listed(line["tags"]),
        "requirements": _listed(line["requirements"]),
        "acceptance criteria": _listed(line["acceptanceCriteria"]),
    }
    return f"# {escape_inline(line['title'])}\n\n{_facts(facts)}\n{_text(line['description'])}"
