import type { ToolContext } from "@toolkeep/core";
import type { SeenPath } from "./seen-files.ts";

/** What a model gives as a path. */
export const PATH = {
  type: "string",
  minLength: 1,
  maxLength: 4_096,
  description: "Absolute, or relative to the workspace.",
} as const;

/** What the file tools may need. Files that a person handed over are theirs to read, and no more. */
export const READS: readonly string[] = ["{workspace}/**", "{ad-hoc}", "{ad-hoc}/**"];
export const WRITES: readonly string[] = ["{workspace}/**"];

/** The file that a call is about, whatever way its path was written. */
export function placeOf(ctx: Pick<ToolContext, "sessionId" | "effects">, path: string): SeenPath {
  return { sessionId: ctx.sessionId, path: ctx.effects[0]?.target ?? path };
}
