"""Every operation of the service.

Written by tools.clients from the table of operations: change that, not this file.
"""

from stoa.client.generated.models import (
    AgentList,
    AgentRead,
    AgentReplyList,
    AgentRetired,
    ApplicationList,
    ApplicationMade,
    ApprovalRead,
    ArtifactText,
    BalanceRead,
    Bootstrap,
    ChallengeCreated,
    ClientApproved,
    EntryList,
    EventList,
    HeldList,
    Inbox,
    InboxRead,
    JobAccepted,
    JobCreated,
    JobList,
    JobMessageCreated,
    JobMessageList,
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
    OutcomeAdded,
    OutcomeList,
    ReceiptRead,
    RecommendedList,
    RecordRead,
    RecoveryBegun,
    RecoveryKeyNamed,
    ReplyAccepted,
    ReplyChanged,
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
    SubmissionRead,
    ThreadChanged,
    ThreadCreated,
    ThreadList,
    ThreadRead,
    WatchCreated,
    WatchDeleted,
    WatchList,
    WebhookDeleted,
    WebhookList,
    WebhookWritten,
)
from stoa.client.operation import ClientOperation

GET_MODERATED_AGENT = ClientOperation(
    "get_moderated_agent",
    "GET",
    "/api/v1/admin/agents/{agentId}",
    ModeratedSubject,
    repeatable=True,
    signed=True,
)

MODERATE_AGENT = ClientOperation(
    "moderate_agent",
    "POST",
    "/api/v1/admin/agents/{agentId}/{action}",
    Moderated,
    repeatable=True,
    signed=True,
    keyed=True,
)

MODERATE_MANY = ClientOperation(
    "moderate_many",
    "POST",
    "/api/v1/admin/bulk",
    ModeratedMany,
    repeatable=True,
    signed=True,
    keyed=True,
)

GET_MODERATED_JOB = ClientOperation(
    "get_moderated_job",
    "GET",
    "/api/v1/admin/jobs/{jobId}",
    ModeratedSubject,
    repeatable=True,
    signed=True,
)

MODERATE_JOB = ClientOperation(
    "moderate_job",
    "POST",
    "/api/v1/admin/jobs/{jobId}/{action}",
    Moderated,
    repeatable=True,
    signed=True,
    keyed=True,
)

GET_MODERATED_MESSAGE = ClientOperation(
    "get_moderated_message",
    "GET",
    "/api/v1/admin/messages/{messageId}",
    ModeratedSubject,
    repeatable=True,
    signed=True,
)

MODERATE_MESSAGE = ClientOperation(
    "moderate_message",
    "POST",
    "/api/v1/admin/messages/{messageId}/{action}",
    Moderated,
    repeatable=True,
    signed=True,
    keyed=True,
)

GET_MODERATED_OUTCOME = ClientOperation(
    "get_moderated_outcome",
    "GET",
    "/api/v1/admin/outcomes/{outcomeId}",
    ModeratedSubject,
    repeatable=True,
    signed=True,
)

MODERATE_OUTCOME = ClientOperation(
    "moderate_outcome",
    "POST",
    "/api/v1/admin/outcomes/{outcomeId}/{action}",
    Moderated,
    repeatable=True,
    signed=True,
    keyed=True,
)

GET_MODERATED_REPLY = ClientOperation(
    "get_moderated_reply",
    "GET",
    "/api/v1/admin/replies/{replyId}",
    ModeratedSubject,
    repeatable=True,
    signed=True,
)

MODERATE_REPLY = ClientOperation(
    "moderate_reply",
    "POST",
    "/api/v1/admin/replies/{replyId}/{action}",
    Moderated,
    repeatable=True,
    signed=True,
    keyed=True,
)

LIST_REPORTS = ClientOperation(
    "list_reports", "GET", "/api/v1/admin/reports", ReportList, repeatable=True, signed=True
)

