import { randomBytes } from "node:crypto";
import type { Server } from "@modelcontextprotocol/server";
import type { Session } from "@toolkeep/core";
import { assertKnownKeys, CORE_VERSION, invalidOption, type RegisteredTool } from "@toolkeep/core/internal";
import type { LogMessage } from "../connection/news/server-log.ts";
import type { ApprovalQueue } from "./approval-queue.ts";
import { Audience } from "./audience.ts";
import type { HttpEndpoint, HttpEndpointOptions, StdioEndpoint } from "./endpoint.ts";
import { HttpClients, type HttpParts } from "./http-clients.ts";
import { hostGuard, pathGuard, tokenGuard } from "./http-guard.ts";
import type { GiveAnswer } from "./left-answers.ts";
import { ListedTools } from "./listed-tools.ts";
import { hostNames, isLoopback, listenHttp, MCP_PATH } from "./listen-http.ts";
import { LogAudience } from "./log-audience.ts";
import type { Offers } from "./offers.ts";
import { serveStdio } from "./serve-stdio.ts";
import { ServedCalls } from "./served-calls.ts";
import { ServerFactory } from "./server-factory.ts";
import { WatchedResources } from "./watched-resources.ts";

/** A session as an MCP server, for any number of clients of both protocol generations. */
export interface McpServing extends AsyncDisposable {
  /** @throws ToolkeepError `invalid_option` if the standard streams are served already. */
  serveStdio(): StdioEndpoint;
  serveHttp(options?: HttpEndpointOptions): Promise<HttpEndpoint>;
  /** Call it when tools may have changed: clients that have an older list are notified. */
  toolsChanged(): Promise<void>;
  resourcesChanged(): void;
  promptsChanged(): void;
  /** Notifies the clients that watch this resource. */
  resourceUpdated(uri: string): void;
  /** Sends a log message to the clients that want it. */
  log(message: LogMessage): void;
  /** Closes every endpoint. The session stays open. */
  close(): Promise<void>;
}

/** Options of `serveMcp`. */
export interface ServeOptions extends ServeAnswers, ServeOffers {
  /** The approval queue whose approver the session was created with. */
  readonly queue: ApprovalQueue;
  /** Who answers the forms of the clients, if that was verified. Default: the user of the client, by its name. */
  readonly person?: string;
  /** The name that the server gives to clients. */
  readonly info?: { readonly name: string; readonly version: string };
  /** Receives diagnostics that no caller waits for. Never contains arguments or results. */
  readonly onNote?: (note: string) => void;
}

/** What calls depend on besides the session, and how approvals are answered. */
export interface ServeAnswers {
  /** Delivers answers that were given elsewhere, and removes those that `give` takes. Called while a call waits. */
  takeAnswers?(give: GiveAnswer, session: Session): Promise<void>;
  /** How long a client waits for an answer before it receives `pending`. Default: 50 seconds. */
  readonly waitMs?: number;
  /** Called before a call is decided, for what the session has to know by then. If it rejects, the call fails. */
  beforeCall?(session: Session): Promise<void>;
}

/** What is offered. */
interface ServeOffers {
  /** If servers have more tools than this, they are found by `tool_search`, if the session has it. Default 20. */
  readonly searchAbove?: number | "never";
  isShown?(tool: RegisteredTool): boolean;
  readonly offers?: Offers;
  instructions?(): string | undefined;
  /** Why a requested tool may be unavailable, in a sentence. */
  missing?(): string | undefined;
  /** Resolves when tools are available. Clients wait for it, with a limit. */
  readonly ready?: Promise<void>;
}

const OPTIONS: Readonly<Record<keyof ServeOptions, true>> = {
  ...{ queue: true, info: true, onNote: true, takeAnswers: true, waitMs: true },
  ...{
    person: true,
    beforeCall: true,
    searchAbove: true,
    isShown: true,
    offers: true,
    instructions: true,
    missing: true,
    ready: true,
  },
};
const WAIT_MS = 50_000;
const READY_MS = 5_000;
const SEARCH_ABOVE = 20;
const INFO = { name: "toolkeep", version: CORE_VERSION };
/** Tools after which the list may have grown. */
const FINDING: ReadonlySet<string> = new Set(["tool_search", "call_tool"]);

const SHORTEST_TOKEN = 32;
const MOST_SESSIONS = 100;

/**
 * Serves the tools of a session to MCP clients. Every call is a turn of that session, governed like any other.
 * @example
 * ```ts
 * const queue = createApprovalQueue();
 * await using session = await createSession({ tools, policy, approver: queue.approver });
 * await using serving = serveMcp(session, { queue });
 * await serving.serveStdio().closed;
 * ```
 */
export function serveMcp(session: Session, options: ServeOptions): McpServing {
  assertKnownKeys(options, Object.keys(OPTIONS), "option of serveMcp");
  return new Serving(session, options);
}

/** A session as an MCP server, with what an endpoint of our own needs. */
export class Serving implements McpServing {
  readonly #tools: ListedTools;
  readonly #calls: ServedCalls;
  readonly #audience = new Audience();
  readonly #logs: LogAudience;
  readonly #watched: WatchedResources;
  readonly #endpoints = new Set<{ close(): Promise<void> }>();
  readonly #parts: HttpParts;
  #isStdioTaken = false;

