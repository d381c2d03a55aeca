import type { ToolContext } from "@toolkeep/core";
import type { SeenPath } from "./seen-files.ts";

/** What the file tools require. Files that the user attached can be read, not changed. */
export const READS: readonly string[] = ["{workspace}/**", "{ad-hoc}", "{ad-hoc}/**", "{tmp}/**"];
export const WRITES: readonly string[] = ["{workspace}/**", "{tmp}/**"];

/** The canonical path of the file that a call is about. */
export function targetOf(ctx: Pick<ToolContext, "sessionId" | "effects">, path: string): SeenPath {
  return { sessionId: ctx.sessionId, path: ctx.effects[0]?.target ?? path };
}
