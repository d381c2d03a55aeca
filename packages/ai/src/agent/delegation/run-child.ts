import { type PersonRequest, type Principal, type Session, ToolFailure } from "@toolkeep/core";
import { DEFAULT_LIMITS, defined, errorText, type LimitOptions } from "@toolkeep/core/internal";
import type { TaskOutcome, WaitingTask } from "@toolkeep/core/ports";
import type { Agent } from "../options/agent.ts";
import type { AgentBudget } from "../options/agent-budget.ts";
import type { AgentLimits } from "../options/agent-definition.ts";
import type { AgentEvent } from "../options/agent-event.ts";
import type { AgentOptions } from "../options/agent-options.ts";
import { readRuns } from "../record/recorded-runs.ts";
import type { ChildProfile } from "./child-profile.ts";

/** What only a parent can give: no host application sees it. */
export interface Inherited {
  readonly leaving: AbortSignal;
  budget(): AgentBudget | undefined;
}

/** Makes an agent as `createAgent` does, within another one. */
export type OpenAgent = (options: AgentOptions, inherited: Inherited) => Promise<Agent>;

export interface ChildWork {
  readonly childId: string;
  readonly profile: ChildProfile;
  readonly prompt: string;
  readonly principal: Partial<Principal> | undefined;
  readonly signal: AbortSignal;
  update(partial: unknown): void;
  /** The session of the parent. */
  readonly session: Session;
  /** The options of the parent. */
  readonly options: AgentOptions;
  readonly inherited: Inherited;
}

interface Worked {
  readonly outcome: TaskOutcome | WaitingTask;
  readonly requests: readonly PersonRequest[];
}

/** Told to every subagent. */
const FOR_ANOTHER =
  "You work for another agent. Your last message is your answer to it: it sees nothing else of what you do.";

type End = AgentEvent & { readonly type: "end" };

/** Runs a child to its end, or continues one that an earlier process began. */
export async function runChild(work: ChildWork, open: OpenAgent): Promise<Worked> {
  const { childId, profile, prompt, inherited } = work;
  const agent = await open(optionsOf(work), inherited);
  let isOpen = false;
  try {
    const isKnown = (await readRuns(agent.session.journal)).length > 0;
    const end = await lastOf(isKnown ? agent.resume() : agent.run(prompt), (event) =>
      work.update({ agent: profile.name, childId, event }),
    );
    isOpen = end.reason === "waiting" || end.reason === "left";
    return outcomeOf(end, work);
  } finally {
    await (isOpen ? agent.leave() : agent.close());
  }
}

/** Which options of a parent are not its children's: what is their own, and what they inherit by its session. */
const NOT_SHARED: ReadonlySet<string> = new Set<keyof AgentOptions>([
  ...(["id", "tools", "registry", "policy", "approver", "principal", "parent", "manifest"] as const),
  ...(["ceiling", "tasks", "model", "instructions", "prompt", "limits", "agents"] as const),
  ...(["signal", "steering"] as const),
]);

function optionsOf({ childId, profile, session, options, principal, signal }: ChildWork): AgentOptions {
  const shared = Object.fromEntries(Object.entries(options).filter(([key]) => !NOT_SHARED.has(key)));
  const { name, instructions, hasPrompt, limits, ...own } = profile;
  const { steps: _steps, tokens: _tokens, calls: _calls, ...ofCalls } = options.limits ?? {};
  return {
    ...shared,
    ...own,
    ...(hasPrompt && options.prompt !== undefined ? { prompt: options.prompt } : {}),
    id: childId,
    // The link that keeps a child within its parent.
    parent: session.childContext(name, principal),
    instructions: `${instructions}\n\n${FOR_ANOTHER}`.trim(),
    limits: within(ofCalls, limits),
    signal,
  };
}

/** The limits of a child: its own, and none above its parent's. */
function within(parent: LimitOptions, own: AgentLimits = {}): AgentLimits {
  const most: Readonly<Record<string, unknown>> = { ...DEFAULT_LIMITS, ...defined(parent) };
  const limits = Object.entries({ ...defined(parent), ...defined(own) }).map(([name, limit]) => {
    const bound = most[name];
    const isNumber = typeof limit === "number" && typeof bound === "number";
    return [name, isNumber ? Math.min(limit, bound) : limit];
  });
  const retry = { ...DEFAULT_LIMITS.retry, ...parent.retry };
  const attempts = Math.min(retry.attempts, own.retry?.attempts ?? retry.attempts);
  const on = retry.on === "transient" ? retry.on : (own.retry?.on ?? retry.on);
  return {
    ...Object.fromEntries(limits),
    ...(most["toolsEnabled"] === false ? { toolsEnabled: false } : {}),
    retry: { ...retry, ...own.retry, attempts, on },
  };
}

/** What is worth showing of a child. Its text comes whole with the end of each step. */
const SHOWN: ReadonlySet<AgentEvent["type"]> = new Set([
  ...(["step-end", "call-start", "call-update", "result", "request", "compaction", "fallback"] as const),
]);

async function lastOf(events: AsyncIterable<AgentEvent>, show: (event: AgentEvent) => void): Promise<End> {
  let end: End | undefined;
  for await (const event of events) {
    if (event.type === "end") end = event;
    else if (SHOWN.has(event.type)) show(event);
  }
  if (end === undefined) throw new TypeError("The run of a subagent did not end.");
  return end;
}

const REACHED = { steps: "steps", tokens: "tokens", calls: "calls" } as const;

function outcomeOf(end: End, { childId, profile }: ChildWork): Worked {
  const { reason, text, requests, error } = end;
  if (reason === "waiting" || reason === "left") return { outcome: { status: "waiting", childId }, requests };
  if (reason === "cancelled")
    throw new ToolFailure("cancelled", `The subagent ${profile.name} was cancelled.`);
  if (reason === "failed")
    throw new ToolFailure(
      "tool_failed",
      `The model of the subagent ${profile.name} failed: ${errorText(error)}`,
    );
  const note =
    reason in REACHED
      ? `\n\n(The subagent stopped before it was done: its limit of ${reason} is reached.)`
      : "";
  return { outcome: { status: "done", childId, text: `${text}${note}`.trim() }, requests: [] };
}
