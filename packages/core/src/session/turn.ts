import type { ApprovalRequest, PersonRequest } from "../contract/approval/approval.ts";
import type { ToolResult } from "../contract/call/result.ts";
import type { Principal } from "../contract/people/principal.ts";
import type { Decision } from "../contract/policy/decision.ts";
import type { ToolCall } from "../contract/stages/call.ts";
import type { Message } from "../contract/store/steps.ts";
import type { Journal, PendingArguments } from "../contract/store/store.ts";
import type { Budget } from "../contract/values/budget.ts";
import { invalidOption, ToolkeepError } from "../contract/values/error.ts";
import { JsonText } from "../contract/values/json-text.ts";
import type { Recorder } from "../pipeline/record/recorder.ts";
import { readTurn } from "../pipeline/record/turn-record.ts";
import { OUTCOME_UNKNOWN } from "../pipeline/run-call.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { failedResult, failure } from "../results/runtime-failure.ts";

/** What may differ from turn to turn. */
export interface TurnOptions {
  /** Names the turn; the same id again continues it. Default: `t1`, `t2` … */
  readonly id?: string;
  /** Default: the budget of the session, anew for each turn. */
  readonly budget?: Budget;
  /** How long each tool may execute. Default: `limits.timeoutMs`. */
  readonly timeoutMs?: number;
  /** Cancels this turn alone. */
  readonly signal?: AbortSignal;
  /**
   * On whose behalf the turn runs. Default: the principal of the session. It is a whole: of the session's principal it
   * takes over `agent`, `environment` and `workspace`, and no user, group, tenant or role. It is recorded, and a turn that
   * continues keeps it.
   */
  readonly principal?: Partial<Principal>;
  /** When raw arguments are stored: at the beginning, to resume after a crash too (default), or once a turn waits. */
  readonly keepArguments?: "begun" | "parked";
}

/** The outcome of `session.run`: every result, or the requests that wait for an answer. */
export type TurnOutcome =
  | {
      /** Names the turn. */
      readonly id: string;
      readonly status: "done";
      /** One result for each call, in order. */
      readonly results: readonly ToolResult[];
      readonly requests: readonly [];
      /** What the user said meanwhile; see `session.steer`. */
      readonly messages: readonly Message[];
    }
  | {
      /** For `session.resume`, in this process or another. */
      readonly id: string;
      readonly status: "waiting";
      /** The results so far, in the positions of their calls. */
      readonly results: readonly (ToolResult | undefined)[];
      /** What waits for an answer: show each and give it to `session.answer` or `store.answer`. */
      readonly requests: readonly PersonRequest[];
      readonly messages: readonly Message[];
    };

/**
 * What `session.propose` decided about a call. `session.run(proposal)` acts on it. A waiting call has asked for
 * approval and can be answered and resumed from another process; a refused call is recorded and final.
 */
export type Proposal =
  | { readonly status: "allowed"; readonly id: string; readonly call: ToolCall; readonly decision: Decision }
  | {
      readonly status: "waiting";
      readonly id: string;
      readonly call: ToolCall;
      readonly decision: Decision;
      readonly request: ApprovalRequest;
    }
  | {
      readonly status: "refused";
      readonly id: string;
      readonly call: ToolCall;
      /** Missing when the call failed before the policy was asked. */
      readonly decision?: Decision;
      readonly result: ToolResult;
    };

const MOST_REMEMBERED = 10_000;
const TURN_ID = /^[\w.-]{1,128}$/;
const COUNTED = /^t(\d+)$/;

/** A turn's id, and whether the journal may have a turn of that id already. */
export interface TurnName {
  readonly id: string;
  readonly mayBeKnown: boolean;
}

/** Names turns: by counting, or as the host application wants. */
export class TurnNames {
  readonly #named = new Set<string>();
  /** Whether there are turns that are not in `#named`: of an earlier process, or too many to remember. */
  #hasForgotten: boolean;
  readonly #redactor: Redactor;
  #counted: number;

