import { createRegistry, type Registry, type Session } from "@toolkeep/core";
import { markSession, sessionMarks } from "@toolkeep/core/internal";
import type { Explanation, Policy } from "@toolkeep/core/policy";
import { dryRunTools } from "../hooks/dry-run-tools.ts";
import type { HookCall } from "../hooks/hook-call.ts";
import { HOOKS } from "../hooks/hooks-of-clients.ts";
import { openConversation, unconfined } from "../hooks/open-conversation.ts";
import { PayloadError } from "../hooks/payload.ts";
import { type EvaluatedCall, explanationOf } from "../hooks/refused-calls.ts";
import { resolvedCalls } from "../hooks/resolved-calls.ts";
import { reasonOf, type SafeForm, safeFormOf } from "../hooks/safe-form.ts";
import { typedInput } from "../hooks/typed-input.ts";
import { isGone, remoteCalls } from "./read-recorded.ts";
import type { RecordedCall, RecordedConversation, ScannedClient } from "./recorded-call.ts";
import { rememberingResolver } from "./remembering-resolver.ts";
import { type ScannedProject, scannedProject } from "./scanned-project.ts";

/** What the policy would have said about a recorded call. `redirect`: another command is named that does the same. */
export interface DecidedRecord {
  readonly client: ScannedClient;
  readonly at: number;
  readonly conversation: string;
  /** The client's name of the tool. */
  readonly tool: string;
  readonly call: HookCall | undefined;
  readonly project: ScannedProject;
  readonly action: "allow" | "ask" | "redirect" | "deny";
  readonly reason?: string;
  /** Of a call that asks. */
  readonly explained?: readonly Explanation[];
  /** Whether a call that asks is allowed in the same project once the user trusts it. */
  readonly isAllowedIfTrusted?: boolean;
  /** Whether it depends on files that are not there any more. */
  readonly isGone: boolean;
}

const MOST_KEPT = 20_000;

/** Decides about the calls of histories. Nothing is executed, recorded or written. */
export class HistoryDecider {
  readonly #policy: Policy["definition"];
  readonly #tools = dryRunTools();
  readonly #projects = new Map<string, Promise<ScannedProject>>();
  readonly #decisions = new Map<string, ReturnType<typeof unconfined>>();

  readonly #before = new Map<string, DecidedBefore>();
  readonly #remedies = new Map<string, Promise<Remedies>>();

  constructor(policy: Policy["definition"]) {
    this.#policy = policy;
  }

  async *decide(conversation: RecordedConversation, since: number): AsyncGenerator<DecidedRecord> {
    const scanned = await this.#project(conversation.folder);
    const opened = await this.#open(conversation, scanned, {});
    let trusted: Promise<Opened> | undefined;
    const ifTrusted = () => {
      trusted ??= this.#open(conversation, scanned, { isTrusted: true });
      return trusted;
    };
    const remedies = (key: string, find: () => Promise<Remedies>) => this.#remediesFor(key, find);
    for (const recorded of conversation.calls) {
      const decided = await decideRecord(recorded, {
        ...{ conversation, scanned, opened, ifTrusted, remedies },
        before: this.#before,
      });
      // What came before is decided too: it marks the conversation.
      if (recorded.at >= since) yield decided;
    }
    await opened.session.close();
    await (await trusted)?.session.close();
  }

  #remediesFor(key: string, find: () => Promise<Remedies>): Promise<Remedies> {
    const found = this.#remedies.get(key) ?? find();
    if (this.#remedies.size >= MOST_KEPT) this.#remedies.clear();
    this.#remedies.set(key, found);
    return found;
  }

  #project(folder: string | undefined): Promise<ScannedProject> {
    const key = folder ?? "";
    const found = this.#projects.get(key) ?? scannedProject(folder, this.#policy);
    this.#projects.set(key, found);
    return found;
  }

  async #open(
    { id }: RecordedConversation,
    { project }: ScannedProject,
    change: { readonly isTrusted?: true },
  ): Promise<Opened> {
    const registry = createRegistry();
    const question: Opened["question"] = { reason: undefined };
    for (const tool of this.#tools) registry.register(tool);
    const known = this.#decisions.get(project.root) ?? unconfined(project).then(remembering);
    this.#decisions.set(project.root, known);
    const session = await openConversation(undefined, {
      ...{ sessionId: `scan.${id.replaceAll(/[^\w.-]/g, "_").slice(0, 100)}`, registry, by: "scan" },
      project: { ...project, ...change },
      confined: await known,
      asked: ({ reason }) => {
        question.reason = reason;
        return undefined;
      },
    });
    return { session, registry, question };
  }
}

