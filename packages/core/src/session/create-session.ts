import { type Approver, headlessApprover } from "../contract/approval.ts";
import { ToolkeepError } from "../contract/error.ts";
import type { JournalEntry } from "../contract/event.ts";
import type { Journal } from "../contract/journal.ts";
import type { Label } from "../contract/result.ts";
import type { Rule } from "../contract/rule.ts";
import type { Message } from "../contract/steps.ts";
import { createEventStream } from "../journal/event-stream.ts";
import { memoryJournal } from "../journal/memory-journal.ts";
import { memoryPending } from "../journal/memory-pending.ts";
import { createEffectLocks } from "../locks/effect-locks.ts";
import { Answers } from "../pipeline/answers.ts";
import { Hooks } from "../pipeline/hooks.ts";
import { InProcessSteps, type StepsOutside } from "../pipeline/in-process-steps.ts";
import { OpenTurns } from "../pipeline/open-turns.ts";
import { Recorder } from "../pipeline/recorder.ts";
import { RunningCalls } from "../pipeline/running-calls.ts";
import { SessionState } from "../pipeline/session-state.ts";
import { DEFAULT_SETTINGS, type Settings } from "../pipeline/settings.ts";
import type { TaintMark } from "../pipeline/taint.ts";
import { ToolStates } from "../pipeline/tool-states.ts";
import type { Ports, Runtime } from "../pipeline/turn.ts";
import { SHORTEST_SECRET } from "../policy/approvals/sign-approval.ts";
import { ruleError } from "../policy/compile-rule.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { createRegistry, type Registry } from "../registry/registry.ts";
import { memorySidecar } from "../results/memory-sidecar.ts";
import { askAtInit } from "./ask-at-init.ts";
import { putAway } from "./dispose.ts";
import type { SessionOptions } from "./options.ts";
import { partsOf } from "./parent-context.ts";
import { parentContextOf, requirementsOf } from "./parent-context-of.ts";
import { Session } from "./session.ts";
import type { SessionParts } from "./session-parts.ts";
import { createBudgets } from "./token-budget.ts";
import { TurnNames } from "./turn-names.ts";

/** Opens a session. The one place where the parts are put together. */
export async function createSession(options: SessionOptions = {}): Promise<Session> {
  if (options.journal !== undefined && (await options.journal.extent()).nextSeq > 0) {
    throw new ToolkeepError(
      "invalid_option",
      "This journal has events already. To go on with its session, use reopenSession.",
    );
  }
  const parts = await assemble(checked(options));
  await parts.prepare();
  announce(parts);
  return new Session(parts, new TurnNames(parts.parentContext.redactor));
}

/**
 * Opens a session that an earlier process left, over its journal and its pending arguments. Turns
 * that were parked or cut off can be resumed.
 */
export async function reopenSession(
  options: SessionOptions & Required<Pick<SessionOptions, "sessionId" | "journal" | "pending">>,
): Promise<Session> {
  const left = await readJournal(options.journal);
  if (left.sessionId !== undefined && left.sessionId !== options.sessionId) {
    throw new ToolkeepError("invalid_option", `This journal belongs to the session ${left.sessionId}.`);
  }
  const parts = await assemble(checked(options), left.nextSeq);
  await parts.prepare();
  for (const { tool, version, value } of left.states) parts.runtime.states.restore(tool, version, value);
  parts.parentContext.taint.add(left.taint);
  parts.parentContext.taint.addScripts(left.scripts);
  parts.parentContext.memory.restore(left.remembered);
  // A rule that held a secret was written without it, and may be none any more.
  for (const rule of left.rules.filter((one) => ruleError(one) === undefined))
    parts.runtime.authorizer.add?.(rule);
  announce(parts);
  return new Session(parts, new TurnNames(parts.parentContext.redactor, left.lastTurn));
}

