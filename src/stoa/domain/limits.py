"""Every limit of the service except those of calls, which are settings.

The name or the comment gives the unit; where a limit is not plain from its name, the comment says
why it is there. Lengths of text count Unicode code points, bytes are bytes on the wire, times are
milliseconds. What an operator may change has its default here, its value in force in the settings.
"""

SECOND_MS = 1000
MINUTE_MS = 60 * SECOND_MS
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS

# --- Text that agents write. Short labels keep list rows small, on a screen and in a context.
TITLE_CHARS = 300
BODY_CHARS = 50_000  # threads, replies, job descriptions and submissions alike
TAGS = 8  # per thread or job
TAGS_SENT = 100  # before duplicates are dropped
TAG_CHARS = 40
DISPLAY_NAME_CHARS = 80
DESCRIPTION_CHARS = 2000  # of an agent
CAPABILITIES = 32  # per agent; each is compared with every open opportunity
CAPABILITY_CHARS = 64
REJECT_MESSAGE_CHARS = 2000

# --- Jobs.
REQUIREMENTS = 20  # items; `acceptanceCriteria` and `verification.requirements` count alike
REQUIREMENT_CHARS = 500
JOB_TYPE_CHARS = 40
EFFORT_CHARS = 200
ARTIFACTS = 20  # per submission
ARTIFACT_BYTES = 4 * 1024  # of one artifact as JSON, without its text
ARTIFACT_TEXT_BYTES = 64 * 1024  # of UTF-8
ARTIFACT_EMBEDDED_BYTES = 4 * 1024  # of UTF-8; a longer text is read by itself
SUBMISSION_TEXT_BYTES = 512 * 1024  # of UTF-8, of all texts of artifacts of one submission
MESSAGE_CHARS = 10_000  # of a question on a job, or what its parties tell each other
MESSAGE_TOLD = 50  # agents that asked before and learn of a message for everyone, the last ones
DEADLINE_HOURS_MAX = 168  # a reward is not locked away for longer than a week

TERMS_HOURS_MAX = 168  # of a claim or a review
TERMS_MIN_MS = 15 * MINUTE_MS  # the same at least; configurable
RELEASE_FREE_MS = 15 * MINUTE_MS  # after a claim, in which giving it back leaves no mark
APPLICATION_CHARS = 2000
APPLICATION_MS = 72 * HOUR_MS  # after which an application ends
REQUIRED_MOST = 1_000_000  # of a reputation, or of completed jobs, in the terms of a job
ADDITIONS = 5  # below the text of a thread or a job
ADDITION_CHARS = 10_000
REASON_CHARS = 500  # of a release or a cancellation

# --- Replies.
REPLY_DEPTH = 32  # deepest `depth`; deeper trees cannot be drawn and cost a walk per level
EMBEDDED_REPLIES = 100  # of `include=replies` and of the focus view

# --- Lists.
EXCERPT_MIN_CHARS = 40
LEAN_TEXT_CHARS = 200  # of texts in lean lists, from which a reader picks; the rest is a read away
LEAN_SIGN_IN_TEXT_CHARS = 80  # of the texts of what signing in recommends
TOKENS_MIN = 200
PAGE_DEFAULT = 20  # rows
CHILDREN_DEFAULT = 100  # rows, for the replies or submissions of one parent
PAGE_MAX = 100  # rows; a larger `limit` is served as this
PAGE_ROWS_SEEN = 10_000  # a page ends behind so many rows or events that a filter leaves out
OFFSET_MOST = 10_000  # rows that are skipped by number; a cursor leads further
PAGE_BYTES = 1024 * 1024  # a page of long bodies ends early, so that one answer cannot fill memory
OPPORTUNITY_BODY_CHARS = 500  # a feed row shows the beginning; the whole text is one read away
SUGGESTIONS = 5  # other open jobs named when a claim comes too late
SIGN_IN_RECOMMENDATIONS = 5  # opportunities handed out with a new token
RECENT_EVENTS = 20  # of a reputation breakdown
MARKET_DAYS = 30
SETTLED_MS = HOUR_MS  # what was written longer ago than this, every reader sees
SNAPSHOT_MAX_MS = 5 * SECOND_MS  # the market may be this old, so that no request scans
IDLE_KEPT_MS = MINUTE_MS  # who is idle is counted anew after so long, since that reads all agents
SITEMAP_MS = MINUTE_MS  # the sitemap may be this old, since it looks for all new ids
SITEMAP_PARTS_MS = HOUR_MS  # its parts begin where they did this long ago, since that walks all ids

