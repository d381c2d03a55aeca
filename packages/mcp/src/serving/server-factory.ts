import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  type RequestStateCodec,
  Server,
  type ServerCapabilities,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { defined, harmlessText } from "@toolkeep/core/internal";
import { pendingAnswer, settledAnswer } from "./call-answer.ts";
import type { CallingClient, ReturningClient } from "./calling-client.ts";
import type { ListedTools } from "./listed-tools.ts";
import type { LogAudience } from "./log-audience.ts";
import type { Offers } from "./offers.ts";
import { formOf } from "./person-form.ts";
import { inProtocol, invalidParams } from "./protocol-errors.ts";
import { serveOffers } from "./serve-offers.ts";
import type { OnProgress } from "./served-call.ts";
import type { Followed, ServedCalls } from "./served-calls.ts";
import type { WatchedResources } from "./watched-resources.ts";

type ProtocolGeneration = "legacy" | "modern";

/** What every server is made of. Each serves one client. */
export interface ServerParts {
  readonly info: { readonly name: string; readonly version: string };
  readonly calls: ServedCalls;
  readonly tools: ListedTools;
  readonly offers: Offers | undefined;
  readonly logs: LogAudience;
  readonly watched: WatchedResources;
  instructions(): string | undefined;
  missing(): string | undefined;
  /** Resolves when there is something to list, or the time limit is over. */
  ready(): Promise<void>;
  /** Called after every call, with the name of its tool. */
  afterCall(toolName: string): void;
}

const ASKED_SECONDS = 24 * 3_600;

const LONGEST_NAME = 64;
const FORM_MS = 3_600_000;

/** What our `requestState` contains. */
interface AskedState {
  readonly turnId: string;
}

const LONGEST_TEXT = 500;
const WHOLE = 100;
/** Every report must be higher than the one before, even if only the text changed. */
const STEP = 0.001;

/** What a client of the newer protocol generation declares with every request. */
interface ClientEnvelope {
  readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities;
  readonly [CLIENT_INFO_META_KEY]?: { readonly name?: string };
}

/** Creates servers that serve one client each, and share everything else. */
export class ServerFactory {
  readonly #parts: ServerParts;
  readonly #states: RequestStateCodec<AskedState>;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    // Valid in this process only: after a restart the client calls again, and finds the parked turn by its arguments.
    const key = crypto.getRandomValues(new Uint8Array(32));
    this.#states = createRequestStateCodec<AskedState>({ key, ttlSeconds: ASKED_SECONDS });
  }

  make(generation: ProtocolGeneration): Server {
    const { info, offers, logs, watched } = this.#parts;
    const instructions = this.#parts.instructions();
    const server = new Server(info, {
      capabilities: capabilitiesOf(offers),
      ...(instructions === undefined ? {} : { instructions }),
      inputRequired: { legacyShim: false },
      requestState: { verify: (state, ctx) => this.#states.verify(state, ctx) },
    });
    server.setRequestHandler("tools/list", ({ params }) => inProtocol(() => this.#list(params?.cursor)));
    server.setRequestHandler("tools/call", ({ params: { name, arguments: args = {} } }, ctx) =>
      inProtocol(() => this.#call(server, { name, arguments: args }, { ctx, generation })),
    );
    // Not the library's: the level that clients want is requested from the servers behind us.
    if (offers?.wantLogs !== undefined)
      server.setRequestHandler("logging/setLevel", async ({ params: { level } }) => {
        logs.join(server, level, (params) =>
          server.notification({ method: "notifications/message", params: { ...params } }),
        );
        return {};
      });
    if (offers !== undefined)
      serveOffers(server, {
        ...{ offers, watched },
        ready: () => this.#parts.ready(),
        run: (call, ctx) => this.#run(server, call, { ctx, generation }),
        ask: (followed) => this.#ask(followed),
      });
    return server;
  }

  async #list(cursor: string | undefined) {
    await this.#parts.ready();
    const page = await this.#parts.tools.page(cursor);
    if (page === undefined) throw invalidParams("Unknown cursor. List from the beginning.");
    return { ...page };
  }

  async #call(
    server: Server,
    call: NamedCall,
    request: Request,
  ): Promise<CallToolResult | InputRequiredResult> {
    const { tools } = this.#parts;
    await this.#parts.ready();
    const followed = await this.#logged(request, () => this.#run(server, call, request));
    if (followed.kind === "asked") return this.#ask(followed);
    if (followed.kind === "pending")
      return pendingAnswer(followed, call.name, tools.hasOutputSchema(call.name));
    if (followed.kind === "left") return { content: [], isError: true };
    const { result } = followed;
    this.#parts.afterCall(result.toolName);
    if (result.failure?.code === "not_found" && result.origin === undefined)
      throw invalidParams(
        [`There is no tool ${JSON.stringify(call.name)}.`, this.#parts.missing() ?? ""].join(" ").trim(),
      );
    return settledAnswer(result, tools.hasOutputSchema(result.toolName));
  }

  #run(server: Server, call: NamedCall, { ctx, generation }: Request): Promise<Followed> {
    return this.#parts.calls.run(call, clientOf(server, ctx, generation));
  }

  /** A client of the newer protocol generation sends with each call the log level that it wants meanwhile. */
  async #logged<T>({ ctx, generation }: Request, run: () => Promise<T>): Promise<T> {
    const { logs, offers } = this.#parts;
    const envelope = ctx.mcpReq.envelope as { readonly [LOG_LEVEL_META_KEY]?: LoggingLevel } | undefined;
    const level = envelope?.[LOG_LEVEL_META_KEY];
    if (generation !== "modern" || level === undefined || offers?.wantLogs === undefined) return run();
    logs.join(ctx, level, ({ level: loudness, data, logger }) => ctx.mcpReq.log(loudness, data, logger));
    try {
      return await run();
    } finally {
      logs.remove(ctx);
    }
  }

  /** Ends the request: the client asks its user, and returns with the signed state. */
  async #ask({ turnId, requests }: Followed & { readonly kind: "asked" }): Promise<InputRequiredResult> {
    return inputRequired({
      inputRequests: Object.fromEntries(
        requests.map((request) => [request.id, inputRequired.elicit({ mode: "form", ...formOf(request) })]),
      ),
      requestState: await this.#states.mint({ turnId }),
    });
  }
}

