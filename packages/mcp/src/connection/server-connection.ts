import {
  type CallToolResult,
  type Client,
  type CompleteRequest,
  type CompleteResult,
  type GetPromptResult,
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  type Tool as McpTool,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type RequestOptions,
  type Resource,
  type ResourceTemplateType,
} from "@modelcontextprotocol/client";
import { ToolFailure } from "@toolkeep/core";
import { CORE_VERSION, defined } from "@toolkeep/core/internal";
import type { ServerEntry } from "../servers/server-entry.ts";
import type { ConnectOptions } from "./connect-options.ts";
import { answerElicitation } from "./elicitation/answer-elicitation.ts";
import { linkMaker } from "./link-maker.ts";
import type {
  ConnectedServer,
  Connection,
  ConnectionChange,
  ConnectionNews,
  ConnectionStatus,
  RemoteCall,
} from "./news/connection.ts";
import { onListChanges } from "./news/list-changes.ts";
import { ServerNews } from "./news/server-news.ts";
import { type LoginUser, LoginUsers } from "./oauth/login-user.ts";
import { reasonText } from "./reason-text.ts";
import { ReconnectLoop } from "./reconnect-loop.ts";
import type { InFlight } from "./requests/in-flight.ts";
import { type OpenedClient, openClient, type ProtocolGeneration } from "./requests/open-client.ts";
import { readList } from "./requests/read-list.ts";
import { refusalIn } from "./requests/request-failure.ts";
import { type RemoteRequest, type RequestLimits, runRequest } from "./requests/run-request.ts";

const BACKOFF_MS: readonly number[] = [1_000, 2_000, 5_000, 15_000, 60_000];
const TIMEOUT_MS = 30_000;
const LONGEST_MS = 10 * 60_000;

/** A server can be replaced by one of another protocol generation. */
const FORGET_GENERATION_AFTER = 2;

/** One client for one server. */
export class ServerConnection implements Connection {
  readonly name: string;
  readonly #limits: RequestLimits;
  readonly #reconnectLoop: ReconnectLoop;
  readonly #news: ServerNews;
  readonly #oauth: ConnectOptions["oauth"];
  readonly #users = new LoginUsers(() => this.#reconnectLoop.current?.inFlight.latest);
  #server: ConnectedServer | undefined;
  #generation: ProtocolGeneration | undefined;

