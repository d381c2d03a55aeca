import type { Approver, ProjectApprovals } from "../contract/approval.ts";
import type { Authorizer, PolicyDefinition } from "../contract/decision.ts";
import type { Gate, Observer } from "../contract/hooks.ts";
import type { GrantIo } from "../contract/io.ts";
import type { Journal, PendingArguments } from "../contract/journal.ts";
import type { Principal } from "../contract/principal.ts";
import type { Ceiling, RequirementSet, Variables } from "../contract/requirements.ts";
import type { EffectResolver } from "../contract/resolve-effects.ts";
import type { Rule } from "../contract/rule.ts";
import type { IsolationLevel } from "../contract/sandbox.ts";
import type { Sidecar } from "../contract/sidecar.ts";
import type { Skills } from "../contract/skills.ts";
import type { TaskRunner } from "../contract/tasks.ts";
import type { Tool } from "../contract/tool.ts";
import type { Watchdog } from "../contract/watchdog.ts";
import type { Strategy } from "../pipeline/run-batch.ts";
import type { Settings } from "../pipeline/settings.ts";
import type { Policy } from "../policy/compile-policy.ts";
import type { Redactor } from "../redaction/redactor.ts";
import type { Registry } from "../registry/registry.ts";
import type { ParentContext } from "./parent-context.ts";
import type { NewSteps } from "./session-parts.ts";
import type { BudgetOptions } from "./token-budget.ts";

/** What a session is made of. Everything has a default but the tools. */
export interface SessionOptions extends PolicyOptions, PortOptions {
  readonly sessionId?: string;
  /** Tools of the embedder's own. Beside or instead of a registry. */
  readonly tools?: readonly Tool[];
  readonly registry?: Registry;
  readonly strategy?: Strategy;
  readonly gates?: readonly Gate[];
  readonly observers?: readonly Observer[];
  /** No budget unless it is given; `{}` is 8,000 tokens of arguments a turn. */
  readonly budget?: BudgetOptions;
  readonly settings?: Partial<Omit<Settings, "retry">> & { readonly retry?: Partial<Settings["retry"]> };
  /** On whose behalf the session runs. Verify it before you give it. A turn may be given another. */
  readonly principal?: Partial<Principal>;
  /** What a subagent inherits: `session.lineage("researcher")`. */
  readonly parent?: ParentContext;
}

/** What decides. */
export interface PolicyOptions {
  /** Mode, rules and watchdogs together, as they are written or compiled. */
  readonly policy?: PolicyDefinition | Policy;
  /** Short for a policy that has rules alone. */
  readonly rules?: readonly Rule[];
  /** Beside those that ship. */
  readonly watchdogs?: readonly Watchdog[];
  /** In the place of a policy. */
  readonly authorizer?: Authorizer;
  /** What the agent declares about itself: what it needs beside its tools, and rules that are final where they deny. */
  readonly manifest?: { readonly requires?: RequirementSet; readonly rules?: readonly Rule[] };
  /** What the walls around commands were proven to hold. */
  readonly isolation?: IsolationLevel;
  /** Where approvals for the whole project are kept. Without it they last as long as the session. */
  readonly projectApprovals?: ProjectApprovals;
  /** If given, answers from elsewhere must be sealed with it; see `sealApproval`. */
  readonly approvalSecret?: string;
  readonly variables?: Variables;
  readonly ceiling?: Ceiling;
}

/** What is plugged in. */
export interface PortOptions {
  /** Without one nobody is there to be asked, and whatever asks is denied. */
  readonly approver?: Approver | Approver["approve"];
  readonly journal?: Journal;
  /** Where turns are durable beyond this process. In-process steps over the journal otherwise. */
  readonly steps?: NewSteps;
  readonly pending?: PendingArguments;
  readonly sidecar?: Sidecar;
  readonly redactor?: Redactor;
  readonly resolver?: EffectResolver;
  readonly grantIo?: GrantIo;
  readonly tasks?: TaskRunner;
  readonly skills?: Skills;
}