  constructor(session: Session, options: ServeOptions) {
    const { searchAbove = SEARCH_ABOVE, onNote = () => {} } = options;
    this.#tools = new ListedTools(session, {
      above: searchAbove === "never" ? Number.POSITIVE_INFINITY : searchAbove,
      isShown: (tool) => options.isShown?.(tool) ?? true,
    });
    this.#calls = new ServedCalls(session, {
      queue: options.queue,
      takeAnswers:
        options.takeAnswers === undefined ? undefined : async (give) => options.takeAnswers?.(give, session),
      waitMs: options.waitMs ?? WAIT_MS,
      onNote,
      person: options.person,
      beforeCall: async () => options.beforeCall?.(session),
    });
    const { offers } = options;
    const ready = atMost(options.ready, READY_MS);
    this.#logs = new LogAudience((level) => offers?.wantLogs?.(level));
    this.#watched = new WatchedResources(async (uri) => {
      await ready;
      return (await offers?.watchResource?.(uri)) ?? (() => {});
    });
    const factory = this.#factory(options, ready);
    this.#parts = {
      make: (generation) => factory.make(generation),
      joined: (server, generation) => this.#joined(server, generation),
      watched: this.#watched,
      notifier: (notify) => this.#audience.joinNotifier(notify),
      onNote,
    };
  }

  /** For clients over HTTP. */
  get http(): HttpParts {
    return this.#parts;
  }

  serveStdio(): StdioEndpoint {
    if (this.#isStdioTaken) throw invalidOption("The standard streams are already served.");
    this.#isStdioTaken = true;
    return this.#kept(serveStdio(this.#parts));
  }

  async serveHttp(options?: HttpEndpointOptions): Promise<HttpEndpoint> {
    return this.#kept(await serveHttp(this.#parts, options));
  }

  async toolsChanged(): Promise<void> {
    if (await this.#tools.hasChanged()) this.#audience.tell("Tool");
  }

  resourcesChanged(): void {
    this.#audience.tell("Resource");
  }

  promptsChanged(): void {
    this.#audience.tell("Prompt");
  }

  resourceUpdated(uri: string): void {
    // A server may report what only clients of another session may watch.
    if (this.#watched.isWatched(uri)) this.#audience.tell({ uri });
  }

  log(message: LogMessage): void {
    this.#logs.tell(message);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async close(): Promise<void> {
    this.#calls.close();
    await Promise.all([...this.#endpoints].map((endpoint) => endpoint.close()));
  }

  #factory(
    { info = INFO, offers, instructions, missing, onNote = () => {} }: ServeOptions,
    ready: Promise<void>,
  ): ServerFactory {
    return new ServerFactory({
      info,
      calls: this.#calls,
      tools: this.#tools,
      offers,
      logs: this.#logs,
      watched: this.#watched,
      instructions: () => instructions?.(),
      missing: () => missing?.(),
      ready: () => ready,
      afterCall: (name) => {
        if (FINDING.has(name))
          this.toolsChanged().catch(() => onNote("Clients were not notified of new tools."));
      },
    });
  }

  /** For a client of the newer protocol generation, the library keeps the list of its subscriptions. */
  #joined(server: Server, generation: "legacy" | "modern"): () => void {
    const remove = this.#audience.join(
      server,
      (uri) => generation === "modern" || this.#watched.has(server, uri),
    );
    return () => {
      remove();
      this.#logs.remove(server);
      this.#watched.removeAll(server);
    };
  }

  #kept<Endpoint extends { close(): Promise<void> }>(endpoint: Endpoint): Endpoint {
    this.#endpoints.add(endpoint);
    return endpoint;
  }
}

/** Resolves when the work settles or the time is up, whichever comes first. */
function atMost(promise: Promise<void> | undefined, milliseconds: number): Promise<void> {
  if (promise === undefined) return Promise.resolve();
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  timer.unref();
  promise.then(resolve, () => resolve()).finally(() => clearTimeout(timer));
  return done;
}

/**
 * Serves one session to everybody who has the token.
 * @throws ToolkeepError `invalid_option` for an address beyond this machine without a token and its own host names.
 */
async function serveHttp(parts: HttpParts, options: HttpEndpointOptions = {}): Promise<HttpEndpoint> {
  const { address = "127.0.0.1", port = 0, origins = [] } = options;
  const token = tokenFor(address, options);
  const guards = [
    hostGuard({ hosts: hostNames(address, options), origins }),
    pathGuard(MCP_PATH),
    tokenGuard(token),
  ];
  const clients = new HttpClients(parts, { mostSessions: MOST_SESSIONS });
  const server = await listenHttp({
    address,
    port,
    onError: (error) => parts.onNote(`HTTP: ${error.message}`),
    async handle(req, res, letIn) {
      if (!guards.every((guard) => guard(req, res))) return;
      letIn();
      await clients.answer(req, res);
    },
  });
  return {
    url: `${server.origin}${MCP_PATH}`,
    token,
    close: () => server.close(() => clients.close()),
  };
}

function tokenFor(address: string, { token }: HttpEndpointOptions): string {
  if (token !== undefined && token.length < SHORTEST_TOKEN)
    throw invalidOption(`\`token\` needs at least ${SHORTEST_TOKEN} characters.`);
  if (!isLoopback(address) && token === undefined)
    throw invalidOption(
      `The address ${JSON.stringify(address)} can be reached from other machines. Set \`token\`, and set \`hosts\` to the names that clients use for it.`,
    );
  return token ?? randomBytes(32).toString("base64url");
}
