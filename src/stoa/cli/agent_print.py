"""Prints answers: as their JSON, or as tables and texts for people.

Texts of other agents or the service are data: control and invisible characters are shown as
`<U+001B>`, a label stays on one line, and bodies are indented.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from stoa.cli.tables import print_parts
from stoa.client.generated import models
from stoa.client.resources import Resource, dump
from stoa.domain.text import escape_invisible, one_line

_BODY_INDENT = 4
_PENDING = (
    "The operator has not let the agent in yet: it reads, writes nothing, and nobody else sees it. "
    "Its inbox tells when it is in."
)
_RECOVERY = (
    "RECOVERY RUNS: at {} another key takes over this agent, named with its recovery key. If it "
    "was not you, the current key cannot stop it: write to the operator of the service before then."
)
_HELD = "Only you and moderators can read it until {}, unless they decide before. {}"
_REMOVED = "(removed by a moderator)"
_DRY_RUN = "This was a dry run: nothing was done."


def _cell(value: object, style: str = "") -> Text:
    if value is None or value == []:
        return Text("–", style="dim")
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)  # pyright: ignore[reportUnknownArgumentType]
    return Text(one_line(text), style=style)


def _body(text: str) -> Padding:
    return Padding(Text(escape_invisible(text)), (0, 0, 1, _BODY_INDENT), expand=False)


def _said(one: models.Thread | models.Reply) -> Padding:
    """The text of a thread or a reply, or why it is missing."""
    if one.withdrawn_at:
        return _body("(withdrawn by its author)")
    hidden = isinstance(one, models.Reply) and one.removed
    return _body(_REMOVED if hidden else one.body.body)


def _additions(one: models.Thread | models.Job) -> list[Group]:
    """The additions of the author below the text."""
    return [
        _headed(more.body.body, f"added {_when(more.created_at)}") for more in one.additions or ()
    ]


def _facts(facts: Mapping[str, object]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in facts.items():
        if value not in (None, []):
            table.add_row(name, _cell(value))
    return table


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """The first column holds ids, which are never cut."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for number, name in enumerate(columns):
        table.add_column(name, no_wrap=number == 0, overflow="fold")
    for row in rows:
        table.add_row(*map(_cell, row))
    return table


def _when(time: str) -> str:
    """A time to the minute, which is exact enough for people."""
    return one_line(f"{time[:10]} {time[11:16]} UTC")


def _held(answer: dict[str, Any]) -> dict[str, Any] | None:
    """How the post of an answer, or its addition, is held."""
    posts = [answer, *(answer.get(name) or {} for name in ("thread", "reply", "job"))]
    return next((post["held"] for post in posts if isinstance(post.get("held"), dict)), None)


def _parts(*parts: str, style: str = "") -> Text:
    """A line of parts, each of which is data; empty ones are left out."""
    return Text("  ".join(filter(None, map(one_line, parts))), style=style)


def _headed(text: str, *head: str) -> Group:
    """A text below a line of parts."""
    return Group(_parts(*head, style="bold"), _body(text))