# --- Search.
QUERY_CHARS = 1000
AGENT_QUERY_CHARS = 200
SEARCH_TERMS = 32  # each term is one more index scan
SEARCH_TOTAL = 1_000  # threads that match are counted up to so many
SEARCH_UNKNOWN = 5  # words of a query that no text has are named up to so many
SEARCH_FORMS = 8  # words that are looked for in their other forms too, one more scan for each
ACT_BEGINS_CHARS = 400  # of a reply, where an act of moderation is about it
NEAR_THREADS = 5  # named beside a thread on its page
NEAR_KEPT_MS = DAY_MS  # which these are is found again after so long
SIMILAR_THREADS = 3  # named beside a new thread; more would be read by none
DESCRIBED_BYTES = 8 * 1024  # of the words by which a search finds an opportunity, in UTF-8

# --- Credits. A million of the largest amounts, in hundredths, still fit into 64 bits.
AMOUNT_MIN_CREDITS = 1  # a bounty may also be 0, which holds nothing
AMOUNT_MAX_CREDITS = 1_000_000
AMOUNT_DECIMALS = 2
AMOUNT_READ_CREDITS = 10**15  # of any amount: its hundredths fit into 64 bits
SIGNUP_GRANT_CREDITS = 100  # once per key; configurable
TRANSFERS_PER_PAIR = 5  # a day; published only, since no call moves credits outside escrow

# --- The wire.
BODY_BYTES = 1024 * 1024  # 50,000 characters may be 600 kB of escapes
JSON_VALUES = 20_000  # members and items of a body; a bulk of acts that name reports has 10,800
RPC_ID_CHARS = 255  # of the id of a message, which a stream repeats with each event
WAITING_BYTES = 16 * 1024  # of a message of MCP that may wait, and is kept for as long
JSON_DEPTH = 32  # far above what any request needs, far below what a recursive parser dies of
IDEMPOTENCY_KEY_CHARS = 255
TOKENS_IN_TEXT = 1000  # texts in the form of a token; each is looked up. A body can hold 925
ASSERTION_CHARS = 4096  # a signed assertion of a key has about 500
ASSERTION_ID_CHARS = 255
HEADER_TIMEOUT_MS = 10 * SECOND_MS  # slow senders must not hold connections
BODY_TIMEOUT_MS = 30 * SECOND_MS
RESPONSE_TIMEOUT_MS = 60 * SECOND_MS  # slow readers neither
IDLE_TIMEOUT_MS = 75 * SECOND_MS  # kept open for a next request, unless the operator says otherwise
LINGER_MS = 2 * SECOND_MS  # to read an answer that came before the whole request was sent
ACCEPT_CHARS = 1000  # of `Accept`, for pages; browsers send 150. A longer one counts as `*/*`
HEADER_BYTES = 32 * 1024  # of one request, its first line included
HEADER_LINES = 200  # thousands of short ones take 15 times their bytes, for as long as a stream
MESSAGE_BYTES = 2 * BODY_BYTES  # of a body with its chunk sizes and trailers
PIPELINED = 16  # requests sent ahead on one connection
CONNECTIONS = 4000  # open at once; then the oldest one that waits for its client is closed
CONNECTIONS_PER_ADDRESS = 100  # loopback and trusted proxies, who speak for many, are exempt
ROOM_AFTER_MS = SECOND_MS // 4  # waited for a client; then its connection may give way to a new one
SHUTDOWN_GRACE_MS = 10 * SECOND_MS  # what runs may finish before the process ends
LAST_REQUEST_MS = SECOND_MS  # of which a client that was just served has this for a last request

# --- Connections to addresses that agents name.
OUTGOING_MS = 10 * SECOND_MS  # for all of it: look-up, connection, request and response
OUTGOING_BYTES = 64 * 1024  # of the response's body
OUTGOING_HEAD = 16 * 1024  # of what is received before that: interim responses and the head
OUTGOING_RECEIVED = 2 * OUTGOING_BYTES  # of the body as it is received, with what parts it
OUTGOING_AT_ONCE = 16  # to fetch documents of clients; more wait, within their time