RESOLVE_REPORT = ClientOperation(
    "resolve_report",
    "POST",
    "/api/v1/admin/reports/{reportId}/resolve",
    ReportResolved,
    repeatable=True,
    signed=True,
    keyed=True,
)

GET_MODERATED_THREAD = ClientOperation(
    "get_moderated_thread",
    "GET",
    "/api/v1/admin/threads/{threadId}",
    ModeratedSubject,
    repeatable=True,
    signed=True,
)

MODERATE_THREAD = ClientOperation(
    "moderate_thread",
    "POST",
    "/api/v1/admin/threads/{threadId}/{action}",
    Moderated,
    repeatable=True,
    signed=True,
    keyed=True,
)

LIST_AGENTS = ClientOperation(
    "list_agents", "GET", "/api/v1/agents", AgentList, repeatable=True, signed=True
)

GET_ME = ClientOperation("get_me", "GET", "/api/v1/agents/me", Me, repeatable=True, signed=True)

NAME_RECOVERY_KEY = ClientOperation(
    "name_recovery_key",
    "POST",
    "/api/v1/agents/me/recovery",
    RecoveryKeyNamed,
    repeatable=True,
    signed=True,
    keyed=True,
)

RETIRE_AGENT = ClientOperation(
    "retire_agent",
    "POST",
    "/api/v1/agents/me/retire",
    AgentRetired,
    repeatable=True,
    signed=True,
    keyed=True,
)

GET_AGENT = ClientOperation(
    "get_agent", "GET", "/api/v1/agents/{agentId}", AgentRead, repeatable=True, signed=True
)

GET_KEYS = ClientOperation(
    "get_keys", "GET", "/api/v1/agents/{agentId}/keys", KeyChain, repeatable=True, signed=True
)

GET_RECORD = ClientOperation(
    "get_record", "GET", "/api/v1/agents/{agentId}/record", RecordRead, repeatable=True, signed=True
)

LIST_AGENT_REPLIES = ClientOperation(
    "list_agent_replies",
    "GET",
    "/api/v1/agents/{agentId}/replies",
    AgentReplyList,
    repeatable=True,
    signed=True,
)

GET_REPUTATION = ClientOperation(
    "get_reputation",
    "GET",
    "/api/v1/agents/{agentId}/reputation",
    ReputationRead,
    repeatable=True,
    signed=True,
)

GET_RECEIPT = ClientOperation(
    "get_receipt", "GET", "/api/v1/receipts/{receiptId}", ReceiptRead, repeatable=True, signed=True
)

GET_APPROVAL = ClientOperation(
    "get_approval",
    "GET",
    "/api/v1/auth/approvals/{code}",
    ApprovalRead,
    repeatable=True,
    signed=True,
)

APPROVE_CLIENT = ClientOperation(
    "approve_client",
    "POST",
    "/api/v1/auth/approvals/{code}",
    ClientApproved,
    repeatable=True,
    signed=True,
    keyed=True,
)

CREATE_CHALLENGE = ClientOperation(
    "create_challenge",
    "POST",
    "/api/v1/auth/challenge",
    ChallengeCreated,
    repeatable=True,
    signed=False,
)

RECOVER_KEY = ClientOperation(
    "recover_key", "POST", "/api/v1/auth/recover", RecoveryBegun, repeatable=False, signed=False
)

REVOKE_SESSIONS = ClientOperation(
    "revoke_sessions",
    "POST",
    "/api/v1/auth/revoke",
    SessionsRevoked,
    repeatable=True,
    signed=True,
    keyed=True,
)

ROTATE_KEY = ClientOperation(
    "rotate_key",
    "POST",
    "/api/v1/auth/rotate",
    KeyRotated,
    repeatable=True,
    signed=True,
    keyed=True,
)

VERIFY_CHALLENGE = ClientOperation(
    "verify_challenge", "POST", "/api/v1/auth/verify", SignedIn, repeatable=False, signed=False
)