/** On whose behalf and within what it runs is part of the record: decisions depended on it. */
function announce({ runtime: { sessionId, recorder }, parentContext }: SessionParts): void {
  const { principal, agents, sandbox } = parentContext;
  recorder.write("", { type: "session-open", sessionId, principal, agents, sandbox });
  for (const label of parentContext.taint.labels) recorder.write("", { type: "session-taint", label });
  for (const script of parentContext.taint.scripts)
    recorder.write("", markEvent({ script }, parentContext.redactor));
}

function markEvent(mark: TaintMark, redactor: Redactor): JournalEntry {
  return "label" in mark
    ? { type: "session-taint", label: mark.label }
    : { type: "script-change", path: redactor.redact(mark.script) };
}

/** Events and what is kept are found by it, so it cannot be replaced where it is written. */
function sessionIdOf({ sessionId = crypto.randomUUID() }: SessionOptions, redactor: Redactor): string {
  if (redactor.find(sessionId).length === 0) return sessionId;
  throw new ToolkeepError("invalid_option", "`sessionId` holds a secret. Name the session otherwise.");
}

/** Everything a session needs, from the options and the defaults. */
async function assemble(options: SessionOptions, firstSeq = 0): Promise<SessionParts> {
  const journal = options.journal ?? memoryJournal();
  const stream = createEventStream();
  const ports = portsOf(options);
  const answers = new Answers();
  const messages: Message[] = [];
  const registry = registryOf(options);
  const parentContext = parentContextOf(options, ports.approver);
  const { redactor } = parentContext;
  const sessionId = sessionIdOf(options, redactor);
  const recorder = new Recorder(journal, stream, { redactor, firstSeq });
  const ask = askAtInit(ports.approver, recorder, redactor);
  const runtime: Runtime = {
    sessionId,
    settings: settingsOf(options, parentContext.approvalDeadlineMs),
    authorizer: parentContext.authorizer,
    sessionState: new SessionState({
      sessionId,
      ...parentContext,
      roots: parentContext.confinement.variables.workspace ?? [],
      redactor,
      requires: () => requirementsOf(options, registry),
    }),
    confinement: parentContext.confinement,
    hooks: new Hooks(options.gates ?? [], options.observers ?? [], recorder),
    locks: createEffectLocks(),
    recorder,
    redactor,
    running: new RunningCalls(),
    open: new OpenTurns(),
    states: new ToolStates(recorder, redactor),
    ports,
  };
  const outside: StepsOutside = {
    sessionId: runtime.sessionId,
    recorder,
    redactor,
    approver: ports.approver,
    pending: ports.pending,
    answers,
    ...(options.tasks === undefined ? {} : { tasks: options.tasks }),
    token: crypto.randomUUID(),
    takeMessages: () => messages.splice(0),
  };
  return {
    runtime,
    registry,
    prepare: () => registry.prepare(ask),
    parentContext,
    release: parentContext.taint.listen((mark) => recorder.write("", markEvent(mark, redactor))),
    // Who gave a registry may have given it to others too.
    putAway: async () =>
      options.registry === undefined ? putAway(registry.list(), runtime.settings.graceMs) : undefined,
    approvalSecret: parentContext.approvalSecret,
    journal,
    stream,
    answers,
    messages,
    strategy: options.strategy ?? "parallel",
    principal: parentContext.principal,
    newBudget: options.budget === undefined ? undefined : await createBudgets(options.budget),
    newSteps:
      options.steps ??
      ((turn, cancellation, record) => new InProcessSteps(turn, outside, cancellation, record)),
  };
}

function portsOf(options: SessionOptions): Ports {
  return {
    approver: approverOf(options),
    pending: options.pending ?? memoryPending(),
    sidecar: options.sidecar ?? memorySidecar(),
    ...(options.resolver === undefined ? {} : { resolver: options.resolver }),
    ...(options.grantIo === undefined ? {} : { grantIo: options.grantIo }),
    ...(options.skills === undefined ? {} : { skills: options.skills }),
  };
}