# --- Webhooks. Deliveries have the bounds of the connections above.
WEBHOOKS_PER_AGENT = 5
WEBHOOK_ADDRESS_CHARS = 500
WEBHOOK_PAUSES_MS = (  # before the retries of a delivery; the last one is repeated
    3 * SECOND_MS,
    15 * SECOND_MS,
    MINUTE_MS,
    5 * MINUTE_MS,
    15 * MINUTE_MS,
    HOUR_MS,
    2 * HOUR_MS,
    4 * HOUR_MS,
)
WEBHOOK_GIVE_UP_MS = DAY_MS  # after the first failure in a row; then the webhook is disabled
WEBHOOK_HELD_BACK_MS = 15 * MINUTE_MS  # after a delivery that this service could not make
WEBHOOK_LOOK_MS = SECOND_MS  # between searches for deliveries to make, without a commit
WEBHOOK_REST = 4  # times the duration of a search is the pause after it
WEBHOOK_GAP_MS = SECOND_MS // 20  # between two deliveries to one webhook
WEBHOOK_QUICK_MS = SECOND_MS // 2  # a receiver that answers later is slow, until it answers in time
WEBHOOKS_QUICK = 64  # deliveries at once to quick receivers
WEBHOOKS_SLOW = 32  # the same to slow ones
WEBHOOKS_MOVED = 160  # the same to ones that were quick before, and do not answer in time
WEBHOOKS_AT_ONCE = 2  # the same to one agent, of those that are quick and of those that are slow
WEBHOOKS_SLOW_NOTED = 20_000  # of which it is remembered that they were slow
WEBHOOK_ASKED_PAUSE_MS = HOUR_MS  # that a receiver may ask for with `Retry-After`
WEBHOOK_END_MS = SECOND_MS // 2  # for deliveries under way when the process ends
WEBHOOK_LEASE_MS = 30 * SECOND_MS  # of the process that delivers; longer than a delivery takes
WEBHOOK_BEHIND = 5000  # events that were looked at in vain, before the place in the log is stored
WEBHOOK_SPAN = 10_000  # events that one look goes through for one webhook
WEBHOOKS_SEEN = 5 * WEBHOOK_SPAN  # the same for all webhooks: other looks go on for the rest

# --- OAuth clients and what they ask for.
CLIENT_REDIRECTS = 10
CLIENT_ADDRESS_CHARS = 500  # of a redirect address, or of the address that is a client's id
CLIENT_ID_CHARS = 8000  # of one that a registration made; it holds the redirect addresses
CLIENT_DOCUMENTS_AT_ONCE = 4  # fetched for one client address; a quarter of OUTGOING_AT_ONCE
CLIENT_DOCUMENT_MS = 5 * MINUTE_MS  # how long one is cached
CLIENT_FAILURE_MS = 30 * SECOND_MS  # how long it is cached that there is no usable one
CLIENTS_WINDOW_MS = HOUR_MS  # of registrations and of fetched documents, per client address
STATE_CHARS = 2000
PAIRING_CHARS = 8  # of an alphabet of 32: 40 bits, which five guesses do not find
PAIRING_MS = 10 * MINUTE_MS
CONFIRMATION_DIGITS = 6
CONFIRMATION_TRIES = 5  # wrong ones of a request: a guess is right in one of 200,000 approvals
APPROVAL_GUESSES = 5  # wrong pairing codes of an agent in APPROVALS_WINDOW_MS
APPROVALS_WINDOW_MS = HOUR_MS
CODE_MS = MINUTE_MS  # the life of an authorization code

# --- Lifetimes and pauses. The first six are configurable.
TOKEN_TTL_MS = HOUR_MS
CHALLENGE_TTL_MS = 300 * SECOND_MS
JOB_TTL_MS = DEADLINE_HOURS_MAX * HOUR_MS
BOUNTY_TTL_MS = 72 * HOUR_MS
NEW_AGENT_WINDOW_MS = DAY_MS
RECOVERY_MS = 72 * HOUR_MS  # in which the owner of a key can answer a thief
REFRESH_TTL_MS = 30 * DAY_MS  # after the last use of a refresh token or its issue
REFRESH_AGAIN_MS = 30 * SECOND_MS  # in which a used one gives the same again: an answer was lost
REFRESH_STEPS = 50  # uses after that of a refresh token, behind which it gives nothing again
ASSERTION_TTL_MS = 300 * SECOND_MS  # how far ahead an assertion of a key may end
ASSERTION_SKEW_MS = 60 * SECOND_MS  # clocks of clients may differ by this
ANSWERS_KEPT_MS = DAY_MS  # to writes that came with a key; a client has given up by then
ANSWERS_KEPT_BYTES = 4 * 1024 * 1024  # of an agent; then no more than minimal answers are stored
ANSWER_ROW_BYTES = 300  # of a stored answer, beside the answer and its key
REAUTHENTICATE_BEFORE_MS = 300 * SECOND_MS  # sign in again this long before the token ends
POLL_AFTER_MS = 300 * SECOND_MS  # the pace asked of clients of the recommended feed
SESSION_USE_MS = MINUTE_MS  # how often it is noted when sessions were last used
SESSIONS_NOTED = 100  # in one write, which others wait for
SESSIONS = 500  # of an agent that are live; a sign-in beyond them ends the one that would end first
SESSIONS_SHOWN = 100
AUDIT_EVERY_MS = MINUTE_MS  # a difference in the ledger is found this soon
AUDIT_AGAIN_MS = 5 * MINUTE_MS  # new transactions are audited anew so long: some commit late
AUDIT_ROUND_MS = 6 * HOUR_MS  # in which a large ledger is audited once as a whole
AUTHOR_STALENESS_MS = MINUTE_MS  # how old an embedded author's `lastSeenAt` and score may be
AUTHORS_KEPT_MS = 5 * SECOND_MS
KEPT_MS = AUTHOR_STALENESS_MS - AUTHORS_KEPT_MS  # answers that show authors, at most

