import type { PolicyCall } from "../../contract/call.ts";
import type { Objection, Watchdog } from "../../contract/watchdog.ts";
import { labelsOf, leaves } from "./taint.ts";
import { objects, PASSES } from "./verdict.ts";

/**
 * Of three things a session may do two by itself: take in content from outside, look into private
 * data, send something away. Where the third comes in, a person is asked.
 */
export function ruleOfTwo(objection: Objection = "ask"): Watchdog {
  return Object.freeze({
    name: "rule-of-two",
    evaluate(call, context) {
      if (!leaves(call, context.sandbox)) return PASSES;
      const { taint } = context;
      const own = labelsOf(call, context.roots);
      const isUntrusted = own.includes("untrusted") && bringsBeforeItSends(call);
      if (!taint.has("untrusted") && !isUntrusted) return PASSES;
      if (!taint.has("private") && !own.includes("private")) return PASSES;
      return objects(objection, reasonFor(taint.has("private"), taint.has("untrusted")));
    },
  } satisfies Watchdog);
}

/** What a request brings in comes after what it sends: the first fetch of a session says nothing that a page told it to say. */
function bringsBeforeItSends({ found, effects }: PolicyCall): boolean {
  return found.origin.source === "mcp" || effects.some(({ capability }) => capability !== "net.fetch");
}

function reasonFor(hasPrivate: boolean, hasUntrusted: boolean): string {
  const looked = hasPrivate
    ? "this session has looked into private data"
    : "this call looks into private data";
  const took = hasUntrusted ? "has taken in content from outside" : "itself takes in content from outside";
  return `It could send private data away because of untrusted content: ${looked}, and ${hasUntrusted ? "the session" : "the call"} ${took}.`;
}
