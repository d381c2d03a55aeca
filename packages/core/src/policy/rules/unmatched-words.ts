import { capabilityNamed, entryOf } from "@toolkeep/catalog";
import { type Effect, splitCommand } from "../../contract/call/effect.ts";
import { visible } from "../shown/visible.ts";

const LONGEST = 300;

export const NO_RULE_MATCHES = "No policy rule matches this call.";

const DOUBT = "Toolkeep does not know whether";

/** Whether a reason says no more than that something may be changed. */
export function isDoubt(reason: string): boolean {
  return reason.startsWith(DOUBT);
}

/** What Toolkeep does not know of an effect that no rule matches. */
export function unmatchedWords(effect: Effect): string {
  const { capability, target, note } = effect;
  if (capability === "shell.run") return ofCommand(effect);
  if (capability === "shell.dynamic")
    return `Toolkeep cannot tell beforehand what this line does${note === undefined ? "" : `: ${note}`}.`;
  if (capability === "unknown" || target === "") return NO_RULE_MATCHES;
  return `No policy rule allows \`${capability} ${visible(target, LONGEST)}\`.`;
}

function ofCommand({ target, meaning }: Effect): string {
  const [program = "", first = ""] = splitCommand(target);
  const kind = /^[a-z][a-z-]*$/.test(first) ? `${program} ${first}` : program;
  if (meaning?.isWhole === true && meaning.does.every((one) => capabilityNamed(one)?.kind === "read"))
    return `\`${kind}\` only reads, but no policy rule allows it.`;
  if (meaning !== undefined || entryOf(program.slice(program.lastIndexOf("/") + 1)) !== undefined)
    return `${DOUBT} \`${kind}\` with these arguments changes anything.`;
  // A program at a path has no entry of its own.
  const how = program.includes("/") ? "" : ": `toolkeep catalog show kubectl` shows how one is described";
  return `Toolkeep does not know the program \`${program}\`${how}.`;
}
