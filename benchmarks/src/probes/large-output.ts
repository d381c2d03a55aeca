import { stat } from "node:fs/promises";
import { defineTool } from "@toolkeep/core";
import { createSessionWithPorts as createSession } from "@toolkeep/core/internal";
import { fileSidecar } from "../file-sidecar.ts";
import { assertOk } from "../governed-session.ts";

/** The result of writing one large output. */
export interface LargeOutput {
  readonly seconds: number;
  readonly grownMegabytes: number;
}

// Runs in its own process, because the peak memory of a process never decreases.
const bytes = Number(process.argv[2]);
process.send?.(await writeLargeOutput(bytes));
process.disconnect();

async function writeLargeOutput(total: number): Promise<LargeOutput> {
  const sidecar = await fileSidecar();
  const chunk = new TextEncoder().encode(`${"a line of output ".repeat(15)}\n`.repeat(256));
  const session = await createSession({
    sidecar,
    tools: [
      defineTool({
        name: "pour",
        description: "Writes a large output.",
        inputSchema: { type: "object" },
        requires: {},
        mode: "read",
        gated: false,
        async execute(_args, ctx) {
          for (let written = 0; written < total; written += chunk.length) await ctx.output.write(chunk);
        },
      }),
    ],
  });
  try {
    const residentBefore = process.memoryUsage.rss();
    const start = performance.now();
    const result = assertOk(await session.call({ id: "c1", name: "pour", arguments: "{}" }));
    const seconds = (performance.now() - start) / 1000;
    const peak = process.resourceUsage().maxRSS * 1024;
    const kept = await stat(result.truncation?.path ?? "");
    if (kept.size < total) throw new Error(`the sidecar holds ${kept.size} of ${total} bytes`);
    return { seconds, grownMegabytes: (peak - residentBefore) / 2 ** 20 };
  } finally {
    await session.close();
    await sidecar.clear();
  }
}
