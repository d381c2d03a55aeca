import type { Label } from "../../contract/call/result.ts";
import type { DecisionFacts, PolicyContext } from "../../contract/policy/decision.ts";
import type { CanonicalEffect, PolicyCall, PolicyTool } from "../../contract/policy/policy-call.ts";
import type { Action } from "../../contract/policy/rule.ts";
import type { CallStart, JournalEvent } from "../../contract/store/event.ts";
import type { Journal } from "../../contract/store/store.ts";
import { defined } from "../../contract/values/defined.ts";
import { isSourceKind, type SourceKind } from "../../contract/values/origin.ts";
import { PRINCIPAL_EVENTS, RecordedPrincipals } from "../../journal/recorded-principals.ts";
import { CallHistory } from "../rules/call-history.ts";
import { policyCall, policyContext } from "../rules/policy-call.ts";

/** A call that was decided once, as far as the journal knows it: secrets are replaced. */
export interface RecordedCall {
  readonly turn: string;
  readonly call: PolicyCall;
  /** On whose behalf it was made, and what the session had taken in or touched by then. */
  readonly context: PolicyContext;
  /** What policy said before anybody was asked. */
  readonly was: Action;
  /** `layer: matchedBy` of the decision. */
  readonly by: string;
  /** In `observe` mode: what would have become of it. */
  readonly observed?: { readonly action: "ask" | "deny"; readonly reason: string };
}

/** What a journal does not contain. */
export interface Recollection {
  /** The tools of today, for what the journal does not say of them: mode, gate, address. */
  readonly tools?: readonly PolicyTool[];
  /** What the journal does not know of the session. */
  readonly context?: Partial<PolicyContext>;
}

/** Every call of a journal that got as far as a decision, in order. */
export async function recordedCalls(
  journal: Pick<Journal, "read">,
  { tools = [], context = {} }: Recollection = {},
): Promise<readonly RecordedCall[]> {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  let opened: Partial<PolicyContext> = {};
  const principals = new RecordedPrincipals();
  const history = new CallHistory();
  const calls: RecordedCall[] = [];
  for await (const event of journal.read({ types: [...PRINCIPAL_EVENTS, "call-start", "call-refuse"] })) {
    principals.add(event);
    if (event.type === "session-open") opened = openedAs(event);
    const decided = decidedIn(event);
    if (decided === undefined) continue;
    const { taint, by, facts } = decided;
    const principal = principals.of(event.turn);
    const surrounding = policyContext({
      ...opened,
      ...(principal === undefined ? {} : { principal }),
      taint: new Set(taint),
      now: facts?.now ?? event.at,
      earlier: history.upToHere(facts),
      // What had been approved before is not in the record, but that this was counts for it.
      isApproved: () => by.startsWith("approval:"),
      ...context,
    });
    const call = callOf(decided, byName);
    if (decided.isAllowed) history.add(`${event.turn}\n${call.id}`, event.at, call);
    calls.push({
      turn: event.turn,
      call,
      context: surrounding,
      ...outcomeOf(decided),
    });
  }
  return calls;
}

function openedAs(event: JournalEvent & { readonly type: "session-open" }): Partial<PolicyContext> {
  const { sessionId, agents, sandbox, isTrusted, roots } = event;
  return { sessionId, ...defined({ agents, sandbox, isTrusted, roots }) };
}

interface Decided {
  readonly callId: string;
  readonly tool: string;
  readonly origin: string;
  readonly args: unknown;
  readonly effects: readonly CanonicalEffect[];
  readonly isAllowed: boolean;
  readonly by: string;
  readonly taint: readonly Label[];
  readonly facts: DecisionFacts | undefined;
  readonly observed?: RecordedCall["observed"];
}

function decidedIn(event: JournalEvent): Decided | undefined {
  if (event.type !== "call-start" && event.type !== "call-refuse") return undefined;
  const { callId, tool, origin = "code", effects, taint = [], facts } = event;
  const isAllowed = event.type === "call-start";
  const [by, observed] = isAllowed ? [event.allowedBy, event.observed] : [event.deniedBy];
  if (by === undefined || effects === undefined) return undefined;
  const args = event.arguments.value;
  return { callId, tool, origin, args, effects, isAllowed, by, taint, facts, ...defined({ observed }) };
}

/** Whatever a person answered was asked. */
function outcomeOf({ isAllowed, by, observed }: Decided): Pick<RecordedCall, "was" | "by" | "observed"> {
  const decided = isAllowed ? "allow" : "deny";
  return { was: by.startsWith("approver:") ? "ask" : decided, by, ...defined({ observed }) };
}

/** A call that began, as far as the journal knows it. */
export function startedCall({ callId, tool, origin, effects, arguments: args }: CallStart): PolicyCall {
  return callOf({ callId, tool, origin, effects, args: args.value }, new Map());
}

function callOf(
  {
    callId: id,
    tool,
    origin,
    args,
    effects,
  }: Pick<Decided, "callId" | "tool" | "origin" | "args" | "effects">,
  byName: ReadonlyMap<string, PolicyTool>,
): PolicyCall {
  const parameters = typeof args === "object" && args !== null ? (args as Record<string, unknown>) : {};
  const input = policyCall({ id, tool, effects, args: parameters, ...whereFrom(origin, tool) });
  const found = byName.get(tool);
  return found === undefined ? input : { ...input, found };
}

/** A journal names origins as `layer/source` or `layer/source:id`. */
function whereFrom(
  origin: string,
  tool: string,
): { source?: SourceKind; remote?: { serverId: string; tool: string } } {
  const [, source = "", id] = /^[^/]*\/([^:]+)(?::(.*))?$/s.exec(origin) ?? [];
  if (!isSourceKind(source)) return {};
  if (source !== "mcp" || id === undefined) return { source };
  const bare = tool.startsWith(`${id}_`) ? tool.slice(id.length + 1) : tool;
  return { source, remote: { serverId: id, tool: bare } };
}
