import type { PendingArguments, Session, ToolCall } from "@toolkeep/core";
import type { ModelMessage } from "ai";
import { turnOf } from "./call-record.ts";
import type { ChatSession } from "./chat-session.ts";
import type { Verdicts } from "./verdicts.ts";

/** A person's yes, as the client sent it. Who sent the request is for the application to know. */
export interface ClientApproval {
  readonly sessionId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  /** The arguments that were asked for. */
  readonly input: unknown;
  /** The id of the request in the journal. */
  readonly requestId: string;
  /** The id that the SDK gave its own request. */
  readonly approvalId?: string;
  readonly messages: readonly ModelMessage[];
}

/** Port: whether a yes counts. `false` or whatever it throws refuses it; `by` is written into the journal. */
export type VerifyApproval = (
  approval: ClientApproval,
) => boolean | { readonly by: string } | Promise<boolean | { readonly by: string }>;

/** What the two doors of the SDK share: `toolApproval`, which asks, and `execute`, which acts. */
export interface CallDesk {
  readonly chat: Pick<ChatSession, "use">;
  readonly pending: PendingArguments;
  readonly verdicts: Verdicts | undefined;
  /** Approvals that were found good, by call, and who gave them. Each is taken once. */
  readonly heeded: Map<string, string>;
  /** Calls that an approver of the session's own has let run before the SDK executes them. */
  readonly early: Set<string>;
  readonly verify: VerifyApproval | undefined;
}

/** One call of the SDK, as far as both doors know it. */
export interface SdkCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly messages: readonly ModelMessage[];
}

export function toCall({ toolCallId, toolName, input }: SdkCall): ToolCall {
  return { id: toolCallId, name: toolName, arguments: input as ToolCall["arguments"] };
}

/** Where the arguments of a call that waits are kept, as the SDK gave them. */
export async function inputKey(session: Session, toolCallId: string): Promise<string> {
  return `${session.id}/${await turnOf(toolCallId)}/input`;
}

/** JSON in which the order of fields does not matter: equal values give equal texts. */
export function stableText(value: unknown): string {
  return JSON.stringify(sorted(JSON.parse(JSON.stringify(value) ?? "null")));
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