  /** `counted` is the last number that was given before the session was continued; `undefined` for a new session. */
  constructor(redactor: Redactor, counted?: number) {
    this.#redactor = redactor;
    this.#counted = counted ?? 0;
    this.#hasForgotten = counted !== undefined;
  }

  /** @throws ToolkeepError `invalid_option`. */
  take(wanted: string | undefined): TurnName {
    if (wanted === undefined) {
      this.#counted += 1;
      return { id: `t${this.#counted}`, mayBeKnown: false };
    }
    if (!TURN_ID.test(wanted)) {
      const message = `A turn id is 1 to 128 letters, digits, ".", "_" and "-": ${JSON.stringify(wanted)}`;
      throw invalidOption(message);
    }
    if (this.#redactor.find(wanted).length > 0)
      throw invalidOption("The turn id holds a secret. Use another id.");
    const number = Number(COUNTED.exec(wanted)?.[1] ?? 0);
    const isUsed = number > 0 && number <= this.#counted;
    const mayBeKnown = this.#hasForgotten || isUsed || this.#named.has(wanted);
    this.#counted = Math.max(this.#counted, number);
    if (this.#named.size >= MOST_REMEMBERED) {
      this.#named.clear();
      this.#hasForgotten = true;
    }
    this.#named.add(wanted);
    return { id: wanted, mayBeKnown };
  }
}

/** Where the calls of a turn are found again. */
export interface TurnSource {
  readonly sessionId: string;
  readonly journal: Journal;
  readonly pending: PendingArguments;
  readonly recorder: Recorder;
}

/**
 * The calls of a turn with their raw arguments. If those are gone, the calls that are not settled are interrupted:
 * nothing runs with arguments that were not approved.
 * @throws ToolkeepError `turn_unknown`.
 */
export async function callsOfTurn(turnId: string, source: TurnSource): Promise<readonly ToolCall[]> {
  const kept = await source.pending.get(`${source.sessionId}/${turnId}`);
  if (kept !== undefined) return JSON.parse(kept) as ToolCall[];
  for await (const event of source.journal.read({ turn: turnId, types: ["turn-start"] })) {
    if (event.type !== "turn-start") continue;
    if (event.isRun === true) throw new ToolkeepError("turn_unknown", runOfAgent(turnId));
    return interrupt(turnId, event.calls, source);
  }
  throw new ToolkeepError("turn_unknown", `There is no turn ${JSON.stringify(turnId)} in this session.`);
}

/** To end it here would lose what the agent has not done yet. */
function runOfAgent(turnId: string): string {
  return `${JSON.stringify(turnId)} is the run of an agent, not a turn of calls: continue it with \`createAgent({ id, store, … })\` and \`agent.resume()\`.`;
}

/** Calls as they are kept. Arguments that are not JSON are refused when they are validated. */
export function textOfCalls(calls: readonly ToolCall[]): string {
  return `[${calls.map(textOfCall).join(",")}]`;
}

function textOfCall(call: ToolCall): string {
  try {
    return JSON.stringify(call);
  } catch {
    return JSON.stringify({ id: call.id, name: call.name, arguments: "unreadable" });
  }
}

const NOT_RUN = failure(
  "interrupted",
  "Interrupted: its arguments are gone, so it was not run.",
  "Call it again.",
);

async function interrupt(
  turnId: string,
  calls: readonly { readonly id: string; readonly name: string }[],
  { journal, recorder }: TurnSource,
): Promise<readonly ToolCall[]> {
  const { done, begun } = await readTurn(journal, turnId);
  for (const { id, name } of calls) {
    if (done.has(id)) continue;
    const why = begun.has(id) ? OUTCOME_UNKNOWN : NOT_RUN;
    recorder.write(turnId, {
      type: "call-refuse",
      callId: id,
      tool: name,
      stage: "execute",
      code: why.code,
      arguments: new JsonText("null"),
      result: JsonText.of(failedResult({ id, toolName: name }, why)),
    });
  }
  return calls.map(({ id, name }) => ({ id, name, arguments: {} }));
}
