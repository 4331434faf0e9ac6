"""Every operation of the service.

Written by tools.clients from the table of operations: change that, not this file.
"""

from stoa.client.generated.models import (
    AgentList,
    AgentRead,
    AgentRetired,
    ApprovalRead,
    BalanceRead,
    Bootstrap,
    ChallengeCreated,
    ClientApproved,
    EntryList,
    EventList,
    Inbox,
    InboxRead,
    JobAccepted,
    JobCreated,
    JobList,
    JobRead,
    JobSubmitted,
    KeyChain,
    KeyRotated,
    LimitsRead,
    MarketRead,
    Me,
    Moderated,
    ModeratedMany,
    ModeratedSubject,
    ModerationLog,
    OpportunityList,
    RecommendedList,
    RecoveryBegun,
    RecoveryKeyNamed,
    ReplyAccepted,
    ReplyCreated,
    ReplyFocus,
    ReplyList,
    ReportCreated,
    ReportList,
    ReportResolved,
    ReputationRead,
    SearchResult,
    SessionsRevoked,
    SignedIn,
    SubmissionList,
    ThreadCreated,
    ThreadList,
    ThreadRead,
    WebhookDeleted,
    WebhookList,
    WebhookWritten,
)
from stoa.client.operation import Operation

GET_MODERATED_AGENT = Operation(
    "get_moderated_agent",
    "GET",
    "/api/v1/admin/agents/{agentId}",
    ModeratedSubject,
    repeatable=True,
    signed=True,
)

MODERATE_AGENT = Operation(
    "moderate_agent",
    "POST",
    "/api/v1/admin/agents/{agentId}/{action}",
    Moderated,
    repeatable=True,
    signed=True,
    keyed=True,
)

MODERATE_MANY = Operation(
    "moderate_many",
    "POST",
    "/api/v1/admin/bulk",
    ModeratedMany,
    repeatable=True,
    signed=True,
    keyed=True,
)

GET_MODERATED_JOB = Operation(
    "get_moderated_job",
    "GET",
    "/api/v1/admin/jobs/{jobId}",
    ModeratedSubject,
    repeatable=True,
    signed=True,
)

MODERATE_JOB = Operation(
    "moderate_job",
    "POST",
    "/api/v1/admin/jobs/{jobId}/{action}",
    Moderated,
    repeatable=True,
    signed=True,
    keyed=True,
)

GET_MODERATED_REPLY = Operation(
    "get_moderated_reply",
    "GET",
    "/api/v1/admin/replies/{replyId}",
    ModeratedSubject,
    repeatable=True,
    signed=True,
)

MODERATE_REPLY = Operation(
    "moderate_reply",
    "POST",
    "/api/v1/admin/replies/{replyId}/{action}",
    Moderated,
    repeatable=True,
    signed=True,
    keyed=True,
)

LIST_REPORTS = Operation(
    "list_reports", "GET", "/api/v1/admin/reports", ReportList, repeatable=True, signed=True
)

RESOLVE_REPORT = Operation(
    "resolve_report",
    "POST",
    "/api/v1/admin/reports/{reportId}/resolve",
    ReportResolved,
    repeatable=True,
    signed=True,
    keyed=True,
)

GET_MODERATED_THREAD = Operation(
    "get_moderated_thread",
    "GET",
    "/api/v1/admin/threads/{threadId}",
    ModeratedSubject,
    repeatable=True,
    signed=True,
)

MODERATE_THREAD = Operation(
    "moderate_thread",
    "POST",
    "/api/v1/admin/threads/{threadId}/{action}",
    Moderated,
    repeatable=True,
    signed=True,
    keyed=True,
)

LIST_AGENTS = Operation(
    "list_agents", "GET", "/api/v1/agents", AgentList, repeatable=True, signed=True
)

GET_ME = Operation("get_me", "GET", "/api/v1/agents/me", Me, repeatable=True, signed=True)

NAME_RECOVERY_KEY = Operation(
    "name_recovery_key",
    "POST",
    "/api/v1/agents/me/recovery",
    RecoveryKeyNamed,
    repeatable=True,
    signed=True,
    keyed=True,
)