function capabilitiesOf(offers: Offers | undefined): ServerCapabilities {
  if (offers === undefined) return { tools: { listChanged: true } };
  return {
    tools: { listChanged: true },
    resources: { listChanged: true, ...(offers.watchResource === undefined ? {} : { subscribe: true }) },
    prompts: { listChanged: true },
    ...(offers.complete === undefined ? {} : { completions: {} }),
    ...(offers.wantLogs === undefined ? {} : { logging: {} }),
  };
}

interface NamedCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

interface Request {
  readonly ctx: ServerContext;
  readonly generation: ProtocolGeneration;
}

/** Which client made a request, and how its user can be asked. */
function clientOf(server: Server, ctx: ServerContext, generation: "legacy" | "modern"): CallingClient {
  const { signal } = ctx.mcpReq;
  const envelope = ctx.mcpReq.envelope as ClientEnvelope | undefined;
  const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  const info = envelope?.[CLIENT_INFO_META_KEY] ?? server.getClientVersion();
  const listen = progressTo(ctx);
  const returning = returningOf(ctx);
  return {
    name: harmlessText(info?.name ?? "an MCP client").slice(0, LONGEST_NAME),
    id: server,
    signal,
    // A broken connection is not a cancellation: running calls continue. But its user can no longer be asked.
    gone: ctx.http?.req === undefined ? signal : AbortSignal.any([signal, ctx.http.req.signal]),
    arrivedAt: Date.now(),
    asking: canAsk(capabilities) ? (generation === "modern" ? "retry" : "form") : "never",
    // Not `elicitInput`: an answer that does not fit the form is a rejection, not an error.
    showForm: (form, until) =>
      ctx.mcpReq.send({ method: "elicitation/create", params: form }, { signal: until, timeout: FORM_MS }),
    ...defined({ returning, listen }),
  };
}

/** Older clients declare that they can ask, but not how: then it is by forms. */
function canAsk(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** The state was verified before any handler saw it. */
function returningOf({ mcpReq }: ServerContext): ReturningClient | undefined {
  const state = mcpReq.requestState<AskedState>();
  return state === undefined ? undefined : { turnId: state.turnId, responses: mcpReq.inputResponses ?? {} };
}

/** Forwards progress to a client that sent a progress token; `undefined` for one that did not. */
function progressTo({ mcpReq }: ServerContext): OnProgress | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let last = -STEP;
  return (text, fraction) => {
    const wanted = fraction === undefined ? last + STEP : fraction * WHOLE;
    last = Math.max(wanted, last + STEP);
    const params = {
      progressToken,
      progress: last,
      ...(fraction === undefined ? {} : { total: WHOLE }),
      ...(text === undefined || text === "" ? {} : { message: harmlessText(text).slice(0, LONGEST_TEXT) }),
    };
    // A client that has disconnected needs no progress.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}