async function remembering(decisions: Awaited<ReturnType<typeof unconfined>>) {
  const { resolver } = decisions;
  return resolver === undefined ? decisions : { ...decisions, resolver: rememberingResolver(resolver) };
}

interface Opened {
  /** Why the last call asked. */
  readonly question: { reason: string | undefined };
  readonly session: Session;
  readonly registry: Registry;
}

interface Deciding {
  readonly conversation: RecordedConversation;
  readonly scanned: ScannedProject;
  readonly opened: Opened;
  ifTrusted(): Promise<Opened>;
  /** Finds out once what would let the same call pass in the same state. */
  remedies(key: string, find: () => Promise<Remedies>): Promise<Remedies>;
  /** What was decided about calls before, by call and state. */
  readonly before: Map<string, DecidedBefore>;
}

async function decideRecord(recorded: RecordedCall, deciding: Deciding): Promise<DecidedRecord> {
  const { conversation, scanned } = deciding;
  const known = { client: conversation.client, at: recorded.at, conversation: conversation.id };
  const base = { ...known, project: scanned, tool: toolOf(recorded) };
  try {
    const call = readCall(recorded, deciding);
    const decided = await decideCall(call, deciding);
    return { ...base, call, ...decided, isGone: decided.action !== "deny" && isGone(call, scanned) };
  } catch (error) {
    // The hook refuses what it cannot read.
    const reason = error instanceof PayloadError ? error.message : "The call cannot be decided.";
    return { ...base, call: undefined, action: "deny", reason, isGone: false };
  }
}

function toolOf({ payload }: RecordedCall): string {
  const name = payload["tool_name"] ?? payload["tool"];
  return typeof name === "string" && name !== "" ? name : "unnamed";
}

/** The call as the hook of the client reads it. @throws PayloadError */
function readCall({ payload }: RecordedCall, { conversation, scanned }: Deciding): HookCall {
  const folder = conversation.folder ?? scanned.project.root;
  const environment = { CLAUDE_PROJECT_DIR: folder, GEMINI_PROJECT_DIR: folder };
  const call = HOOKS[conversation.client].read({ cwd: folder, ...payload }, environment);
  if (call === undefined) throw new PayloadError("The record is no call.");
  return { ...call, folder };
}

type Decided = Pick<DecidedRecord, "action" | "reason" | "explained" | "isAllowedIfTrusted">;

const STRICTNESS = ["allow", "ask", "redirect", "deny"] as const;

async function decideCall(call: HookCall, deciding: Deciding): Promise<Decided> {
  const { project } = deciding.scanned;
  const typed = await typedInput(call);
  const calls =
    call.remote === undefined
      ? await resolvedCalls(call, project)
      : await remoteCalls(call, {
          ...{ client: deciding.conversation.client, registry: deciding.opened.registry, project },
        });
  const [only] = calls;
  const again =
    calls.length === 1 && only && typed.size === 0 ? await decideAgain(only, deciding) : undefined;
  if (again !== undefined) return again;
  const key = only && stateKey(only, deciding);
  const { question } = deciding.opened;
  question.reason = undefined;
  const decided = await decideAnew(calls, typed, deciding);
  if (deciding.before.size >= MOST_KEPT) deciding.before.clear();
  if (calls.length === 1 && key !== undefined && typed.size === 0)
    deciding.before.set(key, { decided, question: question.reason });
  return decided;
}

