import type { Proposal, Session, ToolCall } from "@toolkeep/core";
import type { PendingArguments } from "@toolkeep/core/journal";
import type { ModelMessage } from "ai";
import type { ChatSession } from "../chat/chat-session.ts";
import { claimOf, type SdkCall } from "./sdk-call.ts";
import type { Verdicts } from "./verdicts.ts";

/** An approval as the client sent it. The application authenticates the sender. */
export interface ClientApproval {
  readonly sessionId: string;
  readonly toolCallId: string;
  /** The tool of the request, as recorded by this session. */
  readonly toolName: string;
  /** The arguments of the request, as recorded by this session. */
  readonly input: unknown;
  /** The id of the request in the journal. */
  readonly requestId: string;
  /** The id of the SDK's request. */
  readonly approvalId?: string;
  readonly messages: readonly ModelMessage[];
}

/** Port: decides whether an approval is accepted. `false`, or an error, rejects it; `by` goes into the journal. */
export type VerifyApproval = (
  approval: ClientApproval,
) => boolean | { readonly by: string } | Promise<boolean | { readonly by: string }>;

/** What `toolApproval` and `execute` share. */
export interface CallQueue {
  readonly chat: Pick<ChatSession, "use">;
  readonly pending: PendingArguments;
  readonly verdicts: Verdicts | undefined;
  /** Verified approvals by claim. Each is used once. */
  readonly verified: Map<string, VerifiedApproval>;
  /** Proposed calls by claim, until they are executed. */
  readonly proposals: Proposals;
  readonly order: ArrivalOrder;
  readonly verify: VerifyApproval | undefined;
}

/** An approval that passed every check. */
export interface VerifiedApproval {
  /** The name of the approver. */
  readonly by: string;
  /** The turn that waits for it. */
  readonly turn: string;
}

/** Creates an empty queue. */
export function newCallQueue<Parts extends Pick<CallQueue, "chat" | "pending" | "verdicts" | "verify">>(
  parts: Parts,
): Parts & CallQueue {
  return { ...parts, verified: new Map(), proposals: new Proposals(), order: new ArrivalOrder() };
}

export function toCall({ toolCallId, toolName, input }: SdkCall): ToolCall {
  return { id: toolCallId, name: toolName, arguments: input as ToolCall["arguments"] };
}

/** The key of the tool and arguments of a parked call, as the SDK gave them. */
export function inputKey(session: Session, turn: string): string {
  return `${session.id}/${turn}/input`;
}

/** Starts calls in the order of their arrival, although each does asynchronous work before. */
export class ArrivalOrder {
  #last: Promise<void> = Promise.resolve();

  /** Call it on arrival. `turn` resolves when all earlier calls have started; `begun` lets the next one start. */
  arrive(): { readonly turn: Promise<void>; begun(): void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const turn = this.#last;
    this.#last = turn.then(() => promise);
    return { turn, begun: resolve };
  }
}

const MOST_PROPOSALS = 10_000;

/** What was decided of calls that did not run yet. A proposal is taken once; the oldest are dropped, and their calls run without one. */
class Proposals {
  readonly #proposals = new Map<string, Proposal>();

  async keep(call: SdkCall, proposal: Proposal): Promise<void> {
    const [oldest] = this.#proposals.keys();
    if (this.#proposals.size >= MOST_PROPOSALS && oldest !== undefined) this.#proposals.delete(oldest);
    this.#proposals.set(await claimOf(call), proposal);
  }

  async take(call: SdkCall): Promise<Proposal | undefined> {
    const claim = await claimOf(call);
    const proposal = this.#proposals.get(claim);
    this.#proposals.delete(claim);
    return proposal;
  }
}
