import type { Effect } from "../../contract/call/effect.ts";
import { ToolFailure } from "../../contract/call/result.ts";
import type { PolicyCall } from "../../contract/policy/policy-call.ts";

const LONGEST_KEY_BYTES = 1024;
const CONTROL = /\p{Cc}/u;

/** What an `always` is remembered under. @throws ToolFailure if the tool's own derivation fails or gives nothing fit. */
export function approvalKey(call: PolicyCall): string {
  const { tool } = call.found;
  if (tool.deriveApprovalKey === undefined) return keyOfEffects(call.effects);
  const key = derive(call);
  if (typeof key !== "string" || key === "" || CONTROL.test(key)) {
    throw unfit(call.found.name, "must be a text that is not empty and has no control characters");
  }
  if (new TextEncoder().encode(key).length > LONGEST_KEY_BYTES) {
    throw unfit(call.found.name, `must be at most ${LONGEST_KEY_BYTES} bytes`);
  }
  return key;
}

function derive(call: PolicyCall): unknown {
  try {
    return call.found.tool.deriveApprovalKey?.(call.args);
  } catch (cause) {
    throw new ToolFailure("effects_failed", `${call.found.name}: its approval key could not be derived.`, {
      cause,
    });
  }
}

function unfit(name: string, diagnostic: string): ToolFailure {
  return new ToolFailure("effects_failed", `${name}: its approval key ${diagnostic}.`);
}

/** The same without being cut: for what is compared and not shown. */
export function wholeKey(call: PolicyCall): string {
  if (call.found.tool.deriveApprovalKey !== undefined) return approvalKey(call);
  return effectsInWords(call.effects);
}

function keyOfEffects(effects: readonly Effect[]): string {
  const key = effectsInWords(effects);
  return key.length > LONGEST_KEY_BYTES ? `${key.slice(0, LONGEST_KEY_BYTES - 3)}...` : key || "no effects";
}

function effectsInWords(effects: readonly Effect[]): string {
  return effects
    .map(({ capability, target }) => `${capability} ${target}`)
    .toSorted()
    .join("; ");
}