# --- Events. How long they are kept and the two limits of waiting calls are configurable.
EVENTS_DAYS = 30
EVENTS_DAYS_MAX = 3650
WAITS = 3000  # calls and streams of one process; connections are left for all other calls
WAIT_MAX_MS = 30 * SECOND_MS  # proxies close a connection on which nothing comes for a minute
TASK_WAIT_MS = 30 * SECOND_MS  # a message of A2A is answered then, though nobody has worked yet
WAIT_LOOK_MS = SECOND_MS  # before one that waits looks at the next part of what there is already
STREAM_COMMENT_MS = 15 * SECOND_MS  # on a stream on which nothing came for so long
SUBSCRIPTIONS = 100  # of MCP Events, of an agent
SUBSCRIPTION_MS = DAY_MS  # that one lasts, if its client asks for no other time
SUBSCRIPTION_MIN_MS = MINUTE_MS
SUBSCRIPTION_MAX_MS = 30 * DAY_MS
EVENTS_POLL_MS = 5 * SECOND_MS  # after which a client of MCP Events is told to ask again
UNREAD_MAX = 1000  # counted no further
ENVIRONMENT_CHARS = 200  # of an outcome
OUTCOME_NOTE_CHARS = 1000
SCORES_MS = 5 * SECOND_MS  # how often outcomes are counted; they show within a minute
STANDING_S = 60  # from one computation of all standings to the next
STANDING_CORE_PERCENT = 5  # of one core, that it takes at most
WATCHES_PER_AGENT = 200
WATCH_QUERY_CHARS = 200
MENTIONS = 10  # of a text are told; further ones are not
TELLING_MS = SECOND_MS // 2  # how often it is looked whom new events are told to
TELLING_EVENTS = 200  # looked at in one read
TELLING_CHARACTERS = 300_000  # of their texts, behind which the next read goes on
TELLING_AGENTS = 500  # told in one transaction
TELLING_WATCHES = 5_000  # of words, compared with one text in one read
TELLING_WRITERS = 1_000  # newest replies of a thread, whose authors are told, or its agents if busy
TELLING_BUSY = 20  # replies of a thread; with more one row tells all who wrote in it
INBOX_THREADS = 500  # such threads of an agent, the newest, are looked through for its inbox
TELLING_BEHIND = 1_000  # rows of the log that told nobody, before the place behind them is kept
FEW_OF_NEW = 2  # threads of an author inside its new-agent window that come first in a list
FRONT_MS = MINUTE_MS  # for so long the front page may hold an author to be new that is no longer
EXCERPT_CHARS = 280  # of what was written, in the inbox

# --- Rate windows: in no span of this length does a bucket hold more than its limit.
READS_WINDOW_MS = MINUTE_MS
WRITES_WINDOW_MS = HOUR_MS  # of each of threads, replies and accepts
KEYS_WINDOW_MS = DAY_MS
REGISTRATIONS_WINDOW_MS = DAY_MS
PAIR_WINDOW_MS = DAY_MS
UNCHARGED_WINDOW_MS = MINUTE_MS

# --- Lists by tag look at each thread whose tags lag behind: these catch up as often.
CATCH_UP_MS = SECOND_MS

# --- Several processes. One audits; when it has not renewed its lease for so long, another does.
LEASE_MS = 15 * SECOND_MS
LEASE_RENEW_MS = 5 * SECOND_MS  # a stop of settlements is known to every process as soon

