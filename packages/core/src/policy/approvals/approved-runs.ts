import type { ApprovalRequest } from "../../contract/approval.ts";
import type { JournalEvent } from "../../contract/event.ts";
import type { PendingArguments } from "../../contract/journal.ts";
import { callDigest, isSalted, readKept } from "./call-digest.ts";

/** Whether the calls of a session that were approved ran as they were shown. */
export interface ApprovedRuns {
  /** Approved calls that ran, and whose digest is that of their request. */
  readonly ran: number;
  /** Requests that were compared with the raw call, because its arguments and salt are still kept. */
  readonly compared: number;
  /** Requests whose salt was deleted with the raw arguments. */
  readonly deleted: number;
  /** Each as a sentence. */
  readonly errors: readonly string[];
}

type Request = Pick<ApprovalRequest, "callId" | "toolName" | "arguments" | "binding">;

/** Compares the recorded requests with the calls that ran, and with the raw calls as long as they are kept. */
export async function approvedRuns(
  sessionId: string,
  events: AsyncIterable<JournalEvent>,
  pending: Pick<PendingArguments, "get">,
): Promise<ApprovedRuns> {
  const asked = new Map<string, Request[]>();
  const edited = new Set<string>();
  const errors: string[] = [];
  const counts = { ran: 0, compared: 0, deleted: 0 };
  for await (const event of events) {
    if (event.type === "approval-request" && isSalted(event.request.binding?.arguments)) {
      const call = `${event.turn}/${event.request.callId}`;
      asked.set(call, [...(asked.get(call) ?? []), event.request]);
      const kept = await pending.get(`${sessionId}/${event.turn}/${event.id}`);
      counts[kept === undefined ? "deleted" : "compared"] += 1;
      const error = kept === undefined ? undefined : await keptError(event.request, kept);
      if (error !== undefined) errors.push(`Request ${event.turn}/${event.id}: ${error}.`);
    } else if (event.type === "approval-answer" && event.answer.verdict === "edit") {
      edited.add(`${event.turn}/${event.id.replace(/(?:\/changed)?(?:\/again)?$/, "")}`);
    } else if (event.type === "call-start") {
      const call = `${event.turn}/${event.callId}`;
      const error = startError(event, asked.get(call) ?? [], edited.has(call));
      if (error !== undefined) errors.push(`Call ${call}: ${error}.`);
      else if (event.digest !== undefined) counts.ran += 1;
    }
  }
  return { ...counts, errors };
}

/** Compares a request with the raw call that is kept for it. */
async function keptError({ toolName, binding, arguments: shown }: Request, text: string) {
  const kept = readKept(text);
  if (kept === undefined) return undefined;
  const digest = await callDigest({ toolName, definition: binding.definition, ...kept }, kept.salt);
  if (digest !== binding.arguments) return "its digest is not that of the raw call that is kept";
  const isShown = shown === undefined || shown === null || isAlike(JSON.parse(kept.argsText), shown);
  return isShown ? undefined : "the arguments that were shown are not those of the raw call";
}

function startError(
  { tool, digest, allowedBy, arguments: args }: JournalEvent & { readonly type: "call-start" },
  asked: readonly Request[],
  isEdited: boolean,
): string | undefined {
  const isApproved = allowedBy.startsWith("approver: ") && asked.length > 0;
  if (digest === undefined) return isApproved ? "it ran without the digest of its request" : undefined;
  if (isEdited) return undefined;
  const request = asked.find(({ binding }) => binding.arguments === digest);
  if (request?.toolName !== tool) return isSalted(digest) ? "it is not the call that was shown" : undefined;
  const [ran, shown] = [args.value, request.arguments];
  // The payload of one of them may have been erased.
  if (ran === null || shown === null || shown === undefined || isAlike(ran, shown)) return undefined;
  return "its arguments are not those that were shown";
}

/** With the quotes that a number in JSON text got. */
const MARK = /(?:\\{0,16}")?\[redacted:[^\]]{1,100}\](?:#\d+)?(?:\\{0,16}")?/;

/** Whether two values differ at most by marks in the place of secrets. */
function isAlike(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return one === other || fits(one, other) || fits(other, one);
  const [names, otherNames] = [Object.keys(one), Object.keys(other)];
  const [values, otherValues] = [Object.values(one), Object.values(other)];
  return (
    Array.isArray(one) === Array.isArray(other) &&
    names.length === otherNames.length &&
    names.every((name, at) => isAlike(name, otherNames[at]) && isAlike(values[at], otherValues[at]))
  );
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
