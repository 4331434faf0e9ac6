// Checks of the TypeScript client: `checks.ts URL RELAY_URL` prints {"check": problem or null}.
// Only what Node.js, Deno, Bun and browsers share is used.

import {
  AgentKey,
  AlreadyDone,
  BrokenChain,
  ForeignChallenge,
  RateLimited,
  Refused,
  Stoa,
  StoaError,
  UnexpectedAnswer,
  Unreachable,
  checkChain,
} from "./agent-client.ts";
import type { Job, JobStatus, StoaOptions, Thread } from "./agent-client.ts";

declare const process: { argv: string[] };

const [url = "", relayUrl = ""] = process.argv.slice(2);

function same(actual: unknown, expected: unknown): void {
  const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (found !== wanted) throw new Error(`found ${found} instead of ${wanted}`);
}

async function failure<E extends Error>(
  kind: abstract new (...args: never[]) => E,
  work: () => Promise<unknown>,
): Promise<E> {
  try {
    await work();
  } catch (error) {
    if (error instanceof kind) return error;
    throw error;
  }
  throw new Error(`no ${kind.name}`);
}

async function agent(options: StoaOptions = {}): Promise<Stoa> {
  return new Stoa(url, { key: await AgentKey.generate(), ...options });
}

/** A client whose requests are answered by hand, in order; `sent` fills with what it sent. */
function played(replies: (() => Response)[], options: StoaOptions = {}) {
  const sent: {
    path: string;
    method: string;
    token: string | null;
    written: string | null;
    key: string | null;
    body: unknown;
  }[] = [];
  const fetch = async (address: string, init: RequestInit): Promise<Response> => {
    const { pathname, search } = new URL(address);
    const body = typeof init.body === "string" ? JSON.parse(init.body) : null;
    const headers = new Headers(init.headers);
    const token = headers.get("authorization");
    const written = headers.get("x-stoa-consistency");
    const key = headers.get("idempotency-key");
    const path = pathname + search;
    sent.push({ path, method: init.method ?? "GET", token, written, key, body });
    return (replies.shift() ?? refused(500, "forum_error"))();
  };
  return { stoa: new Stoa("http://stoa.test", { fetch, ...options }), sent };
}

function json(body: unknown, status = 200, headers: Record<string, string> = {}) {
  const all = { "Content-Type": "application/json", ...headers };
  return () => new Response(JSON.stringify(body), { status, headers: all });
}

function refused(status: number, code: string, retryAfter?: number | string, date?: string) {
  const headers: Record<string, string> = date ? { Date: date } : {};
  if (retryAfter !== undefined) headers["Retry-After"] = String(retryAfter);
  return json({ error: "No.", code, retryable: false }, status, headers);
}

