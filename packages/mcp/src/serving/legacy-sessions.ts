import { type Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";

export interface LegacySessionsOptions {
  make(): Server;
  /** Called with every server while its session lasts. */
  joined(server: Server): () => void;
  readonly most: number;
  readonly idleMs: number;
  readonly maxBodyBytes: number;
}

interface LegacySession {
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Requests and streams that are open. */
  open: number;
  /** Ids of requests that are not answered yet. */
  readonly ids: Set<unknown>;
  usedAt: number;
}

/** Clients of the older protocol generation, which keep a session over HTTP so that they can be asked and notified. */
export class LegacySessions {
  readonly #options: LegacySessionsOptions;
  readonly #sessions = new Map<string, LegacySession>();
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(options: LegacySessionsOptions) {
    this.#options = options;
    this.#timer = setInterval(
      () => this.#endIdle(Date.now() - options.idleMs),
      Math.min(options.idleMs, 60_000),
    );
    this.#timer.unref();
  }

  /** Called when a request of a session arrives; the returned function ends it. */
  enter(sessionId: string): () => void {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) return () => {};
    session.open += 1;
    return () => {
      session.open -= 1;
      session.usedAt = Date.now();
    };
  }

  async fetch(request: Request): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id !== null) {
      const session = this.#sessions.get(id);
      return session === undefined
        ? refusal(404, "This session has ended. Start a new one.")
        : this.#answer(request, session);
    }
    if (request.method !== "POST" || !(await opensSession(request)))
      return refusal(400, "A session begins with `initialize`; later requests carry its `Mcp-Session-Id`.");
    if (!this.#dropIdleSession()) return refusal(503, "Too many sessions are in use. Try again later.");
    return this.#begin(request);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#sessions.values()].map(({ server }) => server.close()));
  }

  /** Answers are matched by the id of their request: an id that is still open cannot be used again. */
  async #answer(request: Request, { transport, ids }: LegacySession): Promise<Response> {
    const asked = request.method === "POST" ? await requestIds(request) : [];
    if (new Set(asked).size < asked.length || asked.some((id) => ids.has(id)))
      return refusal(400, "A request with this id is still open. Use a unique id for every request.");
    for (const id of asked) ids.add(id);
    const free = () => {
      for (const id of asked) ids.delete(id);
    };
    try {
      return untilRead(await transport.handleRequest(request), free);
    } catch (error) {
      free();
      throw error;
    }
  }

  async #begin(request: Request): Promise<Response> {
    const { make, joined, maxBodyBytes } = this.#options;
    const server = make();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      maxRequestBodySize: maxBodyBytes,
      onsessioninitialized: (id) => {
        const remove = joined(server);
        this.#sessions.set(id, { server, transport, open: 0, ids: new Set(), usedAt: Date.now() });
        server.onclose = () => {
          this.#sessions.delete(id);
          remove();
        };
      },
      onsessionclosed: () => server.close(),
    });
    await server.connect(transport);
    const response = await transport.handleRequest(request);
    if (transport.sessionId === undefined) await server.close();
    return response;
  }

  /** Ends the session that was idle longest if there are too many; `false` if all are in use. */
  #dropIdleSession(): boolean {
    if (this.#sessions.size < this.#options.most) return true;
    const idle = [...this.#sessions.values()].filter(({ open }) => open === 0);
    const oldest = idle.toSorted((one, other) => one.usedAt - other.usedAt)[0];
    oldest?.server.close().catch(() => {});
    return oldest !== undefined;
  }

  #endIdle(before: number): void {
    for (const { server, open, usedAt } of this.#sessions.values())
      if (open === 0 && usedAt < before) server.close().catch(() => {});
  }
}

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
}

async function opensSession(request: Request): Promise<boolean> {
  return (await messagesOf(request)).some(({ method }) => method === "initialize");
}

async function requestIds(request: Request): Promise<readonly unknown[]> {
  return (await messagesOf(request)).flatMap(({ id, method }) =>
    method === undefined || id === undefined ? [] : [id],
  );
}

/** Reads a copy: the handler of the request reads it again. */
async function messagesOf(request: Request): Promise<readonly Message[]> {
  try {
    const body: unknown = await request.clone().json();
    const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
    return messages.filter((one): one is Message => typeof one === "object" && one !== null);
  } catch {
    return [];
  }
}

/** The same response; `over` is called once it was read or discarded. */
function untilRead(response: Response, over: () => void): Response {
  if (response.body === null) {
    over();
    return response;
  }
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  void response.body.pipeTo(writable).then(over, over);
  return new Response(readable, response);
}

function refusal(status: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null }, { status });
}
