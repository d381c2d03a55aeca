import type { Effect, RequirementSet } from "../../contract/call/effect.ts";
import type { Label } from "../../contract/call/result.ts";
import type { IsolationLevel } from "../../contract/io/sandbox.ts";
import type { Principal } from "../../contract/people/principal.ts";
import type { Authorizer, Decision, PolicyContext, RepeatedCall } from "../../contract/policy/decision.ts";
import type { PolicyCall } from "../../contract/policy/policy-call.ts";
import { isWithin } from "../../contract/values/path-within.ts";
import { changedScriptsOf } from "../../file-names/script-files.ts";
import type { ApprovalMemory } from "../../policy/approvals/approval-memory.ts";
import { definitionFingerprint } from "../../policy/approvers/fingerprint.ts";
import type { CallHistory } from "../../policy/rules/call-history.ts";
import { changedBehind } from "../../policy/watchdogs/changed-scripts.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import type { QueuedCall } from "./stage.ts";
import type { Taint, TaintMark } from "./taint.ts";

/** What the decisions of a session depend on, as it stands. */
export interface SessionStateParts {
  readonly sessionId: string;
  readonly agents: readonly string[];
  readonly sandbox: IsolationLevel;
  readonly isTrusted: boolean;
  readonly roots: readonly string[];
  readonly redactor: Redactor;
  readonly memory: ApprovalMemory;
  readonly taint: Taint;
  /** The calls so far, where the rules count them. */
  readonly history: CallHistory;
  readonly authorizer: Pick<Authorizer, "longestWindowMs">;
  requires(): RequirementSet;
  /** What a call adds to the taint of a session with these roots, and by what. */
  marksOf(call: PolicyCall, roots: readonly string[]): Readonly<Partial<Record<Label, string>>>;
}

/** Keeps what has happened in a session, as far as decisions ask for it. */
export class SessionState {
  readonly #parts: SessionStateParts;
  #latest: RepeatedCall | undefined;
  #context: PolicyContext | undefined;

  constructor(parts: SessionStateParts) {
    this.#parts = parts;
  }

  get memory(): ApprovalMemory {
    return this.#parts.memory;
  }

  get agents(): readonly string[] {
    return this.#parts.agents;
  }

  /** How many marks the session has. */
  get taintCount(): number {
    const { taint, changedScripts } = this.#parts.taint.applied;
    return taint.size + changedScripts.size;
  }

