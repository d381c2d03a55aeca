import { ToolFailure } from "@toolkeep/core";
import { isRecord, terminalText } from "@toolkeep/core/internal";
import type { CommandOutcome, RunningCommand } from "@toolkeep/core/ports";
import type { MessageConnection } from "vscode-jsonrpc";
import capabilities from "./client-capabilities.json" with { type: "json" };
import { beforeDeadline } from "./deadline.ts";
import type { FileChanges } from "./file-changes.ts";
import { pathOf, uriOf } from "./file-uris.ts";
import type { KnownServer } from "./known-servers.ts";
import { endOf, type ServerOutput, serverInput, serverOutput } from "./message-streams.ts";
import { PublishedDiagnostics } from "./published-diagnostics.ts";

const DEADLINE_MS = 30_000;
const MOST_OPEN = 50;
/** How long a server may take to read a project before it knows nothing of it. */
const READING_MS = 3_000;
const AGAIN_MS = 200;
const NOT_FOUND = 127;

type Rpc = typeof import("vscode-jsonrpc/node");

/** A file as it is on the disk. */
export interface ShownFile {
  readonly path: string;
  readonly language: string;
  readonly text: string;
}

interface OpenDocument {
  readonly version: number;
  readonly text: string;
}

/** A language server that runs, and the files that it was shown. */
export class LanguageServer {
  readonly #known: KnownServer;
  readonly #running: RunningCommand;
  readonly #rpc: Rpc;
  readonly #connection: MessageConnection;
  readonly #output: ServerOutput;
  readonly #startedAt = performance.now();
  readonly #documents = new Map<string, OpenDocument>();
  readonly #published = new PublishedDiagnostics();
  readonly #end = Promise.withResolvers<never>();
  #capabilities: Readonly<Record<string, unknown>> = {};
  #isOver = false;

  private constructor(known: KnownServer, running: RunningCommand, rpc: Rpc) {
    this.#known = known;
    this.#running = running;
    this.#rpc = rpc;
    this.#end.promise.catch(() => {});
    this.#output = serverOutput(running.stdout, () => this.#stopBecause(tooMuch(known)));
    this.#connection = rpc.createMessageConnection(
      new rpc.ReadableStreamMessageReader(this.#output.stream),
      new rpc.WriteableStreamMessageWriter(serverInput(running.stdin)),
      rpc.NullLogger,
    );
    const errors = endOf(running.stderr);
    const ended = (outcome: CommandOutcome) =>
      this.#stopBecause(endedFailure(known, outcome, `${this.#output.beginning()}${errors()}`));
    running.exited.then(ended, () => ended({ exitCode: null }));
  }