  constructor(entry: ServerEntry, options: ConnectOptions) {
    const { settings, clientInfo = { name: "toolkeep", version: CORE_VERSION } } = options;
    this.name = entry.name;
    this.#oauth = options.oauth;
    this.#news = new ServerNews(entry, (change) => this.#reconnectLoop.tell(change));
    this.#limits = {
      timeoutMs: settings?.timeoutMs ?? TIMEOUT_MS,
      longestMs: settings?.longestMs ?? LONGEST_MS,
    };
    const prepare = (client: Client, inFlight: InFlight) => this.#prepare(client, inFlight);
    const newLink = linkMaker(entry, options, this.#users);
    const maker = { name: entry.name, clientInfo, newLink, prepare };
    this.#reconnectLoop = new ReconnectLoop({
      backoffMs: options.backoffMs ?? BACKOFF_MS,
      reasonOf: reasonText(entry),
      opened: (opened) => this.#keep(opened),
      open: (taken) =>
        openClient(maker, this.#lastGeneration(), taken).catch((error: unknown) => {
          throw refusalIn(error) ?? error;
        }),
    });
  }

  get status(): ConnectionStatus {
    return this.#reconnectLoop.status;
  }

  get server(): ConnectedServer | undefined {
    return this.#server;
  }

  get tried(): Promise<void> {
    return this.#reconnectLoop.tried;
  }

  get needsLogin(): boolean {
    return this.#oauth?.inCalls === true && this.#users.isMissed && this.status.state === "refused";
  }

  async login(user: LoginUser): Promise<void> {
    this.#users.given = user;
    await this.#reconnectLoop.retry().finally(() => {
      this.#users.given = undefined;
    });
    if (this.status.state === "ready") {
      this.#users.isMissed = false;
      return;
    }
    const { command } = this.#oauth ?? {};
    throw new ToolFailure("unavailable", `The user did not log in to the server ${this.name}.`, {
      hint: command === undefined ? "Continue without it." : `The user can run \`${command}\`.`,
    });
  }

  listTools(): Promise<readonly McpTool[]> {
    return this.#list("tools", async (client, options) => (await client.listTools(undefined, options)).tools);
  }

  listResources(): Promise<readonly Resource[]> {
    return this.#list(
      "resources",
      async (client, options) => (await client.listResources(undefined, options)).resources,
    );
  }

  listResourceTemplates(): Promise<readonly ResourceTemplateType[]> {
    return this.#list(
      "resources",
      async (client, options) => (await client.listResourceTemplates(undefined, options)).resourceTemplates,
    );
  }

  listPrompts(): Promise<readonly Prompt[]> {
    return this.#list(
      "prompts",
      async (client, options) => (await client.listPrompts(undefined, options)).prompts,
    );
  }

  call(call: RemoteCall): Promise<CallToolResult> {
    return this.#run((client) => ({
      ...asRequest(call),
      send: (options) =>
        client.callTool(
          { name: call.tool, arguments: { ...call.arguments }, ...this.#logged(client) },
          options,
        ),
    }));
  }

  readResource(uri: string, signal?: AbortSignal): Promise<ReadResourceResult> {
    return this.#run((client) => ({
      ...defined({ signal }),
      send: (options) => client.readResource({ uri }, { ...options, cacheMode: "bypass" }),
    }));
  }

  getPrompt(
    name: string,
    args: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<GetPromptResult> {
    return this.#run((client) => ({
      ...defined({ signal }),
      send: (options) => client.getPrompt({ name, arguments: { ...args } }, options),
    }));
  }

  async complete(params: CompleteRequest["params"], signal?: AbortSignal): Promise<CompleteResult> {
    if (this.#opened().client.getServerCapabilities()?.completions === undefined)
      return { completion: { values: [] } };
    return this.#run((client) => ({
      ...defined({ signal }),
      send: (options) => client.complete(params, options),
    }));
  }

  watchResource(uri: string): Promise<() => void> {
    return this.#news.watch(uri, () =>
      this.#run((client) => ({ send: (options) => client.subscribeResource({ uri }, options) })),
    );
  }

  get logLevel(): LoggingLevel | undefined {
    return this.#news.level;
  }

  set logLevel(level: LoggingLevel | undefined) {
    this.#news.level = level;
  }

  listen(tell: (news: ConnectionNews) => void): () => void {
    return this.#news.listen(tell);
  }

  watch(tell: (change: ConnectionChange) => void): () => void {
    return this.#reconnectLoop.watch(tell);
  }

  close(): Promise<void> {
    return this.#reconnectLoop.close();
  }

  /** A server of the newer protocol generation receives the log level with each call. */
  #logged(client: Client): { _meta?: Record<string, unknown> } {
    const { level } = this.#news;
    const canLog =
      client.getProtocolEra() === "modern" && client.getServerCapabilities()?.logging !== undefined;
    return canLog && level !== undefined ? { _meta: { [LOG_LEVEL_META_KEY]: level } } : {};
  }

  async #run<Result>(requestOf: (client: Client) => RemoteRequest<Result>): Promise<Result> {
    const opened = this.#opened();
    return runRequest(opened, requestOf(opened.client), this.#limits);
  }

  async #list<Item>(
    capability: "tools" | "resources" | "prompts",
    send: (client: Client, options: RequestOptions & { cacheMode: "refresh" }) => Promise<readonly Item[]>,
  ): Promise<readonly Item[]> {
    const opened = this.#opened();
    // The library would write to the standard output, which may carry a protocol.
    if (opened.client.getServerCapabilities()?.[capability] === undefined) return [];
    return readList(opened, this.#limits, (options) =>
      send(opened.client, { ...options, cacheMode: "refresh" }),
    );
  }

  #opened(): OpenedClient {
    const { current, status } = this.#reconnectLoop;
    if (current !== undefined) return current;
    const isComing = status.state === "waiting" || status.state === "connecting";
    throw new ToolFailure("unavailable", `The server ${this.name} is not connected (${status.state}).`, {
      hint: isComing
        ? "It is retried automatically. Try later, or continue without it."
        : "Continue without it.",
      transient: isComing,
    });
  }

  #prepare(client: Client, inFlight: InFlight): void {
    client.setRequestHandler("elicitation/create", ({ params }) =>
      answerElicitation(params, this.name, inFlight),
    );
    client.fallbackRequestHandler = async ({ method }) => {
      throw new ProtocolError(
        ProtocolErrorCode.MethodNotFound,
        `This client does not answer ${method}: servers have no access to the model (sampling) or to folders (roots).`,
      );
    };
    this.#news.prepare(client);
    onListChanges(client, (change) => this.#reconnectLoop.tell(change));
  }

  #lastGeneration(): ProtocolGeneration | undefined {
    // Called for the first time before the reconnect loop exists.
    return this.#server === undefined || this.status.failures >= FORGET_GENERATION_AFTER
      ? undefined
      : this.#generation;
  }

  #keep({ client }: OpenedClient): void {
    this.#server = serverOf(client, this.name);
    this.#generation = this.#server.generation;
    this.#news.opened(client);
  }
}

function asRequest({ signal, owner, onProgress, ask }: RemoteCall): Omit<RemoteRequest<never>, "send"> {
  return defined({ signal, owner, onProgress, ask });
}

function serverOf(client: Client, fallback: string): ConnectedServer {
  const { name = fallback, version = "" } = client.getServerVersion() ?? {};
  const instructions = client.getInstructions();
  return Object.freeze({
    ...{ name, version },
    protocolVersion: client.getNegotiatedProtocolVersion() ?? "",
    generation: client.getProtocolEra() ?? "legacy",
    capabilities: client.getServerCapabilities() ?? {},
    ...(instructions === undefined ? {} : { instructions }),
  });
}