  /** Most turns run on behalf of the same. */
  of(principal: Principal): PolicyContext {
    const { taint } = this.#parts.taint.applied;
    if (this.#context?.principal !== principal || this.#context.taint !== taint)
      this.#context = this.#make(principal);
    return this.#context;
  }

  /** It was decided for the first time: repetitions are counted from here. */
  propose({ found: { name: toolName }, argsText }: PolicyCall): void {
    const isSame = this.#latest?.toolName === toolName && this.#latest.argsText === argsText;
    this.#latest = { toolName, argsText, times: isSame ? (this.#latest?.times ?? 0) + 1 : 1 };
  }

  /** Decides a call that may have been decided, and counted, before. */
  deciding<Decided>(call: PolicyCall, turnId: string, decide: () => Decided): Decided {
    return this.#parts.history.deciding(this.#keyOf(call, turnId), decide);
  }

  /**
   * Marks what the call takes in or touches. That is done when it is decided and not when it is over:
   * calls of one batch are decided before any of them runs.
   */
  mark(call: PolicyCall, decision: Decision, turnId: string): void {
    if (decision.action === "deny") return;
    const { authorizer, history, taint } = this.#parts;
    const key = this.#keyOf(call, turnId);
    if (authorizer.longestWindowMs !== undefined) history.add(key, Date.now(), call);
    taint.expect(key, this.#marksOf(call, turnId));
  }

  /** The call begins: what it takes in or touches stays. */
  begin(call: QueuedCall, turnId: string): void {
    this.#parts.taint.begin(this.#keyOf(call, turnId), call.isElsewhere === true ? call.id : undefined);
  }

  /** The call was refused: it took in and touched nothing. */
  drop(call: Pick<PolicyCall, "id">, turnId: string): void {
    this.#parts.taint.expect(this.#keyOf(call, turnId), []);
  }

  /**
   * The context for a call that is decided once more, after an answer. The content that it takes in itself is not there
   * before it runs, and says nothing about what it sends: otherwise the first request after private data would ask
   * twice. Whatever else the session has marked since counts.
   */
  again(call: PolicyCall, principal: Principal, turnId: string): PolicyContext {
    const context = this.of(principal);
    const marks = this.#parts.taint.without(this.#keyOf(call, turnId));
    return marks.taint === context.taint ? context : { ...context, ...marks };
  }

  #marksOf(call: PolicyCall, turnId: string): readonly TaintMark[] {
    const { taint, marksOf, roots } = this.#parts;
    const found: TaintMark[] = changedScriptsOf(call.effects)
      .filter((path) => !this.#isTemporary(path, call.effects))
      .map((script) => ({ script }));
    if (taint.isFull) return found;
    const marks = marksOf(call, roots);
    const add = (label: Label, by: string) => found.push({ label, by: `${stepOf(turnId)} ${by}` });
    if (marks.untrusted !== undefined) add("untrusted", marks.untrusted);
    if (marks.private !== undefined) add("private", marks.private);
    for (const label of call.found.tool.labels ?? []) add(label, call.found.name);
    return found;
  }

  /** An approver allowed the call: what it runs of what was changed is not asked about again until it changes. */
  approveScripts(call: PolicyCall, turnId: string): void {
    const { taint } = this.#parts;
    const { changedScripts } = taint.applied;
    if (changedScripts.size > 0)
      taint.approveScripts(changedBehind(call.effects, changedScripts), this.#keyOf(call, turnId));
  }

  /** A source may say of what it gave that it is private. That every output is untrusted goes without saying. */
  carry(labels: readonly Label[]): void {
    if (labels.includes("private")) this.#parts.taint.add({ label: "private" });
  }

  /** In a sandbox, what follows from a command outside of the roots is a file of the session's own, which ends with it. */
  #isTemporary(path: string, effects: readonly Effect[]): boolean {
    const { sandbox, roots } = this.#parts;
    const [file = ""] = path.split("#");
    if (sandbox === "none" || roots.length === 0 || roots.some((root) => isWithin(file, root))) return false;
    return effects.every(({ target, implied, capability }) =>
      target === file && capability !== "fs.read" ? implied === true : true,
    );
  }

  #keyOf({ id }: Pick<PolicyCall, "id">, turnId: string): string {
    return callKey(this.#parts.sessionId, turnId, id);
  }

  #make(principal: Principal): PolicyContext {
    const latest = () => this.#latest;
    const { sessionId, agents, sandbox, isTrusted, roots, redactor, memory, taint, requires, history } =
      this.#parts;
    return {
      sessionId,
      principal,
      agents,
      sandbox,
      isTrusted,
      roots,
      ...taint.applied,
      get requires() {
        return requires();
      },
      get last() {
        return latest();
      },
      get now() {
        return Date.now();
      },
      earlier: history,
      holdsSecret: (text) => redactor.find(text).length > 0,
      isApproved: (call, asker) => memory.isApproved(call, asker, { principal, sandbox }),
      definitionHash: definitionFingerprint,
    };
  }
}

/** A call under which it counts once, however often it is decided. */
export function callKey(sessionId: string, turnId: string, callId: string): string {
  return `${sessionId}\n${turnId}\n${callId}`;
}

/** Turns without a name of their own are numbered. */
function stepOf(turnId: string): string {
  const [, number] = /^t(\d+)$/.exec(turnId) ?? [];
  return number === undefined ? `turn ${turnId}` : `step ${number}`;
}
