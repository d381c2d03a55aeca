import type { JournalEvent } from "@toolkeep/core/journal";

/** One call, as the journal tells of it. */
export interface LoggedCall {
  /** When it was asked about, decided or begun, whichever came first. Milliseconds since the epoch. */
  readonly at: number;
  readonly sessionId: string;
  readonly tool: string;
  /** What it was about to do, as far as that is known. */
  readonly effects: readonly string[];
  readonly decision: "allowed" | "denied" | "refused" | "waiting";
  /** The rule, the watchdog, the mode or the stage. */
  readonly by?: string;
  /** Who answered, where a person was asked. */
  readonly person?: string;
  /** `done`, the code of its failure, or nothing while it runs or waits. */
  readonly outcome?: string;
}

export const LOGGED_EVENTS = [
  "approval-request",
  "approval-answer",
  "call-start",
  "call-end",
  "call-refuse",
] as const satisfies readonly JournalEvent["type"][];

type Change = Partial<LoggedCall> | undefined;

/** The calls of one session, in the order in which they were first told of. */
export async function loggedCalls(
  sessionId: string,
  events: AsyncIterable<JournalEvent>,
): Promise<readonly LoggedCall[]> {
  const calls = new Map<string, LoggedCall>();
  /** An answer names its request alone. */
  const asked = new Map<string, string>();
  for await (const event of events) {
    const callId = callIdOf(event, asked);
    const change = callId === undefined ? undefined : changeBy(event);
    if (callId === undefined || change === undefined) continue;
    const key = `${event.turn}/${callId}`;
    const before = calls.get(key) ?? { ...NEW_CALL, at: event.at, sessionId };
    calls.set(key, { ...before, ...change });
  }
  return [...calls.values()];
}

const NEW_CALL = { tool: "", effects: [], decision: "waiting" } as const;

function callIdOf(event: JournalEvent, asked: Map<string, string>): string | undefined {
  if (event.type === "approval-answer") return asked.get(`${event.turn}/${event.id}`);
  if (event.type !== "approval-request") return "callId" in event ? event.callId : undefined;
  asked.set(`${event.turn}/${event.id}`, event.request.callId);
  return event.request.callId;
}

function changeBy(event: JournalEvent): Change {
  switch (event.type) {
    case "approval-request": {
      const { toolName, effects, askedBy } = event.request;
      return { tool: toolName, effects: targetsOf(effects), by: askedBy.join(", ") };
    }
    case "approval-answer":
      return event.answer.by === undefined ? {} : { person: event.answer.by };
    case "call-start": {
      const { tool, effects, allowedBy } = event;
      return { tool, effects: targetsOf(effects), decision: "allowed", by: allowedBy };
    }
    case "call-end":
      return { outcome: event.ok ? "done" : failureOf(event.result.value) };
    case "call-refuse": {
      const { tool, effects = [], deniedBy, stage, code } = event;
      const decision = deniedBy === undefined ? "refused" : "denied";
      return { tool, effects: targetsOf(effects), decision, by: deniedBy ?? stage, outcome: code };
    }
    default:
      return undefined;
  }
}

interface Target {
  readonly capability: string;
  readonly target: string;
  readonly implied?: boolean;
}

function targetsOf(effects: readonly Target[]): readonly string[] {
  return effects
    .filter(({ implied }) => implied !== true)
    .map(({ capability, target }) => `${capability} ${target}`);
}

function failureOf(result: unknown): string {
  const code = (result as { readonly failure?: { readonly code?: unknown } } | undefined)?.failure?.code;
  return typeof code === "string" ? code : "failed";
}
