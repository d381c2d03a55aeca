import type { WaitingRequest } from "@toolkeep/core";
import { visible } from "@toolkeep/core/internal";
import { BAR, flowed, type PromptRow, plainName, wrapped } from "@toolkeep/node/internal";

const MOST_LISTED = 9;
const LONGEST = 1_000;

export interface InboxView {
  /** The request that is shown below the list. */
  readonly index: number;
  readonly columns: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The list above the prompt: one row for each request, those around the current one. */
export function inboxRows(
  list: readonly WaitingRequest[],
  { index, columns, now }: InboxView,
): readonly PromptRow[] {
  const first = Math.max(Math.min(index - Math.floor(MOST_LISTED / 2), list.length - MOST_LISTED), 0);
  const listed = list.slice(first, first + MOST_LISTED);
  const keys = list.length === 0 ? ["[q] quit"] : ["[j] next", "[k] previous", "[q] quit"];
  const more = list.length - listed.length;
  return [
    ...flowed([`INBOX  ${list.length} waiting`, ...keys], { columns, tone: "title" }),
    ...listed.map((one, at) => {
      const mark = first + at === index ? ">" : " ";
      return cutRow(`${mark} ${first + at + 1}. ${summary(one, now)}`, columns);
    }),
    ...(more === 0 ? [] : wrapped(`and ${more} more`, { columns })),
    { text: "" },
  ];
}

function summary({ request, sessionId, askedAt }: WaitingRequest, now: number): string {
  const what = "questions" in request ? (request.questions[0]?.question ?? "") : request.approvalKey;
  const age = Math.max(Math.floor((now - askedAt) / 60_000), 0);
  return `${plainName(request.toolName)}, session ${plainName(sessionId)}, ${age} min: ${visible(what, LONGEST)}`;
}

/** A request is shown as a whole below the list. */
function cutRow(text: string, columns: number): PromptRow {
  const [first, ...rest] = wrapped(text, { first: BAR, columns: columns - 2 });
  return { text: `${first?.text ?? BAR}${rest.length === 0 ? "" : "…"}` };
}
