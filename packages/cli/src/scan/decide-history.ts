import { existsSync } from "node:fs";
import { createRegistry, type Registry, type Session } from "@toolkeep/core";
import { markSession, sessionMarks } from "@toolkeep/core/internal";
import type { Explanation, Policy } from "@toolkeep/core/policy";
import { dryRunTools } from "../hooks/dry-run-tools.ts";
import type { HookCall } from "../hooks/hook-call.ts";
import { HOOKS } from "../hooks/hooks-of-clients.ts";
import { openConversation, unconfined } from "../hooks/open-conversation.ts";
import { PayloadError } from "../hooks/payload.ts";
import { type EvaluatedCall, explanationOf } from "../hooks/refused-calls.ts";
import { dryRunTool, remoteDryRunTools } from "../hooks/remote-dry-run-tool.ts";
import { resolvedCalls } from "../hooks/resolved-calls.ts";
import { reasonOf, type SafeForm, safeFormOf } from "../hooks/safe-form.ts";
import { typedInput } from "../hooks/typed-input.ts";
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
      const decided = await decideRecord(recorded, { conversation, scanned, opened, ifTrusted, remedies });
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
    for (const tool of this.#tools) registry.register(tool);
    const known = this.#decisions.get(project.root) ?? unconfined(project).then(remembering);
    this.#decisions.set(project.root, known);
    const session = await openConversation(undefined, {
      ...{ sessionId: `scan.${id.replaceAll(/[^\w.-]/g, "_").slice(0, 100)}`, registry, by: "scan" },
      project: { ...project, ...change },
      confined: await known,
      asked: () => undefined,
    });
    return { session, registry };
  }
}

async function remembering(decisions: Awaited<ReturnType<typeof unconfined>>) {
  const { resolver } = decisions;
  return resolver === undefined ? decisions : { ...decisions, resolver: rememberingResolver(resolver) };
}

interface Opened {
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
  const { session } = deciding.opened;
  const typed = await typedInput(call);
  const calls =
    call.remote === undefined ? await resolvedCalls(call, project) : await remoteCalls(call, deciding);
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

/**
 * The calls of a server's tool. What the configuration of the client says of the server is read for a project that the
 * user trusts; elsewhere the tool may do anything.
 */
async function remoteCalls(call: HookCall, deciding: Deciding): Promise<readonly EvaluatedCall[]> {
  const { registry } = deciding.opened;
  const { project } = deciding.scanned;
  const { remote } = call;
  if (remote === undefined) return [];
  const { client } = deciding.conversation;
  const found = project.isTrusted
    ? await remoteDryRunTools({ call: remote, client, project: project.root })
    : remote.candidates.map((address) => ({
        tool: dryRunTool(address, undefined),
        origin: { layer: "project", source: "mcp", id: address.server } as const,
      }));
  // The gateway decides about it.
  if ("behind" in found) return [];
  for (const { tool, origin } of found)
    if (registry.get(tool.name) === undefined) registry.register(tool, { origin });
  return found.map(({ tool }) => ({ tool: tool.name, arguments: remote.arguments }));
}

const READING: ReadonlySet<string> = new Set(["read", "edit", "list", "glob", "grep"]);

/** Whether what the decision looks at is not there any more: the folder, or a file that the call reads or changes. */
function isGone({ calls, cwd }: HookCall, { isGone: isFolderGone }: ScannedProject): boolean {
  if (calls.length === 0) return false;
  if (isFolderGone || !existsSync(cwd)) return true;
  return calls.some(({ tool, arguments: { path } }) => {
    if (!READING.has(tool) || typeof path !== "string") return false;
    return !existsSync(path.startsWith("/") ? path : `${cwd}/${path}`);
  });
}
