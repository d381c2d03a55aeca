import {
  createRegistry,
  type Registry,
  type Session,
  type SessionOptions,
  ToolkeepError,
} from "@toolkeep/core";
import type { SessionPorts } from "@toolkeep/core/internal";
import { memoryPending } from "@toolkeep/core/journal";
import type {
  ModelMessage,
  ToolApprovalConfiguration,
  ToolApprovalStatus,
  ToolExecutionOptions,
  ToolSet,
} from "ai";
import { newCallQueue, type VerifyApproval } from "./call-queue.ts";
import { ChatSession } from "./chat-session.ts";
import { slotOf } from "./chat-slot.ts";
import type { ToolDeclaration, UngovernedTool } from "./declaration.ts";
import { toTool, ungovernedIn, whyUngoverned } from "./from-ai-sdk.ts";
import { GovernedCalls, type GovernedTool, partialsTo } from "./governed-calls.ts";
import { InFlightCalls } from "./in-flight-calls.ts";
import { inputShape } from "./input-shape.ts";
import type { ChatStore } from "./memory-store.ts";
import { noteRejections } from "./note-rejections.ts";
import { openChat, placeOf } from "./open-chat.ts";
import type { ApprovalQuestion, OwnApproval } from "./own-approval.ts";
import type { InputOf } from "./sdk-tool.ts";
import { Verdicts } from "./verdicts.ts";
import { isStreaming, wrapTool } from "./wrap-tool.ts";

type OfTheSession = Omit<
  SessionOptions & SessionPorts,
  "id" | "store" | "tools" | "registry" | "approver" | "approvalSecret" | "parent" | "steps"
>;

/** What decides, where it is written down, and what is said of the tools. The rest is as for a session. */
export interface GovernOptions<TOOLS extends ToolSet = ToolSet> extends OfTheSession {
  /** The id of the chat: in a `useChat` application the `id` in the body of its requests. Check that it is the user's. */
  readonly sessionId?: string;
  /** Where chats are kept from request to request, so that an approval is found again. Instead of `journal` and `pending`. */
  readonly store?: ChatStore;
  /** What is said beside each tool. Tools of which nothing is said ask for every call. */
  readonly tools?: { readonly [NAME in keyof TOOLS]?: ToolDeclaration<InputOf<TOOLS[NAME]>> };
  /** The approval configuration that the application had before: it may narrow further. */
  readonly toolApproval?: ToolApprovalConfiguration<NoInfer<TOOLS>, never>;
  readonly approvals?: {
    /** Whether a yes counts, once it was found to belong to a call that was asked for. Left out: it does. */
    readonly verify?: VerifyApproval;
  };
  /** `refuse`: tools that cannot be governed are an error. `report` where it is left out. */
  readonly ungoverned?: "report" | "refuse";
  /** How long the session of a stored chat stays open after its last call; a minute where it is left out. */
  readonly idleMs?: number;
}

export interface Governed<TOOLS extends ToolSet> {
  /** In the place of the tools before. Their types are the same; every `execute` goes through the gate. */
  readonly tools: TOOLS;
  /** Must be given to the SDK together with the tools. Whatever needs a person is refused without it. */
  readonly toolApproval: (question: ApprovalQuestion) => Promise<ToolApprovalStatus>;
  /** The tools that run elsewhere, and why. They are in `tools` as they were. */
  readonly ungoverned: readonly UngovernedTool[];
  /** Works with the session of the chat: its journal, its waiting requests, `explain`. It may be closed afterwards. */
  use<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** Writes down at once what the person turned down; otherwise that happens with the next call. */
  noteRejections(messages: readonly ModelMessage[]): Promise<void>;
  /** Waits for the calls that run, and closes the session. */
  close(): Promise<void>;
}

const IDLE_MS = 60_000;
const ORIGIN = { layer: "code", source: "ai-sdk" } as const;

/**
 * Puts the tools of an AI SDK application behind the gate: rules, approvals that cannot be forged or used
 * twice, redaction and the journal.
 * @throws ToolkeepError `invalid_tool`, `invalid_option`, and what opening the session throws.
 */
