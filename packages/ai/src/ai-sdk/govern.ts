import {
  createRegistry,
  type Diagnostic,
  memoryStore,
  type Registry,
  type Session,
  type SessionOptions,
  type SessionStore,
  ToolkeepError,
} from "@toolkeep/core";
import {
  assertKnownKeys,
  DEFAULT_LIMITS,
  invalidOption,
  principalOf,
  warnDeveloper,
} from "@toolkeep/core/internal";
import type {
  ModelMessage,
  ToolApprovalConfiguration,
  ToolApprovalStatus,
  ToolExecutionOptions,
  ToolSet,
} from "ai";
import { newCallQueue, type VerifyApproval } from "../calls/call-queue.ts";
import { CutNotes } from "../calls/cut-notes.ts";
import { OpenRequests } from "../calls/open-requests.ts";
import type { ApprovalQuestion, OwnApproval } from "../calls/own-approval.ts";
import { withAnswers } from "../calls/receive-messages.ts";
import { Verdicts } from "../calls/verdicts.ts";
import { ChatSession, slotOf } from "../chat/chat-session.ts";
import { knownDiagnostics, rememberDiagnostics } from "../chat/known-set-ups.ts";
import { lookAtChat, openChat } from "../chat/open-chat.ts";
import { withoutRunning } from "../chat/without-running.ts";
import type { ToolDeclaration, UngovernedTool } from "../foreign/foreign-tool.ts";
import type { InputOf } from "../foreign/input-shape.ts";
import { inputShape } from "../foreign/input-shape.ts";
import { toTool, ungovernedIn, whyUngoverned } from "./from-ai-sdk.ts";
import { GovernedCalls, type GovernedTool, partialsTo } from "./governed-calls.ts";
import { InFlightCalls } from "./in-flight-calls.ts";
import { isStreaming, wrapTool } from "./wrap-tool.ts";

type OfTheSession = Omit<SessionOptions, "id" | "store" | "tools" | "registry" | "approver" | "parent">;

/** Options of `govern`: policy, store and tool declarations. The other options are those of a session. */
export interface GovernOptions<TOOLS extends ToolSet = ToolSet> extends OfTheSession {
  /** The id of the chat: in a `useChat` application the `id` in the request body. Check that the chat belongs to the user. */
  readonly sessionId?: string;
  /** Keeps chats between requests, so that approvals survive. Default: in memory, as long as the returned value. */
  readonly store?: SessionStore;
  /** What each tool requires and does. A tool without a declaration asks, unless a rule on its name allows it. */
  readonly tools?: { readonly [NAME in keyof TOOLS]?: ToolDeclaration<InputOf<TOOLS[NAME]>> };
  /** The existing approval configuration of the application. It can ask or deny, and allows nothing that policy does not. */
  readonly toolApproval?: ToolApprovalConfiguration<NoInfer<TOOLS>, never>;
  readonly approvals?: {
    /** Decides whether a valid approval is accepted. Default: it is. */
    readonly verify?: VerifyApproval;
  };
  /** `refuse`: tools that cannot be governed are an error. Default: `report`. */
  readonly ungoverned?: "report" | "refuse";
  /**
   * How long this process keeps a stored chat open after a call; no other process can use the chat meanwhile. Default: 0,
   * so that the next request can go to any process.
   */
  readonly idleMs?: number;
}

/** What `govern` returns: the governed tools and the values to pass to the AI SDK with them. */
export interface Governed<TOOLS extends ToolSet> {
  /** Replace the original tools. The types are the same; every `execute` is governed. */
  readonly tools: TOOLS;
  /** Pass it to the SDK together with `tools`. Without it, every call that needs approval is refused. */
  readonly toolApproval: (question: ApprovalQuestion) => Promise<ToolApprovalStatus>;
  /** Tools that run elsewhere, and why. They are in `tools` unchanged. */
  readonly ungoverned: readonly UngovernedTool[];
  /** Rules of the policy that match no tool or never decide, as typos do. In development they are also on the console. */
  readonly diagnostics: readonly Diagnostic[];
  /**
   * Only for answers that do not come from the client: adds those that `store.answer` left to the messages of a request,
   * so that the SDK runs a call which the client has not answered. Pass the returned messages to the SDK.
   */
  receive(messages: readonly ModelMessage[]): Promise<ModelMessage[]>;
  /** Gives access to the session of the chat: its journal, its waiting requests, `answer`, `explain`. The SDK runs its calls. */
  use<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** Waits for running calls and closes the session. */
  close(): Promise<void>;
}

