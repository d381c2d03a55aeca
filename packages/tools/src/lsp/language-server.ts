import { ToolFailure } from "@toolkeep/core";
import { isRecord, terminalText } from "@toolkeep/core/internal";
import type { CommandOutcome, RunningCommand } from "@toolkeep/core/ports";
import type { MessageConnection } from "vscode-jsonrpc";
import capabilities from "./client-capabilities.json" with { type: "json" };
import type { FileChange } from "./file-changes.ts";
import { pathOf, uriOf } from "./findings.ts";
import { serverInput, serverOutput } from "./message-streams.ts";
import { extensionOf, type ServerEntry } from "./server-table.ts";

const DEADLINE_MS = 30_000;
/** How long a server may take to read a project before it counts that it knows nothing. */
const READING_MS = 3_000;
const AGAIN_MS = 200;
/** What a server publishes without a version may come in several steps. */
const SETTLED_MS = 400;
/** What a server may send before the next request. */
const MOST_BYTES = 32 * 1_024 * 1_024;
const MOST_OPEN = 50;
const MOST_SAID = 500;
const NOT_FOUND = 127;

type Rpc = typeof import("vscode-jsonrpc/node");
type Reader = (path: string, version: unknown, items: readonly unknown[]) => void;

/** A language server that runs, and the files that it was shown. */
export class LanguageServer {
  readonly #entry: ServerEntry;
  readonly #running: RunningCommand;
  readonly #rpc: Rpc;
  readonly #connection: MessageConnection;
  readonly #startedAt = performance.now();
  readonly #documents = new Map<string, { readonly version: number; readonly text: string }>();
  readonly #readers = new Set<Reader>();
  readonly #end = Promise.withResolvers<never>();
  #capabilities: Readonly<Record<string, unknown>> = {};
  #received = 0;
  #said = "";
  isOver = false;

