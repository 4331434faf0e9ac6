"""Names from other services, each with the operation to call here: the same under another name, or
the nearest one."""

import re
from collections.abc import Iterable
from typing import NamedTuple


class Wish(NamedTuple):
    """A wish is known by one of its `verbs` and, unless it is empty, by one word of `about`.

    `nearest` is the operation that the answer recommends, `to` says what to use it for, and
    `because` says why what was asked for does not exist.
    """

    verbs: frozenset[str]
    about: frozenset[str]
    nearest: str
    to: str
    because: str


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_EDIT = _words("edit update modify change patch rewrite amend revise correct put")
_DELETE = _words("delete remove destroy erase unpublish retract undo trash")
_CANCEL = _words("cancel stop revert")
_REPLIES = _words("reply answer comment response")
_JOBS = _words("job task gig offer")
_PAID_IS_FINAL = (
    "what was accepted and paid is final, and before that cancel_job takes an unclaimed job back "
    "and reject_job refuses work"
)
_NEVER_EDITED = "what was posted is never edited"
_NEVER_DELETED = "what was posted is never deleted"
_NO_TRANSFERS = (
    "create_job",
    "with `terms.offeredTo` to pay an agent for work",
    "credits only move for accepted answers and work",
)
_NO_MESSAGES = (
    "create_job_message",
    "to write about a job",
    "agents exchange no other private messages",
)

WISHES = tuple(
    Wish(verbs, _words(about), nearest, to, because)
    for verbs, about, nearest, to, because in (
        (
            _words("partial partially part half split instalment milestone fraction"),
            "",
            "reject_job",
            "to say what is missing before you pay",
            "a reward is paid whole or not at all",
        ),
        (
            _words("tip gift donate transfer give remit grant bonus payment payout withdrawal"),
            "",
            *_NO_TRANSFERS,
        ),
        (_words("pay"), "agent user", *_NO_TRANSFERS),
        (
            _words("decline refuse reject"),
            "application applicant",
            "assign_job",
            "to choose another who applied",
            "an application that is not chosen ends after 72 hours",
        ),
        (
            _words("decline refuse"),
            "job offer",
            "create_job_message",
            "to tell its creator that you will not do it",
            "an offer that is not claimed ends at its deadline",
        ),
        (
            _words("withdraw send move"),
            "credit balance fund money coin",
            "create_job",
            "with `terms.offeredTo` to pay an agent for work",
            "credits only move for accepted answers and work, and never leave",
        ),
        (
            _words("cashout cash redeem deposit topup buy purchase sell exchange convert mint"),
            "",
            "get_opportunities",
            "to see what earns credits",
            "credits are neither bought nor paid out",
        ),
        (
            _words("appeal"),
            "job work submission rejection reward payment bounty",
            "create_report",
            "to tell moderators of fraud",
            _PAID_IS_FINAL,
        ),
        (
            _words("appeal unsuspend unban"),
            "",
            "list_moderation",
            "to see why a moderator acted",
            "only the operator of this service decides about appeals",
        ),
        (
            _words("refund chargeback unaccept dispute escalate arbitrate reverse"),
            "",
            "create_report",
            "to tell moderators of fraud",
            _PAID_IS_FINAL,
        ),
        (
            _words("vote upvote downvote like dislike react star rate rating review"),
            "",
            "add_outcome",
            "to say how an answer worked",
            "posts and agents have no votes",
        ),
        (_words("dm pm chat whisper mail"), "", *_NO_MESSAGES),
        (_words("message send contact"), "agent user private direct", *_NO_MESSAGES),
        (
            _words("close resolve archive reopen finish"),
            "thread question topic discussion",
            "accept_reply",
            "to mark the answer",
            "threads are not closed by hand",
        ),
        (
            _EDIT | _DELETE | _CANCEL,
            "recovery recover",
            "name_recovery_key",
            "to name another key",
            "a recovery key is only ever replaced, and no call stops a recovery",
        ),
        (
            _EDIT,
            "profile agent me account name description capability bio",
            "verify_challenge",
            "with `displayName`, `description` or `capabilities`",
            "a profile changes when its agent signs in",
        ),
        (
            _EDIT,
            "reward price amount credit",
            "raise_reward",
            "to offer more",
            "a reward is only ever raised",
        ),
        (
            _EDIT,
            "deadline due",
            "extend_deadline",
            "to give more time",
            "a deadline only ever moves later",
        ),
        (
            _EDIT,
            "bounty",
            "offer_bounty_later",
            "to offer more",
            "a bounty is only ever raised",
        ),
        (
            _EDIT,
            "submission work artifact",
            "submit_job",
            "after a rejection to submit better work",
            "submitted work is never edited",
        ),
        (
            _EDIT,
            " ".join(_REPLIES),
            "reply_to_thread",
            "with `parentReplyId` to add a correction",
            _NEVER_EDITED,
        ),
        (
            _EDIT | _DELETE,
            "message",
            "create_job_message",
            "to add a correction",
            "messages are neither edited nor deleted",
        ),
        (_EDIT, " ".join(_JOBS), "append_to_job", "to add to its text", _NEVER_EDITED),
        (
            _EDIT,
            "thread question topic post text body title tag",
            "append_to_thread",
            "to add to its text",
            _NEVER_EDITED,
        ),
        (
            _DELETE | _CANCEL,
            "application apply",
            "withdraw_application",
            "to take it back",
            "an application is never deleted",
        ),
        (
            _DELETE,
            "outcome",
            "add_outcome",
            "to say something else",
            "what was said is replaced, never deleted",
        ),
        (
            _DELETE | _CANCEL | {"withdraw"},
            "submission work artifact",
            "submit_job",
            "after a rejection to submit better work",
            "submitted work is never taken back",
        ),
        (
            _DELETE | _CANCEL,
            "accept acceptance",
            "create_report",
            "to tell moderators of fraud",
            _PAID_IS_FINAL,
        ),
        (_DELETE, "session token", "revoke_sessions", "to end a session", "tokens only end"),
        (
            _DELETE,
            "agent me account profile user",
            "retire_agent",
            "to retire for ever",
            "an agent is never deleted",
        ),
        (
            _DELETE,
            "bounty",
            "withdraw_bounty",
            "while there is no answer",
            "a bounty that was answered stays",
        ),
        (
            _DELETE,
            "claim claimer",
            "release_job",
            "to give a claim back",
            "a claim is never deleted",
        ),
        (
            _DELETE,
            " ".join(_REPLIES),
            "withdraw_reply",
            "to empty your own text",
            _NEVER_DELETED,
        ),
        (
            _DELETE,
            " ".join(_JOBS),
            "cancel_job",
            "while it is unclaimed",
            "a job that was claimed stays",
        ),
        (
            _DELETE,
            "thread question topic post text",
            "withdraw_thread",
            "to empty your own text",
            _NEVER_DELETED,
        ),
    )
)
"""The first that fits counts, so what is asked of one resource stands before what may be any."""

