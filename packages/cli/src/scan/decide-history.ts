import { createRegistry } from "@toolkeep/core";
import { sessionMarks } from "@toolkeep/core/internal";
import type { Explanation, Policy } from "@toolkeep/core/policy";
import type { HookCall } from "../clients/hook-call.ts";
import { PayloadError } from "../clients/payload.ts";
import { openConversation, unconfined } from "../hooks/decide/conversation/open-conversation.ts";
import { resolvedCalls } from "../hooks/decide/conversation/resolved-calls.ts";
import { dryRunTools } from "../hooks/decide/dry-run/dry-run-tools.ts";
import { type EvaluatedCall, explanationOf } from "../hooks/decide/verdict/refused-calls.ts";
import { reasonOf } from "../hooks/decide/verdict/safe-form.ts";
import { HOOKS } from "../hooks/read/hooks-of-clients.ts";
import { typedInput } from "../hooks/read/typed-input.ts";
import { type AskedQuestion, OpenedConversation, withoutSteps } from "./opened-conversation.ts";
import { isGone, remoteCalls } from "./read-recorded.ts";
import type { RecordedCall, RecordedConversation, ScannedClient } from "./recorded-call.ts";
import { type Remedies, remediesFor } from "./remedies.ts";
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
    let trusted: Promise<OpenedConversation> | undefined;
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
  ): Promise<OpenedConversation> {
    const registry = createRegistry();
    const question: AskedQuestion = { reason: undefined };
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
    return new OpenedConversation({ session, registry, question });
  }
}

async function remembering(decisions: Awaited<ReturnType<typeof unconfined>>) {
  const { resolver } = decisions;
  return resolver === undefined ? decisions : { ...decisions, resolver: rememberingResolver(resolver) };
}

interface Deciding {
  readonly conversation: RecordedConversation;
  readonly scanned: ScannedProject;
  readonly opened: OpenedConversation;
  ifTrusted(): Promise<OpenedConversation>;
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
    const { reason, ...decided } = await decideCall(call, deciding);
    const why = reason === undefined ? {} : { reason: withoutSteps(reason) };
    return { ...base, call, ...decided, ...why, isGone: decided.action !== "deny" && isGone(call, scanned) };
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
  const { opened, before } = deciding;
  const [only] = calls;
  if (only === undefined || calls.length > 1 || typed.size > 0) {
    await opened.catchUp(calls);
    return decideAnew(calls, typed, deciding);
  }
  const key = stateKey(only, call, deciding);
  const again = await decideAgain(only, key, deciding);
  if (again !== undefined) return again;
  const isRepeated = opened.isRepeated(only);
  await opened.catchUp(calls);
  const decided = await decideAnew(calls, typed, deciding);
  if (isRepeated) return decided;
  if (before.size >= MOST_KEPT) before.clear();
  const isSettled = key === stateKey(only, call, deciding);
  before.set(key, { decided, question: opened.question, isSettled });
  return decided;
}

async function decideAnew(
  calls: readonly EvaluatedCall[],
  typed: ReadonlyMap<string, string>,
  deciding: Deciding,
): Promise<Decided> {
  const { opened } = deciding;
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
    for (const [index, { evaluated }] of each.entries()) await opened.call(evaluated, `call-${index}`);
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
  /** Whether it changed nothing that later decisions depend on. */
  readonly isSettled: boolean;
}

/** A call that was decided before in the same state is not decided again, unless it changes the state or is repeated. */
async function decideAgain(
  one: EvaluatedCall,
  key: string,
  { opened, before }: Deciding,
): Promise<Decided | undefined> {
  const { decided: known, question, isSettled } = before.get(key) ?? {};
  if (known === undefined || known.action === "redirect") return known;
  if (isSettled === true && !opened.isRepeated(one)) {
    opened.leaveOut(one);
    return known;
  }
  await opened.catchUp([one]);
  const result = await opened.call(one, "again");
  const action = !result.ok ? "deny" : opened.question === undefined ? "allow" : "ask";
  // A question for another reason, such as that it is repeated, is removed by other things.
  if (action === known.action && opened.question === question) return known;
  const reason = result.ok ? opened.question : result.failure?.message;
  return { action, ...(reason === undefined ? {} : { reason }) };
}

/** A call of a server's tool depends on the configuration of the client as well. */
function stateKey(
  one: EvaluatedCall,
  { remote }: HookCall,
  { opened, scanned, conversation }: Deciding,
): string {
  const client = remote === undefined ? "" : conversation.client;
  return JSON.stringify([scanned.project.root, client, one.tool, one.arguments, opened.state]);
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
  const { form, isAllowedIfTrusted } = await deciding.remedies(key, () =>
    remediesFor(one, explained, deciding),
  );
  if (form !== undefined) return { action: "redirect", reason: form.reason };
  return { action, reason, ...(action === "ask" ? { explained: [explained], isAllowedIfTrusted } : {}) };
}
