import { type Effect, UNKNOWN_CAPABILITY } from "../../contract/call/effect.ts";
import { principalKey } from "../../contract/people/principal.ts";
import type { PolicyContext } from "../../contract/policy/decision.ts";
import type { PolicyCall, PolicyTool } from "../../contract/policy/policy-call.ts";
import { webDigest } from "../../journal/web-digest.ts";
import { toJsonSchema } from "../../schema/to-json-schema.ts";
import { wholeKey } from "./approval-key.ts";

const encoder = new TextEncoder();

/** A hash of a text, the same in every process. */
export async function fingerprint(text: string): Promise<string> {
  return webDigest(encoder.encode(text));
}

const known = new WeakMap<PolicyTool["tool"], Map<string, Promise<string>>>();

/** What a tool says of itself, where it came from and, as far as can be told, its code. */
export function definitionFingerprint({ name, originName, tool }: PolicyTool): Promise<string> {
  const byPlace = known.get(tool) ?? new Map<string, Promise<string>>();
  known.set(tool, byPlace);
  const place = `${originName}/${name}`;
  const before = byPlace.get(place);
  if (before !== undefined) return before;
  const made = fingerprint(JSON.stringify([place, definitionOf(tool)]));
  byPlace.set(place, made);
  return made;
}

function definitionOf(tool: PolicyTool["tool"]): object {
  const { description, inputSchema, outputSchema, requires, mode, gated, remote, actionArgument } = tool;
  return {
    description,
    inputSchema: inputSchema === undefined ? undefined : toJsonSchema(inputSchema),
    outputSchema: outputSchema === undefined ? undefined : toJsonSchema(outputSchema),
    requires,
    mode,
    gated,
    remote,
    actionArgument,
    code: tool.codeHash ?? String(tool.execute),
  };
}

/**
 * Whether an `always` applies to exactly these arguments. A tool that derives its own key says what
 * its calls are about; a watchdog may have objected to any argument.
 */
export function isBoundToArguments({ found, effects }: PolicyCall, asker: string): boolean {
  return asker !== "rules" || (found.tool.deriveApprovalKey === undefined && isVague(effects));
}

/** What else an approval is bound to: for another principal, or with another isolation, the call asks again. */
export type Situation = Pick<PolicyContext, "principal" | "sandbox">;

/** What an `always` is filed under: one entry for each effect, all of the same tool, definition, key, asker and situation. */
export async function entriesOf(
  call: PolicyCall,
  asker: string,
  { principal, sandbox }: Situation,
): Promise<readonly string[]> {
  const { found, effects } = call;
  const subject = [
    found.name,
    found.originName,
    await definitionFingerprint(found),
    wholeKey(call),
    asker,
    [principalKey(principal), sandbox],
    ...(isBoundToArguments(call, asker) ? [call.argsText] : []),
  ];
  const targets = effects.map(({ capability, target, forced }) => [capability, target, forced === true]);
  const texts = targets.length === 0 ? [["none"]] : targets;
  return Promise.all(texts.map((target) => fingerprint(JSON.stringify([...subject, target]))));
}

/**
 * Whether effects say too little to tell one call from another: there are none, they are unknown, a
 * server will decide them, they stand for many, or they are several commands, whose order counts. Then
 * the arguments are what is approved.
 */
export function isVague(effects: readonly Effect[]): boolean {
  return (
    effects.length === 0 ||
    effects.filter(({ capability }) => capability.startsWith("shell.")).length > 1 ||
    effects.some(
      ({ capability, target }) =>
        capability === UNKNOWN_CAPABILITY ||
        capability === "mcp.call" ||
        capability === "mcp.read" ||
        (capability !== "shell.run" && /[*?{]/.test(target)),
    )
  );
}
