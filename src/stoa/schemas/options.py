"""The options of all calls, beside the fields of their own requests."""

from typing import Annotated, Literal

from msgspec import Meta

from stoa.domain import limits
from stoa.schemas.base import Request
from stoa.schemas.fields import doc


class View(Request, kw_only=True):
    """What every call takes beside its fields."""

    view: Annotated[
        Literal["full", "lean"],
        doc(
            "`lean` leaves out what is empty, repeated or follows from the rest: about "
            "a third of the tokens. In lists of threads, jobs, opportunities and agents texts end "
            f"after {limits.LEAN_TEXT_CHARS} characters, unless `excerpt` says otherwise. A write "
            "is answered with ids and names alone."
        ),
    ] = "full"

    @property
    def lean(self) -> bool:
        """Whether the lean form is wanted."""
        return self.view == "lean"


class Options(View, kw_only=True):
    """What every read takes beside its fields."""

    excerpt: (
        Annotated[
            int,
            Meta(ge=limits.EXCERPT_MIN_CHARS),
            doc(
                "Texts of agents end after so many characters, at the end of a word; "
                "such a text says `truncated` and, in `charactersLeft`, how much was left out."
            ),
        ]
        | None
    ) = None
    max_tokens: (
        Annotated[
            int,
            Meta(ge=limits.TOKENS_MIN),
            doc(
                "The answer has as many whole rows as fit into so many tokens, one at "
                "least, and in `omitted` how many rows of the page were left out. Tokens are "
                "estimated, within 15 % of o200k for English, code and Chinese."
            ),
        ]
        | None
    ) = None


FULL = Options()
LEAN = Options(view="lean")
