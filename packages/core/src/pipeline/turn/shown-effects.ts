import type { Effect } from "../../contract/call/effect.ts";
import type { CanonicalEffect } from "../../contract/policy/policy-call.ts";
import type { CheckedCall } from "../../contract/stages/call.ts";
import { isOwn } from "../../contract/values/origin.ts";
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
  const isShown = shownIn(call, effects, turn);
  if (isShown === undefined) return effects;
  const isDynamic = effects.some(({ capability }) => capability === "shell.dynamic");
  return effects
    .filter((effect) => !(isDynamic && isAnywhere(effect)))
    .map((effect) =>
      effect.implied !== true && isShown(effect) ? { ...effect, implied: true as const } : effect,
    );
}

/** Whether the sandbox shows to every command what an effect of the call touches, so that no tool need require it. */
export function shownIn(
  { found }: CheckedCall,
  effects: readonly Effect[],
  { runtime }: Turn,
): ((effect: Effect) => boolean) | undefined {
  const { resolver } = runtime.ports;
  if (resolver?.isShown === undefined || !isOwn(found.origin)) return undefined;
  // Outside of the sandbox a command has the files of the machine.
  if (effects.some(({ capability }) => capability === "sandbox.leave")) return undefined;
  const isCommand = effects.some(({ capability }) => capability.startsWith("shell."));
  // Files are those of the machine, except for the session's own: what every command may write.
  if (!isCommand && found.origin.source !== "bundled") return undefined;
  return (effect) => {
    if (!effect.capability.startsWith("fs.") || (isCommand && effect.known !== "inferred")) return false;
    return resolver.isShown?.(isCommand ? effect : { ...effect, capability: "fs.write" }) === true;
  };
}

function isAnywhere({ capability, target }: Effect): boolean {
  return capability.startsWith("fs.") && target === "/**";
}