/**
 * Governs the tools of an AI SDK application: policy, approvals that cannot be forged or used twice, redaction and
 * a journal.
 * @throws ToolkeepError `invalid_tool`, `invalid_option`, and the errors of `createSession`.
 *
 * @example
 * const { tools, toolApproval } = await govern(myTools, {
 *   policy: ['ask pay because "Money leaves the account."'],
 *   store, // openSqliteStore({ path: ".agent" }) of @toolkeep/sqlite: approvals survive a restart
 *   sessionId, // the id of the chat
 * });
 * const result = streamText({ model, messages, tools, toolApproval });
 */
export async function govern<TOOLS extends ToolSet>(
  tools: TOOLS,
  options: GovernOptions<TOOLS> = {},
): Promise<Governed<TOOLS>> {
  const ungoverned = ungovernedIn(tools);
  assertUsable(options as GovernOptions, ungoverned);
  assertKnownKeys(options.tools ?? {}, Object.keys(tools), "tool in `tools`");
  assertKnownKeys(options.approvals ?? {}, ["verify"], "option of `approvals`");
  const inFlightCalls = new InFlightCalls();
  const verdicts = new Verdicts();
  const declared = (options.tools ?? {}) as Declared;
  const governed = await governedIn(tools, declared, options.limits);
  const registry = await registryOf(governed, declared, inFlightCalls);
  const { chat, pending, isAnyOpen } = chatOf(options as GovernOptions, {
    registry,
    verdicts,
    inFlightCalls,
  });
  const verify = options.approvals?.verify;
  const queue = newCallQueue({ chat, pending, verdicts, verify });
  const own = options.toolApproval as OwnApproval | undefined;
  const openRequests = new OpenRequests(queue, isAnyOpen);
  const calls = new GovernedCalls({ tools: governed, queue, inFlightCalls, openRequests, own });
  const diagnostics = await diagnosticsOf(tools, options as GovernOptions, chat);
  return {
    tools: {
      ...tools,
      ...wrapped(governed, declared, { calls, openRequests, notes: new CutNotes(chat) }),
    } as TOOLS,
    toolApproval: (question) => calls.ask(question),
    ungoverned,
    diagnostics,
    receive: (messages) =>
      chat.use(async (session) => {
        await openRequests.read(messages, session, { isNew: false });
        return withAnswers(messages, session);
      }),
    use: (work) => chat.use((session) => work(withoutRunning(session))),
    close: () => chat.close(),
  };
}

/** Looked at once for each set-up. The chat is opened for that, and otherwise when there is a call. */
async function diagnosticsOf(
  tools: ToolSet,
  options: GovernOptions,
  chat: ChatSession,
): Promise<readonly Diagnostic[]> {
  const { sessionId: _id, store: _store, principal, tools: declared = {}, ...rest } = options;
  const {
    toolApproval: _own,
    approvals: _approvals,
    idleMs: _idleMs,
    ungoverned: _wanted,
    ...setUp
  } = {
    ...rest,
    declared,
  };
  principalOf(principal);
  const known = knownDiagnostics(tools, setUp);
  if (known !== undefined) {
    await chat.look();
    return known;
  }
  const diagnostics = await chat.use(async (session) => session.diagnostics);
  for (const { message, hint = "" } of diagnostics) warnDeveloper(`${message} ${hint}`.trim());
  rememberDiagnostics(tools, setUp, diagnostics);
  return diagnostics;
}

