import {
  type CallToolResult,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  type RequestStateCodec,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { pendingAnswer, settledAnswer } from "./call-answer.ts";
import { type AskedState, clientOf } from "./client-of.ts";
import type { ListedTools } from "./listed-tools.ts";
import type { Offers } from "./offers.ts";
import { formOf } from "./person-form.ts";
import { inProtocol, invalidParams } from "./protocol-errors.ts";
import { serveOffers } from "./serve-offers.ts";
import type { Followed, ServedCalls } from "./served-calls.ts";

type Era = "legacy" | "modern";

/** What every server that speaks to one client is made of. */
export interface ServerParts {
  readonly info: { readonly name: string; readonly version: string };
  readonly calls: ServedCalls;
  readonly tools: ListedTools;
  readonly offers: Offers | undefined;
  instructions(): string | undefined;
  /** Resolves when there is something to list, or it was waited for long enough. */
  ready(): Promise<void>;
  /** Told after every call, with the name of its tool. */
  afterCall(toolName: string): void;
}

const ASKED_SECONDS = 24 * 3_600;

/** Makes servers that speak to one client each, and share everything else. */
export class ServerFactory {
  readonly #parts: ServerParts;
  readonly #states: RequestStateCodec<AskedState>;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    // Of this process alone: after a restart the client calls again, and finds the parked turn by its arguments.
    const key = crypto.getRandomValues(new Uint8Array(32));
    this.#states = createRequestStateCodec<AskedState>({ key, ttlSeconds: ASKED_SECONDS });
  }

  make(era: Era): Server {
    const { info, offers } = this.#parts;
    const instructions = this.#parts.instructions();
    const server = new Server(info, {
      capabilities: {
        tools: { listChanged: true },
        logging: {},
        ...(offers === undefined ? {} : { resources: { listChanged: true }, prompts: { listChanged: true } }),
        ...(offers?.complete === undefined ? {} : { completions: {} }),
      },
      ...(instructions === undefined ? {} : { instructions }),
      inputRequired: { legacyShim: false },
      requestState: { verify: (state, ctx) => this.#states.verify(state, ctx) },
    });
    server.setRequestHandler("tools/list", ({ params }) => inProtocol(() => this.#list(params?.cursor)));
    server.setRequestHandler("tools/call", ({ params: { name, arguments: args = {} } }, ctx) =>
      inProtocol(() => this.#call(server, { name, arguments: args }, { ctx, era })),
    );
    if (offers !== undefined)
      serveOffers(server, {
        offers,
        ready: () => this.#parts.ready(),
        run: (call, ctx) => this.#run(server, call, { ctx, era }),
        ask: (followed) => this.#ask(followed),
      });
    return server;
  }

  async #list(cursor: string | undefined) {
    await this.#parts.ready();
    const page = await this.#parts.tools.page(cursor);
    if (page === undefined) throw invalidParams("This cursor is none of ours: list from the beginning.");
    return { ...page };
  }

  async #call(
    server: Server,
    call: NamedCall,
    request: Request,
  ): Promise<CallToolResult | InputRequiredResult> {
    const { tools } = this.#parts;
    await this.#parts.ready();
    const followed = await this.#run(server, call, request);
    if (followed.kind === "asked") return this.#ask(followed);
    if (followed.kind === "pending")
      return pendingAnswer(followed, call.name, tools.hasOutputSchema(call.name));
    if (followed.kind === "left") return { content: [], isError: true };
    const { result } = followed;
    this.#parts.afterCall(result.toolName);
    if (result.failure?.code === "not_found" && result.origin === undefined)
      throw invalidParams(`There is no tool ${JSON.stringify(call.name)}.`);
    return settledAnswer(result, tools.hasOutputSchema(result.toolName));
  }

  #run(server: Server, call: NamedCall, { ctx, era }: Request): Promise<Followed> {
    return this.#parts.calls.run(call, clientOf(server, ctx, era));
  }

  /** Ends the request: the client asks its person, and comes again with the sealed state. */
  async #ask({ turnId, requests }: Followed & { readonly kind: "asked" }): Promise<InputRequiredResult> {
    return inputRequired({
      inputRequests: Object.fromEntries(
        requests.map((request) => [request.id, inputRequired.elicit({ mode: "form", ...formOf(request) })]),
      ),
      requestState: await this.#states.mint({ turnId }),
    });
  }
}

interface NamedCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

interface Request {
  readonly ctx: ServerContext;
  readonly era: Era;
}
