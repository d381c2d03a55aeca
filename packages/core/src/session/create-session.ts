import { type Approver, HEADLESS_QUESTION } from "../contract/approval/approval.ts";
import { ToolFailure } from "../contract/call/result.ts";
import type { Question, QuestionAnswers } from "../contract/people/question.ts";
import type { JournalEntry } from "../contract/store/event.ts";
import type { Steps } from "../contract/store/steps.ts";
import type { Journal, OpenJournal } from "../contract/store/store.ts";
import type { Tool } from "../contract/tool/tool.ts";
import { defined } from "../contract/values/defined.ts";
import { invalidOption } from "../contract/values/error.ts";
import { currentProgram, EVENT_VERSION } from "../contract/values/program.ts";
import { createEventStream } from "../journal/event-stream.ts";
import { memoryJournal } from "../journal/memory-journal.ts";
import { memoryPending } from "../journal/memory-pending.ts";
import { rawAppenderOf, setRawAppender } from "../journal/raw-entries.ts";
import { createEffectLocks } from "../locks/effect-locks.ts";
import { PROCESS_LOCKS } from "../locks/process-locks.ts";
import { Recorder } from "../pipeline/record/recorder.ts";
import { ToolStates } from "../pipeline/record/tool-states.ts";
import { Answers } from "../pipeline/steps/answers.ts";
import { InProcessSteps } from "../pipeline/steps/in-process-steps.ts";
import type { StepsOutside } from "../pipeline/steps/record-answer.ts";
import { Hooks } from "../pipeline/turn/hooks.ts";
import { limitsOf } from "../pipeline/turn/limits.ts";
import { OpenTurns } from "../pipeline/turn/open-turns.ts";
import { RunningCalls } from "../pipeline/turn/running-calls.ts";
import { SessionState } from "../pipeline/turn/session-state.ts";
import { Spawning } from "../pipeline/turn/spawning.ts";
import type { TaintMark } from "../pipeline/turn/taint.ts";
import type { Ports, Runtime } from "../pipeline/turn/turn.ts";
import { readRules } from "../policy/grammar/parse-rule.ts";
import { policyFingerprint } from "../policy/policy-fingerprint.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { assertNoneCritical } from "../registry/critical-diagnostics.ts";
import type { Registry } from "../registry/registry.ts";
import { memorySidecar } from "../results/memory-sidecar.ts";
import { findTelemetry } from "../telemetry/find-telemetry.ts";
import { assertOptions } from "./assert-options.ts";
import { disposeTools } from "./end-session.ts";
import type { SessionOptions, SessionPorts, StepsParts } from "./options.ts";
import { type ParentContextParts, requirementsOf } from "./parent-context.ts";
import { policyDefinition } from "./policy-definition.ts";
import type { Opened } from "./principals.ts";
import { assertItsParent, type LeftSession, readJournal, restore, restoreCalls } from "./restore-session.ts";
import type { SessionParts } from "./run-turn.ts";
import { BaseSession, type Session } from "./session.ts";
import { contextAmong, registryOf } from "./start-conditions.ts";
import { StoreLink } from "./store-link.ts";
import { createBudgets } from "./token-budget.ts";
import { TurnNames } from "./turn.ts";

type AllOptions = SessionOptions & SessionPorts;

/** Puts a session together from its options: a new one, or one that continues where it was. */
export async function createSession<const Tools extends readonly Tool[] = readonly Tool[]>(
  options: SessionOptions<Tools> & SessionPorts = {},
): Promise<Session<Tools>> {
  assertOptions(options);
  const context = contextAmong(options);
  const id = sessionIdOf(options, context.redactor);
  const registry = registryOf(options, context.scope.variables);
  const journal = await openJournal(options, id);
  try {
    const left = await readJournal(journal, id);
    assertItsParent(options, id, left?.opened);
    // Before the session listens: its journal has them.
    context.taint.add(...(left?.taint.kept ?? []));
    const opened = { seq: left?.nextSeq ?? 0, before: left?.opened };
    const parts = await assemble(options, { id, context, registry, journal, opened });
    await parts.prepare();
    assertNoneCritical(registry.critical);
    if (left !== undefined) restore(parts, left);
    if (left !== undefined) await restoreCalls(parts, journal);
    announce(parts, await policyFingerprint(context.policies), left);
    return new BaseSession(parts, new TurnNames(context.redactor, left?.lastTurn)) as Session<Tools>;
  } catch (error) {
    await journal.release();
    throw error;
  }
}

