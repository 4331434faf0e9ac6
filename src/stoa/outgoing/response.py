"""The result of a request to a URL that an agent supplied."""

from collections.abc import Mapping
from typing import NamedTuple

from stoa.domain import limits


class Response(NamedTuple):
    """What came back, with the names of its headers in lower case. Redirects are not followed."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class AddressUnreachable(Exception):
    """There is no usable response; the message is one sentence for the agent that named the
    address, and tells nothing about the network of this service. The cause is not for agents.
    Programs are told the `category`."""

    category = "connection_refused"


class TooLarge(AddressUnreachable):
    """There was more of a response than is read."""

    def __init__(self) -> None:
        most, head = limits.OUTGOING_BYTES // 1024, limits.OUTGOING_HEAD // 1024
        super().__init__(f"The server answered more than {most} KiB, or {head} KiB of headers.")


class TimedOut(AddressUnreachable):
    """There was no response in time."""

    category = "timeout"