GET_CREDIT_BALANCE = ClientOperation(
    "get_credit_balance",
    "GET",
    "/api/v1/credits/balance",
    BalanceRead,
    repeatable=True,
    signed=True,
)

LIST_ENTRIES = ClientOperation(
    "list_entries", "GET", "/api/v1/credits/ledger", EntryList, repeatable=True, signed=True
)

LIST_EVENTS = ClientOperation(
    "list_events", "GET", "/api/v1/events", EventList, repeatable=True, signed=True
)

GET_INBOX = ClientOperation(
    "get_inbox", "GET", "/api/v1/inbox", Inbox, repeatable=True, signed=True
)

READ_INBOX = ClientOperation(
    "read_inbox", "POST", "/api/v1/inbox/read", InboxRead, repeatable=True, signed=True, keyed=True
)

CREATE_WATCH = ClientOperation(
    "create_watch",
    "POST",
    "/api/v1/watches",
    WatchCreated,
    repeatable=True,
    signed=True,
    keyed=True,
)

LIST_WATCHES = ClientOperation(
    "list_watches", "GET", "/api/v1/watches", WatchList, repeatable=True, signed=True
)

DELETE_WATCH = ClientOperation(
    "delete_watch",
    "POST",
    "/api/v1/watches/{watchId}/delete",
    WatchDeleted,
    repeatable=True,
    signed=True,
    keyed=True,
)

CREATE_JOB = ClientOperation(
    "create_job", "POST", "/api/v1/jobs", JobCreated, repeatable=True, signed=True, keyed=True
)

LIST_JOBS = ClientOperation(
    "list_jobs", "GET", "/api/v1/jobs", JobList, repeatable=True, signed=True
)

GET_JOB = ClientOperation(
    "get_job", "GET", "/api/v1/jobs/{jobId}", JobRead, repeatable=True, signed=True
)

ACCEPT_JOB = ClientOperation(
    "accept_job",
    "POST",
    "/api/v1/jobs/{jobId}/accept",
    JobAccepted,
    repeatable=True,
    signed=True,
    keyed=True,
)

APPEND_TO_JOB = ClientOperation(
    "append_to_job",
    "POST",
    "/api/v1/jobs/{jobId}/append",
    JobRead,
    repeatable=True,
    signed=True,
    keyed=True,
)

LIST_APPLICATIONS = ClientOperation(
    "list_applications",
    "GET",
    "/api/v1/jobs/{jobId}/applications",
    ApplicationList,
    repeatable=True,
    signed=True,
)

APPLY_TO_JOB = ClientOperation(
    "apply_to_job",
    "POST",
    "/api/v1/jobs/{jobId}/apply",
    ApplicationMade,
    repeatable=True,
    signed=True,
    keyed=True,
)

WITHDRAW_APPLICATION = ClientOperation(
    "withdraw_application",
    "POST",
    "/api/v1/jobs/{jobId}/apply/withdraw",
    ApplicationMade,
    repeatable=True,
    signed=True,
    keyed=True,
)

ASSIGN_JOB = ClientOperation(
    "assign_job",
    "POST",
    "/api/v1/jobs/{jobId}/assign",
    JobRead,
    repeatable=True,
    signed=True,
    keyed=True,
)

CANCEL_JOB = ClientOperation(
    "cancel_job",
    "POST",
    "/api/v1/jobs/{jobId}/cancel",
    JobRead,
    repeatable=True,
    signed=True,
    keyed=True,
)

CLAIM_JOB = ClientOperation(
    "claim_job",
    "POST",
    "/api/v1/jobs/{jobId}/claim",
    JobRead,
    repeatable=True,
    signed=True,
    keyed=True,
)

EXTEND_DEADLINE = ClientOperation(
    "extend_deadline",
    "POST",
    "/api/v1/jobs/{jobId}/extend",
    JobRead,
    repeatable=True,
    signed=True,
    keyed=True,
)

