import { chmod, chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  request as sendRequest,
} from "node:http";
import type { Socket } from "node:net";
import { join } from "node:path";
import { type Duplex, pipeline, type Transform } from "node:stream";
import type { HostProxy, ListeningProxy, SandboxedCommand } from "@toolkeep/core/ports";
import { networkFailure } from "../network-failure.ts";
import { hostOf, portOf } from "../read-url.ts";
import { isAddress, passedHeaders, requestTarget, tunnelTarget, UnclearRequest } from "./proxied-target.ts";
import { proxyEnvironment } from "./proxy-environment.ts";
import { type GuardOptions, IDLE_MS, NotAllowed, type ProxyGuard, proxyGuard } from "./proxy-guard.ts";
import { openTunnel } from "./tunnel.ts";

/** What one command may reach, and where its proxy is. */
export interface CommandProxyOptions extends GuardOptions {
  /** The folder in which its own is created. No command may see it. */
  readonly folder: string;
  /** A configuration for npm that names registries; the command sees it instead of the user's. */
  readonly npmrc?: string;
}

/** So many at once; package managers open a few dozen. */
const MOST_CONNECTIONS = 128;

interface Forwarding {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** Connected, and used for this one request. */
  readonly upstream: Socket;
  /** What the body goes through. */
  readonly gate: Transform;
}

/**
 * An HTTP proxy at a socket that only one command is given. It takes CONNECT and plain requests for the hosts of this
 * command, resolves their names itself, and connects to the addresses that it has checked (decision 52). Nothing
 * listens until a sandbox asks for it.
 */
export class CommandProxy implements HostProxy {
  readonly #options: CommandProxyOptions;
  readonly #guard: ProxyGuard;
  readonly #server: Server;
  /** For plain requests in a tunnel; it never listens by itself. */
  readonly #inner: Server;
  readonly #open = new Set<Duplex>();
  #folder: string | undefined;
  #isClosed = false;

