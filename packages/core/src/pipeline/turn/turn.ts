import type { Approver } from "../../contract/approval/approval.ts";
import type { Skills } from "../../contract/io/agent.ts";
import type { EffectResolver } from "../../contract/io/resolve-effects.ts";
import type { Principal } from "../../contract/people/principal.ts";
import type { GrantIo } from "../../contract/stages/grant.ts";
import type { Steps } from "../../contract/store/steps.ts";
import type { PendingArguments, SharedLocks, Sidecar } from "../../contract/store/store.ts";
import type { Budget } from "../../contract/values/budget.ts";
import type { EffectLocks, LockTicket } from "../../locks/effect-locks.ts";
import type { SignedApprovals } from "../../policy/approvals/approver-keys.ts";
import type { SessionAuthorizer } from "../../policy/inherit.ts";
import type { MayContain } from "../../policy/rules/explanation.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import type { ToolView } from "../../registry/binding.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import type { Recorder } from "../record/recorder.ts";
import type { ToolStates } from "../record/tool-states.ts";
import type { TurnRecord } from "../record/turn-record.ts";
import type { CallSpans } from "./call-spans.ts";
import type { Cancellation } from "./cancellation.ts";
import type { Hooks } from "./hooks.ts";
import type { Limits } from "./limits.ts";
import type { OpenTurns } from "./open-turns.ts";
import type { RunningCalls } from "./running-calls.ts";
import type { Scope } from "./scope.ts";
import type { SessionState } from "./session-state.ts";
import type { Spawning } from "./spawning.ts";
import type { QueuedCall } from "./stage.ts";

/** What all turns of a session have in common. */
export interface Runtime {
  readonly sessionId: string;
  readonly limits: Limits;
  readonly authorizer: SessionAuthorizer;
  readonly sessionState: SessionState;
  readonly scope: Scope;
  readonly hooks: Hooks;
  readonly locks: EffectLocks;
  /** The locks among all sessions, and the capabilities that the policy wants them for. */
  readonly locking: { readonly locks: SharedLocks; readonly capabilities: readonly string[] };
  readonly recorder: Recorder;
  readonly redactor: Redactor;
  readonly running: RunningCalls;
  readonly open: OpenTurns;
  readonly states: ToolStates;
  readonly spawning: Spawning;
  readonly ports: Ports;
  /** Checks the signatures of approvers. */
  readonly signedApprovals: SignedApprovals;
  /** Where the store is kept, for messages. */
  readonly storePath: string | undefined;
  /** Where spans go; `undefined` unless the application registered a tracer provider. */
  readonly telemetry: Telemetry | undefined;
}

/** What the host application or another package provides. */
export interface Ports {
  readonly approver: Approver;
  readonly pending: PendingArguments;
  readonly sidecar: Sidecar;
  readonly resolver?: EffectResolver;
  readonly grantIo?: GrantIo;
  readonly mayContain?: MayContain;
  readonly skills?: Skills;
}

/** What happens between one model reply and the next: a batch of calls. */
export interface Turn {
  readonly id: string;
  readonly runtime: Runtime;
  readonly tools: ToolView;
  readonly steps: Steps;
  readonly cancellation: Cancellation;
  readonly principal: Principal;
  readonly budget: Budget | undefined;
  readonly timeoutMs: number | undefined;
  /** Whether the turn may end with a question open; otherwise it waits for the answer. */
  readonly canPark: boolean;
  /** Set for calls that a tool makes while it runs. */
  readonly inside: { readonly running: OuterCall; readonly lock: LockTicket } | undefined;
  /** What this turn did in an earlier process. */
  readonly record: TurnRecord | undefined;
  /** The spans of its calls; `undefined` where there is no telemetry. */
  readonly spans: CallSpans | undefined;
}

/** A call that runs and makes another one. */
interface OuterCall {
  readonly call: QueuedCall;
  readonly turn: Turn;
  /** Stops its clock while a person is asked. */
  pause(): void;
  resume(): void;
}
