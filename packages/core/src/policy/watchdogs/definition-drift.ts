import type { Objection, Watchdog, WatchdogVerdict } from "../../contract/policy/decision.ts";
import type { PolicyTool } from "../../contract/policy/policy-call.ts";
import { invalidOption } from "../../contract/values/error.ts";
import { isOwn } from "../../contract/values/origin.ts";
import { definitionFingerprint } from "../approvers/fingerprint.ts";
import { objects, PASSES } from "./verdict.ts";

/** Options of `definitionDrift`. */
export interface DriftOptions {
  /** The address of a tool with the fingerprint of its definition when it was reviewed. */
  readonly pinned: Iterable<readonly [address: string, hash: string]>;
  /** `ask` where it is left out. */
  readonly verdict?: Objection;
  /** What happens with a foreign tool that is not pinned. Default: it passes. */
  readonly unpinned?: Objection;
}

/**
 * Quarantines a tool that the host application did not write that says something else of itself than when it was pinned.
 * @throws ToolkeepError `invalid_option` for two pins of one tool that differ.
 */
export function definitionDrift({ pinned, verdict = "ask", unpinned }: DriftOptions): Watchdog {
  const pins = collectPins(pinned);
  return Object.freeze({
    name: "definition-drift",
    evaluate({ found }, context) {
      // Tools of the host application change only when the host application changes them.
      if (isOwn(found.origin)) return PASSES;
      const pin = pins.get(addressOf(found));
      if (pin === undefined) {
        return unpinned === undefined
          ? PASSES
          : objects(unpinned, `${found.name} of ${found.originName} is not pinned.`);
      }
      const now = context.definitionHash(found);
      return now instanceof Promise
        ? now.then((hash) => compare(found, pin, hash, verdict))
        : compare(found, pin, now, verdict);
    },
  } satisfies Watchdog);
}

/** Pins tools as they are now, for `definitionDrift`. */
export async function pinDefinitions(
  tools: Iterable<PolicyTool>,
  hash: (tool: PolicyTool) => string | Promise<string> = definitionFingerprint,
): Promise<ReadonlyMap<string, string>> {
  const pins = await Promise.all(
    [...tools].map(async (tool) => [addressOf(tool), await hash(tool)] as const),
  );
  return collectPins(pins);
}

function addressOf({ originName, name }: PolicyTool): string {
  return `${originName}/${name}`;
}

function compare(found: PolicyTool, pin: string, now: string, objection: Objection): WatchdogVerdict {
  if (now === pin) return PASSES;
  return objects(
    objection,
    `${found.name} of ${found.originName} is not what it was when it was pinned: its name, description, schema or code changed (${short(pin)} became ${short(now)}).`,
  );
}

function collectPins(pinned: DriftOptions["pinned"]): ReadonlyMap<string, string> {
  const pins = new Map<string, string>();
  for (const [address, hash] of pinned) {
    if (typeof hash !== "string" || hash === "" || (pins.get(address) ?? hash) !== hash) {
      throw invalidOption(`The pin of ${JSON.stringify(address)} is empty or there twice.`);
    }
    pins.set(address, hash);
  }
  return pins;
}

function short(hash: string): string {
  return String(hash).slice(0, 12);
}