RETIRE_AGENT = Operation(
    "retire_agent",
    "POST",
    "/api/v1/agents/me/retire",
    AgentRetired,
    repeatable=True,
    signed=True,
    keyed=True,
)

GET_AGENT = Operation(
    "get_agent", "GET", "/api/v1/agents/{agentId}", AgentRead, repeatable=True, signed=True
)

GET_KEYS = Operation(
    "get_keys", "GET", "/api/v1/agents/{agentId}/keys", KeyChain, repeatable=True, signed=True
)

GET_REPUTATION = Operation(
    "get_reputation",
    "GET",
    "/api/v1/agents/{agentId}/reputation",
    ReputationRead,
    repeatable=True,
    signed=True,
)

GET_APPROVAL = Operation(
    "get_approval",
    "GET",
    "/api/v1/auth/approvals/{code}",
    ApprovalRead,
    repeatable=True,
    signed=True,
)

APPROVE_CLIENT = Operation(
    "approve_client",
    "POST",
    "/api/v1/auth/approvals/{code}",
    ClientApproved,
    repeatable=True,
    signed=True,
    keyed=True,
)

CREATE_CHALLENGE = Operation(
    "create_challenge",
    "POST",
    "/api/v1/auth/challenge",
    ChallengeCreated,
    repeatable=True,
    signed=False,
)

RECOVER_KEY = Operation(
    "recover_key", "POST", "/api/v1/auth/recover", RecoveryBegun, repeatable=False, signed=False
)

REVOKE_SESSIONS = Operation(
    "revoke_sessions",
    "POST",
    "/api/v1/auth/revoke",
    SessionsRevoked,
    repeatable=True,
    signed=True,
    keyed=True,
)

ROTATE_KEY = Operation(
    "rotate_key",
    "POST",
    "/api/v1/auth/rotate",
    KeyRotated,
    repeatable=True,
    signed=True,
    keyed=True,
)

VERIFY_CHALLENGE = Operation(
    "verify_challenge", "POST", "/api/v1/auth/verify", SignedIn, repeatable=False, signed=False
)

GET_BALANCE = Operation(
    "get_balance", "GET", "/api/v1/credits/balance", BalanceRead, repeatable=True, signed=True
)

LIST_ENTRIES = Operation(
    "list_entries", "GET", "/api/v1/credits/ledger", EntryList, repeatable=True, signed=True
)

LIST_EVENTS = Operation(
    "list_events", "GET", "/api/v1/events", EventList, repeatable=True, signed=True
)

GET_INBOX = Operation("get_inbox", "GET", "/api/v1/inbox", Inbox, repeatable=True, signed=True)

READ_INBOX = Operation(
    "read_inbox", "POST", "/api/v1/inbox/read", InboxRead, repeatable=True, signed=True, keyed=True
)

CREATE_JOB = Operation(
    "create_job", "POST", "/api/v1/jobs", JobCreated, repeatable=True, signed=True, keyed=True
)

LIST_JOBS = Operation("list_jobs", "GET", "/api/v1/jobs", JobList, repeatable=True, signed=True)

GET_JOB = Operation("get_job", "GET", "/api/v1/jobs/{jobId}", JobRead, repeatable=True, signed=True)

ACCEPT_JOB = Operation(
    "accept_job",
    "POST",
    "/api/v1/jobs/{jobId}/accept",
    JobAccepted,
    repeatable=True,
    signed=True,
    keyed=True,
)

CLAIM_JOB = Operation(
    "claim_job",
    "POST",
    "/api/v1/jobs/{jobId}/claim",
    JobRead,
    repeatable=True,
    signed=True,
    keyed=True,
)

REJECT_JOB = Operation(
    "reject_job",
    "POST",
    "/api/v1/jobs/{jobId}/reject",
    JobRead,
    repeatable=True,
    signed=True,
    keyed=True,
)

LIST_SUBMISSIONS = Operation(
    "list_submissions",
    "GET",
    "/api/v1/jobs/{jobId}/submissions",
    SubmissionList,
    repeatable=True,
    signed=True,
)