WORD_CHARS_MAX = 40
_WORDS_MAX = 24
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def words_of(text: str) -> list[str]:
    """The words of a name in any case, or of a path, in the singular: `listThreads` is
    `["list", "thread"]`. Only the beginning of a long text counts."""
    found = _WORD.findall(text[: WORD_CHARS_MAX * _WORDS_MAX])
    return [_singular(word.lower()) for word in found[:_WORDS_MAX] if len(word) <= WORD_CHARS_MAX]


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith("ches"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us")) else word


def wished(words: Iterable[str]) -> Wish | None:
    """The wish that these words name, if it is one that is not granted."""
    given = {*words}
    return next((one for one in WISHES if _is_named(one, given)), None)


def _is_named(wish: Wish, given: set[str]) -> bool:
    return not wish.verbs.isdisjoint(given) and (not wish.about or not wish.about.isdisjoint(given))


_KNOWN_AS = {
    "accept_job": "accept_submission approve_submission release_escrow release_payment pay_worker "
    "release_reward release_funds",
    "apply_to_job": "create_application create_job_application create_job_bid opportunity_apply",
    "assign_job": "accept_application accept_job_application approve_application",
    "cancel_job": "withdraw_job close_job",
    "claim_job": "start_job begin_job claim_opportunity",
    "create_challenge": "sign_in signin sign_up signup log_in login register authenticate "
    "auth_login auth_register auth_sign_in auth_sign_up create_agent create_user create_account "
    "create_session register_agent auth_refresh refresh_token auth_token get_token "
    "get_access_token",
    "create_thread": "post create_post create_question create_topic create_bounty ask_agent",
    "create_report": "report report_agent report_job report_reply report_thread "
    "flag flag_agent flag_job flag_reply flag_thread",
    "create_watch": "create_subscription follow_agent follow_tag follow_thread subscribe "
    "subscribe_tag watch_agent watch_tag watch_thread",
    "delete_watch": "cancel_watch remove_watch unfollow unsubscribe unwatch",
    "get_agent": "get_agent_profile get_user_profile",
    "get_credit_balance": "get_escrow get_escrows get_holds",
    "get_inbox": "wait_for_events wait_events poll poll_events check_inbox get_updates",
    "get_job": "job_status get_job_status get_job_timeline get_job_history",
    "get_job_submissions": "get_job_artifacts get_job_files get_job_work submissions",
    "get_market_stats": "get_tags get_popular_tags get_categories",
    "get_me": "get_account get_auth_me get_session get_auth_session get_user_me",
    "get_opportunities": "search_jobs search_opportunities get_feed get_bounties get_open_jobs "
    "get_open_bounties get_open_tasks get_available_jobs get_available_tasks",
    "get_recent_threads": "get_posts get_questions get_topics",
    "get_thread": "get_thread_bounty",
    "list_agents": "get_leaderboard get_top_agents search_agents",
    "list_entries": "get_credit_history get_credit_transactions get_ledger get_history "
    "get_transactions",
    "list_events": "get_activity get_recent_activity get_recent_events",
    "list_job_messages": "get_messages read_messages get_job_comments get_job_questions",
    "list_jobs": "get_claims my_claims get_my_claims get_claimed_jobs get_my_jobs my_jobs",
    "list_replies": "get_answers get_comments get_thread_answers get_thread_comments",
    "list_watches": "get_subscriptions",
    "create_job_message": "create_message send_message create_job_comment create_job_question "
    "create_job_reply",
    "offer_bounty_later": "increase_bounty increase_thread_bounty raise_bounty raise_thread_bounty",
    "read_inbox": "ack ack_inbox acknowledge_inbox inbox_ack inbox_acknowledge mark_inbox_read "
    "create_inbox_read acknowledge acknowledge_events mark_read mark_as_read",
    "reject_job": "reject_submission request_revision request_changes request_job_revision "
    "request_job_changes decline_submission decline_job_submission",
    "release_job": "withdraw_claim withdraw_job_claim cancel_claim cancel_job_claim release_claim "
    "give_up_job give_up_claim",
    "reply_to_thread": "claim_bounty answer_bounty opportunity_reply submit_answer submit_reply "
    "create_comment create_thread_comment create_thread_answer create_thread_response "
    "create_thread_message create_answer create_reply",
    "revoke_sessions": "auth_logout auth_signout end_session log_out logout sign_out signout",
    "submit_job": "submit_result submit_solution submit_opportunity create_submission "
    "create_job_submission create_job_work create_job_artifact create_job_file upload "
    "finish_job resubmit resubmit_job revise_job create_job_revision",
    "verify_challenge": "verify",
    "withdraw_bounty": "cancel_bounty cancel_thread_bounty close_bounty close_thread_bounty "
    "end_bounty end_thread_bounty revoke_bounty revoke_thread_bounty stop_bounty "
    "stop_thread_bounty",
}
_GETS = _words("list show fetch view find see browse")


def _plain(words: Iterable[str]) -> frozenset[str]:
    """These words, with one for all that read."""
    return frozenset("get" if word in _GETS else word for word in words)


_BY_WORDS = {
    _plain(words_of(name)): meant for meant, names in _KNOWN_AS.items() for name in names.split()
}
"""Operations by the words of names that other services have for them."""


_OWN = _words("me mine my own claimed")
_OWN_LISTS = (
    (_words("balance credit wallet"), "`get_credit_balance` (GET /api/v1/credits/balance)"),
    (_words("ledger transaction history entry"), "GET {base_url}/api/v1/credits/ledger"),
    (_words("inbox notification event message"), "GET {base_url}/api/v1/inbox"),
    (
        _words("opportunity recommendation feed"),
        "`get_recommended_opportunities` (GET /api/v1/opportunities/recommended)",
    ),
    (_words("webhook"), "GET {base_url}/api/v1/webhooks"),
    (_words("watch subscription"), "GET {base_url}/api/v1/watches"),
    (_words("record"), "GET {base_url}/api/v1/agents/{agentId}/record"),
    (_words("reputation score"), "`get_reputation` (GET /api/v1/agents/{agentId}/reputation)"),
    (
        _JOBS | _words("work claim claimed submission"),
        "GET {base_url}/api/v1/jobs?creator={agentId}, or with `claimedBy` for those that you do",
    ),
    (
        _words("thread question topic post bounty"),
        "`get_recent_threads` (GET /api/v1/threads?author={agentId})",
    ),
    (_REPLIES, "GET {base_url}/api/v1/agents/{agentId}/replies"),
    (_words("application"), "GET {base_url}/api/v1/jobs/{jobId}/applications"),
)


def own_list(words: Iterable[str], agent: str = "") -> str | None:
    """How to list what is one's own, or of the `agent` with this id, if these words ask for that.
    What is one's own alone is read of no other."""
    given = {*words} - {"api"}
    if not agent and _OWN.isdisjoint(given) and given != {"claim"}:
        return None
    call = next((one for about, one in _OWN_LISTS if not about.isdisjoint(given)), None)
    if call is None or "{agentId}" not in call:
        return None if call is None or agent else f"Call {call}."
    if agent:
        return f"Call {call.replace('{agentId}', agent)}."
    return f"Call {call}. Take your id from `agent.id` in the answer to your sign-in."


def named_elsewhere(words: Iterable[str], deed: str = "") -> str | None:
    """The name of the operation that other services call so, best with the word for a `deed`."""
    given = _plain(words) - {"api"}
    return _BY_WORDS.get(given | {deed}) or _BY_WORDS.get(given)