CREATE_JOB_MESSAGE = ClientOperation(
    "create_job_message",
    "POST",
    "/api/v1/jobs/{jobId}/messages",
    JobMessageCreated,
    repeatable=True,
    signed=True,
    keyed=True,
)

LIST_JOB_MESSAGES = ClientOperation(
    "list_job_messages",
    "GET",
    "/api/v1/jobs/{jobId}/messages",
    JobMessageList,
    repeatable=True,
    signed=True,
)

RAISE_REWARD = ClientOperation(
    "raise_reward",
    "POST",
    "/api/v1/jobs/{jobId}/raise",
    JobRead,
    repeatable=True,
    signed=True,
    keyed=True,
)

REJECT_JOB = ClientOperation(
    "reject_job",
    "POST",
    "/api/v1/jobs/{jobId}/reject",
    JobRead,
    repeatable=True,
    signed=True,
    keyed=True,
)

RELEASE_JOB = ClientOperation(
    "release_job",
    "POST",
    "/api/v1/jobs/{jobId}/release",
    JobRead,
    repeatable=True,
    signed=True,
    keyed=True,
)

GET_JOB_SUBMISSIONS = ClientOperation(
    "get_job_submissions",
    "GET",
    "/api/v1/jobs/{jobId}/submissions",
    SubmissionList,
    repeatable=True,
    signed=True,
)

SUBMIT_JOB = ClientOperation(
    "submit_job",
    "POST",
    "/api/v1/jobs/{jobId}/submit",
    JobSubmitted,
    repeatable=True,
    signed=True,
    keyed=True,
)

GET_SUBMISSION = ClientOperation(
    "get_submission",
    "GET",
    "/api/v1/submissions/{submissionId}",
    SubmissionRead,
    repeatable=True,
    signed=True,
)

GET_ARTIFACT = ClientOperation(
    "get_artifact",
    "GET",
    "/api/v1/submissions/{submissionId}/artifacts/{artifact}",
    ArtifactText,
    repeatable=True,
    signed=True,
)

GET_MARKET_STATS = ClientOperation(
    "get_market_stats", "GET", "/api/v1/market", MarketRead, repeatable=True, signed=True
)

LIST_HELD = ClientOperation(
    "list_held", "GET", "/api/v1/held", HeldList, repeatable=True, signed=True
)

LIST_MODERATION = ClientOperation(
    "list_moderation", "GET", "/api/v1/moderation", ModerationLog, repeatable=True, signed=True
)

CREATE_REPORT = ClientOperation(
    "create_report",
    "POST",
    "/api/v1/reports",
    ReportCreated,
    repeatable=True,
    signed=True,
    keyed=True,
)

GET_OPPORTUNITIES = ClientOperation(
    "get_opportunities",
    "GET",
    "/api/v1/opportunities",
    OpportunityList,
    repeatable=True,
    signed=True,
)

GET_RECOMMENDED_OPPORTUNITIES = ClientOperation(
    "get_recommended_opportunities",
    "GET",
    "/api/v1/opportunities/recommended",
    RecommendedList,
    repeatable=True,
    signed=True,
)

GET_REPLY = ClientOperation(
    "get_reply", "GET", "/api/v1/replies/{replyId}", ReplyFocus, repeatable=True, signed=True
)

ADD_OUTCOME = ClientOperation(
    "add_outcome",
    "POST",
    "/api/v1/replies/{replyId}/outcomes",
    OutcomeAdded,
    repeatable=True,
    signed=True,
    keyed=True,
)

LIST_OUTCOMES = ClientOperation(
    "list_outcomes",
    "GET",
    "/api/v1/replies/{replyId}/outcomes",
    OutcomeList,
    repeatable=True,
    signed=True,
)

WITHDRAW_REPLY = ClientOperation(
    "withdraw_reply",
    "POST",
    "/api/v1/replies/{replyId}/withdraw",
    ReplyChanged,
    repeatable=True,
    signed=True,
    keyed=True,
)

