import type { Approver } from "../contract/approval.ts";
import type { Authorizer, Rule, Watchdog } from "../contract/decision.ts";
import type { Foresee } from "../contract/foresee.ts";
import type { Gate, Observer } from "../contract/hooks.ts";
import type { GrantIo } from "../contract/io.ts";
import type { Journal, PendingArguments } from "../contract/journal.ts";
import type { Ceiling, Variables } from "../contract/requirements.ts";
import type { Sidecar } from "../contract/sidecar.ts";
import type { Skills } from "../contract/skills.ts";
import type { TaskRunner } from "../contract/tasks.ts";
import type { Tool } from "../contract/tool.ts";
import type { Strategy } from "../pipeline/run-batch.ts";
import type { Settings } from "../pipeline/settings.ts";
import type { TurnPrincipal } from "../pipeline/turn.ts";
import type { Redactor } from "../redaction/redactor.ts";
import type { Registry } from "../registry/registry.ts";
import type { NewSteps } from "./session.ts";
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
  readonly principal?: Partial<TurnPrincipal>;
}

/** What decides. */
export interface PolicyOptions {
  readonly rules?: readonly Rule[];
  readonly watchdogs?: readonly Watchdog[];
  /** In the place of rules and watchdogs. */
  readonly authorizer?: Authorizer;
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
  readonly foresee?: Foresee;
  readonly grantIo?: GrantIo;
  readonly tasks?: TaskRunner;
  readonly skills?: Skills;
}
