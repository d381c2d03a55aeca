import type { Approver, Approvers, ProjectApprovals } from "../contract/approval/approval.ts";
import type { Ceiling, RequirementSet, Variables } from "../contract/call/effect.ts";
import type { Skills, TaskRunner } from "../contract/io/agent.ts";
import type { EffectResolver } from "../contract/io/resolve-effects.ts";
import type { IsolationLevel } from "../contract/io/sandbox.ts";
import type { Principal } from "../contract/people/principal.ts";
import type { Rule } from "../contract/policy/rule.ts";
import type { Gate, Observer } from "../contract/stages/call.ts";
import type { GrantIo } from "../contract/stages/grant.ts";
import type { Steps } from "../contract/store/steps.ts";
import type { Journal, PendingArguments, SessionStore, Sidecar } from "../contract/store/store.ts";
import type { Tool } from "../contract/tool/tool.ts";
import type { TurnRecord } from "../pipeline/record/turn-record.ts";
import type { Strategy } from "../pipeline/run-batch.ts";
import type { Cancellation } from "../pipeline/turn/cancellation.ts";
import type { LimitOptions } from "../pipeline/turn/limits.ts";
import type { SignedApprovals } from "../policy/approvals/approver-keys.ts";
import type { MayContain } from "../policy/rules/explanation.ts";
import type { Redactor } from "../redaction/redactor.ts";
import type { Registry } from "../registry/registry.ts";
import type { SessionPolicy } from "./policy-definition.ts";
import type { BudgetOptions } from "./token-budget.ts";

/** The options of `createSession`. Every option has a default. */
export interface SessionOptions<Tools extends readonly Tool[] = readonly Tool[]> {
  /** Names the session. With a `store`, a session of that name continues where it was. Default: a new random id. */
  readonly id?: string;
  /** Where the session is kept. Default: in memory, until it is closed. */
  readonly store?: SessionStore;
  /** The tools that a model can call. */
  readonly tools?: Tools;
  /** Tools with their origins, when other sources register them too. Default: a registry of its own. */
  readonly registry?: Registry;
  /**
   * What is allowed, asked and denied: rule lines such as `"ask net.fetch *.weather.example"`, a policy definition, a
   * compiled policy, or an authorizer of your own. Default: what no rule allows is asked.
   */
  readonly policy?: SessionPolicy;
  /** Answers what the policy asks. Default: none, and what asks is denied. */
  readonly approver?: Approver | Approver["approve"];
  /** Timeouts, retries and output sizes. */
  readonly limits?: LimitOptions;
  /** How the calls of one turn follow each other. Default: `parallel`. */
  readonly strategy?: Strategy;
  /** Functions that may veto or change a call after it was authorized. */
  readonly gates?: readonly Gate[];
  /** Functions that are told what happens. */
  readonly observers?: readonly Observer[];
  /** A budget for each turn; `{}` is 8,000 tokens of arguments. Default: no budget. */
  readonly budget?: BudgetOptions;
  /** On whose behalf the session runs. Verify it before you give it. A turn may name another, as a whole. */
  readonly principal?: Partial<Principal>;
  /** What a subagent inherits: `parent.childContext("researcher")`. */
  readonly parent?: ParentContext;
  /** What the agent declares about itself: what it needs in addition to its tools, and rules whose denies are final. */
  readonly manifest?: { readonly requires?: RequirementSet; readonly rules?: readonly Rule[] };
  /** The most that any call may do, whatever the policy allows. Default: unlimited. */
  readonly ceiling?: Ceiling;
  /** The values of `{workspace}` and the other variables in rules and requirements, and of those you declare. */
  readonly variables?: Variables;
  /** Names the project whose approvals the store keeps. Default: the first workspace root. */
  readonly project?: string;
  /** The isolation that the sandbox around commands was proven to give. Default: `none`. */
  readonly isolation?: IsolationLevel;
  /** Whether the user trusts the project, so that `if trusted` holds. Default: false. A subagent has what its parent has. */
  readonly isTrusted?: boolean;
  /**
   * The people who can sign approvals, with their SSH public keys and groups. What a rule asks `by group payments` is
   * answered by their signatures alone; see `approvalStatement`. A subagent has those of its parent.
   */
  readonly approvers?: Approvers;
  /** Replaces secrets before anything is written or shown. Default: `createRedactor()`. */
  readonly redactor?: Redactor;
  /** Resolves paths and command lines, so that effects name what is really touched. */
  readonly resolver?: EffectResolver;
  /** Gives tools their access to files, network, commands and environment. */
  readonly grantIo?: GrantIo;
  /** Lets calls that would ask run contained instead. Default: they ask. */
  readonly mayContain?: MayContain;
  /** Starts subagents. */
  readonly tasks?: TaskRunner;
  /** The skills that tools can read. */
  readonly skills?: Skills;
}

/** Ports that a store normally provides, and the steps of turns. Not public: for tests and for our own packages. */
export interface SessionPorts {
  readonly journal?: Journal;
  readonly pending?: PendingArguments;
  readonly sidecar?: Sidecar;
  readonly projectApprovals?: ProjectApprovals;
  /** Default: steps in this process, over the journal. */
  readonly steps?: NewSteps;
  /** Default: with the keys of `approvers`. */
  readonly signedApprovals?: SignedApprovals;
}

/** Makes the steps of one turn. */
export type NewSteps = (turn: string, parts: StepsParts) => Steps;

export interface StepsParts {
  readonly cancellation: Cancellation;
  /** What the turn did before, if it is resumed. */
  readonly record: TurnRecord | undefined;
  /** Requests are recorded and not put to the approver: the turn parks. */
  readonly isDeferred: boolean;
}

/**
 * What the session of a subagent inherits: the policy and the ceiling apply to it too, it asks the same approver, and
 * it shares taint and approvals. `session.childContext(name)` makes one.
 */
export interface ParentContext {
  /** The names of the agents from the root to the child. */
  readonly agents: readonly string[];
}