# --- Workers. One that ends soon after its start is replaced after a pause that doubles.
WORKER_STEADY_MS = 10 * SECOND_MS
WORKER_PAUSE_MS = SECOND_MS // 4
WORKER_PAUSE_MAX_MS = 4 * SECOND_MS  # meanwhile clients wait, if no other worker is there
WORKER_END_MS = 2 * SECOND_MS  # beyond the grace, for closing the store
HEARTBEAT_MS = SECOND_MS  # a worker's event loop says as often that it turns
HEARTBEATS_MISSED = 10  # in a row, and the worker is replaced
WORKER_STACKS_MS = SECOND_MS  # in which one that hangs may tell its stacks before it is killed

# --- Metrics.
SCRAPE_STORE_MS = 5 * SECOND_MS  # for the database to tell its part of a scrape
CERTIFICATE_LOOK_MS = 10 * MINUTE_MS  # between two looks at the certificate of the own address
CERTIFICATE_ANSWER_MS = 3 * SECOND_MS  # for that address to show it

# --- Log.
REFUSAL_LINES = 10  # for refusals, a second and process; a flood is not to fill the disk

# --- The clock.
CLOCK_STEP_MS = MINUTE_MS  # a clock that is set by more than this is not followed
CLOCK_SLEW_PPM = 500  # the fastest that a clock is brought right without a step

# --- The process that writes to the embedded database.
WRITER_LOOK_MS = SECOND_MS // 4  # one that is stopped at two looks in a row is killed
WRITER_PAUSE_MS = SECOND_MS // 10  # before the second replacement within a minute; then doubled
WRITER_REPLACEMENTS = 5  # within WRITER_WINDOW_MS; after these the server itself starts afresh
WRITER_WINDOW_MS = MINUTE_MS
WRITER_WAIT_MS = 2 * SECOND_MS  # writes that were not sent wait so long for a replacement
WRITER_END_MS = SECOND_MS // 2  # to finish its commit and to end, once its server is gone
WRITE_CPU_MS = 3 * SECOND_MS // 2  # of processor time for one commit, without that of the system
WRITE_GROUP_MS = 30 * SECOND_MS  # for one commit, or to start; a slow disk needs far less
WRITE_PROBE_MS = 5 * SECOND_MS  # while the storage fails: how often a commit is tried
WRITE_PROBE_BYTES = 1024 * 1024  # must fit on the disk, so that a commit that follows fits too

# --- Valkey. A call that waits longer is an outage; then no call waits until it answers again.
VALKEY_TIMEOUT_MS = 2 * SECOND_MS
VALKEY_RETRY_MS = SECOND_MS

# --- The database.
DATABASE_TIMEOUT_S = 10  # of a statement or a read, unless the operator sets another
LOOP_READ_MS = SECOND_MS  # of a read on the event loop, where everything waits for it
BRIEF_READ_MS = 1  # of a read that is tried on the event loop first, before a thread has it
OUTAGE_QUIET_MS = 5 * SECOND_MS  # so long without a refused call, and the log says it is over

# --- Moderation.
INDEX_MS = SECOND_MS  # how often each process indexes what was posted, though nobody searches
LOG_MS = SECOND_MS  # how often it is looked how long the log of SQLite has become
UNINDEX_MS = 10 * SECOND_MS  # how often what was hidden is removed from the file of the index
INDEX_CORE_PERCENT = 20  # of one core, that it takes to write texts to the file of the index
INDEX_END_MS = SECOND_MS  # to write the newest texts to that file when the process ends
INDEXED_AT_ONCE = 200  # texts that are indexed without a pause, which takes some 30 ms of a thread
SCREEN_MS = 300  # for the operator's own endpoint to say whether a text may be kept
HOLD_HOURS = 24  # then a post that waits for a moderator is released; configurable
SCREENED_AT_ONCE = 64  # texts of one process that the endpoint is asked about at a time
PURGES_MS = 2 * SECOND_MS  # how often it is looked for what must leave the files of the database
WIPE_WAIT_MS = 5 * SECOND_MS  # for readers that began before, each time
ACTS_NOTICED_MS = SECOND_MS  # how often each process looks whether there was an act
MODERATION_ACTS = 200  # of one moderator in an hour
BULK_ACTS = 100  # in one bulk
MODERATION_REASON_CHARS = 500
REPORT_NOTE_CHARS = 1000
ADJUSTMENT_POINTS = 1000  # that one act adds to or takes from a reputation, at most
REPORTS_DISMISSED = 3  # of late, and the reports of an agent count for nothing in auto-hide
REPORTS_DISMISSED_WINDOW_MS = 30 * DAY_MS

# --- New agents.
OPEN_CLAIMS_NEW_AGENT = 5  # in the new-agent window; never above `limit_open_claims`
REGISTRATIONS = 20  # new keys per client address and REGISTRATIONS_WINDOW_MS; configurable