export async function govern<TOOLS extends ToolSet>(
  tools: TOOLS,
  options: GovernOptions<TOOLS> = {},
): Promise<Governed<TOOLS>> {
  const ungoverned = ungovernedIn(tools);
  assertUsable(options as GovernOptions, ungoverned);
  const inFlightCalls = new InFlightCalls();
  const verdicts = new Verdicts();
  const declared = (options.tools ?? {}) as Declared;
  const governed = await governedIn(tools, declared);
  const registry = await registryOf(governed, declared, inFlightCalls);
  const { chat, pending } = chatOf(options as GovernOptions, { registry, verdicts, inFlightCalls });
  const verify = options.approvals?.verify;
  const queue = newCallQueue({ chat, pending, verdicts, verify });
  const own = options.toolApproval as OwnApproval | undefined;
  const calls = new GovernedCalls({ tools: governed, queue, inFlightCalls, own });
  await chat.use(async () => {});
  return {
    tools: { ...tools, ...wrapped(governed, declared, calls) } as TOOLS,
    toolApproval: (question) => calls.ask(question),
    ungoverned,
    use: (work) => chat.use(work),
    noteRejections: (messages) => chat.use((session) => noteRejections(messages, session)),
    close: () => chat.close(),
  };
}

function assertUsable(
  { store, journal, pending, sessionId, ungoverned: wanted }: GovernOptions,
  ungoverned: readonly UngovernedTool[],
): void {
  if (store !== undefined && (journal !== undefined || pending !== undefined)) {
    throw new ToolkeepError("invalid_option", "Give a `store`, or `journal` and `pending`; not both.");
  }
  if (store !== undefined && sessionId === undefined) {
    throw new ToolkeepError("invalid_option", "With a `store`, `sessionId` must say which chat it is.");
  }
  if (sessionId !== undefined && store === undefined && journal === undefined) {
    throw new ToolkeepError(
      "invalid_option",
      "`sessionId` names a chat that nothing keeps, so no approval would be found again. Give a `store` as well.",
    );
  }
  if (wanted === "refuse" && ungoverned.length > 0) {
    const list = ungoverned.map(({ name, why }) => `${name}: ${why}`).join("\n");
    throw new ToolkeepError("invalid_option", `These tools cannot be governed.\n${list}`);
  }
}

type Declared = Readonly<Record<string, ToolDeclaration>>;

async function governedIn(tools: ToolSet, declared: Declared): Promise<ReadonlyMap<string, GovernedTool>> {
  const governed = new Map<string, GovernedTool>();
  for (const [name, tool] of Object.entries(tools)) {
    if (whyUngoverned(tool) !== undefined) continue;
    governed.set(name, { tool, shape: await inputShape(tool.inputSchema, declared[name]?.actionArgument) });
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
    const error = registry.register(made, { origin: ORIGIN });
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
  const { store, tools: _t, toolApproval: _a, approvals: _v, ungoverned: _u, idleMs, ...session } = options;
  const pending = store?.pending ?? session.pending ?? memoryPending();
  const place = placeOf({ ...session, ...(store === undefined ? {} : { store }), pending });
  const observers = [...(session.observers ?? []), partialsTo(parts.inFlightCalls)];
  const made = parts.verdicts.beside({ ...session, registry: parts.registry, observers });
  const chat = new ChatSession({
    open: () => openChat(place, made),
    ...(store === undefined ? {} : { slot: slotOf(store, place.sessionId) }),
    idleMs: store === undefined ? undefined : (idleMs ?? IDLE_MS),
  });
  return { chat, pending };
}

function wrapped(
  tools: ReadonlyMap<string, GovernedTool>,
  declared: Declared,
  calls: GovernedCalls,
): ToolSet {
  return Object.fromEntries(
    [...tools].map(([name, governed]) => {
      const run = (
        input: unknown,
        options: ToolExecutionOptions<unknown>,
        onPartial?: (partial: unknown) => void,
      ) => calls.run(name, input, { options, onPartial });
      return [name, wrapTool(governed, run, declared[name]?.streams ?? isStreaming(governed.tool))];
    }),
  );
}