  constructor(options: CommandProxyOptions) {
    this.#options = options;
    this.#guard = proxyGuard(options);
    const onRequest = refusing((request, response) => this.#forward(request, response));
    this.#server = serverOf(onRequest, (request, client, head) => this.#connect(request, client, head));
    this.#inner = serverOf(onRequest, (_request, client) => client.destroy());
    this.#server.maxConnections = MOST_CONNECTIONS;
    this.#server.on("connection", (socket) => this.#track(socket));
  }

  async listen(user?: SandboxedCommand["user"]): Promise<ListeningProxy> {
    const { hosts, folder, npmrc = "" } = this.#options;
    this.#folder ??= await listeningFolder(this.#server, { folder, npmrc, user });
    return { folder: this.#folder, environment: proxyEnvironment(hosts) };
  }

  /** Ends it and everything that goes through it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = requestTarget(request, origins.get(request.socket));
    this.#guard.check(url);
    const upstream = this.#track(await this.#guard.connect(url));
    await forwardRequest({ request, response, url, upstream, gate: this.#guard.gate(url) });
  }

  #connect(request: IncomingMessage, client: Duplex, head: Buffer): void {
    client.on("error", () => {});
    this.#tunnel(request, client as Socket, head).catch((error: unknown) => {
      const { status, message } = answerTo(error);
      const headers = `Connection: close\r\nContent-Length: ${Buffer.byteLength(message)}`;
      client.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${message}`);
    });
  }

  async #tunnel(request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    const url = tunnelTarget(request);
    this.#guard.check(url);
    const upstream = this.#track(await this.#guard.connect(url));
    openTunnel({
      ...{
        client,
        upstream,
        head,
        gate: this.#guard.gate(url),
        host: isAddress(url) ? undefined : hostOf(url),
      },
      onPlain: () => {
        origins.set(client, `http://${hostOf(url)}:${portOf(url)}`);
        this.#inner.emit("connection", client);
      },
      onRefused: (reason) => this.#options.onRefused?.(hostOf(url), reason),
    });
  }

  #track<Kind extends Duplex>(socket: Kind): Kind {
    this.#open.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => this.#open.delete(socket));
    if (this.#isClosed) socket.destroy();
    return socket;
  }
}

/** The origin that a tunnel was opened to, for plain requests in it. */
const origins = new WeakMap<Duplex, string>();

const MOST_HEADER_BYTES = 16_384;
const HEADERS_MS = 15_000;

function serverOf(
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
  onConnect: (request: IncomingMessage, client: Duplex, head: Buffer) => void,
) {
  const server = createServer(
    {
      ...{ insecureHTTPParser: false, requireHostHeader: true, maxHeaderSize: MOST_HEADER_BYTES },
      ...{ headersTimeout: HEADERS_MS, requestTimeout: 0, keepAliveTimeout: HEADERS_MS },
      connectionsCheckingInterval: HEADERS_MS / 3,
    },
    onRequest,
  );
  server.timeout = IDLE_MS;
  server.on("connect", onConnect);
  server.on("upgrade", (_request, socket: Duplex) => socket.end("HTTP/1.1 501 Not Implemented\r\n\r\n"));
  server.on("clientError", (_error, socket) => {
    if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
    else socket.destroy();
  });
  return server;
}

function refusing(onRequest: (request: IncomingMessage, response: ServerResponse) => Promise<void>) {
  return (request: IncomingMessage, response: ServerResponse) => {
    onRequest(request, response).catch((error: unknown) => {
      if (response.headersSent) return response.destroy();
      const { status, message } = answerTo(error);
      // What follows on this connection might be the rest of what was refused.
      response.shouldKeepAlive = false;
      response.writeHead(Number.parseInt(status, 10), { "content-type": "text/plain", connection: "close" });
      return response.end(message);
    });
  };
}

/** What a program is told. The reason is also in the result of the command. */
function answerTo(error: unknown): { readonly status: string; readonly message: string } {
  if (error instanceof UnclearRequest)
    return { status: "400 Bad Request", message: `Refused: ${error.message}.\n` };
  if (error instanceof NotAllowed) return { status: "403 Host Not Allowed", message: `${error.message}\n` };
  return { status: "502 Bad Gateway", message: `${networkFailure(error, "The host").message}\n` };
}

interface Listening {
  readonly folder: string;
  readonly npmrc: string;
  readonly user: SandboxedCommand["user"];
}

/** The folder is the user's alone, so that no other can connect. */
async function listeningFolder(server: Server, { folder: within, npmrc, user }: Listening): Promise<string> {
  const folder = await mkdtemp(join(within, "p"));
  const [socket, configuration] = [join(folder, "s"), join(folder, "npmrc")];
  await new Promise<void>((resolve, reject) => {
    server.on("error", reject);
    server.listen(socket, resolve);
  });
  await chmod(socket, 0o600);
  await writeFile(configuration, npmrc, { mode: 0o600 });
  if (user !== undefined)
    for (const path of [socket, configuration, folder]) await chown(path, user.uid, user.gid);
  return folder;
}

/**
 * Sends a request on as one of its own, and its answer back. Nothing of how the client wrote it is passed on: where it
 * ends was read here, and is said anew.
 */
function forwardRequest({ request, response, url, upstream, gate }: Forwarding): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = sendRequest({
      createConnection: () => upstream,
      method: request.method ?? "GET",
      path: `${url.pathname}${url.search}`,
      setHost: false,
      headers: [
        ...["Host", url.host, ...passedHeaders(request), "Connection", "close"],
        ...(request.headers["transfer-encoding"] === undefined ? [] : ["Transfer-Encoding", "chunked"]),
      ],
    });
    sent.once("response", (answer) => {
      try {
        response.writeHead(answer.statusCode ?? 502, passedHeaders(answer));
      } catch (error) {
        // What a server answers is not to be trusted: a status or a header may be none that can be sent.
        sent.destroy();
        reject(error);
        return;
      }
      pipeline(answer, response, () => resolve());
    });
    sent.on("error", reject);
    sent.once("close", () => (response.headersSent ? resolve() : reject(new Error("There was no answer."))));
    response.once("close", () => upstream.destroy());
    gate.once("error", reject);
    pipeline(request, gate, sent, () => {});
  });
}
