import type { Label } from "../contract/call/result.ts";
import type { PolicyCall } from "../contract/policy/policy-call.ts";
import { defined } from "../contract/values/defined.ts";
import type { AppliedMarks } from "../pipeline/turn/taint.ts";
import { partsOf } from "./parent-context.ts";
import type { BaseSession } from "./session.ts";

/** The labels of a session, each with what it came from where that is known. */
export type SessionMarks = ReadonlyMap<Label, string | undefined>;

type Marked = Pick<BaseSession, "childContext">;

/** What a session has taken in or touched so far. */
export function sessionMarks(session: Marked): SessionMarks {
  const { taint, taintedBy } = contextOf(session).taint.applied;
  return new Map([...taint].map((label) => [label, taintedBy.get(label)]));
}

/** The labels of a session with what they came from, and what it changed of what is run, as it stands. */
export function sessionTaint(session: Marked): AppliedMarks {
  return contextOf(session).taint.applied;
}

/** Marks a session by what another session of the same conversation has taken in or touched, for `ofCall` where it is given. */
export function markSession(session: Marked, marks: SessionMarks, ofCall?: string): void {
  const { taint } = contextOf(session);
  for (const [label, by] of marks) taint.add({ label, ...defined({ by, ofCall }) });
}

/** Another program said that it did not run a call that it was left to ask about. Its parts have its id and a number. */
export function revokeMarks(session: Marked, callId: string): void {
  contextOf(session).taint.revoke((ofCall) => ofCall === callId || ofCall.startsWith(`${callId}.`));
}

/** Tells of every label that is new, before the call that brings it runs, until it is undone. */
export function onSessionMarks(session: Marked, tell: () => void): () => void {
  return contextOf(session).taint.listen((mark) => ("label" in mark ? tell() : undefined));
}

/** What a call adds to a session, also one that is decided and run elsewhere. */
export function marksOfCall(session: Marked, call: PolicyCall): SessionMarks {
  const { marksOf, scope } = contextOf(session);
  const marks = marksOf(call, scope.variables.workspace ?? []);
  return new Map(Object.entries(marks) as [Label, string][]);
}

function contextOf(session: Marked) {
  return partsOf(session.childContext("marks", {}));
}
