import { type Registry, ToolkeepError } from "@toolkeep/core";
import type { Origin } from "@toolkeep/core/internal";
import type { Connection, ConnectionChange } from "../connection/news/connection.ts";
import type { EffectMap } from "../effect-maps/effect-map.ts";
import type { ServerEntry, ServerSettings } from "../servers/server-entry.ts";
import { serverFingerprint } from "../servers/server-fingerprint.ts";
import type { NamesInUse } from "./foreign-names.ts";
import type { AcceptedTool, ConsentRequest, ServerReport, ToolInReview } from "./mcp-source.ts";
import { PacedWork } from "./paced-work.ts";
import type { Pins, SeenTool } from "./pins.ts";
import { RegisteredTools } from "./registered-tools.ts";
import { remoteTool } from "./remote-tool.ts";
import { reviewOf, seenTools, toolInReview } from "./seen-tools.ts";
import { serverTool, serverToolsOf } from "./server-tools.ts";
import type { ToolAddress } from "./tool-name.ts";

/** What a source gives each of its servers. */
export interface SlotParts {
  readonly registry: Registry;
  readonly pins: Pins;
  readonly settings: ServerSettings;
  /** Starts it. Returns the reason if that is impossible. */
  open(): Promise<
    | {
        readonly connection: Connection;
        readonly map: EffectMap | undefined;
        /** The working directory of its program, if it is known. */
        readonly cwd?: string;
      }
    | { readonly error: string }
  >;
  nameOf(address: ToolAddress): string;
  readonly around: SlotContext;
}

/** What a server needs from its source. */
interface SlotContext {
  /** The names that are in use elsewhere. */
  names(server: string): Omit<NamesInUse, "own">;
  /** Called after tools were added or removed. */
  changed(server: string, change: ConnectionChange): void;
  /** Asks the user. Never rejects. */
  consent(request: ConsentRequest): Promise<boolean>;
  /** Receives diagnostics that no caller waits for. */
  failed(server: string, error: unknown): void;
}

/** One server of a source: whether it may run, and which of its tools are registered. */
export class ServerSlot {
  readonly entry: ServerEntry;
  readonly #parts: SlotParts;
  readonly #registered: RegisteredTools;
  #connection: Connection | undefined;
  #map: EffectMap | undefined;
  #cwd: string | undefined;
  #status: ServerReport["status"] = { state: "awaiting_review", reason: "Not started yet." };
  #seen: ReadonlyMap<string, SeenTool> = new Map();
  #inReview: readonly ToolInReview[] = [];
  /** What the user was asked already, so that a server cannot cause the same question again and again. */
  readonly #asked = new Set<string>();
  readonly #listing = new PacedWork(() => this.#listOnce());
  #openMount: Promise<void> | undefined;
  #isClosed = false;

  constructor(entry: ServerEntry, parts: SlotParts) {
    this.entry = entry;
    this.#parts = parts;
    const origin: Origin = { layer: entry.isOfProject ? "project" : "user", source: "mcp", id: entry.name };
    this.#registered = new RegisteredTools(parts.registry, origin);
  }

  get connection(): Connection | undefined {
    return this.#connection;
  }

  /** The server's own names of its tools. */
  get toolNames(): Iterable<string> {
    return this.#seen.keys();
  }

