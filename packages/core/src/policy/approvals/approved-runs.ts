import type { ApprovalAnswer, ApprovalRequest } from "../../contract/approval/approval.ts";
import type { JournalEvent } from "../../contract/store/event.ts";
import type { PendingArguments } from "../../contract/store/store.ts";
import { callDigest, isSalted, type KeptCall, readKept } from "./call-digest.ts";

/** Whether the calls of a session that were approved ran as they were shown. */
export interface ApprovedRuns {
  /** Approved calls that ran, and whose digest is that of their request. */
  readonly ran: number;
  /** Approved calls that ran as the approver had edited them. What ran is not compared. */
  readonly edited: number;
  /** Requests that were compared with the raw call, because its arguments and salt are still kept. */
  readonly compared: number;
  /** Requests whose salt was deleted with the raw arguments. */
  readonly deleted: number;
  /** Each as a sentence. */
  readonly errors: readonly string[];
}

interface Asked {
  readonly id: string;
  readonly request: Pick<ApprovalRequest, "toolName" | "arguments" | "binding">;
  readonly isErased: boolean;
  verdict?: ApprovalAnswer["verdict"];
}

/** Compares the recorded requests with the calls that ran, and with the raw calls as long as they are kept. */
export async function approvedRuns(
  sessionId: string,
  events: AsyncIterable<JournalEvent>,
  pending: Pick<PendingArguments, "get">,
): Promise<ApprovedRuns> {
  const calls = new Map<string, Asked[]>();
  const errors: string[] = [];
  const counts = { ran: 0, edited: 0, compared: 0, deleted: 0 };
  for await (const event of events) {
    if (event.type === "approval-request") {
      const { id, turn, request } = event;
      const call = `${turn}/${request.callId}`;
      const one = { id, request, isErased: "erased" in event };
      calls.set(call, [...(calls.get(call) ?? []), one]);
      const kept = readKept(await pending.get(`${sessionId}/${turn}/${id}`));
      // An earlier version made a digest without salt.
      if (!isSalted(request.binding?.arguments) && kept?.salt === undefined) continue;
      counts[kept === undefined ? "deleted" : "compared"] += 1;
      const error = kept === undefined ? undefined : await keptError(one, kept);
      if (error !== undefined) errors.push(`Request ${turn}/${id}: ${error}.`);
    } else if (event.type === "approval-answer") {
      const asked = calls.get(`${event.turn}/${event.id.replace(/(?:\/changed)?(?:\/again)?$/, "")}`);
      const one = asked?.findLast(({ id }) => id === event.id);
      if (one !== undefined) one.verdict = event.answer.verdict;
    } else if (event.type === "call-start") {
      const call = `${event.turn}/${event.callId}`;
      const found = comparedStart(event, calls.get(call) ?? []);
      if (found === "ran" || found === "edited") counts[found] += 1;
      else if (found !== undefined) errors.push(`Call ${call}: ${found}.`);
      // An approval is for one run.
    } else if (event.type === "call-end") calls.delete(`${event.turn}/${event.callId}`);
  }
  return { ...counts, errors };
}

/** Compares a request with the raw call that is kept for it. */
async function keptError({ request, isErased }: Asked, kept: KeptCall): Promise<string | undefined> {
  const { toolName, binding, arguments: shown } = request;
  const digest = await callDigest({ toolName, definition: binding?.definition ?? "", ...kept }, kept.salt);
  if (digest !== binding?.arguments) return "its digest is not that of the raw call that is kept";
  if (isErased || isAlike(JSON.parse(kept.argsText), shown)) return undefined;
  return "the arguments that were shown are not those of the raw call";
}

const YES: ReadonlySet<unknown> = new Set(["once", "always", "rules", "edit"]);

/** How a call ran, or what is wrong with that. `undefined`: no approval let it run, or one of an earlier version. */
function comparedStart(
  event: JournalEvent & { readonly type: "call-start" },
  asked: readonly Asked[],
): string | undefined {
  const { tool, digest, allowedBy, arguments: args } = event;
  if (digest === undefined) {
    const isOld = asked.length > 0 && !asked.some(({ request }) => isSalted(request.binding?.arguments));
    const isAsked = allowedBy.startsWith("approver: ") && !isOld;
    return isAsked ? "it ran without the digest of a request" : undefined;
  }
  const exact = asked.find(({ request }) => request.binding?.arguments === digest);
  const one = exact ?? asked.findLast(({ verdict }) => verdict === "edit");
  if (one?.request.toolName !== tool) return "it is not the call that was shown";
  if (!YES.has(one.verdict)) return "it ran without a yes to its request";
  if (exact === undefined) return "edited";
  // The payload of one of them may have been erased.
  if (one.isErased || "erased" in event || isAlike(args.value, one.request.arguments)) return "ran";
  return "its arguments are not those that were shown";
}

/** With the quotes that a number in JSON text got. */
const MARK = /(?:\\{0,16}")?\[redacted:[^\]]{1,100}\](?:#\d+)?(?:\\{0,16}")?/;

/** Whether two values differ at most by marks in the place of secrets. */
export function isAlike(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return one === other || fits(one, other) || fits(other, one);
  const [entries, others] = [Object.entries(one), Object.entries(other)];
  if (Array.isArray(one) !== Array.isArray(other) || entries.length !== others.length) return false;
  // A name that looks like a number moves to the front, and a mark in its place does not.
  return entries.toReversed().every(([name, value]) => {
    const at = others.findLastIndex((entry) => isAlike(name, entry[0]) && isAlike(value, entry[1]));
    return at !== -1 && others.splice(at, 1);
  });
}

/** Whether a text is the other one with marks in it: the parts between the marks are in it, in their order. */
function fits(raw: unknown, shown: unknown): boolean {
  if (typeof shown !== "string" || (typeof raw !== "string" && typeof raw !== "number")) return false;
  const [first = "", ...rest] = shown.split(MARK);
  const text = String(raw);
  const last = rest.pop();
  if (last === undefined || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}
