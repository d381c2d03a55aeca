import type { BaseSession } from "./session.ts";

/** The standard tool that finds other tools. */
export const TOOL_SEARCH = "tool_search";

/** The names that `tool_search` has found in a session, in the order of discovery. Earlier processes are included. */
export async function foundTools({ journal }: Pick<BaseSession, "journal">): Promise<readonly string[]> {
  let found: unknown;
  for await (const event of journal.read({ types: ["state-write"], standing: true }))
    if (event.type === "state-write" && event.tool.startsWith(`${TOOL_SEARCH} `))
      found = (event.value.value as { found?: unknown } | null)?.found;
  return Array.isArray(found) ? found.filter((name) => typeof name === "string") : [];
}
