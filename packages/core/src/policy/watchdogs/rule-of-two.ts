import type { Label } from "../../contract/call/result.ts";
import type { Objection, PolicyContext, Watchdog } from "../../contract/policy/decision.ts";
import type { PolicyCall } from "../../contract/policy/policy-call.ts";
import { NO_LABELS, type PathLabels } from "./path-labels.ts";
import { leavesBy, leavesUnsaid, marksOf } from "./taint.ts";
import { watchdog } from "./verdict.ts";

/** Asks before a session does the third of: take in foreign content, look into private data, send something away. */
export function ruleOfTwo(objection: Objection = "ask", labels: PathLabels = NO_LABELS): Watchdog {
  return watchdog("rule-of-two", objection, (call, context) => {
    const leaving = leavesBy(call, context.sandbox) ?? leavesUnsaid(call);
    if (leaving === undefined) return undefined;
    const { taint } = context;
    const own = marksOf(call, context.roots, labels);
    const brings = bringsBeforeItSends(call) ? own.untrusted : undefined;
    if (!taint.has("untrusted") && brings === undefined) return undefined;
    if (!taint.has("private") && own.private === undefined) return undefined;
    const looked = knownOf("private", own.private, context);
    // What a call takes in itself is said with what it sends.
    const took = taint.has("untrusted") ? `, ${knownOf("untrusted", brings, context)},` : "";
    return `It could send private data away: ${looked}${took} and this call ${leaving}.`;
  });
}

/** What a request brings in comes after what it sends: the first fetch of a session says nothing that a page told it to say. */
function bringsBeforeItSends({ found, effects }: PolicyCall): boolean {
  return found.origin.source === "mcp" || effects.some(({ capability }) => capability !== "net.fetch");
}

const UNNAMED: Readonly<Record<Label, string>> = {
  private: "this session has looked into private data",
  untrusted: "it has taken in content from outside",
};

/** What the session did before, with the step where it is known; else what this call does itself. */
function knownOf(label: Label, own: string | undefined, { taint, taintedBy }: PolicyContext): string {
  if (!taint.has(label)) return `this call ${own}`;
  return taintedBy?.get(label) ?? UNNAMED[label];
}