  private constructor(entry: ServerEntry, running: RunningCommand, rpc: Rpc) {
    this.#entry = entry;
    this.#running = running;
    this.#rpc = rpc;
    this.#end.promise.catch(() => {});
    this.#connection = rpc.createMessageConnection(
      new rpc.ReadableStreamMessageReader(serverOutput(running.stdout, (chunk) => this.#count(chunk))),
      new rpc.WriteableStreamMessageWriter(serverInput(running.stdin)),
      rpc.NullLogger,
    );
    this.#follow().catch(() => {});
  }

  /** Greets a program that was started. @throws ToolFailure if it does not answer as a language server. */
  static async open(entry: ServerEntry, running: RunningCommand, root: string, signal: AbortSignal) {
    const server = new LanguageServer(entry, running, await import("vscode-jsonrpc/node"));
    try {
      await server.#greet(root, signal);
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  /** Asks the server, again where it knows nothing and may still be reading the project. */
  async ask(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    for (;;) {
      const answer = await this.#request(method, params, signal);
      const isEmpty = answer === null || (Array.isArray(answer) && answer.length === 0);
      if (!isEmpty || performance.now() - this.#startedAt > READING_MS) return answer;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }

  /** Tells which files changed since the last time. What is on the disk counts again, but for the file that is shown next. */
  tell(changed: readonly FileChange[], next: string): void {
    const changes = changed.map(({ path, type }) => ({ uri: uriOf(path), type }));
    for (const { path } of changed) if (path !== next) this.#close(path);
    if (changes.length > 0) this.#notify("workspace/didChangeWatchedFiles", { changes });
  }

  /** Shows a file as it is now, and returns its version; `anew` also if it was shown so before. */
  show(path: string, text: string, anew?: "anew"): number {
    const open = this.#documents.get(path);
    if (open?.text === text && anew === undefined) return open.version;
    const version = (open?.version ?? 0) + 1;
    const textDocument = { uri: uriOf(path), version };
    const languageId = this.#entry.languages[extensionOf(path)];
    if (open === undefined)
      this.#notify("textDocument/didOpen", { textDocument: { ...textDocument, languageId, text } });
    else this.#notify("textDocument/didChange", { textDocument, contentChanges: [{ text }] });
    this.#documents.delete(path);
    this.#documents.set(path, { version, text });
    const [oldest = ""] = this.#documents.keys();
    if (this.#documents.size > MOST_OPEN) this.#close(oldest);
    return version;
  }

  /** What the server finds in a file as it is now: on demand, or what it publishes once it was shown the file. */
  async diagnostics(path: string, text: string, signal: AbortSignal): Promise<unknown> {
    if (this.#capabilities["diagnosticProvider"] === undefined)
      return this.#published(path, this.show(path, text, "anew"), signal);
    this.show(path, text);
    const params = { textDocument: { uri: uriOf(path) } };
    const answer = await this.#request("textDocument/diagnostic", params, signal);
    return isRecord(answer) ? answer["items"] : [];
  }

  /** Ends the process and everything that it started. */
  async stop(): Promise<void> {
    this.#stopBecause(new ToolFailure("cancelled", `${this.#entry.name} was stopped.`));
    await this.#running.kill();
  }

  /** Until its end, with the last of what it said. */
  async #follow(): Promise<void> {
    const { stderr, exited } = this.#running;
    await stderr.pipeTo(new WritableStream({ write: (chunk) => this.#hear(chunk) })).catch(() => {});
    const outcome = await exited.catch((): CommandOutcome => ({ exitCode: null }));
    this.#stopBecause(endOf(this.#entry, outcome, this.#said));
  }

  async #greet(root: string, signal: AbortSignal): Promise<void> {
    const workspaceFolders = [{ uri: uriOf(root), name: root }];
    this.#connection.onRequest((method, params) => this.#answer(method, params));
    this.#connection.onNotification("textDocument/publishDiagnostics", (params: unknown) => {
      if (!isRecord(params) || typeof params["uri"] !== "string") return;
      const items = Array.isArray(params["diagnostics"]) ? params["diagnostics"] : [];
      for (const read of this.#readers) read(pathOf(params["uri"]), params["version"], items);
    });
    this.#connection.listen();
    const initializationOptions = this.#entry.options ?? {};
    // In a sandbox our process number is that of another process, or of none.
    const client = { processId: null, rootUri: uriOf(root), workspaceFolders, capabilities };
    const answer = await this.#request("initialize", { ...client, initializationOptions }, signal);
    if (isRecord(answer) && isRecord(answer["capabilities"])) this.#capabilities = answer["capabilities"];
    this.#notify("initialized", {});
  }

  /** A server is told settings of ours alone, and changes nothing through us. */
  #answer(method: string, params: unknown): unknown {
    if (method === "workspace/applyEdit") return { applied: false, failureReason: "This client only reads." };
    const items: unknown = isRecord(params) ? params["items"] : undefined;
    if (method !== "workspace/configuration" || !Array.isArray(items)) return null;
    const { settings = {} } = this.#entry;
    return items.map((item: unknown) => settings[String(isRecord(item) ? item["section"] : "")] ?? {});
  }

  async #request(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    const { CancellationTokenSource, ResponseError, ErrorCodes } = this.#rpc;
    const cancellation = new CancellationTokenSource();
    const send = () => this.#connection.sendRequest<unknown>(method, params, cancellation.token);
    const answer = Promise.try(send).catch((error: unknown) => {
      // A server that ends takes no more requests.
      if (!(error instanceof ResponseError) || error.code === ErrorCodes.MessageWriteError)
        return this.#end.promise;
      const words = terminalText(error.message).slice(0, MOST_SAID);
      throw new ToolFailure("tool_failed", `${this.#entry.name} refused ${method}: ${words}`);
    });
    try {
      return await this.#inTime(answer, method, signal);
    } catch (error) {
      if (!this.isOver) cancellation.cancel();
      throw error;
    }
  }

  /** @throws ToolFailure after a deadline, and when the server ends or the call is cancelled. */
  #inTime<Result>(work: Promise<Result>, what: string, signal: AbortSignal): Promise<Result> {
    this.#received = 0;
    const stop = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]);
    const { promise, reject } = Promise.withResolvers<never>();
    const late = `${this.#entry.name} did not tell ${what} within ${DEADLINE_MS / 1_000} s.`;
    const hint = "It may still be reading the project. Call again later.";
    const onStop = () =>
      reject(signal.aborted ? signal.reason : new ToolFailure("timed_out", late, { hint }));
    stop.addEventListener("abort", onStop, { once: true });
    if (stop.aborted) onStop();
    return Promise.race([work, promise, this.#end.promise]);
  }

  async #published(path: string, version: number, signal: AbortSignal): Promise<readonly unknown[]> {
    const { promise, resolve } = Promise.withResolvers<readonly unknown[]>();
    let settling: ReturnType<typeof setTimeout> | undefined;
    const read: Reader = (of, since, items) => {
      if (of !== path || (typeof since === "number" && since < version)) return;
      clearTimeout(settling);
      settling = setTimeout(resolve, typeof since === "number" ? 0 : SETTLED_MS, items);
    };
    this.#readers.add(read);
    const found = this.#inTime(promise, `what it finds in ${path}`, signal);
    return found.finally(() => this.#readers.delete(read));
  }

  #notify(method: string, params: object): void {
    if (!this.isOver) this.#connection.sendNotification(method, params).catch(() => {});
  }

  #close(path: string): void {
    const textDocument = { uri: uriOf(path) };
    if (this.#documents.delete(path)) this.#notify("textDocument/didClose", { textDocument });
  }

  #count(chunk: Uint8Array): void {
    // A program that does not speak the protocol says so at once.
    if (Object.keys(this.#capabilities).length === 0) this.#hear(chunk);
    this.#received += chunk.length;
    if (this.#received <= MOST_BYTES) return;
    this.#stopBecause(new ToolFailure("too_large", `${this.#entry.name} sent too much and was stopped.`));
  }

  #hear(chunk: Uint8Array): void {
    this.#said = (this.#said + new TextDecoder().decode(chunk)).slice(-MOST_SAID);
  }

  #stopBecause(failure: ToolFailure): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#end.reject(failure);
    this.#connection.dispose();
    this.#running.kill().catch(() => {});
  }
}

function endOf({ name, program, install }: ServerEntry, outcome: CommandOutcome, said: string): ToolFailure {
  const { exitCode, signal, stopped = `ended with ${signal ?? `exit code ${exitCode}`}` } = outcome;
  const why =
    exitCode === NOT_FOUND
      ? `is not installed: there is no program ${program}.`
      : `${stopped}. ${terminalText(said).trim()}`;
  return new ToolFailure("unavailable", `${name} ${why}`, { hint: `Install it: \`${install}\`.` });
}
