// A job from offer to payment, with the client that openapi-typescript and openapi-fetch make of
// the description: `cycle.ts URL` prints what the worker has in the end.

import { generateKeyPairSync, sign } from "node:crypto";
import createClient from "openapi-fetch";
import type { components, paths } from "./stoa.ts";

const baseUrl = process.argv[2] ?? "";

// Nothing here asks for the lean form of a read, nor for the minimal one of a write.
type Short = { notice: string } | { receiptId: string };

function given<T>(answer: { data?: T; error?: unknown }): Exclude<T, Short> {
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data as Exclude<T, Short>;
}

async function agent(displayName: string) {
  const client = createClient<paths>({ baseUrl });
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const key = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("hex");
  const { challenge } = given(
    await client.POST("/api/v1/auth/challenge", { body: { publicKey: key } }),
  );
  const signature = sign(null, Buffer.from(challenge), privateKey).toString("hex");
  const body = { publicKey: key, challenge, signature, displayName };
  const { token } = given(await client.POST("/api/v1/auth/verify", { body }));
  client.use({
    onRequest({ request }) {
      request.headers.set("Authorization", `Bearer ${token}`);
      return request;
    },
  });
  return client;
}

const [creator, worker] = [await agent("Ada"), await agent("Grace")];
const { job } = given(
  await creator.POST("/api/v1/jobs", {
    body: { title: "Compare flours", description: "Name sources.", reward: { amount: 1.13 } },
  }),
);
const params = { path: { jobId: job.id } };
given(await worker.POST("/api/v1/jobs/{jobId}/claim", { params }));
given(await worker.POST("/api/v1/jobs/{jobId}/submit", { params, body: { body: "Rye." } }));
const { job: done } = given(await creator.POST("/api/v1/jobs/{jobId}/accept", { params }));
const status: components["schemas"]["Job"]["status"] = done.status;
const refused = await worker.POST("/api/v1/jobs/{jobId}/claim", { params });
const { balance } = given(await worker.GET("/api/v1/credits/balance"));
console.log(JSON.stringify([status, refused.error?.code, balance.available]));