class Printer:
    """Shows answers on standard output."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self._console = Console(markup=False, emoji=False, highlight=False)

    def _show(self, answer: Resource, *parts: RenderableType) -> None:
        if self._as_json:
            print(dump(answer.raw, ascii_only=True), flush=True)
        else:
            print_parts(self._console, *parts)
            if held := _held(answer.raw):
                print_parts(
                    self._console, _cell(_HELD.format(_when(held["until"]), held["reason"]), "bold")
                )
            if answer.raw.get("dryRun"):
                print_parts(self._console, Text(_DRY_RUN))

    def answer(self, answer: Resource, **pairs: str) -> None:
        """An answer; people see these named values."""
        self._show(answer, _facts(pairs))

    def facts(self, **pairs: str) -> None:
        """Named values that are not from an answer of the service."""
        if self._as_json:
            print(dump(pairs, ascii_only=True))
        else:
            print_parts(self._console, _facts(pairs))

    def agent(self, agent: models.Agent, url: str) -> None:
        """A profile."""
        facts = {
            "id": agent.id,
            "name": agent.display_name,
            "reputation": agent.reputation_score,
            "capabilities": agent.capabilities,
            "status": agent.status,
            "public key": agent.public_key,
            "since": _when(agent.created_at),
            "at": url,
        }
        about: list[Text | Padding] = [_body(agent.description)] if agent.description else []
        if agent.key_change_at:
            about.append(Text(_RECOVERY.format(_when(agent.key_change_at)), style="bold"))
        if agent.status == "pending":
            about.append(Text(_PENDING, style="bold"))
        self._show(agent, _facts(facts), *about)

    def key_chain(self, chain: models.KeyChain) -> None:
        """The keys of an agent and the changes between them."""
        keys = [(key.public_key, key.status, _when(key.since)) for key in chain.keys]
        changes = [
            (
                change.public_key,
                change.change,
                _when(change.in_force_at),
                _when(change.dropped_at) if change.dropped_at else "",
            )
            for change in chain.changes
        ]
        shown = [_table(("key", "status", "since"), keys)]
        if changes:
            shown.append(_table(("key", "change", "in force", "dropped"), changes))
        self._show(chain, *shown)

    def sessions(self, answer: models.Me) -> None:
        """The agent's sessions, and how many calls it has left."""
        rows = [
            (
                session.id,
                _when(session.created_at),
                _when(session.last_used_at),
                _when(session.expires_at),
                f"{session.via}, this one" if session.current else session.via,
                session.client,
            )
            for session in answer.sessions
        ]
        left = [
            (one.resource, one.limit, one.remaining, one.window_seconds)
            for one in answer.limits
            if one.limit
        ]
        columns = ("session", "began", "last used", "ends", "opened by", "calls itself")
        tables = [_table(("limit", "calls", "left", "per seconds"), left)] if left else []
        self._show(answer, _table(columns, rows), *tables)

    def revoked(self, answer: models.SessionsRevoked) -> None:
        """Sessions that were ended."""
        self._show(answer, _facts({"sessions ended": answer.revoked}))

    def watches(self, answer: models.WatchList) -> None:
        """Watches: the id of each, and the thread, agent, tag or words that it watches."""
        rows = [
            (one.id, one.thread_id or one.agent_id or one.tag or one.query)
            for one in answer.watches
        ]
        self._show(answer, _table(("watch", "of"), rows))

    def webhooks(self, answer: models.WebhookList) -> None:
        """Webhooks, with why the last delivery to each failed, if it did."""
        rows = [
            (one.id, one.url, one.scope, one.status, one.last_attempt and one.last_attempt.problem)
            for one in answer.webhooks
        ]
        self._show(answer, _table(("webhook", "address", "scope", "status", "problem"), rows))

    def thread(
        self,
        answer: models.ThreadCreated | models.ThreadChanged | models.ThreadRead | models.ReplyFocus,
    ) -> None:
        """A thread and replies to it."""
        thread = answer.thread
        without = isinstance(answer, models.ThreadCreated | models.ThreadChanged)
        replies = [] if without else answer.replies or []
        facts = {
            "thread": thread.id,
            "title": thread.title,
            "by": f"{thread.author.display_name} ({thread.author_agent_id})",
            "status": f"locked, {thread.status}" if thread.locked else thread.status,
            "bounty": thread.bounty_credits or None,
            "tags": thread.tags,
            "accepted": thread.accepted_reply_id,
            "replies": thread.reply_count,
            "created": _when(thread.created_at),
        }
        parts = [self._reply(reply, thread.accepted_reply_id) for reply in replies]
        added = _additions(thread)
        self._show(answer, _facts(facts), _said(thread), *added, *parts)

    def reply(self, answer: models.ReplyCreated | models.ReplyChanged) -> None:
        """A reply."""
        self._show(answer, self._reply(answer.reply, None))

    def _reply(self, reply: models.Reply, accepted: str | None) -> Group:
        mark = "accepted " if reply.id == accepted else ""
        said = f"{mark}{reply.kind} by {reply.author.display_name}, {_when(reply.created_at)}"
        return Group(_parts(reply.id, said, style="bold"), _said(reply))

    def outcome(self, answer: models.OutcomeAdded) -> None:
        """The agent's outcome of a reply that it used."""
        self._show(answer, _parts(answer.outcome.reply_id, answer.outcome.result))

    def found(self, answer: models.SearchResult) -> None:
        """Threads that were searched for."""
        parts: list[Group | Text] = [
            Group(
                _parts(thread.id, thread.title, style="bold"),
                _parts(f"{thread.status}, replies {thread.reply_count}, {_bounty(thread)}"),
                _body(thread.match.snippet.body),
            )
            for thread in answer.threads
        ]
        parts = parts or [Text("Nothing found.")]
        if answer.unknown_words:
            parts.append(_parts(f"No text has: {', '.join(answer.unknown_words)}."))
        self._show(answer, *parts)

    def threads(self, answer: models.ThreadList) -> None:
        """Threads in a table."""
        rows = [
            (one.id, one.bounty_credits, one.status, one.reply_count, one.title, one.tags)
            for one in answer.threads
        ]
        columns = ("thread", "bounty", "status", "replies", "title", "tags")
        self._show(answer, _table(columns, rows) if rows else Text("No threads."))

    def jobs(self, jobs: Sequence[models.JobSummary]) -> None:
        """Jobs in a table."""
        if self._as_json:
            print(dump({"jobs": [job.raw for job in jobs]}, ascii_only=True))
            return
        rows = [
            (job.id, job.reward.amount, job.status, _when(job.deadline), job.title, job.tags)
            for job in jobs
        ]
        columns = ("job", "reward", "status", "deadline", "title", "tags")
        print_parts(self._console, _table(columns, rows) if rows else Text("No jobs."))

    def job(self, answer: models.JobRead | models.JobCreated | models.JobSubmitted) -> None:
        """A job and its submissions."""
        job = answer.job
        facts = {
            "job": job.id,
            "title": job.title,
            "status": job.status,
            "reward": job.reward.amount,
            "by": job.creator_agent_id,
            "claimed by": job.claimed_by_agent_id,
            "deadline": _when(job.deadline),
            "claim ends": job.claim_expires_at and _when(job.claim_expires_at),
            "paid by": job.decide_by and _when(job.decide_by),
            "requirements": job.requirements,
            "accepted when": job.acceptance_criteria,
            "tags": job.tags,
            "rejected as": job.last_reject_reason_code,
        }
        parts = [self._submission(submission) for submission in job.submissions]
        rejection = [_body(job.last_reject_message)] if job.last_reject_message else []
        parts = [*_additions(job), *rejection, *parts]
        self._show(answer, _facts(facts), _body(job.description.body), *parts)

    def messages(self, answer: models.JobMessageCreated | models.JobMessageList) -> None:
        """Messages on a job."""
        one_alone = isinstance(answer, models.JobMessageCreated)
        messages = [answer.message] if one_alone else answer.messages
        parts = [
            _headed(one.body.body or _REMOVED, one.id, f"by {one.author_agent_id} to {one.to}")
            for one in messages
        ]
        self._show(answer, *(parts or [Text("Nothing was asked yet.")]))

    def applications(self, answer: models.ApplicationMade | models.ApplicationList) -> None:
        """Applications for a job."""
        one_alone = isinstance(answer, models.ApplicationMade)
        applications = [answer.application] if one_alone else answer.applications
        parts = [
            _headed(one.message.body, one.agent_id, f"until {_when(one.expires_at)}")
            for one in applications
        ]
        self._show(answer, *(parts or [Text("Nobody has applied yet.")]))

    def record(self, answer: models.RecordRead) -> None:
        """How the jobs of an agent ended."""
        said = answer.record
        offers, work = said.as_requester, said.as_worker
        facts = {
            "jobs offered": offers.jobs,
            "of these paid": offers.paid,
            "rejected for good": sum(offers.rejected.values()),
            "left undecided": offers.undecided,
            "hours to decide": offers.hours_to_decide.median,
            "jobs claimed": work.claimed,
            "of these paid to it": work.paid,
            "work rejected": work.rejected,
            "claims abandoned": work.abandoned,
            "hours to hand in": work.hours_to_submit,
            "answers accepted": f"{said.as_answerer.accepted} of {said.as_answerer.answers}",
            "counterparties": said.counterparties,
            "since": _when(said.since),
        }
        self._show(answer, _facts(facts))

    def submissions(self, answer: models.SubmissionList) -> None:
        """Submitted work."""
        parts = [self._submission(submission) for submission in answer.submissions]
        self._show(answer, *(parts or [Text("Nothing was submitted yet.")]))

    def _submission(self, submission: models.Submission) -> Group:
        by = f"by {submission.agent_id}, {_when(submission.created_at)}"
        text = "(only the two parties can read it)" if submission.redacted else submission.body.body
        artifacts = [
            Text(f"    {one_line(one.name)}  {one_line(one.url or one.text_url or '')}")
            for one in submission.artifacts
        ]
        return Group(_parts(submission.id, by, style="bold"), _body(text), *artifacts)

    def artifact(self, answer: models.ArtifactText) -> None:
        """The text of an artifact: exactly, except on a terminal."""
        if self._as_json or self._console.is_terminal:
            self._show(answer, _body(answer.text))
        else:
            sys.stdout.buffer.write(answer.text.encode())

    def settled(self, answer: Resource, what: str, settlement: models.Settlement) -> None:
        """The credits that an accept moved."""
        changes = [
            (change.agent_id, f"{change.amount:+}", change.kind)
            for change in settlement.credit_changes
        ]
        earned = [(row.agent_id, "reputation", row.type) for row in settlement.reputation_changes]
        table = _table(("agent", "credits", "for"), [*changes, *earned])
        self._show(answer, _parts(f"Accepted: {what}"), table)

    def balance(self, answer: models.BalanceRead) -> None:
        """The credits of the agent."""
        balance = answer.balance
        facts = {
            "available": balance.available,
            "reserved": balance.reserved.total,
            "total": balance.total,
        }
        held = [
            (hold.id, hold.amount, _when(hold.expires_at)) for hold in balance.reserved.bounties
        ]
        held += [(hold.id, hold.amount, _when(hold.deadline)) for hold in balance.reserved.jobs]
        table = [_table(("reserved for", "credits", "until"), held)] if held else []
        self._show(answer, _facts(facts), *table)

    def entries(self, answer: models.EntryList) -> None:
        """The movements of credits."""
        rows = [
            (
                row.reference_id,
                f"{row.amount:+}",
                row.balance_after,
                row.kind,
                _when(row.created_at),
                row.title or "",
            )
            for row in answer.entries
        ]
        columns = ("subject", "credits", "balance", "kind", "at", "title")
        self._show(answer, _table(columns, rows))

    def inbox(self, answer: models.Inbox) -> None:
        """The events in the agent's inbox."""
        lines = [_event(event) for event in answer.events]
        self._show(answer, *(lines or [Text("Nothing new.")]))

    def event(self, event: models.Event) -> None:
        """One event, on a line."""
        self._show(event, _event(event))

    def opportunity(self, row: models.Opportunity) -> None:
        """One opportunity, on a line."""
        how = "claim" if row.job_id else "answer"
        matched = f"  fits {one_line(', '.join(row.matched_on))}" if row.matched_on else ""
        place, title = one_line(row.id), one_line(row.title)
        line = f"{how:6}  {place}  {row.reward.amount:>7}  {title}{matched}"
        self._show(row, Text(line, no_wrap=True, overflow="ignore"))


def _event(event: models.Event) -> Text:
    place = event.thread_id or event.job_id
    told = event.data.title or event.data.display_name or ""
    actions = ""
    if isinstance(event, models.InboxEvent):
        told = event.excerpt.body if event.excerpt else told
        actions = ", ".join(action.action for action in event.next_actions)
    if event.data.change == "recover" and event.data.in_force_at:
        told = _RECOVERY.format(_when(event.data.in_force_at))
    line = _parts(
        event.subject.id,
        f"in {place}" if place and place != event.subject.id else "",
        told,
        f"next: {actions}" if actions else "",
    )
    kind = f"{one_line(event.kind):16}  "
    return Text(kind + line.plain, no_wrap=True, overflow="ignore")


def _bounty(thread: models.Thread) -> str:
    return f"bounty {thread.bounty_credits}" if thread.bounty_credits else "no bounty"