async function decideAnew(
  calls: readonly EvaluatedCall[],
  typed: ReadonlyMap<string, string>,
  deciding: Deciding,
): Promise<Decided> {
  const { session } = deciding.opened;
  const each: (Decided & { readonly evaluated: EvaluatedCall })[] = [];
  for (const one of calls) {
    const refused = typed.get(String(one.arguments["command"]));
    const decided: Decided =
      refused === undefined ? await decideOne(one, deciding) : { action: "deny", reason: refused };
    each.push({ ...decided, evaluated: one });
  }
  const strictest = Math.max(0, ...each.map(({ action }) => STRICTNESS.indexOf(action)));
  const action = STRICTNESS[strictest] ?? "deny";
  const first = each.find((one) => one.action === action);
  // What is allowed or asked about marks the conversation, as in a hook.
  if (action === "allow" || action === "ask")
    for (const [index, { evaluated }] of each.entries())
      await session.call({ id: `call-${index}`, name: evaluated.tool, arguments: evaluated.arguments });
  if (action === "allow" || first === undefined) return { action: "allow" };
  const asking = each.filter((one) => one.action === "ask");
  return {
    action,
    ...(first.reason === undefined ? {} : { reason: first.reason }),
    ...(action === "ask"
      ? {
          explained: asking.flatMap(({ explained = [] }) => explained),
          isAllowedIfTrusted: asking.every((one) => one.isAllowedIfTrusted === true),
        }
      : {}),
  };
}

interface DecidedBefore {
  readonly decided: Decided;
  /** Why it asked, if it did. */
  readonly question: string | undefined;
}

/** A call that was decided before in the same state is decided once more, without looking for what would let it pass. */
async function decideAgain(one: EvaluatedCall, deciding: Deciding): Promise<Decided | undefined> {
  const { session, question } = deciding.opened;
  const { decided: known, question: asked } = deciding.before.get(stateKey(one, deciding)) ?? {};
  if (known === undefined || known.action === "redirect") return known;
  question.reason = undefined;
  const result = await session.call({ id: "again", name: one.tool, arguments: one.arguments });
  const action = !result.ok ? "deny" : question.reason === undefined ? "allow" : "ask";
  // A question for another reason, such as a file that the conversation changed, is removed by other things.
  if (action === known.action && question.reason === asked) return known;
  const reason = result.ok ? question.reason : result.failure.message;
  return { action, ...(reason === undefined ? {} : { reason }) };
}

function stateKey(one: EvaluatedCall, { opened, scanned }: Deciding): string {
  const marks = [...sessionMarks(opened.session).keys()].toSorted();
  return JSON.stringify([scanned.project.root, one, marks]);
}

async function decideOne(one: EvaluatedCall, deciding: Deciding): Promise<Decided> {
  const { session } = deciding.opened;
  const { root } = deciding.scanned.project;
  const explained = await explanationOf(session, one);
  if (explained === undefined) return { action: "deny", reason: "The call fails before it is decided." };
  const { action } = explained.decision;
  if (action === "allow") return { action };
  const reason = reasonOf({ call: one, explained });
  const key = JSON.stringify([root, one, reason, [...sessionMarks(session).keys()]]);
  const { form, isAllowedIfTrusted } = await deciding.remedies(key, async () => ({
    form: await formOf(one, explained, deciding),
    isAllowedIfTrusted: action === "ask" && (await isTrustMissing(explained, one, deciding)),
  }));
  if (form !== undefined) return { action: "redirect", reason: form.reason };
  return { action, reason, ...(action === "ask" ? { explained: [explained], isAllowedIfTrusted } : {}) };
}

/** What would let a call pass that does not. */
interface Remedies {
  readonly form: SafeForm | undefined;
  readonly isAllowedIfTrusted: boolean;
}

function formOf(
  one: EvaluatedCall,
  explained: Explanation,
  { opened, scanned }: Deciding,
): Promise<SafeForm | undefined> | undefined {
  if (one.tool !== "bash" && one.tool !== "grep") return undefined;
  const refused = { call: { ...one, tool: one.tool }, explained, root: scanned.project.root } as const;
  return safeFormOf(refused, (args) => explanationOf(opened.session, { ...one, arguments: args }));
}

/** Whether the call is allowed in the same state of the conversation once the user trusts the project. */
async function isTrustMissing(
  { decision }: Explanation,
  one: EvaluatedCall,
  deciding: Deciding,
): Promise<boolean> {
  const { isGone: isFolderGone, project } = deciding.scanned;
  const isOfRules = (decision.askedBy ?? []).every((asker) => asker === "rules");
  if (isFolderGone || project.isTrusted || !isOfRules) return false;
  const { session, registry } = await deciding.ifTrusted();
  const tool = deciding.opened.registry.get(one.tool);
  if (registry.get(one.tool) === undefined && tool !== undefined)
    registry.register(tool.tool, { origin: tool.origin });
  markSession(session, sessionMarks(deciding.opened.session));
  return (await explanationOf(session, one))?.decision.action === "allow";
}
