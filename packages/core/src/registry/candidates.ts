import type { RegisteredTool, Tool } from "../contract/tool/tool.ts";
import { canonicalJson } from "../contract/values/json-text.ts";
import { LAYERS, type Origin, originName } from "../contract/values/origin.ts";
import { toJsonSchema } from "../schema/to-json-schema.ts";

/** One tool that wants a name. */
export interface Candidate {
  readonly registered: RegisteredTool;
  readonly isLocked: boolean;
  /** Whether nothing is wrong with it. */
  isFit: boolean;
  /** What was read of its configuration and whether `init` and `activate` ran. */
  isReady: boolean;
}

/** All who want one name; the strongest layer comes last. */
export type Slot = readonly Candidate[];

function strengthOf(origin: Origin): number {
  return LAYERS.indexOf(origin.layer);
}

export function insertCandidate(slot: Slot, candidate: Candidate): Slot {
  return [...slot, candidate].toSorted(
    (one, other) => strengthOf(one.registered.origin) - strengthOf(other.registered.origin),
  );
}

/** The valid candidate of the strongest layer has the name. */
export function winnerOf(slot: Slot): Candidate | undefined {
  return slot.findLast((candidate) => candidate.isFit);
}

/** Whether a tool may stand in for a locked one: its parameters are the same, since models have learned them. */
export function hasSameShape(tool: Tool, locked: Tool): boolean {
  try {
    return shapeOf(toJsonSchema(tool.inputSchema)) === shapeOf(toJsonSchema(locked.inputSchema));
  } catch {
    // A schema that cannot say what it accepts cannot be the same.
    return tool === locked;
  }
}

function shapeOf(schema: unknown): string {
  const withoutNotes = JSON.stringify(schema, (key, inner: unknown) => {
    const isNote = key === "description" || key === "title" || key === "$schema";
    return isNote && typeof inner === "string" ? undefined : inner;
  });
  return canonicalJson(JSON.parse(withoutNotes));
}

/** A tool with where it came from, and the texts that every call of it writes. */
export function place(tool: Tool, origin: Origin): RegisteredTool {
  const from = originName(origin);
  const texts = {
    inEvent: `,"tool":${JSON.stringify(tool.name)},"origin":${JSON.stringify(from)},"allowedBy":`,
    inResult: `,"toolName":${JSON.stringify(tool.name)},"origin":${JSON.stringify(origin)},"ok":true,"data":`,
  };
  return { name: tool.name, tool, origin, originName: from, texts, config: {} };
}

/** Whether something must be read or run before its first call. */
export function needsPreparation(tool: Tool, config: unknown): boolean {
  return (
    config !== undefined ||
    tool.configSchema !== undefined ||
    tool.init !== undefined ||
    tool.activate !== undefined ||
    (tool.requiredCoreVersion !== "*" && tool.requiredCoreVersion !== "")
  );
}