/** A subagent asks whom its root asks: nobody else may answer for it. */
function approverOf({ approver: given, parent }: SessionOptions): Approver {
  if (parent !== undefined) return partsOf(parent).approver;
  if (given === undefined) return headlessApprover;
  return typeof given === "function" ? { approve: given } : given;
}

const OPTIONS: ReadonlySet<string> = new Set([
  ...["sessionId", "tools", "registry", "strategy", "gates", "observers", "budget", "settings", "principal"],
  ...["parent", "policy", "rules", "watchdogs", "authorizer", "manifest", "isolation", "projectApprovals"],
  ...[
    "approvalSecret",
    "variables",
    "ceiling",
    "approver",
    "journal",
    "steps",
    "pending",
    "sidecar",
    "redactor",
  ],
  ...["resolver", "grantIo", "tasks", "skills"],
]);

const SESSION_ID = /^[^/\p{Cc}]{1,256}$/u;

/** An option that nobody reads may have been meant to forbid something. */
function checked(options: SessionOptions): SessionOptions {
  const foreign = Object.keys(options).find((key) => !OPTIONS.has(key));
  if (foreign !== undefined)
    throw new ToolkeepError("invalid_option", `A session has no option ${JSON.stringify(foreign)}.`);
  if (options.sessionId !== undefined && !SESSION_ID.test(options.sessionId))
    throw new ToolkeepError(
      "invalid_option",
      "`sessionId` is 1 to 256 characters, without slashes and control characters: it names what is kept.",
    );
  if (options.approvalSecret !== undefined && options.approvalSecret.length < SHORTEST_SECRET)
    throw new ToolkeepError(
      "invalid_option",
      `\`approvalSecret\` needs at least ${SHORTEST_SECRET} characters.`,
    );
  return options;
}

function settingsOf({ settings }: SessionOptions, approvalDeadlineMs: number | undefined): Settings {
  return {
    ...DEFAULT_SETTINGS,
    ...settings,
    ...(approvalDeadlineMs === undefined ? {} : { approvalDeadlineMs }),
    retry: { ...DEFAULT_SETTINGS.retry, ...settings?.retry },
  };
}

function registryOf({ registry = createRegistry(), tools = [] }: SessionOptions): Registry {
  for (const tool of tools) {
    const error = registry.register(tool);
    // What the embedder wrote into the options is the embedder's to mend; sources are only left out.
    if (error !== undefined) {
      throw new ToolkeepError(
        "invalid_tool",
        `Tool ${JSON.stringify(error.toolName)}, ${error.path || "/"}: ${error.message}`,
      );
    }
  }
  return registry;
}

/** What a session is put back from. Everything else in a journal is history. */
const RESTORED = [
  "session-open",
  "session-taint",
  "script-change",
  "approval-remember",
  "approval-forget",
  "rule-add",
  "state-write",
] as const;

async function readJournal(journal: Journal) {
  const states: { tool: string; version: number; value: unknown }[] = [];
  const taint: Label[] = [];
  const scripts: string[] = [];
  const remembered: string[] = [];
  const rules: Rule[] = [];
  let sessionId: string | undefined;
  for await (const event of journal.read({ types: RESTORED, standing: true })) {
    if (event.type === "session-open") sessionId = event.sessionId;
    if (event.type === "session-taint") taint.push(event.label);
    if (event.type === "script-change") scripts.push(event.path);
    if (event.type === "approval-remember") remembered.push(...event.entries);
    if (event.type === "rule-add") rules.push(event.rule);
    if (event.type === "approval-forget") remembered.length = rules.length = 0;
    if (event.type === "state-write")
      states.push({ tool: event.tool, version: event.version, value: event.value.value });
  }
  return { states, sessionId, taint, scripts, remembered, rules, ...(await journal.extent()) };
}