  get report(): ServerReport {
    const status = this.#connection?.status ?? this.#status;
    return { entry: this.entry, status, tools: this.#registered.names, inReview: this.#inReview };
  }

  /** Starts the server if it is accepted, or is the user's own. */
  async start(): Promise<void> {
    const { pins, around } = this.#parts;
    const fingerprint = serverFingerprint(this.entry);
    const why = await pins.look(fingerprint).catch(unreadable);
    if (typeof why === "object") {
      // Without the record everything would look new, and tools in review would be accepted.
      this.#status = { state: "awaiting_review", reason: why.reason };
      return;
    }
    if (why === "accepted") return this.#open();
    if (this.entry.isOfProject && !(await around.consent({ kind: "server", entry: this.entry, why }))) {
      const reason =
        why === "new"
          ? "It is configured by a project and has not been accepted yet."
          : "It is started in a different way than the accepted one.";
      this.#status = { state: "awaiting_review", reason };
      return;
    }
    await this.#open(fingerprint);
  }

  /** The user reviewed the server, or these tools of it. */
  async accept(tools: readonly AcceptedTool[] | undefined): Promise<void> {
    if (tools !== undefined) return this.#acceptTools(tools);
    await this.#open(serverFingerprint(this.entry));
  }

  /** Checks the listed tools again, because other tools were added or removed. */
  async reconsider(): Promise<void> {
    const hasChanged = await this.#settle();
    if (hasChanged) this.#parts.around.changed(this.entry.name, "tools");
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listing.stop();
    this.#registered.takeAll();
    await this.#connection?.close();
  }

  /** Starts it once, however often it is requested, and records it as accepted. A failed start can be retried. */
  #open(accepted?: string): Promise<void> {
    this.#openMount ??= this.#openOnce(accepted).finally(() => {
      if (this.#connection === undefined) this.#openMount = undefined;
    });
    return this.#openMount;
  }

  async #openOnce(accepted: string | undefined): Promise<void> {
    if (accepted !== undefined) await this.#parts.pins.accept(accepted);
    if (this.#isClosed) return;
    const opened = await this.#parts.open();
    if ("error" in opened) {
      this.#status = { state: "refused", since: Date.now(), reason: opened.error, failures: 0 };
      return;
    }
    const { connection, map, cwd } = opened;
    if (this.#isClosed) return connection.close();
    this.#connection = connection;
    this.#map = map;
    this.#cwd = cwd;
    connection.watch((change) => this.#unwatched(this.#follow(change)));
    await connection.tried;
    if (connection.status.state === "ready") await this.#listing.ask();
  }

  /** No caller waits for this, and an error must not end the process: registered tools and tools in review stay. */
  #unwatched(work: Promise<void>): void {
    work.catch((error: unknown) => this.#parts.around.failed(this.entry.name, error));
  }

  /** Several changes before the list is read again are reported once. */
  async #follow(change: ConnectionChange): Promise<void> {
    if (change === "tools" && this.#listing.isDue) return;
    if (change === "tools") await this.#listing.ask();
    if (!this.#isClosed) this.#parts.around.changed(this.entry.name, change);
  }

  async #listOnce(): Promise<void> {
    // While the server is unreachable, its registered tools stay.
    const listed = await this.#connection?.listTools().catch(() => undefined);
    if (listed === undefined || this.#isClosed) return;
    this.#seen = seenTools(listed, this.#seen);
    await this.#settle();
  }

  /** Registers the tools that may be used, and unregisters the others. Returns whether anything changed. */
  async #settle(): Promise<boolean> {
    if (this.#isClosed || this.#connection === undefined) return false;
    const before = this.#standing();
    const names: NamesInUse = {
      ...this.#parts.around.names(this.entry.name),
      own: new Set(this.#seen.keys()),
    };
    const inReview: ToolInReview[] = [];
    const fresh: SeenTool[] = [];
    for (const [tool, seen] of this.#seen) {
      const reason = reviewOf(seen, this.#parts.pins, names) ?? this.#register(seen);
      if (reason !== undefined) {
        this.#registered.take(tool);
        inReview.push(reason);
      } else if (this.#parts.pins.pinOf(tool) === undefined) fresh.push(seen);
    }
    this.#registerServerTools();
    this.#inReview = inReview;
    await this.#parts.pins.pin(fresh, false);
    for (const one of inReview) this.#unwatched(this.#ask(one));
    return before !== this.#standing();
  }

  /** Which tools are registered and which are in review, to detect changes. */
  #standing(): string {
    const inReview = this.#inReview.map(({ tool, fingerprint, why, reasons }) => [
      tool,
      fingerprint,
      why,
      reasons,
    ]);
    return JSON.stringify([this.#registered.names, inReview]);
  }

  #register({ definition, hash }: SeenTool): ToolInReview | undefined {
    const connection = this.#connection;
    if (connection === undefined || this.#registered.has(definition.name, hash)) return undefined;
    const error = this.#registerDefinition({ definition, hash }, connection);
    return error === undefined ? undefined : toolInReview({ definition, hash }, "refused", [error]);
  }

  #registerDefinition(
    { definition, hash }: Omit<SeenTool, "look">,
    connection: Connection,
  ): string | undefined {
    const mapped = this.#map?.tools ?? {};
    try {
      const tool = remoteTool({
        name: this.#parts.nameOf({ server: this.entry.name, tool: definition.name }),
        definition,
        hash,
        connection,
        settings: this.#parts.settings,
        mapped: Object.hasOwn(mapped, definition.name) ? mapped[definition.name] : undefined,
        folder: this.#cwd,
      });
      return this.#registered.register(definition.name, hash, tool);
    } catch (error) {
      if (ToolkeepError.isInstance(error)) return error.message;
      throw error;
    }
  }

  /** The tools for resources and prompts, unless the server has tools with these names itself. */
  #registerServerTools(): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    const wanted = serverToolsOf(connection).filter((tool) => !this.#seen.has(tool));
    for (const own of this.#registered.own) {
      if (!this.#seen.has(own) && !wanted.some((tool) => tool === own)) this.#registered.take(own);
    }
    for (const tool of wanted) {
      if (this.#registered.has(tool, "")) continue;
      const name = this.#parts.nameOf({ server: this.entry.name, tool });
      const { settings } = this.#parts;
      this.#registered.register(tool, "", serverTool({ tool, name, connection, settings, map: this.#map }));
    }
  }

  async #ask(inReview: ToolInReview): Promise<void> {
    const key = JSON.stringify([inReview.tool, inReview.fingerprint, inReview.reasons]);
    if (inReview.why === "refused" || this.#asked.has(key)) return;
    this.#asked.add(key);
    const request: ConsentRequest = { kind: "tool", server: this.entry.name, inReview };
    if (await this.#parts.around.consent(request)) await this.#acceptTools([inReview]);
  }

  /** Pins what was reviewed; a definition that has changed since stays in review. */
  async #acceptTools(tools: readonly AcceptedTool[]): Promise<void> {
    const accepted = tools.flatMap(({ tool, fingerprint }) => {
      const inReview = this.#inReview.find((other) => other.tool === tool && other.why !== "refused");
      const seen = this.#seen.get(tool);
      return inReview?.fingerprint === fingerprint && seen?.hash === fingerprint ? [seen] : [];
    });
    await this.#parts.pins.pin(accepted, true);
    await this.reconsider();
  }
}

function unreadable(error: unknown): { readonly reason: string } {
  const reason = ToolkeepError.isInstance(error) ? error.message : "Its record cannot be read.";
  return { reason: `The record of accepted servers cannot be used. ${reason}` };
}