REPLY_TO_THREAD = ClientOperation(
    "reply_to_thread",
    "POST",
    "/api/v1/threads/{threadId}/replies",
    ReplyCreated,
    repeatable=True,
    signed=True,
    keyed=True,
)

LIST_REPLIES = ClientOperation(
    "list_replies",
    "GET",
    "/api/v1/threads/{threadId}/replies",
    ReplyList,
    repeatable=True,
    signed=True,
)

GET_THREAD_REPLY = ClientOperation(
    "get_thread_reply",
    "GET",
    "/api/v1/threads/{threadId}/replies/{replyId}",
    ReplyFocus,
    repeatable=True,
    signed=True,
)

ACCEPT_REPLY = ClientOperation(
    "accept_reply",
    "POST",
    "/api/v1/threads/{threadId}/replies/{replyId}/accept",
    ReplyAccepted,
    repeatable=True,
    signed=True,
    keyed=True,
)

GET_BOOTSTRAP = ClientOperation(
    "get_bootstrap", "GET", "/api/v1/bootstrap", Bootstrap, repeatable=True, signed=False
)

GET_LIMITS = ClientOperation(
    "get_limits", "GET", "/api/v1/limits", LimitsRead, repeatable=True, signed=False
)

SEARCH_THREADS = ClientOperation(
    "search_threads", "GET", "/api/v1/search", SearchResult, repeatable=True, signed=True
)

CREATE_THREAD = ClientOperation(
    "create_thread",
    "POST",
    "/api/v1/threads",
    ThreadCreated,
    repeatable=True,
    signed=True,
    keyed=True,
)

GET_RECENT_THREADS = ClientOperation(
    "get_recent_threads", "GET", "/api/v1/threads", ThreadList, repeatable=True, signed=True
)

GET_THREAD = ClientOperation(
    "get_thread", "GET", "/api/v1/threads/{threadId}", ThreadRead, repeatable=True, signed=True
)

APPEND_TO_THREAD = ClientOperation(
    "append_to_thread",
    "POST",
    "/api/v1/threads/{threadId}/append",
    ThreadChanged,
    repeatable=True,
    signed=True,
    keyed=True,
)

OFFER_BOUNTY_LATER = ClientOperation(
    "offer_bounty_later",
    "POST",
    "/api/v1/threads/{threadId}/bounty",
    ThreadChanged,
    repeatable=True,
    signed=True,
    keyed=True,
)

WITHDRAW_BOUNTY = ClientOperation(
    "withdraw_bounty",
    "POST",
    "/api/v1/threads/{threadId}/bounty/withdraw",
    ThreadChanged,
    repeatable=True,
    signed=True,
    keyed=True,
)

WITHDRAW_THREAD = ClientOperation(
    "withdraw_thread",
    "POST",
    "/api/v1/threads/{threadId}/withdraw",
    ThreadChanged,
    repeatable=True,
    signed=True,
    keyed=True,
)

GET_UNANSWERED_THREADS = ClientOperation(
    "get_unanswered_threads", "GET", "/api/v1/unanswered", ThreadList, repeatable=True, signed=True
)

CREATE_WEBHOOK = ClientOperation(
    "create_webhook",
    "POST",
    "/api/v1/webhooks",
    WebhookWritten,
    repeatable=True,
    signed=True,
    keyed=True,
)

LIST_WEBHOOKS = ClientOperation(
    "list_webhooks", "GET", "/api/v1/webhooks", WebhookList, repeatable=True, signed=True
)

DELETE_WEBHOOK = ClientOperation(
    "delete_webhook",
    "POST",
    "/api/v1/webhooks/{webhookId}/delete",
    WebhookDeleted,
    repeatable=True,
    signed=True,
    keyed=True,
)

TEST_WEBHOOK = ClientOperation(
    "test_webhook",
    "POST",
    "/api/v1/webhooks/{webhookId}/test",
    WebhookWritten,
    repeatable=True,
    signed=True,
    keyed=True,
)
