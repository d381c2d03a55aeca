import type { LeftAnswer, StoreNews } from "../contract/store/store.ts";

/** What was sent to a session, without its content. */
export interface InboxEntry {
  readonly type: "answer" | "message" | "cancel";
  readonly key: string;
}

/** Names an answer in its session's inbox: the same name if it is left again under its key, and its alone. */
export function answerKey({ requestId, key }: Pick<LeftAnswer, "requestId" | "key">): string {
  return key === undefined ? `unnamed ${crypto.randomUUID()}` : `${NAMED}${JSON.stringify([requestId, key])}`;
}

const NAMED = "named ";

/** Whether an entry stays without its content after it was taken, so that sending it again changes nothing. */
export function isNamed(key: string): boolean {
  return key.startsWith(NAMED);
}

/** What a session is told of entries that are new to it. */
export function newsOf(entries: readonly InboxEntry[]): readonly StoreNews[] {
  const has = (wanted: InboxEntry["type"]) => entries.some(({ type }) => type === wanted);
  const cancelled = entries.filter(({ type }) => type === "cancel");
  return [
    ...cancelled.map(({ key }) => ({ type: "cancel", turn: key }) as const),
    ...(has("answer") ? [{ type: "answers" } as const] : []),
    ...(has("message") ? [{ type: "messages" } as const] : []),
  ];
}

/** Gives each entry, also after one could not be given. @throws what the first of those was rejected with. */
export async function giveEach<Entry>(
  entries: Iterable<Entry>,
  give: (entry: Entry) => Promise<void>,
): Promise<void> {
  const failed: unknown[] = [];
  for (const entry of entries) await give(entry).catch((error: unknown) => failed.push(error));
  if (failed.length > 0) throw failed[0];
}
