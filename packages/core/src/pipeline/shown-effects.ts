import type { CanonicalEffect, CheckedCall } from "../contract/call.ts";
import type { Effect } from "../contract/effect.ts";
import { isOwn } from "../contract/origin.ts";
import type { Turn } from "./turn.ts";

/**
 * What the sandbox shows to every command (programs and settings of the system, a folder for temporary files of its
 * own) follows from running one: a rule can forbid it, and none has to allow it. A file that a line computes may be
 * any file, and in a sandbox it is one that is open anyway: the line itself is what is decided about.
 */
export function withShown(
  call: CheckedCall,
  effects: readonly CanonicalEffect[],
  turn: Turn,
): readonly CanonicalEffect[] {
  if (!isSandboxedCommand(call, effects, turn)) return effects;
  const isDynamic = effects.some(({ capability }) => capability === "shell.dynamic");
  return effects
    .filter((effect) => !(isDynamic && isAnywhere(effect)))
    .map((effect) =>
      effect.implied !== true && isShown(effect, turn) ? { ...effect, implied: true as const } : effect,
    );
}

/** Whether the sandbox shows to every command what this effect touches, so that the tool need not require it. */
export function isShownTo(
  call: CheckedCall & { readonly effects: readonly CanonicalEffect[] },
  effect: CanonicalEffect,
  turn: Turn,
): boolean {
  return isSandboxedCommand(call, call.effects, turn) && isShown(effect, turn);
}

/** Only commands run in the sandbox: the file tools read the machine itself. */
function isSandboxedCommand({ found }: CheckedCall, effects: readonly Effect[], { runtime }: Turn): boolean {
  return (
    runtime.ports.resolver?.isShown !== undefined &&
    isOwn(found.origin) &&
    effects.some(({ capability }) => capability.startsWith("shell."))
  );
}

function isShown(effect: CanonicalEffect, { runtime }: Turn): boolean {
  return (
    effect.capability.startsWith("fs.") &&
    effect.known === "inferred" &&
    runtime.ports.resolver?.isShown?.(effect) === true
  );
}

function isAnywhere({ capability, target }: Effect): boolean {
  return capability.startsWith("fs.") && target === "/**";
}
