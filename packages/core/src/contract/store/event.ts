import type { ApprovalAnswer, ApprovalRequest, SignedApproval } from "../approval/approval.ts";
import type { Label } from "../call/result.ts";
import type { IsolationLevel } from "../io/sandbox.ts";
import type { Principal } from "../people/principal.ts";
import type { QuestionAnswers, QuestionRequest } from "../people/question.ts";
import type { Decision, DecisionFacts } from "../policy/decision.ts";
import type { CanonicalEffect } from "../policy/policy-call.ts";
import type { Rule } from "../policy/rule.ts";
import type { JsonSource, JsonText } from "../values/json-text.ts";
import type { Program } from "../values/program.ts";

/** What is written to the journal. Secrets are replaced before an event is made. */
export type JournalEntry =
  | {
      readonly type: "session-open";
      readonly sessionId: string;
      /** The version of the form of these events: `EVENT_VERSION`. */
      readonly eventVersion?: number;
      /** The program that writes them. */
      readonly program?: Program;
      /** The fingerprint of the policy; missing where an authorizer of the host application decides. */
      readonly policy?: string;
      readonly principal?: Principal;
      readonly agents?: readonly string[];
      readonly sandbox?: IsolationLevel;
      /** Whether the user trusts the project. */
      readonly isTrusted?: boolean;
      /** The folders the agent works in; missing where none are configured. */
      readonly roots?: readonly string[];
    }
  | { readonly type: "session-close" }
  /** The session was opened again with another policy than before. */
  | { readonly type: "policy-change"; readonly policy: string; readonly before: string }
  /** The payloads of these events were erased: their batch has other bytes now. Verification accepts exactly these. */
  | PayloadErase
  /** In the record of the store itself: a session was removed. */
  | SessionForget
  /** In the record of the store itself: an approval for a project was added or revoked. */
  | {
      readonly type: "project-approval";
      readonly project: string;
      readonly entry: string;
      readonly about?: unknown;
      readonly isRevoked?: true;
    }
  /**
   * A call begins that takes in untrusted content, or touches private data: the session has from here on. `ofCall`: that
   * depends on this call, which another program asks about. `isRevoked`: that program did not run it.
   */
  | {
      readonly type: "session-taint";
      readonly label: Label;
      readonly by?: string;
      readonly ofCall?: string;
      readonly isRevoked?: true;
    }
  /** The session may change a file from here on that says what commands run. */
  | { readonly type: "script-change"; readonly path: string; readonly isApproved?: true }
  /** A person said `always`: what it is remembered under. With `scope: "project"` the store keeps it, not the session. */
  | {
      readonly type: "approval-remember";
      readonly callId: string;
      readonly entries: readonly string[];
      readonly scope?: "project";
    }
  /** Every `always` and every added rule so far is forgotten. */
  | { readonly type: "approval-forget" }
  /** A person's answer added a rule. */
  | {
      readonly type: "rule-add";
      readonly rule: Rule;
      /** For whom it was added: it applies to no other principal. */
      readonly principal: Principal;
      readonly by?: string;
    }
  | {
      readonly type: "turn-start";
      readonly calls: readonly { readonly id: string; readonly name: string }[];
      /** On whose behalf the turn runs; missing if that is the principal of the session, as it was opened last. */
      readonly principal?: Principal;
      /** It is the run of an agent: it makes no calls itself, and each reply with calls is a turn of its own. */
      readonly isRun?: true;
    }
  /** The user said something to the agent: the prompt, or a message while it works. It is seen by this step. */
  | {
      readonly type: "message-receive";
      readonly step: number;
      readonly text: string;
      /** Its number among the messages that the run kept when they were given: it is received once. */
      readonly given?: number;
      /** What the store called it. Another process sent it, and the store kept it until this event was durable. */
      readonly left?: string;
    }
  /** The model replied: the step is paid for, and not asked again. */
  | { readonly type: "model-reply"; readonly step: number; readonly value: JsonText }
  /** The conversation became too long: what this step sees in its place, and what was left out. */
  | { readonly type: "context-compact"; readonly step: number; readonly value: JsonText }
  /** The run of an agent is over. */
  | {
      readonly type: "run-end";
      readonly reason: string;
      readonly step: number;
      readonly text: string;
      /**
       * Where a later run begins to read: the event that opened the session last, and the first one of a run that the
       * model still sees something of. Missing: the whole journal.
       */
      readonly checkpoint?: { readonly opened: number; readonly seq: number };
    }
  | {
      readonly type: "turn-park";
      readonly waiting: readonly string[];
      /** The turn whose requests these are: a run waits for those of its calls. Missing: its own. */
      readonly of?: string;
      /** What it also waits for: the requests of subagents, in their sessions. */
      readonly elsewhere?: readonly { readonly sessionId: string; readonly id: string }[];
    }
  | { readonly type: "turn-end" }
  | CallStart
  | CallEnd
  | CallRefuse
  | { readonly type: "call-late"; readonly callId: string; readonly tool: string }
  /** A tool tried to use something that it does not require, or that is not an effect of this call. */
  | {
      readonly type: "access-refuse";
      readonly callId: string;
      readonly tool: string;
      readonly capability: string;
      readonly target: string;
      readonly reason: string;
    }
  | { readonly type: "step-intent"; readonly id: string; readonly token: string }
  | { readonly type: "step-withdraw"; readonly id: string }
  | { readonly type: "step-end"; readonly id: string; readonly value: JsonText }
  | { readonly type: "approval-request"; readonly id: string; readonly request: ApprovalRequest }
  /** One of several approvers that a request needs has signed. The request stays open. */
  | { readonly type: "approval-sign"; readonly id: string; readonly signed: SignedApproval }
  | {
      readonly type: "approval-answer";
      readonly id: string;
      readonly answer: ApprovalAnswer;
      readonly key?: string;
    }
  | { readonly type: "question-request"; readonly id: string; readonly request: QuestionRequest }
  | {
      readonly type: "question-answer";
      readonly id: string;
      readonly answers: QuestionAnswers;
      readonly key?: string;
    }
  | {
      readonly type: "state-write";
      readonly tool: string;
      readonly version: number;
      readonly value: JsonText;
    }
  | {
      readonly type: "observer-fail";
      readonly observer: string;
      readonly hook: string;
      readonly error: string;
    }
  /** The data of a result is not what the tool's `outputSchema` says. The result stays as it is. */
  | {
      readonly type: "output-mismatch";
      readonly callId: string;
      readonly tool: string;
      readonly error: string;
    }
  | { readonly type: "tool-crash"; readonly callId: string; readonly tool: string; readonly stack: string };

