import type { ToolResult } from "@toolkeep/core";
import { openSqliteStore } from "../../packages/sqlite/src/store/open-sqlite-store.ts";

/** What the store says of an agent and its subagent, between two of their processes. */
export interface StoredState {
  /** The steps of the model whose reply is recorded: `reviewer 2`. */
  readonly replies: ReadonlySet<string>;
  /** The calls that have a result: `root c1-0`. */
  readonly ended: ReadonlySet<string>;
  /** The requests that wait for a person, with their session. */
  readonly waiting: ReadonlySet<string>;
  /** How many outcomes are in doubt. */
  readonly unknown: number;
  /** The calls that failed otherwise. */
  readonly failed: readonly string[];
}

const TYPES = ["model-reply", "call-refuse", "call-end"] as const;

export async function readState(path: string): Promise<StoredState> {
  await using store = openSqliteStore({ path });
  const [replies, ended, failed] = [new Set<string>(), new Set<string>(), [] as string[]];
  let unknown = 0;
  for (const { sessionId } of store.sessions()) {
    const agent = sessionId === "fix" ? "root" : "reviewer";
    for await (const event of store.events(sessionId, { types: TYPES })) {
      if (event.type === "model-reply") replies.add(`${agent} ${event.step}`);
      if (event.type !== "call-refuse" && event.type !== "call-end") continue;
      ended.add(`${agent} ${event.callId}`);
      const { failure } = event.result.value as ToolResult;
      if (failure?.code === "outcome_unknown") unknown += 1;
      else if (failure !== undefined)
        failed.push(`${agent} ${event.callId} ${event.tool}: ${failure.message}`);
    }
  }
  const waiting = (await store.waiting()).map(({ sessionId, request }) => `${sessionId}/${request.id}`);
  return { replies, ended, waiting: new Set(waiting), unknown, failed };
}
