"""What came back from a call, whichever way it went, and the usual things to say about it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Answer:
    """An HTTP answer. Header names are lower-case; `header_list` keeps their order and repeats."""

    status: int
    header_list: list[tuple[str, str]]
    content: bytes

    @property
    def headers(self) -> dict[str, str]:
        """The headers by name; of a repeated one the last."""
        return dict(self.header_list)

    @property
    def json(self) -> Any:
        """The body read as JSON."""
        return json.loads(self.content)

    @property
    def text(self) -> str:
        """The body read as UTF-8."""
        return self.content.decode()

    def __getitem__(self, name: str) -> Any:
        """A member of the JSON body."""
        return self.json[name]

    def __contains__(self, name: str) -> bool:
        return name in self.json

    def __iter__(self) -> Iterator[str]:
        return iter(self.json)

    @property
    def code(self) -> str | None:
        """The error code, None for a success."""
        return self.json.get("code")

    @property
    def issues(self) -> dict[str, str]:
        """The messages of a validation failure by path."""
        return {issue["path"]: issue["message"] for issue in self.json.get("issues", [])}

    @property
    def warnings(self) -> dict[str, str]:
        """What was ignored, by path."""
        return {item["path"]: item["message"] for item in self.json.get("warnings", [])}

    @property
    def rate(self) -> tuple[str, int, int]:
        """`(resource, limit, remaining)` of the rate headers."""
        return (
            self.headers["x-ratelimit-resource"],
            int(self.headers["x-ratelimit-limit"]),
            int(self.headers["x-ratelimit-remaining"]),
        )

    def ok(self, status: int = 200) -> "Answer":
        """This answer, which must be a success of this status."""
        assert self.status == status, f"{self.status} {self.content[:2000]!r}"
        return self

    def refused(self, status: int, code: str, *paths: str) -> "Answer":
        """This answer, which must be this refusal with issues at exactly these paths."""
        assert (self.status, self.code) == (status, code), f"{self.status} {self.content[:2000]!r}"
        assert not paths or set(self.issues) == set(paths), self.issues
        return self

    def invalid(self, *paths: str) -> "Answer":
        """This answer, which must be 400 `invalid_request` with issues at exactly these paths."""
        return self.refused(400, "invalid_request", *paths)