/** What was erased from one batch of a session. */
export interface PayloadErase {
  readonly type: "payload-erase";
  /** The first event of the batch. */
  readonly firstSeq: number;
  /** The hash that its bytes had, which the chain continues from. */
  readonly hash: string;
  /** The hash that its bytes have now. */
  readonly erased: string;
  /** The events without their payloads. */
  readonly events: readonly number[];
  readonly by?: string;
}

/** A session that was removed as a whole, and where it ended. */
export interface SessionForget {
  readonly type: "session-forget";
  /** The SHA-256 hash of its id: the id itself was removed. */
  readonly session: string;
  readonly nextSeq: number;
  readonly head: string;
  /** The time of its last event. */
  readonly activeAt: number;
  /** `swept`: it was older than the store keeps sessions. */
  readonly why: "swept" | "forgotten";
}

/** Execution begins: the call was authorized and has its locks. */
export interface CallStart {
  readonly type: "call-start";
  readonly callId: string;
  readonly tool: string;
  readonly origin: string;
  /** Tool and origin as they are written; saves making that anew for every call. Not part of the record. */
  readonly inEvent?: string;
  readonly arguments: JsonText;
  readonly effects: readonly CanonicalEffect[];
  /** `layer: matchedBy` of the decision that allowed it. */
  readonly allowedBy: string;
  /** Where that rule is written, e.g. `policy.yaml:7`. */
  readonly ruleAt?: string;
  /** What the session had taken in or touched when it was decided; missing for nothing. */
  readonly taint?: readonly Label[];
  /** What the rules knew of time and of earlier calls when it was decided; missing if none asked. */
  readonly facts?: DecisionFacts;
  /** In `observe` mode: what would have become of it. */
  readonly observed?: Decision["observed"];
  /** What the rules on trial would have made of it; missing if they change nothing. */
  readonly shadow?: Decision["shadow"];
  /** Of a call that was asked for: the digest of what runs. It is that of the request, unless the answer edited the call. */
  readonly digest?: string;
}

/** Execution is over. */
interface CallEnd {
  readonly type: "call-end";
  readonly callId: string;
  readonly tool: string;
  readonly origin: string;
  readonly ok: boolean;
  /** The whole `ToolResult`; the fields above are written with it and not a second time. */
  readonly result: JsonSource;
}

/** The call never began: a stage refused it. */
interface CallRefuse {
  readonly type: "call-refuse";
  readonly callId: string;
  readonly tool: string;
  /** Missing when no tool of that name was found. */
  readonly origin?: string;
  readonly stage: RefusingStage;
  readonly code: string;
  readonly arguments: JsonText;
  /** What it was about to do, as far as that was known. */
  readonly effects?: readonly CanonicalEffect[];
  readonly taint?: readonly Label[];
  readonly facts?: DecisionFacts;
  readonly shadow?: Decision["shadow"];
  /** `layer: matchedBy` of a denial. */
  readonly deniedBy?: string;
  /** Where that rule is written. */
  readonly ruleAt?: string;
  readonly result: JsonText;
}

/** The stage of the pipeline that refused a call. */
export type RefusingStage =
  | "admit"
  | "find"
  | "validate"
  | "resolve-effects"
  | "check-scope"
  | "authorize"
  | "reserve"
  | "gate"
  | "execute";

/** Events that are shown and not recorded. */
export type PassingEntry =
  | {
      readonly type: "call-update";
      readonly callId: string;
      readonly tool: string;
      readonly partial: unknown;
    }
  | {
      readonly type: "call-progress";
      readonly callId: string;
      readonly tool: string;
      readonly text: string;
      readonly fraction?: number;
    }
  /** This listener was too slow; so many events passed it by. */
  | { readonly type: "events-drop"; readonly count: number };

/** Where an event stands: totally ordered within its session. */
export interface Stamp {
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly turn: string;
}

/** An event of a journal. */
export type JournalEvent = Stamp & JournalEntry;
/** What a session reports to `session.on` and to its observers: the events of the journal, and progress of calls. */
export type SessionEvent = Stamp & (JournalEntry | PassingEntry);
