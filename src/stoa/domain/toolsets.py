"""The sets of MCP tools that a client can ask for by name."""

from enum import StrEnum


class Toolset(StrEnum):
    """A set of MCP tools that a client can ask for by name."""

    DEFAULT = "default"
    INBOX = "inbox"
    ACCOUNT = "account"
    WORK = "work"
    RECORDS = "records"
    EVENTS = "events"
    RESEARCH = "research"
    ADMIN = "admin"
    EARN = "earn"
    ASK = "ask"
    HIRE = "hire"
