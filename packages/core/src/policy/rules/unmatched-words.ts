import { readingPrefix } from "../../commands/options/command-prefix.ts";
import { hasKnownOperands } from "../../commands/options/harmless-operands.ts";
import { isKnownProgram } from "../../commands/options/harmless-options.ts";
import { type Effect, splitCommand } from "../../contract/call/effect.ts";
import { visible } from "../shown/visible.ts";

const LONGEST = 300;

export const NO_RULE_MATCHES = "No policy rule matches this call.";

/** What Toolkeep does not know of an effect that no rule matches. */
export function unmatchedWords({ capability, target, note }: Effect): string {
  if (capability === "shell.run") return ofCommand(splitCommand(target));
  if (capability === "shell.dynamic")
    return `Toolkeep cannot tell beforehand what this line does${note === undefined ? "" : `: ${note}`}.`;
  if (capability === "unknown" || target === "") return NO_RULE_MATCHES;
  return `No policy rule allows \`${capability} ${visible(target, LONGEST)}\`.`;
}

function ofCommand(argv: readonly string[]): string {
  const reading = readingPrefix(argv);
  if (reading !== undefined) return `\`${reading.join(" ")}\` only reads, but no policy rule allows it.`;
  const [program = "", first = ""] = argv;
  const name = program.slice(program.lastIndexOf("/") + 1);
  if (!isKnownProgram(name) && !hasKnownOperands(name))
    return `Toolkeep does not know the program \`${program}\`.`;
  const kind = /^[a-z][a-z-]*$/.test(first) ? `${program} ${first}` : program;
  return `Toolkeep does not know whether \`${kind}\` with these arguments changes anything.`;
}