  /** Greets a program that was started. @throws ToolFailure if it does not answer as a language server. */
  static async open(
    known: KnownServer,
    running: RunningCommand,
    { root, signal }: { readonly root: string; readonly signal: AbortSignal },
  ): Promise<LanguageServer> {
    const server = new LanguageServer(known, running, await import("vscode-jsonrpc/node"));
    try {
      await server.#greet(root, signal);
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  get isOver(): boolean {
    return this.#isOver;
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

  /** @throws ToolFailure for an error, after a deadline, and where the server or the call ends. */
  async #request(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    const cancellation = new this.#rpc.CancellationTokenSource();
    this.#output.allowMore();
    const answer = this.#connection.sendRequest<unknown>(method, params, cancellation.token);
    answer.catch(() => {});
    try {
      return await beforeDeadline(Promise.race([answer, this.#end.promise]), {
        signal,
        milliseconds: DEADLINE_MS,
        late: `${this.#known.name} did not answer ${method}`,
      });
    } catch (error) {
      cancellation.cancel();
      throw ToolFailure.isInstance(error) ? error : refused(this.#known, error);
    }
  }

  /** Tells which files changed since the last time. Of those that are open, what is on the disk counts again. */
  tell({ changed, created, removed }: FileChanges): void {
    const changes = [created, changed, removed].flatMap((paths, index) =>
      paths.map((path) => ({ uri: uriOf(path), type: index + 1 })),
    );
    if (changes.length === 0) return;
    for (const path of [...changed, ...removed]) this.#close(path);
    this.#notify("workspace/didChangeWatchedFiles", { changes });
  }

  /** Shows a file as it is now. With `anew` also if it is known to be so: a server says what it finds after a change. */
  show({ path, language, text }: ShownFile, anew?: "anew"): number {
    const open = this.#documents.get(path);
    if (open?.text === text && anew === undefined) return open.version;
    const version = (open?.version ?? 0) + 1;
    const uri = uriOf(path);
    this.#documents.delete(path);
    this.#documents.set(path, { version, text });
    if (open === undefined)
      this.#notify("textDocument/didOpen", { textDocument: { uri, languageId: language, version, text } });
    else
      this.#notify("textDocument/didChange", { textDocument: { uri, version }, contentChanges: [{ text }] });
    for (const [oldest] of this.#documents) {
      if (this.#documents.size <= MOST_OPEN) break;
      this.#close(oldest);
    }
    return version;
  }

  /** What the server finds in a file, as the file is now. */
  async diagnostics(file: ShownFile, signal: AbortSignal): Promise<readonly unknown[]> {
    if (this.#capabilities["diagnosticProvider"] === undefined) {
      const version = this.show(file, "anew");
      this.#output.allowMore();
      return beforeDeadline(Promise.race([this.#published.wait(file.path, version), this.#end.promise]), {
        signal,
        milliseconds: DEADLINE_MS,
        late: `${this.#known.name} did not say what it finds in ${file.path}`,
      });
    }
    this.show(file);
    const answer = await this.#request(
      "textDocument/diagnostic",
      { textDocument: { uri: uriOf(file.path) } },
      signal,
    );
    return isRecord(answer) && Array.isArray(answer["items"]) ? answer["items"] : [];
  }

  /** Ends the process and everything that it started. */
  async stop(): Promise<void> {
    this.#stopBecause(new ToolFailure("cancelled", `${this.#known.name} was stopped.`));
    await this.#running.kill();
  }

  async #greet(root: string, signal: AbortSignal): Promise<void> {
    this.#connection.onRequest((method, params) => this.#answer(method, params, root));
    this.#connection.onNotification("textDocument/publishDiagnostics", (params) =>
      this.#published.take(params),
    );
    this.#connection.listen();
    const answer = await this.#request(
      "initialize",
      {
        // In a sandbox our number is that of another process, or of none.
        processId: null,
        rootUri: uriOf(root),
        workspaceFolders: foldersOf(root),
        capabilities,
        initializationOptions: this.#known.options ?? {},
      },
      signal,
    );
    if (isRecord(answer) && isRecord(answer["capabilities"])) this.#capabilities = answer["capabilities"];
    this.#notify("initialized", {});
  }

  /** A server is told settings of ours alone, and changes nothing through us. */
  #answer(method: string, params: unknown, root: string): unknown {
    if (method === "workspace/configuration") return settingsFor(params, this.#known);
    if (method === "workspace/workspaceFolders") return foldersOf(root);
    if (method === "workspace/applyEdit") return { applied: false, failureReason: "This client only reads." };
    if (method === "window/showDocument") return { success: false };
    return null;
  }

  #notify(method: string, params: object): void {
    if (!this.#isOver) this.#connection.sendNotification(method, params).catch(() => {});
  }

  #close(path: string): void {
    if (this.#documents.delete(path))
      this.#notify("textDocument/didClose", { textDocument: { uri: uriOf(path) } });
  }

  #stopBecause(failure: ToolFailure): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#end.reject(failure);
    this.#connection.dispose();
    this.#running.kill().catch(() => {});
  }
}

function foldersOf(root: string) {
  return [{ uri: uriOf(root), name: pathOf(uriOf(root)) }];
}

function settingsFor(params: unknown, { settings = {} }: KnownServer): readonly unknown[] {
  const items: unknown = isRecord(params) ? params["items"] : undefined;
  if (!Array.isArray(items)) return [];
  return items.map((item: unknown) => {
    const section = isRecord(item) ? item["section"] : undefined;
    return typeof section === "string" && Object.hasOwn(settings, section) ? settings[section] : {};
  });
}

function endedFailure({ name, program, install }: KnownServer, outcome: CommandOutcome, said: string) {
  const hint = { hint: `Install it: \`${install}\`.` };
  if (outcome.exitCode === NOT_FOUND)
    return new ToolFailure("unavailable", `${name} is not installed: there is no program ${program}.`, hint);
  const how = outcome.stopped ?? `ended with ${outcome.signal ?? `exit code ${outcome.exitCode}`}`;
  const words = terminalText(said).trim();
  return new ToolFailure(
    "unavailable",
    `${name} ${how}${words === "" ? "." : `: ${words}`}`,
    words === "" ? {} : hint,
  );
}

function tooMuch({ name }: KnownServer): ToolFailure {
  return new ToolFailure("too_large", `${name} sent too much and was stopped.`);
}

function refused({ name }: KnownServer, error: unknown): ToolFailure {
  const words = error instanceof Error ? terminalText(error.message).slice(0, 1_000) : "no reason was given";
  return new ToolFailure("tool_failed", `${name} refused the request: ${words}`);
}