function assertUsable(
  { store, sessionId, ungoverned: wanted }: GovernOptions,
  ungoverned: readonly UngovernedTool[],
): void {
  if (store !== undefined && sessionId === undefined)
    throw invalidOption("`store` needs a `sessionId` that names the chat.");
  if (sessionId !== undefined && store === undefined)
    throw invalidOption("`sessionId` needs a `store`: without one, approvals of the chat would be lost.");
  if (wanted === "refuse" && ungoverned.length > 0) {
    const list = ungoverned.map(({ name, why }) => `${name}: ${why}`).join("\n");
    throw invalidOption(`These tools cannot be governed:\n${list}`);
  }
}

type Declared = Readonly<Record<string, ToolDeclaration>>;

async function governedIn(
  tools: ToolSet,
  declared: Declared,
  { maxOutputBytes = DEFAULT_LIMITS.maxOutputBytes }: GovernOptions["limits"] = {},
): Promise<ReadonlyMap<string, GovernedTool>> {
  const governed = new Map<string, GovernedTool>();
  for (const [name, tool] of Object.entries(tools)) {
    if (whyUngoverned(tool) !== undefined) continue;
    const { actionArgument, maxOutput } = declared[name] ?? {};
    const shape = await inputShape(tool.inputSchema, actionArgument);
    governed.set(name, { tool, shape, maxOutputBytes: maxOutput?.bytes ?? maxOutputBytes });
  }
  return governed;
}

async function registryOf(
  tools: ReadonlyMap<string, GovernedTool>,
  declared: Declared,
  inFlightCalls: InFlightCalls,
): Promise<Registry> {
  const registry = createRegistry();
  for (const [name, { tool, shape }] of tools) {
    const made = await toTool({
      name,
      tool,
      declared: declared[name],
      shape,
      run: (input, ctx) => inFlightCalls.execute(name, input, ctx),
    });
    const error = registry.register(made);
    if (error !== undefined) {
      throw new ToolkeepError(
        "invalid_tool",
        `Tool ${JSON.stringify(name)}, ${error.path}: ${error.message}`,
      );
    }
  }
  return registry;
}

function chatOf(
  options: GovernOptions,
  parts: { readonly registry: Registry; readonly verdicts: Verdicts; readonly inFlightCalls: InFlightCalls },
) {
  const { tools: _t, toolApproval: _a, approvals: _v, ungoverned: _u, ...rest } = options;
  const { idleMs, store = memoryStore(), sessionId: id = crypto.randomUUID(), ...session } = rest;
  const observers = [...(session.observers ?? []), partialsTo(parts.inFlightCalls)];
  const made = parts.verdicts.addedTo({ ...session, id, store, registry: parts.registry, observers });
  const chat = new ChatSession({
    open: () => openChat(made),
    look: () => lookAtChat(made),
    slot: slotOf(store, id),
    idleMs: options.store === undefined ? undefined : (idleMs ?? 0),
  });
  const isAnyOpen = async () => (await store.waiting({ sessionId: id, limit: 1 })).length > 0;
  return { chat, pending: store.pending, isAnyOpen };
}

interface WrappedParts {
  readonly calls: GovernedCalls;
  readonly openRequests: OpenRequests;
  readonly notes: CutNotes;
}

function wrapped(
  tools: ReadonlyMap<string, GovernedTool>,
  declared: Declared,
  { calls, openRequests, notes }: WrappedParts,
): ToolSet {
  return Object.fromEntries(
    [...tools].map(([name, governed]) => {
      const run = (
        input: unknown,
        options: ToolExecutionOptions<unknown>,
        onPartial?: (partial: unknown) => void,
      ) => calls.run(name, input, { options, onPartial });
      const streams = declared[name]?.streams ?? isStreaming(governed.tool);
      return [name, wrapTool(governed, { run, streams, notes, offered: () => openRequests.offer(name) })];
    }),
  );
}