/** Decisions depend on whose behalf and within what a session runs, so that is recorded. */
function announce(
  { runtime: { sessionId, recorder, scope }, parentContext }: SessionParts,
  policy: string | undefined,
  left: LeftSession | undefined,
): void {
  const before = left?.policy;
  const { principal, agents, sandbox, isTrusted, redactor } = parentContext;
  const roots = (scope.variables.workspace ?? []).map((root) => redactor.redact(root));
  recorder.write("", {
    ...{ type: "session-open", sessionId, eventVersion: EVENT_VERSION, program: currentProgram() },
    ...{ principal, agents, sandbox, ...defined({ policy }) },
    ...(isTrusted ? { isTrusted } : {}),
    ...(roots.length > 0 ? { roots } : {}),
  });
  if (policy !== undefined && before !== undefined && policy !== before)
    recorder.write("", { type: "policy-change", policy, before });
  if (left !== undefined) return;
  for (const mark of parentContext.taint.kept) recorder.write("", markEvent(mark, redactor));
}

function markEvent(mark: TaintMark, redactor: Redactor): JournalEntry {
  if ("label" in mark)
    return { type: "session-taint", ...mark, ...defined({ by: mark.by && redactor.redact(mark.by) }) };
  const approved = mark.isApproved === true ? { isApproved: true as const } : {};
  return { type: "script-change", path: redactor.redact(mark.script), ...approved };
}

/** Events and pending arguments are found by the id, so a secret in it could not be replaced. */
function sessionIdOf({ id }: SessionOptions, redactor: Redactor): string {
  if (id === undefined) return crypto.randomUUID();
  if (redactor.find(id).length === 0) return id;
  throw invalidOption("The session option `id` holds a secret. Use another id.");
}

function openJournal({ journal, store }: AllOptions, id: string): Promise<OpenJournal> | OpenJournal {
  return journal === undefined && store !== undefined ? store.open(id) : unowned(journal ?? memoryJournal());
}

/** A journal that no other process can open. */
function unowned(journal: Journal): OpenJournal {
  const open: OpenJournal = {
    append: (seq, at, turn, entry) => journal.append(seq, at, turn, entry),
    flush: () => journal.flush(),
    read: (query) => journal.read(query),
    extent: () => journal.extent(),
    fence: "",
    lost: new AbortController().signal,
    release: async () => {},
  };
  const appendRaw = rawAppenderOf(journal);
  if (appendRaw !== undefined) setRawAppender(open, appendRaw);
  return open;
}

interface Assembled {
  readonly id: string;
  readonly context: ParentContextParts;
  readonly registry: Registry;
  readonly journal: OpenJournal;
  readonly opened: Opened;
}

/** Everything a session needs, from the options and the defaults. */
async function assemble(
  options: AllOptions,
  { id, context, registry, journal, opened }: Assembled,
): Promise<SessionParts> {
  const { redactor } = context;
  const stream = createEventStream();
  const answers = new Answers();
  const link = new StoreLink(options.store, id, journal);
  const recorder = new Recorder(journal, stream, { redactor, firstSeq: opened.seq });
  const ports = portsOf(options, id, context);
  const telemetry = findTelemetry();
  const runtime = runtimeOf(options, { id, context, registry, recorder, ports, telemetry });
  const ask = askAtInit(ports.approver, runtime);
  const outside: StepsOutside = {
    sessionId: id,
    recorder,
    redactor,
    approver: ports.approver,
    pending: ports.pending,
    answers,
    ...(options.tasks === undefined ? {} : { tasks: options.tasks }),
    token: journal.fence === "" ? crypto.randomUUID() : journal.fence,
    takeMessages: () => link.takeMessages(),
  };
  return {
    runtime,
    registry,
    rules: () => readRules(policyDefinition(options.policy)?.rules ?? []),
    prepare: () => registry.prepare(ask),
    parentContext: context,
    release: context.taint.listen((mark) => recorder.write("", markEvent(mark, redactor))),
    // A registry that was given may be used by others too.
    disposeTools: async () =>
      options.registry === undefined ? disposeTools(registry.list(), runtime.limits.graceMs) : undefined,
    journal,
    link,
    stream,
    answers,
    strategy: options.strategy ?? "parallel",
    principal: context.principal,
    opened,
    newBudget: options.budget === undefined ? undefined : await createBudgets(options.budget),
    newSteps: options.steps ?? ((turn, parts) => inProcessSteps(turn, outside, parts)),
  };
}

