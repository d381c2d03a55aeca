import type { HookVerdict } from "../../packages/cli/src/clients/hook-call.ts";
import type { ModeDecider } from "../catalog/decide-in-modes.ts";

/** A line, and how it is also spelled. */
export interface Spelled {
  readonly line: string;
  readonly spelling: string;
}

/** A spelling that is answered otherwise than the line. */
export interface Difference extends Spelled {
  readonly said: string;
  readonly instead: string;
}

/** The spellings about which the recommended policy decides otherwise for the hook of Claude Code in its mode auto. */
export async function differencesIn(
  decider: ModeDecider,
  spelled: Iterable<Spelled>,
): Promise<readonly Difference[]> {
  const found: Difference[] = [];
  const known = new Map<string, HookVerdict>();
  for (const { line, spelling } of spelled) {
    const original = known.get(line) ?? (await decider.inModes(line)).auto;
    known.set(line, original);
    const { decided: said = "nothing", reason = "" } = original;
    const { decided: instead = "nothing" } = (await decider.inModes(spelling)).auto;
    // Of a line that cannot be told, another spelling may tell more.
    const isStricter = said === "ask" && instead === "deny" && UNKNOWN.test(reason);
    if (said !== instead && !isStricter) found.push({ line, spelling, said, instead });
  }
  return found;
}

const UNKNOWN = /Toolkeep cannot tell beforehand/;

/** For people. */
export function textOf({ line, spelling, said, instead }: Difference): string {
  return `${said}, not ${instead}: ${JSON.stringify(line)} as ${JSON.stringify(spelling)}`;
}
