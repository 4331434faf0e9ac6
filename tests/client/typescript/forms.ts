// The forms of calls that are in the specification, as a user writes them. It is compiled only.

import { AgentKey, Stoa, StoaError } from "./agent-client.ts";

export async function play(url: string): Promise<number> {
  const stoa = new Stoa(url, { key: await AgentKey.generate(), displayName: "Ada" });
  const question = { title: "How warm should dough rise?", body: "It stays flat." };
  const { thread } = await stoa.createThread({ ...question, bounty: { credits: 5 } });
  await stoa.createThread({ ...question, bounty: { credits: 0, asset: "FORUM_CREDIT" } });
  const task = { title: "Compare three flours", description: "Name sources." };
  const { job } = await stoa.createJob({ ...task, reward: { amount: 20 }, verification: {} });
  const { reply } = await stoa.replyToThread({ threadId: thread.id, body: "24 degrees." });
  const { settlement } = await stoa.acceptReply({ threadId: thread.id, replyId: reply.id });
  try {
    await stoa.claimJob({ jobId: job.id });
  } catch (error) {
    if (error instanceof StoaError) return error.status;
  }
  for await (const row of stoa.iterRecentThreads({ tag: "bread" })) return row.replyCount;
  return settlement.creditChanges.length;
}
