import type { Principal } from "../contract/people/principal.ts";
import type { Rule } from "../contract/policy/rule.ts";
import type { JournalEvent } from "../contract/store/event.ts";
import type { Journal } from "../contract/store/store.ts";
import { defined } from "../contract/values/defined.ts";
import { invalidOption } from "../contract/values/error.ts";
import { callKey } from "../pipeline/turn/session-state.ts";
import { Taint } from "../pipeline/turn/taint.ts";
import { startedCall } from "../policy/history/recorded-calls.ts";
import { ruleError } from "../policy/rules/compile-rule.ts";
import type { SessionOptions } from "./options.ts";
import type { OpenedBefore } from "./principals.ts";
import type { SessionParts } from "./run-turn.ts";

/** What a session is restored from. Everything else in a journal is history. */
const RESTORED = [
  "session-open",
  "session-taint",
  "script-change",
  "approval-remember",
  "approval-forget",
  "rule-add",
  "state-write",
] as const;

export type LeftSession = NonNullable<Awaited<ReturnType<typeof readJournal>>>;

/** What an earlier process left of the session; `undefined` for a new one. */
export async function readJournal(journal: Journal, id: string) {
  const extent = await journal.extent();
  if (extent.nextSeq === 0) return undefined;
  const states: { tool: string; version: number; value: unknown }[] = [];
  const taint = new Taint();
  const remembered: string[] = [];
  const rules: { readonly rule: Rule; readonly principal: Principal }[] = [];
  let opened: OpenedBefore | undefined;
  let policy: string | undefined;
  for await (const event of journal.read({ types: RESTORED, standing: true })) {
    if (event.type === "session-open" && event.sessionId !== id)
      throw invalidOption(`This journal belongs to the session ${event.sessionId}.`);
    if (event.type === "session-open") [opened, policy] = [event, event.policy];
    if (event.type === "session-taint" || event.type === "script-change") markAgain(taint, event);
    if (event.type === "approval-remember" && event.scope === undefined) remembered.push(...event.entries);
    if (event.type === "rule-add") rules.push(event);
    if (event.type === "approval-forget") remembered.length = rules.length = 0;
    if (event.type === "state-write")
      states.push({ tool: event.tool, version: event.version, value: event.value.value });
  }
  return { states, taint, remembered, rules, opened, policy, ...extent };
}

function markAgain(taint: Taint, event: JournalEvent & { type: "session-taint" | "script-change" }): void {
  if (event.type === "script-change") {
    if (event.isApproved === true) taint.approveScripts([event.path]);
    else taint.add({ script: event.path });
    return;
  }
  const { label, by, ofCall, isRevoked } = event;
  if (isRevoked === true) taint.revoke((one) => one === ofCall);
  else taint.add({ label, ...defined({ by, ofCall }) });
}

/** Without its parent, a subagent that is continued would have more than it was given. */
export function assertItsParent(
  { parent }: SessionOptions,
  id: string,
  before: OpenedBefore | undefined,
): void {
  const agents = before?.agents ?? [];
  if (parent !== undefined || agents.length === 0) return;
  throw invalidOption(
    `The session ${JSON.stringify(id)} is that of the subagent ${agents.join(" > ")}: its parent continues it. Resume the agent that started it, or give \`parent\`.`,
  );
}

/** The calls that earlier processes made, where the rules count them. */
export async function restoreCalls(
  { runtime: { authorizer, sessionId }, parentContext }: SessionParts,
  journal: Pick<Journal, "read">,
): Promise<void> {
  const { longestWindowMs } = authorizer;
  if (longestWindowMs === undefined) return;
  const since = Date.now() - longestWindowMs;
  for await (const event of journal.read({ types: ["call-start"] })) {
    if (event.type !== "call-start" || event.at < since) continue;
    parentContext.history.add(callKey(sessionId, event.turn, event.callId), event.at, startedCall(event));
  }
}

/** Puts back what an earlier process left. */
export function restore({ runtime, parentContext }: SessionParts, left: LeftSession): void {
  for (const { tool, version, value } of left.states) runtime.states.restore(tool, version, value);
  parentContext.memory.restore(left.remembered);
  // A rule that held a secret was written without it, and may be invalid now.
  for (const { rule, principal } of left.rules)
    if (ruleError(rule) === undefined) runtime.authorizer.add?.(rule, principal);
}