function runtimeOf(
  options: AllOptions,
  parts: Pick<Assembled, "id" | "context" | "registry"> & Pick<Runtime, "recorder" | "ports" | "telemetry">,
): Runtime {
  const { id, context, registry, recorder, ports, telemetry } = parts;
  const { redactor, approvalDeadlineMs, scope } = context;
  const limits = limitsOf(options.limits);
  return {
    sessionId: id,
    limits: approvalDeadlineMs === undefined ? limits : { ...limits, approvalDeadlineMs },
    authorizer: context.authorizer,
    sessionState: new SessionState({
      sessionId: id,
      ...context,
      roots: scope.variables.workspace ?? [],
      redactor,
      requires: () => requirementsOf(options, registry),
    }),
    scope,
    hooks: new Hooks(options.gates ?? [], options.observers ?? [], recorder),
    locks: createEffectLocks(),
    locking: {
      locks: options.store?.locks ?? PROCESS_LOCKS,
      capabilities: context.policies.flatMap(({ locks = [] }) => locks),
    },
    recorder,
    redactor,
    running: new RunningCalls(),
    open: new OpenTurns(),
    states: new ToolStates(recorder, redactor),
    spawning: new Spawning(),
    ports,
    signedApprovals: context.signedApprovals,
    storePath: options.store?.path,
    telemetry,
  };
}

/** The approver of a deferred turn: the request is recorded, and answered through the session. */
const LATER: Approver = Object.freeze({
  approve: async () => "later" as const,
  answer: async () => "later" as const,
});

function inProcessSteps(
  turn: string,
  outside: StepsOutside,
  { cancellation, record, isDeferred }: StepsParts,
): Steps {
  const asked = isDeferred ? { ...outside, approver: LATER } : outside;
  return new InProcessSteps(turn, asked, cancellation, record);
}

function portsOf(options: AllOptions, id: string, { approver, redactor }: ParentContextParts): Ports {
  const { store } = options;
  return {
    approver,
    pending: options.pending ?? store?.pending ?? memoryPending(),
    sidecar: options.sidecar ?? store?.outputs?.(id, { redactor }) ?? memorySidecar(),
    ...defined({ resolver: options.resolver, grantIo: options.grantIo, skills: options.skills }),
    ...defined({ mayContain: options.mayContain }),
  };
}

/** Puts the questions of a tool's `init` to the approver, and records them. */
function askAtInit(
  approver: Approver,
  { sessionId, recorder, redactor }: Runtime,
): (toolName: string, questions: readonly Question[]) => Promise<QuestionAnswers> {
  let asked = 0;
  const redacted = <Value>(value: Value) => JSON.parse(redactor.redactJson(JSON.stringify(value))) as Value;
  return async (toolName, questions) => {
    if (approver.answer === undefined) throw new ToolFailure("unavailable", HEADLESS_QUESTION);
    asked += 1;
    const id = `init/${asked}`;
    const request = { id, sessionId, callId: id, toolName, questions };
    recorder.write("", { type: "question-request", id, request: redacted(request) });
    const answers = await approver.answer(request, new AbortController().signal);
    if (answers === "later")
      throw new ToolFailure("unavailable", "A tool cannot wait for an answer in `init`.");
    recorder.write("", { type: "question-answer", id, answers: redacted(answers) });
    return answers;
  };
}
