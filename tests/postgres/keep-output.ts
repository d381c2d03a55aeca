import { createSession } from "@toolkeep/core";
import { stubTool } from "@toolkeep/core/testing";
import { openPostgresStore } from "@toolkeep/postgres";
import { folderOutputs, s3Outputs } from "@toolkeep/postgres/outputs";

/** In a process of its own: a call whose output is too large to show. Says the result, and leaves the session. */
const { url, schema, secret, folder, s3 } = JSON.parse(process.argv[2] ?? "{}") as Readonly<
  Record<"url" | "schema" | "secret", string>
> & { readonly folder?: string; readonly s3?: Parameters<typeof s3Outputs>[0] };

const outputs = s3 === undefined ? folderOutputs({ path: folder ?? "" }) : s3Outputs(s3);
const store = await openPostgresStore({ url, schema, keys: [{ id: "k", secret }], outputs });
const { tool } = stubTool("report", () => Array.from({ length: 20_000 }, (_, line) => `line ${line}`));
const session = await createSession({ id: "s", store, tools: [tool] });
const { results } = await session.run([{ id: "1", name: "report", arguments: {} }], { id: "turn" });
console.log(JSON.stringify(results[0]));
await session.leave();
await store.close();