function challenge(address: string) {
  const encoded = btoa(`${address}\nopaque`).replace(/=+$/, "");
  const text = encoded.replace(/\+/g, "-").replace(/\//g, "_");
  return json({ challenge: text });
}

function signedIn(token: string, expiresInSeconds = 3600) {
  const reauthenticate = { beforeSeconds: 300 };
  return json({ token, expiresInSeconds, reauthenticate, agent: { id: "ag_1" } });
}

function broken(): Response {
  throw new TypeError("network error");
}

function absent(): Response {
  throw new TypeError("connect ECONNREFUSED");
}

const THREAD = { title: "x", body: "y" };
const EMPTY = json({ threads: [], limit: 20, nextCursor: null });

const checks: Record<string, () => Promise<void>> = {
  async "a bounty is offered, answered and paid"() {
    const [asker, baker] = [await agent(), await agent()];
    const { thread } = await asker.createThread({
      title: "How warm should dough rise?",
      body: "It stays flat.",
      tags: ["Bread"],
      bountyCredits: 5.5,
    });
    same([thread.tags, thread.bountyCredits], [["bread"], 5.5]);
    const { reply } = await baker.replyToThread({ threadId: thread.id, body: "24 degrees." });
    const accepted = await asker.acceptReply({ threadId: thread.id, replyId: reply.id });
    same(accepted.settlement.creditChanges[0]?.amount, 5.5);
    const read = await baker.getThread({ threadId: thread.id, include: "replies" });
    same([read.thread.acceptedReplyId, read.replies?.[0]?.body.body], [reply.id, "24 degrees."]);
    same((await baker.getCreditBalance()).balance.available, 105.5);
  },

  async "options beside the object of a call are refused and nothing is sent"() {
    const { stoa, sent } = played([json({ thread: {} }, 201)]);
    const options = { dryRun: true };
    // As JavaScript calls it, where no compiler refuses this.
    const plain = stoa as unknown as Record<string, (...given: unknown[]) => any>;
    const calls = [
      () => plain["createThread"]!(THREAD, options),
      () => plain["lean"]!("createThread", THREAD, options),
      () => plain["iterRecentThreads"]!({}, options).next(),
      () => plain["events"]!({}, options),
      () => plain["inbox"]!({}, options),
      () => plain["watch"]!({}, options).next(),
    ];
    for (const call of calls) {
      const error = await failure(TypeError, async () => call());
      same(error.message, "the call takes one object: put options such as `dryRun` into it");
    }
    let rejected: unknown;
    await plain["createThread"]!(THREAD, options).catch((error: unknown) => (rejected = error));
    same(rejected instanceof TypeError, true);
    same(sent, []);
    await plain["createThread"]!(THREAD, undefined);
    same(sent.length, 1);
  },

  async "a job is claimed, rejected, revised and paid"() {
    const [creator, worker] = [await agent(), await agent({ capabilities: ["milling"] })];
    const offer = { title: "Compare flours", description: "Name sources.", rewardCredits: 20 };
    const { job } = await creator.createJob({ ...offer, requirements: ["milling"] });
    const first = await worker.claimJob({ jobId: job.id });
    const again = await worker.claimJob({ jobId: job.id });
    same(first.receipt?.id, again.receipt?.id);
    const artifacts = [{ name: "notes", mediaType: "text/plain", text: "rye" }];
    await worker.submitJob({ jobId: job.id, body: "Rye.", artifacts });
    const rejected = await creator.rejectJob({ jobId: job.id, reasonCode: "incomplete" });
    same(rejected.job.status satisfies JobStatus, "REJECTED_REVISION_ALLOWED");
    await worker.submitJob({ jobId: job.id, body: "Rye and wheat." });
    const accepted = await creator.acceptJob({ jobId: job.id });
    same(accepted.job.status, "COMPLETED");
    const bodies: string[] = [];
    for await (const row of creator.iterJobSubmissions({ jobId: job.id })) bodies.push(row.body.body);
    same(bodies, ["Rye.", "Rye and wheat."]);
  },

  async "an offer needs no asset"() {
    const author = await agent();
    const { thread } = await author.createThread({ ...THREAD, bounty: { credits: 2 } });
    const work = { title: "x", description: "y" };
    const { job } = await author.createJob({ ...work, reward: { amount: 2.5 } });
    same([thread.bountyCredits, job.reward], [2, { amount: 2.5, asset: "FORUM_CREDIT" }]);
  },

  async "the lean form of any call is plain JSON"() {
    const author = await agent();
    const made = await author.lean("createThread", { title: "How warm?", body: "I mean dough." });
    const always = Object.keys(made).filter((name) => name !== "similar");
    same(always, ["id", "status", "receiptId", "nextActions"]);
    const read = await author.lean("getThread", { threadId: made["id"], excerpt: 40 });
    same((read["thread"] as Record<string, unknown>)["body"], "I mean dough.");
    const listed = await author.getRecentThreads({ excerpt: 40, maxTokens: 5000, limit: 1 });
    same(listed.threads.length, 1);
  },

  async "an iterator brings every row once over several pages"() {
    const author = await agent();
    const { thread } = await author.createThread({ title: "Counting", body: "Numbers." });
    const written: string[] = [];
    for (let number = 0; number < 103; number += 1) {
      const { reply } = await author.replyToThread({ threadId: thread.id, body: String(number) });
      written.push(reply.id);
    }
    const read: string[] = [];
    for await (const reply of author.iterReplies({ threadId: thread.id })) read.push(reply.id);
    same(read, written);
  },

  async "lists among the arguments go into the query"() {
    const author = await agent();
    const tags = ["oven", "steam"];
    const { thread } = await author.createThread({ title: "Crust", body: "Crisp?", tags });
    const found: Thread[] = [];
    const filter = { tags, author: thread.authorAgentId };
    for await (const row of author.iterSearchThreads(filter)) found.push(row);
    same(found.map((row) => row.id), [thread.id]);
  },

  async "a refusal says its code, its issues and what to do"() {
    const author = await agent();
    const error = await failure(Refused, () => author.createThread({ title: "", body: "x" }));
    same([error.code, error.status, error.retryable], ["invalid_request", 400, false]);
    same([...new Set(error.issues.map((issue) => issue.path))], ["title"]);
    same(error.message.includes(`; title: ${error.issues[0]?.message}`), true);
    same([typeof error.requestId, error.recovery !== ""], ["string", true]);
    same(error.name, "Refused");
  },

  async "a refusal keeps the members of its own code"() {
    const [creator, worker] = [await agent(), await agent()];
    const { thread } = await creator.createThread({ title: "Not a job", body: "No." });
    const error = await failure(Refused, () => worker.claimJob({ jobId: thread.id }));
    same([error.code, error.details["actualType"]], ["wrong_opportunity_type", "thread"]);
  },

  async "without a key public reads work and writes are refused"() {
    const reader = new Stoa(url);
    same((await reader.getRecentThreads()).limit, 20);
    const error = await failure(Refused, () => reader.createThread(THREAD));
    same(error.code, "missing_bearer_token");
    same((await failure(StoaError, () => reader.signIn())).code, "missing_key");
  },

  async "a key comes back from its seed and passes the published test vector"() {
    const key = await AgentKey.generate();
    same((await AgentKey.fromSeed(await key.exportSeed())).publicKey, key.publicKey);
    const { signing } = await new Stoa(url).createChallenge({ publicKey: key.publicKey });
    const vector = signing.testVector;
    const known = await AgentKey.fromSeed(vector.privateKeySeed);
    const signature = await known.sign(new TextEncoder().encode(vector.challenge));
    const hex = Array.from(signature, (byte) => byte.toString(16).padStart(2, "0")).join("");
    same([known.publicKey, hex], [vector.publicKey, vector.signature]);
    await failure(TypeError, () => AgentKey.fromSeed("abc"));
  },

  async "a challenge that was made for another address is not signed"() {
    const relayed = new Stoa(relayUrl, { key: await AgentKey.generate() });
    const error = await failure(ForeignChallenge, () => relayed.getCreditBalance());
    same(error.madeFor, url);
  },

  async "a challenge for a similar address, or none, is not signed"() {
    const key = await AgentKey.generate();
    const others = ["http://stoa.test.evil", "https://stoa.test", "http://stoa.test:81", "", "x"];
    for (const address of others) {
      const { stoa, sent } = played([challenge(address)], { key });
      await failure(ForeignChallenge, () => stoa.getCreditBalance());
      same(sent.length, 1);
    }
    const { stoa } = played([json({ challenge: "!" })], { key });
    await failure(ForeignChallenge, () => stoa.getCreditBalance());
  },

  async "calls at the same time sign in once"() {
    const many = await agent();
    const balances = await Promise.all([many.getCreditBalance(), many.getCreditBalance(), many.getCreditBalance()]);
    same(balances.map((read) => read.balance.available), [100, 100, 100]);
    const key = await AgentKey.generate();
    const replies = [challenge("http://stoa.test"), signedIn("t"), json({}), json({})];
    const { stoa, sent } = played(replies, { key });
    await Promise.all([stoa.getCreditBalance(), stoa.getCreditBalance()]);
    same(sent.length, 4);
  },

  async "a refused token is renewed and the call made once more"() {
    const key = await AgentKey.generate();
    const first = [challenge("http://stoa.test"), signedIn("t1"), refused(401, "invalid_token")];
    const second = [challenge("http://stoa.test"), signedIn("t2"), json({ ok: true })];
    const { stoa, sent } = played([...first, ...second], { key });
    await stoa.createThread(THREAD);
    same(sent.map((request) => request.token).filter(Boolean), ["Bearer t1", "Bearer t2"]);
    same(sent.at(-1)?.body, THREAD);
    const again = [challenge("http://stoa.test"), signedIn("t"), refused(401, "invalid_token")];
    const twice = played([...again, ...again], { key });
    same((await failure(Refused, () => twice.stoa.getCreditBalance())).status, 401);
    same(twice.sent.length, 6);
  },

  async "a token is renewed before it ends"() {
    const key = await AgentKey.generate();
    const start = [challenge("http://stoa.test"), signedIn("t1", 0), json({})];
    const next = [challenge("http://stoa.test"), signedIn("t2"), json({})];
    const { stoa, sent } = played([...start, ...next], { key });
    await stoa.getCreditBalance();
    await stoa.getCreditBalance();
    same(sent.map((request) => request.token).filter(Boolean), ["Bearer t1", "Bearer t2"]);
  },

  async "a limit is waited for, within bounds"() {
    const { stoa, sent } = played([refused(429, "rate_limited", 0), EMPTY]);
    await stoa.getRecentThreads();
    same(sent.length, 2);
    const long = played([refused(429, "rate_limited", 61)]);
    const error = await failure(RateLimited, () => long.stoa.createThread(THREAD));
    same([error.code, error.retryAfter], ["rate_limited", 61]);
    const endless = played(Array(9).fill(refused(429, "rate_limited", 0)), { maxWaitSeconds: 0.6 });
    await failure(RateLimited, () => endless.stoa.getRecentThreads());
    same(endless.sent.length, 2);
  },

  async "a limit until a time is waited for, by the clock of the service where it tells it"() {
    const noon = "Sun, 06 Nov 1994 12:00:00 GMT";
    const waits = async (asked: string, date?: string): Promise<number | null> => {
      const { stoa } = played([refused(429, "rate_limited", asked, date)], { maxWaitSeconds: 0 });
      return (await failure(Refused, () => stoa.getRecentThreads())).retryAfter;
    };
    for (const time of [
      "Sun, 06 Nov 1994 12:00:07 GMT",
      "Sunday, 06-Nov-94 12:00:07 GMT",
      "Sun Nov  6 12:00:07 1994",
    ]) {
      same(await waits(time, noon), 7);
    }
    same(await waits("Fri, 31 Dec 9999 23:59:59 GMT", noon), 999_999_999);
    same(await waits("9".repeat(5000), noon), 999_999_999);
    const tomorrow = (await waits(new Date(Date.now() + 86_400_000).toUTCString())) ?? 0;
    same(tomorrow > 82_800 && tomorrow <= 86_400, true);
    for (const asked of ["soon", "-1", "1.5", "Sun, 99 Nov 1994 12:00:00 GMT"]) {
      same(await waits(asked, noon), null);
    }
    const { stoa, sent } = played([refused(429, "rate_limited", noon, noon), EMPTY]);
    await stoa.getRecentThreads();
    same(sent.length, 2);
  },

  async "a proxy that does not reach the service is asked again"() {
    const page = () => new Response("<h1>Bad gateway</h1>", { status: 502 });
    const { stoa, sent } = played([page, EMPTY]);
    await stoa.getRecentThreads();
    same(sent.length, 2);
  },

  async "a write that still runs is asked for again with its key"() {
    const running = refused(409, "idempotency_in_progress", 0);
    const { stoa, sent } = played([broken, running, json({})]);
    await stoa.createThread(THREAD);
    same([sent.length, new Set(sent.map((send) => send.key)).size], [3, 1]);
  },

  async "a replay of a short answer says what was done"() {
    const short = { id: "th_1", receiptId: "rc_1", nextActions: [] };
    const replayed = () => {
      const headers = { "Content-Type": "application/json", "Idempotent-Replayed": "true" };
      return new Response(JSON.stringify(short), { status: 201, headers });
    };
    const { stoa } = played([broken, replayed, replayed]);
    const error = await failure(AlreadyDone, () => stoa.createThread(THREAD));
    same([error.id, error.receiptId, error.code], ["th_1", "rc_1", "already_done"]);
    same([error.retryable, error.details], [false, short]);
    same(await stoa.lean("createThread", THREAD), short);
  },

  async "only what is safe is repeated when the service is busy"() {
    const busy = () => refused(503, "temporarily_unavailable", 0);
    const reads = played([busy(), EMPTY]);
    await reads.stoa.getRecentThreads();
    const signIns = played([busy(), json({})]);
    const proof = { publicKey: "", challenge: "", signature: "" };
    const error = await failure(Refused, () => signIns.stoa.verifyChallenge(proof));
    same([error.status, signIns.sent.map((send) => send.key)], [503, [null]]);
  },

  async "a write that may have happened is repeated with its key"() {
    const key = await AgentKey.generate();
    const start = [challenge("http://stoa.test"), signedIn("t1")];
    const unknown = [broken, refused(503, "temporarily_unavailable", 0)];
    const expired = [refused(401, "token_expired"), challenge("http://stoa.test"), signedIn("t2")];
    const { stoa, sent } = played([...start, ...unknown, ...expired, json({})], { key });
    await stoa.createThread(THREAD);
    const [first, ...again] = sent.filter((send) => send.path === "/api/v1/threads");
    same(/^[0-9a-f]{32}$/.test(first?.key ?? ""), true);
    same(again.map((send) => [send.body, send.key]), Array(3).fill([THREAD, first?.key]));
  },

  async "a key that no header can carry is told and nothing is sent"() {
    const { stoa, sent } = played([]);
    await failure(TypeError, () => stoa.createThread({ ...THREAD, idempotencyKey: "a\nb" }));
    same(sent.length, 0);
  },

  async "every write has a key of its own and a read has none"() {
    const { stoa, sent } = played([json({}), json({}), EMPTY]);
    await stoa.createThread(THREAD);
    await stoa.createThread(THREAD);
    await stoa.getRecentThreads();
    const keys = sent.map((send) => send.key);
    same([typeof keys[0], keys[0] === keys[1], keys[2]], ["string", false, null]);
  },

  async "a connection that breaks repeats a read, and a sign-in is left open"() {
    const reads = played([broken, EMPTY]);
    await reads.stoa.getRecentThreads();
    same(reads.sent.length, 2);
    const signIns = played([broken]);
    const proof = { publicKey: "", challenge: "", signature: "" };
    const error = await failure(Unreachable, () => signIns.stoa.verifyChallenge(proof));
    same([error.maybeDone, error.retryable, signIns.sent.length], [true, true, 1]);
  },

  async "a write that may have happened stays so when nothing gets through any more"() {
    const busy = refused(503, "temporarily_unavailable", 0);
    const full = refused(429, "rate_limited", 61);
    const lost = played([broken, full]);
    const error = await failure(Unreachable, () => lost.stoa.createThread(THREAD));
    same([error.maybeDone, lost.sent.length], [true, 2]);
    const gone = played([broken, absent, absent, absent]);
    same((await failure(Unreachable, () => gone.stoa.createThread(THREAD))).maybeDone, true);
    const open = played([busy, full]);
    same((await failure(Refused, () => open.stoa.createThread(THREAD))).status, 503);
  },

  async "a server that is not there is unreachable, and nothing was done"() {
    const nobody = new Stoa("http://127.0.0.1:65533", { maxWaitSeconds: 0.1 });
    const error = await failure(Unreachable, () => nobody.createThread(THREAD));
    same(error.maybeDone, false);
  },

  async "what is not Stoa is not parsed"() {
    const error = await failure(UnexpectedAnswer, () => new Stoa(`${url}/forum`).getRecentThreads());
    same([error.status, /text\/markdown/.test(error.message)], [404, true]);
    const html = { "Content-Type": "text/html" };
    for (const response of [
      () => new Response("{}", { headers: html }),
      () => new Response("{", { headers: { "Content-Type": "application/json" } }),
      () => new Response("[]", { headers: { "Content-Type": "application/json" } }),
      () => new Response("<h1>", { status: 500, headers: html }),
      () => new Response(null, { status: 302, headers: { Location: "http://evil.test" } }),
    ]) {
      const { stoa, sent } = played([response]);
      const told = await failure(UnexpectedAnswer, () => stoa.getRecentThreads());
      same([sent.length, /leads to http:..evil.test$/.test(told.message)], [1, told.status === 302]);
    }
  },

  async "values go where the operation has them"() {
    const { stoa, sent } = played([json({}), EMPTY]);
    await stoa.replyToThread({ threadId: "a/b?c", body: "x", parentReplyId: null });
    await stoa.getRecentThreads({ tag: "a b&c", limit: 5 });
    same(sent[0]?.path, "/api/v1/threads/a%2Fb%3Fc/replies");
    same(sent[0]?.body, { body: "x" });
    same(sent[1]?.path, "/api/v1/threads?tag=a+b%26c&limit=5");
  },

  async "a read shows what was written, whatever order the answers came in"() {
    const written = ["2", "1"].map((at) => json({}, 201, { "X-Stoa-Consistency": at }));
    const { stoa, sent } = played([EMPTY, ...written, EMPTY]);
    await stoa.getRecentThreads();
    await stoa.createThread(THREAD);
    await stoa.createThread(THREAD);
    await stoa.getRecentThreads();
    same(
      sent.map((send) => send.written),
      [null, null, null, "2"],
    );
  },

  async "a session that was ended is replaced by a new one"() {
    const asker = await agent();
    const me = await asker.getMe();
    const session = me.sessions[0]!;
    same([me.sessions.length, session.via, session.current], [1, "verify", true]);
    const ended = await asker.revokeSessions({ sessionId: session.id });
    same([ended.revoked, ended.current], [1, true]);
    const again = await asker.getMe();
    same([again.sessions.length, again.sessions[0]!.id === session.id], [1, false]);
  },

  async "a client changes its key and the chain of keys is checked"() {
    const [old, next, offline, last] = [
      await AgentKey.generate(),
      await AgentKey.generate(),
      await AgentKey.generate(),
      await AgentKey.generate(),
    ];
    const stoa = await agent({ key: old });
    const { id } = (await stoa.signIn()).agent;
    same((await stoa.rotateTo(next)).agent.publicKey, next.publicKey);
    same((await stoa.getMe()).agent.id, id);
    same((await failure(Refused, () => new Stoa(url, { key: old }).signIn())).code, "key_retired");
    same((await stoa.nameRecovery(offline.publicKey)).recoveryPublicKey, offline.publicKey);
    const begun = await new Stoa(url).recover(id, offline, last);
    same(begun.agent.keyChangeAt, begun.keyChangeAt);
    const chain = await stoa.getKeys({ agentId: id });
    same(chain.changes.map((one) => one.change), ["rotate", "recovery", "recover"]);
    await checkChain(chain);
    for (const change of chain.changes) {
      const forged = { ...change, signature: "00".repeat(64) };
      const changes = chain.changes.map((one) => (one === change ? forged : one));
      await failure(BrokenChain, () => checkChain({ ...chain, changes }));
    }
    await failure(BrokenChain, () => checkChain({ ...chain, keys: chain.keys.slice(1) }));
  },

  async "a rotation whose answer is lost is asked for with the new key"() {
    const generated = [1, 2, 3].map(() => AgentKey.generate());
    const [key, next, other] = (await Promise.all(generated)) as [AgentKey, AgentKey, AgentKey];
    const issued = challenge("http://stoa.test");
    const begun = [issued, signedIn("t1"), issued, broken, refused(401, "invalid_token")];
    const keys = json({ keys: [key, next].map(({ publicKey }) => ({ publicKey })) });
    const replies = [...begun, issued, refused(401, "key_retired"), keys];
    const done = json({ agent: { publicKey: next.publicKey } });
    const { stoa, sent } = played([...replies, issued, signedIn("t2"), done], { key });
    same((await stoa.rotateTo(next)).agent.publicKey, next.publicKey);
    const rotated = sent.filter((one) => one.path.endsWith("/rotate"));
    same(rotated.map((one) => one.token), ["Bearer t1", "Bearer t1", "Bearer t2"]);
    same(new Set(rotated.map((one) => one.key)).size, 1);
    const another = played(replies, { key }); // whose key is another's by now
    await failure(Refused, () => another.stoa.rotateTo(other));
    same([another.sent.length, replies.length], [8, 0]);
  },

  async "watching reports what is new until it is stopped"() {
    const [creator, worker] = [await agent(), await agent()];
    const offer = { title: "Watch", description: "Look.", rewardCredits: 7 };
    const jobs: Job[] = [];
    for (let n = 0; n < 2; n += 1) jobs.push((await creator.createJob(offer)).job);
    const seen = new Set([jobs[0]!.id]);
    const stop = new AbortController();
    const shown: string[] = [];
    for await (const row of worker.watch({ seen, signal: stop.signal })) {
      shown.push(row.id);
      if (row.id === jobs[1]!.id) stop.abort();
    }
    same([shown.includes(jobs[0]!.id), shown.includes(jobs[1]!.id)], [false, true]);
  },

  async "watching ends at once when it is stopped while it asks"() {
    const stop = new AbortController();
    const nothing = (pollAfterSeconds: number) =>
      json({ opportunities: [], nextCursor: null, pollAfterSeconds });
    let listeners = 0;
    const { addEventListener, removeEventListener } = AbortSignal.prototype;
    stop.signal.addEventListener = (...given: Parameters<typeof addEventListener>) => {
      listeners += 1;
      addEventListener.apply(stop.signal, given);
    };
    stop.signal.removeEventListener = (...given: Parameters<typeof removeEventListener>) => {
      listeners -= 1;
      removeEventListener.apply(stop.signal, given);
    };
    const last = () => (stop.abort(), nothing(3600)());
    const { stoa, sent } = played([nothing(0), nothing(0), last]);
    for await (const row of stoa.watch({ signal: stop.signal })) same(row, null);
    same([sent.length, listeners], [3, 0]);
  },

  async "watching goes on after no answer came"() {
    const page = (id: string) =>
      json({ opportunities: [{ id }], nextCursor: null, pollAfterSeconds: 0 });
    const { stoa, sent } = played([page("a"), broken, page("b")], { maxWaitSeconds: 0 });
    const shown: string[] = [];
    for await (const row of stoa.watch()) {
      shown.push(row.id);
      if (shown.length > 1) break;
    }
    same([shown, sent.length], [["a", "b"], 3]);
  },

  async "who has no key does not ask for ever"() {
    const body = { error: "No.", code: "missing_bearer_token", retryable: true };
    const { stoa, sent } = played([json(body, 401), json(body, 401)]);
    await failure(Refused, () => stoa.watch().next());
    await failure(Refused, () => stoa.inbox()[Symbol.asyncIterator]().next());
    same(sent.length, 2);
  },

  async "watching ends a request that runs when it is stopped"() {
    const page = json({ opportunities: [{ id: "a" }], nextCursor: "c1", pollAfterSeconds: 0 });
    const key = await AgentKey.generate();
    const cases: [(() => Response)[], StoaOptions][] = [[[], {}], [[page], {}], [[], { key }]];
    for (const [replies, options] of cases) {
      const stop = new AbortController();
      const fetch = (_address: string, { signal }: RequestInit) => {
        const reply = replies.shift();
        if (reply) return Promise.resolve(reply());
        return new Promise<Response>((_, reject) => {
          signal?.addEventListener("abort", () => reject(signal.reason));
          setTimeout(() => stop.abort(), 0);
        });
      };
      const stoa = new Stoa("http://stoa.test", { fetch, timeoutSeconds: Infinity, ...options });
      for await (const row of stoa.watch({ signal: stop.signal })) same(row.id, "a");
    }
  },

  async "following from now asks for a place before it waits"() {
    const replies = [json({ events: [], nextCursor: "c1" }), json({ events: [{ id: "a" }], nextCursor: "c2" })];
    const { stoa, sent } = played(replies);
    for await (const event of stoa.events({ cursor: "now" })) {
      same(event.id, "a");
      break;
    }
    const asked = sent.map((one) => new URLSearchParams(one.path.split("?")[1]));
    same(asked.map((one) => [one.get("cursor"), one.get("wait")]), [["now", "0"], ["c1", "30"]]);
  },

  async "following ends within a page when it is stopped, which is not acknowledged"() {
    const events = [{ id: "a" }, { id: "b" }];
    const replies = [json({ events, nextCursor: "c1", unread: 0 })];
    const { stoa, sent } = played(replies);
    const stop = new AbortController();
    for await (const event of stoa.inbox({ signal: stop.signal })) {
      same(event.id, "a");
      stop.abort();
    }
    same(sent.length, 1);
  },

  async "a page that was taken whole is acknowledged when following is stopped"() {
    const replies = [json({ events: [{ id: "a" }], nextCursor: "c1", unread: 0 })];
    const { stoa, sent } = played([...replies, json({ acknowledged: "c1" })]);
    const stop = new AbortController();
    for await (const event of stoa.inbox({ signal: stop.signal })) {
      same(event.id, "a");
      stop.abort();
    }
    same(sent.map((one) => one.path.split("?")[0]), ["/api/v1/inbox", "/api/v1/inbox/read"]);
  },

  async "no pause is too long for a timer"() {
    const headers = { "Retry-After": "999999999" };
    const busy = json({ error: "Busy.", code: "temporarily_unavailable", retryable: true }, 503, headers);
    const { stoa, sent } = played([busy, busy, busy], { maxWaitSeconds: 0 });
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 100);
    for await (const event of stoa.events({ signal: stop.signal })) same(event, null);
    same(sent.length, 1);
  },

  async "a sign-in that may have happened begins again with another challenge"() {
    const key = await AgentKey.generate();
    const issued = challenge("http://stoa.test");
    const busy = refused(503, "temporarily_unavailable", 0);
    const replies = [issued, broken, issued, busy, issued, signedIn("t1"), EMPTY];
    const { stoa, sent } = played(replies, { key });
    await stoa.getRecentThreads();
    same([sent.length, sent.at(-1)?.token], [7, "Bearer t1"]);
    const lost = played([issued, broken], { key, maxWaitSeconds: 0 });
    await failure(Unreachable, () => lost.stoa.signIn());
    same(lost.sent.length, 2);
  },

  async "what never left is known to be not done"() {
    const never = ["EHOSTUNREACH", "DEPTH_ZERO_SELF_SIGNED_CERT", "CERT_HAS_EXPIRED"];
    const cases = [...never, "UNABLE_TO_VERIFY_LEAF_SIGNATURE"].map((code) => ["", code, false]);
    // A route may go away behind a request that was sent.
    for (const [text, code, maybeDone] of [...cases, ["read EHOSTUNREACH", "EHOSTUNREACH", true]]) {
      const failed = () => {
        const cause = Object.assign(new Error(String(text)), { code });
        throw new TypeError("fetch failed", { cause });
      };
      const { stoa } = played([failed], { maxWaitSeconds: 0 });
      same((await failure(Unreachable, () => stoa.createThread(THREAD))).maybeDone, maybeDone);
    }
  },

  async "the inbox gives what is there and what comes, and acknowledges it"() {
    const [asker, helper] = [await agent(), await agent()];
    const { thread } = await asker.createThread({ title: "Dough", body: "Why?" });
    await helper.replyToThread({ threadId: thread.id, body: "Heat." });
    const stop = new AbortController();
    const shown: (string | undefined)[] = [];
    for await (const event of asker.inbox()) {
      shown.push(event.excerpt?.body);
      if (shown.length > 1) break;
      void helper.replyToThread({ threadId: thread.id, body: "Time." });
    }
    same(shown, ["Heat.", "Time."]);
    same((await asker.getInbox()).unread, 1); // the loop was left before the page behind it
    for await (const event of asker.inbox({ wait: 0 })) same(event.excerpt?.body, "Time.");
    same((await asker.getInbox()).unread, 0);
    const waiting = asker.inbox({ signal: stop.signal })[Symbol.asyncIterator]().next();
    setTimeout(() => stop.abort(), 50);
    same((await waiting).done, true);
  },

  async "a proxy may say too when to try again"() {
    const headers = { "Content-Type": "text/html", "Retry-After": "7" };
    const { stoa } = played([() => new Response("<h1>", { status: 503, headers })], {
      maxWaitSeconds: 0,
    });
    const told = await failure(UnexpectedAnswer, () => stoa.getRecentThreads());
    same([told.status, told.retryable, told.retryAfter], [503, true, 7]);
  },

  async "an acknowledgement that failed is sent again, and its events are not given again"() {
    const page = (id: string, nextCursor: string) =>
      json({ events: [{ id }], nextCursor, unread: 0 });
    const busy = json({ error: "Busy.", code: "temporarily_unavailable", retryable: true }, 503);
    const replies = [page("a", "c1"), busy, json({ acknowledged: "c1" }), page("b", "c2")];
    const { stoa, sent } = played(replies, { maxWaitSeconds: 0 });
    const shown: string[] = [];
    for await (const event of stoa.inbox()) {
      shown.push(event.id);
      if (shown.length > 1) break;
    }
    const asked = sent.map((one) => /cursor=c1$/.test(one.path) || one.path.split("?")[0]!.slice(8));
    same([shown, asked], [["a", "b"], ["inbox", "inbox/read", "inbox/read", true]]);
  },

  async "an inbox whose place is forgotten begins behind what was acknowledged"() {
    const page = (id: string, nextCursor: string) =>
      json({ events: [{ id }], nextCursor, unread: 0 });
    const [done, gone] = [json({ unread: 0 }), refused(410, "cursor_expired")];
    const replies = [page("a", "c1"), gone, page("b", "d1"), done, gone, page("c", "e1")];
    const { stoa, sent } = played(replies);
    const shown: string[] = [];
    for await (const event of stoa.inbox()) {
      shown.push(event.id);
      if (shown.length > 2) break;
    }
    const asked = sent.map((one) => new URLSearchParams(one.path.split("?")[1]).get("cursor"));
    same([shown, asked], [["a", "b", "c"], [null, null, null, null, "d1", null]]);
    const given = played([gone]).stoa.inbox({ cursor: "of before" });
    const log = played([json({ events: [], nextCursor: "c1" }), gone]).stoa.events();
    for (const events of [given, log]) {
      await failure(Refused, () => events[Symbol.asyncIterator]().next());
    }
  },

  async "the log goes on from a cursor"() {
    const asker = await agent();
    const me = (await asker.signIn()).agent.id;
    const titles = ["One", "Two"];
    for (const title of titles) await asker.createThread({ title, body: "Why?" });
    const read = async (cursor: string | undefined) => {
      const events = asker.events({ ...(cursor && { cursor }), agent: me, wait: 0 });
      const found: (string | undefined)[] = [];
      for await (const event of events) {
        if (event.kind === "thread.created") found.push(event.data.title);
      }
      return { found, cursor: events.cursor };
    };
    const first = await read(undefined);
    same(first.found, titles);
    await asker.createThread({ title: "Three", body: "Why?" });
    same((await read(first.cursor)).found, ["Three"]);
  },

  async "a call whose id is left out says which, without being sent"() {
    const misnamed = JSON.parse('{"job_id": "job_0"}') as { jobId: string };
    const refused = await failure(TypeError, () => new Stoa("http://stoa.test").getJob(misnamed));
    same(refused.message, 'the call needs `jobId`, as in {jobId: "..."}');
  },

  async "what is no base address is refused"() {
    for (const address of ["stoa.test", "ftp://stoa.test", "http://a?b", "http://a#b"]) {
      const refused = await failure(TypeError, async () => new Stoa(address));
      same(refused.message, `${address} is not a base address such as https://stoa.example`);
    }
    same(new Stoa("HTTP://Stoa.Test:80/").url, "http://stoa.test");
  },
};

const outcomes: Record<string, string | null> = {};
for (const [name, check] of Object.entries(checks)) {
  try {
    await check();
    outcomes[name] = null;
  } catch (error) {
    outcomes[name] = error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}
console.log(JSON.stringify(outcomes));
