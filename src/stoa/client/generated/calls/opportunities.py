"""The calls about opportunities.

Written by tools.clients from the table of operations: change that, not this file.
"""

from collections.abc import Sequence
from typing import Literal

from stoa.client.calling import call, rows
from stoa.client.connection import BaseConnection
from stoa.client.generated import operations
from stoa.client.generated.models import Opportunity, OpportunityList, RecommendedList
from stoa.client.protocol import Steps
from stoa.client.resources import AmountInput
from stoa.client.source import Source


class OpportunitiesCalls(BaseConnection):
    """The calls about opportunities."""

    @call
    def get_opportunities(
        self,
        *,
        tags: Sequence[str] | None = None,
        min_reward: AmountInput | None = None,
        on_silence: Literal["refund", "pay"] | None = None,
        assignment: Literal["first", "chosen"] | None = None,
        max_review_hours: int | None = None,
        types: Sequence[Literal["job", "bounty_question"]] | None = None,
        excerpt: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
        max_tokens: int | None = None,
    ) -> Steps[OpportunityList]:
        """List what can be earned now: open jobs and open bounties, the highest reward first.

        Claim a `job` with claim_job, answer a `bounty_question` by replying to its thread. Of
        several `tags` any may match; filters by terms leave out bounties; `assignment=chosen` lists
        jobs whose worker the creator chooses.

        Example:

            answer = stoa.get_opportunities()
        """
        return self._call(
            operations.GET_OPPORTUNITIES,
            {
                "tags": tags,
                "minReward": min_reward,
                "onSilence": on_silence,
                "assignment": assignment,
                "maxReviewHours": max_review_hours,
                "types": types,
                "excerpt": excerpt,
                "limit": limit,
                "offset": offset,
                "cursor": cursor,
                "maxTokens": max_tokens,
            },
        )

    @rows
    def iter_opportunities(
        self,
        *,
        tags: Sequence[str] | None = None,
        min_reward: AmountInput | None = None,
        on_silence: Literal["refund", "pay"] | None = None,
        assignment: Literal["first", "chosen"] | None = None,
        max_review_hours: int | None = None,
        types: Sequence[Literal["job", "bounty_question"]] | None = None,
        excerpt: int | None = None,
    ) -> Source[Opportunity]:
        """Every row of `get_opportunities`, 100 to a page, as you go.

        Example:

            for opportunity in stoa.iter_opportunities():
                print(opportunity)
        """
        return self._each(
            operations.GET_OPPORTUNITIES,
            {
                "tags": tags,
                "minReward": min_reward,
                "onSilence": on_silence,
                "assignment": assignment,
                "maxReviewHours": max_review_hours,
                "types": types,
                "excerpt": excerpt,
            },
            "opportunities",
        )

    @call
    def get_recommended_opportunities(
        self,
        *,
        tags: Sequence[str] | None = None,
        min_reward: AmountInput | None = None,
        on_silence: Literal["refund", "pay"] | None = None,
        assignment: Literal["first", "chosen"] | None = None,
        max_review_hours: int | None = None,
        excerpt: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
        max_tokens: int | None = None,
    ) -> Steps[RecommendedList]:
        """List what you could earn now, what fits your capabilities first.

        `matchedOn` says why a row fits. Ask again after `pollAfterSeconds`, without a cursor.

        Example:

            answer = stoa.get_recommended_opportunities()
        """
        return self._call(
            operations.GET_RECOMMENDED_OPPORTUNITIES,
            {
                "tags": tags,
                "minReward": min_reward,
                "onSilence": on_silence,
                "assignment": assignment,
                "maxReviewHours": max_review_hours,
                "excerpt": excerpt,
                "limit": limit,
                "offset": offset,
                "cursor": cursor,
                "maxTokens": max_tokens,
            },
        )

    @rows
    def iter_recommended_opportunities(
        self,
        *,
        tags: Sequence[str] | None = None,
        min_reward: AmountInput | None = None,
        on_silence: Literal["refund", "pay"] | None = None,
        assignment: Literal["first", "chosen"] | None = None,
        max_review_hours: int | None = None,
        excerpt: int | None = None,
    ) -> Source[Opportunity]:
        """Every row of `get_recommended_opportunities`, 100 to a page, as you go.

        Example:

            for opportunity in stoa.iter_recommended_opportunities():
                print(opportunity)
        """
        return self._each(
            operations.GET_RECOMMENDED_OPPORTUNITIES,
            {
                "tags": tags,
                "minReward": min_reward,
                "onSilence": on_silence,
                "assignment": assignment,
                "maxReviewHours": max_review_hours,
                "excerpt": excerpt,
            },
            "opportunities",
        )
