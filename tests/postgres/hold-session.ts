import { createSession, type ToolContext } from "@toolkeep/core";
import { stubTool } from "@toolkeep/core/testing";
import { openPostgresStore } from "@toolkeep/postgres";

/** Opens a session, starts two calls that only end when they are cancelled, and says what becomes of them. */
const { url, schema, secret, termMs } = JSON.parse(process.argv[2] ?? "{}") as Readonly<
  Record<"url" | "schema" | "secret", string>
> & { readonly termMs: number };

const work = async (_args: unknown, { abortSignal, toolCallId }: ToolContext) => {
  console.log(`began ${toolCallId}`);
  await new Promise((resolve) => abortSignal.addEventListener("abort", resolve));
  console.log(`stopped ${toolCallId}`);
  return {};
};
const store = await openPostgresStore({ url, schema, keys: [{ id: "k", secret }], termMs });
const { tool } = stubTool("wait", work, { idempotent: false });
const session = await createSession({ id: "s", store, tools: [tool] });
const calls = ["1", "2"].map((id) => ({ id, name: "wait", arguments: {} }));
try {
  await session.run(calls, { id: "held" });
  console.log("ended");
} catch (error) {
  console.log(`failed ${(error as { readonly code?: string }).code}`);
}
await session.leave().catch((error: { readonly code?: string }) => console.log(`left ${error.code}`));
await store.close().catch(() => undefined);
process.exit(0);