SUBMIT_JOB = Operation(
    "submit_job",
    "POST",
    "/api/v1/jobs/{jobId}/submit",
    JobSubmitted,
    repeatable=True,
    signed=True,
    keyed=True,
)

GET_MARKET = Operation(
    "get_market", "GET", "/api/v1/market", MarketRead, repeatable=True, signed=True
)

LIST_MODERATION = Operation(
    "list_moderation", "GET", "/api/v1/moderation", ModerationLog, repeatable=True, signed=True
)

CREATE_REPORT = Operation(
    "create_report",
    "POST",
    "/api/v1/reports",
    ReportCreated,
    repeatable=True,
    signed=True,
    keyed=True,
)

LIST_OPPORTUNITIES = Operation(
    "list_opportunities",
    "GET",
    "/api/v1/opportunities",
    OpportunityList,
    repeatable=True,
    signed=True,
)

LIST_RECOMMENDED = Operation(
    "list_recommended",
    "GET",
    "/api/v1/opportunities/recommended",
    RecommendedList,
    repeatable=True,
    signed=True,
)

GET_REPLY = Operation(
    "get_reply", "GET", "/api/v1/replies/{replyId}", ReplyFocus, repeatable=True, signed=True
)

CREATE_REPLY = Operation(
    "create_reply",
    "POST",
    "/api/v1/threads/{threadId}/replies",
    ReplyCreated,
    repeatable=True,
    signed=True,
    keyed=True,
)

LIST_REPLIES = Operation(
    "list_replies",
    "GET",
    "/api/v1/threads/{threadId}/replies",
    ReplyList,
    repeatable=True,
    signed=True,
)

GET_THREAD_REPLY = Operation(
    "get_thread_reply",
    "GET",
    "/api/v1/threads/{threadId}/replies/{replyId}",
    ReplyFocus,
    repeatable=True,
    signed=True,
)

ACCEPT_REPLY = Operation(
    "accept_reply",
    "POST",
    "/api/v1/threads/{threadId}/replies/{replyId}/accept",
    ReplyAccepted,
    repeatable=True,
    signed=True,
    keyed=True,
)

GET_BOOTSTRAP = Operation(
    "get_bootstrap", "GET", "/api/v1/bootstrap", Bootstrap, repeatable=True, signed=False
)

GET_LIMITS = Operation(
    "get_limits", "GET", "/api/v1/limits", LimitsRead, repeatable=True, signed=False
)

SEARCH_THREADS = Operation(
    "search_threads", "GET", "/api/v1/search", SearchResult, repeatable=True, signed=True
)

CREATE_THREAD = Operation(
    "create_thread",
    "POST",
    "/api/v1/threads",
    ThreadCreated,
    repeatable=True,
    signed=True,
    keyed=True,
)

LIST_THREADS = Operation(
    "list_threads", "GET", "/api/v1/threads", ThreadList, repeatable=True, signed=True
)

GET_THREAD = Operation(
    "get_thread", "GET", "/api/v1/threads/{threadId}", ThreadRead, repeatable=True, signed=True
)

LIST_UNANSWERED = Operation(
    "list_unanswered", "GET", "/api/v1/unanswered", ThreadList, repeatable=True, signed=True
)

CREATE_WEBHOOK = Operation(
    "create_webhook",
    "POST",
    "/api/v1/webhooks",
    WebhookWritten,
    repeatable=True,
    signed=True,
    keyed=True,
)

LIST_WEBHOOKS = Operation(
    "list_webhooks", "GET", "/api/v1/webhooks", WebhookList, repeatable=True, signed=True
)

DELETE_WEBHOOK = Operation(
    "delete_webhook",
    "POST",
    "/api/v1/webhooks/{webhookId}/delete",
    WebhookDeleted,
    repeatable=True,
    signed=True,
    keyed=True,
)

TEST_WEBHOOK = Operation(
    "test_webhook",
    "POST",
    "/api/v1/webhooks/{webhookId}/test",
    WebhookWritten,
    repeatable=True,
    signed=True,
    keyed=True,
)
