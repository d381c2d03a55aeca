import type { Session, ToolCall } from "@toolkeep/core";
import { type PendingArguments, webDigest } from "@toolkeep/core/journal";
import type { ModelMessage } from "ai";
import { ArrivalOrder } from "./arrival-order.ts";
import { turnOf } from "./call-record.ts";
import type { ChatSession } from "./chat-session.ts";
import { stableText } from "./plain-data.ts";
import type { Verdicts } from "./verdicts.ts";

/** A person's yes, as the client sent it. Who sent the request is for the application to know. */
export interface ClientApproval {
  readonly sessionId: string;
  readonly toolCallId: string;
  /** The tool that was asked for, as this session wrote it down. */
  readonly toolName: string;
  /** The arguments that were asked for, as this session kept them. */
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
export interface CallQueue {
  readonly chat: Pick<ChatSession, "use">;
  readonly pending: PendingArguments;
  readonly verdicts: Verdicts | undefined;
  /** Approvals that were found good, by claim, and who gave them. Each is taken once. */
  readonly verified: Map<string, string>;
  /** Claims that an approver of the session's own has let run before the SDK executes them. */
  readonly early: Set<string>;
  readonly order: ArrivalOrder;
  /** Ids that are being asked about right now. */
  readonly asking: Set<string>;
  readonly verify: VerifyApproval | undefined;
}

/** A desk on which nothing lies yet. */
export function newCallQueue<Parts extends Pick<CallQueue, "chat" | "pending" | "verdicts" | "verify">>(
  parts: Parts,
): Parts & CallQueue {
  return { ...parts, verified: new Map(), early: new Set(), asking: new Set(), order: new ArrivalOrder() };
}

/** One call of the SDK, as far as both doors know it. */
export interface SdkCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Plain data; anything else is turned away before. */
  readonly input: unknown;
  readonly messages: readonly ModelMessage[];
}

export function toCall({ toolCallId, toolName, input }: SdkCall): ToolCall {
  return { id: toolCallId, name: toolName, arguments: input as ToolCall["arguments"] };
}

/** Where the tool and the arguments of a call that waits are kept, as the SDK gave them. */
export async function inputKey(session: Session, toolCallId: string): Promise<string> {
  return `${session.id}/${await turnOf(toolCallId)}/input`;
}

/** What an approval is bound to: the tool and its arguments. */
export function bindingOf({ toolName, input }: Pick<SdkCall, "toolName" | "input">): string {
  return stableText([toolName, input]);
}

/** Stands for a call with its tool and arguments: the id alone is whatever a client wrote. */
export async function claimOf(call: Pick<SdkCall, "toolCallId" | "toolName" | "input">): Promise<string> {
  return webDigest(new TextEncoder().encode(JSON.stringify([call.toolCallId, bindingOf(call)])));
}
