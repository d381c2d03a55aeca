import { type Registry, ToolkeepError } from "@toolkeep/core";
import type { Origin } from "@toolkeep/core/internal";
import type { Connection, ConnectionChange } from "../connection/connection.ts";
import type { EffectMap } from "../effect-maps/effect-map.ts";
import type { ServerEntry, ServerSettings } from "../servers/server-entry.ts";
import { serverFingerprint } from "../servers/server-fingerprint.ts";
import type { KnownNames } from "./foreign-names.ts";
import type { AcceptedTool, ConsentRequest, ServerReport, ToolInReview } from "./mcp-source.ts";
import { PacedWork } from "./paced-work.ts";
import type { Pins } from "./pins.ts";
import { RegisteredTools } from "./registered-tools.ts";
import { remoteTool } from "./remote-tool.ts";
import { heldBack, type SeenTool, seenTools, toolInReview } from "./seen-tools.ts";
import { serverTool, serverToolsOf } from "./server-tools.ts";
import type { ToolAddress } from "./tool-name.ts";

/** What a source gives each of its servers. */
export interface SlotParts {
  readonly registry: Registry;
  readonly pins: Pins;
  readonly settings: ServerSettings;
  /** Starts it. Gives the reason where that cannot be. */
  open():
    | { readonly connection: Connection; readonly map: EffectMap | undefined }
    | { readonly error: string };
  nameOf(place: ToolAddress): string;
  readonly around: SlotContext;
}

/** What a server has to do with others. */
interface SlotContext {
  /** Whoever else has names. */
  names(server: string): Omit<KnownNames, "own">;
  /** Told when tools came or went, after they did. */
  changed(server: string, change: ConnectionChange): void;
  /** Puts a question to a person. Never rejects. */
  consent(request: ConsentRequest): Promise<boolean>;
  /** Told what went wrong where nobody waits for it. */
  failed(server: string, error: unknown): void;
}

type Report = ServerReport["status"];

/** One server of a source: whether it may run, and which of its tools are registered. */
export class ServerSlot {
  readonly entry: ServerEntry;
  readonly #parts: SlotParts;
  readonly #registered: RegisteredTools;
  #connection: Connection | undefined;
  #map: EffectMap | undefined;
  #status: Report = { state: "held", reason: "It was not started yet." };
  #seen: ReadonlyMap<string, SeenTool> = new Map();
  #held: readonly ToolInReview[] = [];
  /** What a person was asked about already, so that a server cannot make us ask again and again. */
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

  /** The server's own names of what it lists. */
  get toolNames(): Iterable<string> {
    return this.#seen.keys();
  }

  get report(): ServerReport {
    const status = this.#connection?.status ?? this.#status;
    return { entry: this.entry, status, tools: this.#registered.names, held: this.#held };
  }

  /** Starts the server if somebody accepted it, or it is the user's own. */
  async start(): Promise<void> {
    const { pins, around } = this.#parts;
    const fingerprint = serverFingerprint(this.entry);
    const why = await pins.look(fingerprint).catch(unreadable);
    if (typeof why === "object") {
      // Everything would be new, and what was held back would be let in.
      this.#status = { state: "held", reason: why.reason };
      return;
    }
    if (why === "known") return this.#open();
    if (this.entry.isOfProject && !(await around.consent({ kind: "server", entry: this.entry, why }))) {
      const reason =
        why === "new"
          ? "A project names it, and nobody has accepted it yet."
          : "It is started in another way than the one that was accepted.";
      this.#status = { state: "held", reason };
      return;
    }
    await this.#open(fingerprint);
  }

  /** Somebody looked at the server, or at these tools of it. */
  async accept(tools: readonly AcceptedTool[] | undefined): Promise<void> {
    if (tools !== undefined) return this.#acceptTools(tools);
    await this.#open(serverFingerprint(this.entry));
  }

  /** Looks at what is listed once more, since others came or went. */
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

  /**
   * Starts it once, whoever asks and however often, as `accepted` where it was not known before. What could not be
   * started may be tried again.
   */
  #open(accepted?: string): Promise<void> {
    this.#openMount ??= this.#openOnce(accepted).finally(() => {
      if (this.#connection === undefined) this.#openMount = undefined;
    });
    return this.#openMount;
  }

  async #openOnce(accepted: string | undefined): Promise<void> {
    if (accepted !== undefined) await this.#parts.pins.accept(accepted);
    if (this.#isClosed) return;
    const opened = this.#parts.open();
    if ("error" in opened) {
      this.#status = { state: "refused", since: Date.now(), reason: opened.error, failures: 0 };
      return;
    }
    const { connection, map } = opened;
    this.#connection = connection;
    this.#map = map;
    connection.watch((change) => this.#unwatched(this.#follow(change)));
    await connection.tried;
    if (connection.status.state === "ready") await this.#listing.ask();
  }

  /** Nobody waits for it, and a fault must not end the process: what was registered stays, what was held back too. */
  #unwatched(work: Promise<void>): void {
    work.catch((error: unknown) => this.#parts.around.failed(this.entry.name, error));
  }

  /** What changes many times before the list is read again is told once. */
  async #follow(change: ConnectionChange): Promise<void> {
    if (change === "tools" && this.#listing.isDue) return;
    if (change === "tools") await this.#listing.ask();
    if (!this.#isClosed) this.#parts.around.changed(this.entry.name, change);
  }

  async #listOnce(): Promise<void> {
    // While it cannot be reached, what was registered stays.
    const listed = await this.#connection?.listTools().catch(() => undefined);
    if (listed === undefined || this.#isClosed) return;
    this.#seen = seenTools(listed, this.#seen);
    await this.#settle();
  }

  /** Registers what may be used, and takes back what may not. Says whether that changed anything. */
  async #settle(): Promise<boolean> {
    if (this.#isClosed || this.#connection === undefined) return false;
    const before = this.#standing();
    const names: KnownNames = {
      ...this.#parts.around.names(this.entry.name),
      own: new Set(this.#seen.keys()),
    };
    const held: ToolInReview[] = [];
    const fresh: SeenTool[] = [];
    for (const [tool, seen] of this.#seen) {
      const reason = heldBack(seen, this.#parts.pins, names) ?? this.#register(seen);
      if (reason !== undefined) {
        this.#registered.take(tool);
        held.push(reason);
      } else if (this.#parts.pins.pinOf(tool) === undefined) fresh.push(seen);
    }
    this.#registerServerTools();
    this.#held = held;
    await this.#parts.pins.pin(fresh, false);
    for (const one of held) this.#unwatched(this.#ask(one));
    return before !== this.#standing();
  }

  /** Which tools are registered and which are held, to tell whether that changed. */
  #standing(): string {
    const held = this.#held.map(({ tool, fingerprint, why, reasons }) => [tool, fingerprint, why, reasons]);
    return JSON.stringify([this.#registered.names, held]);
  }

  #register({ definition, hash }: SeenTool): ToolInReview | undefined {
    const connection = this.#connection;
    if (connection === undefined || this.#registered.has(definition.name, hash)) return undefined;
    const error = this.#put({ definition, hash }, connection);
    return error === undefined ? undefined : toolInReview({ definition, hash }, "refused", [error]);
  }

  #put({ definition, hash }: Omit<SeenTool, "look">, connection: Connection): string | undefined {
    const mapped = this.#map?.tools ?? {};
    try {
      const tool = remoteTool({
        name: this.#parts.nameOf({ server: this.entry.name, tool: definition.name }),
        definition,
        hash,
        connection,
        settings: this.#parts.settings,
        mapped: Object.hasOwn(mapped, definition.name) ? mapped[definition.name] : undefined,
      });
      return this.#registered.put(definition.name, hash, tool);
    } catch (error) {
      if (ToolkeepError.isInstance(error)) return error.message;
      throw error;
    }
  }

  /** Those for resources and prompts, unless the server has tools of these names itself. What is not listed goes. */
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
      this.#registered.put(tool, "", serverTool({ tool, name, connection, settings, map: this.#map }));
    }
  }

  async #ask(held: ToolInReview): Promise<void> {
    const key = JSON.stringify([held.tool, held.fingerprint, held.reasons]);
    if (held.why === "refused" || this.#asked.has(key)) return;
    this.#asked.add(key);
    const request: ConsentRequest = { kind: "tool", server: this.entry.name, held };
    if (await this.#parts.around.consent(request)) await this.#acceptTools([held]);
  }

  /** What was looked at is pinned; what has become something else since stays held. */
  async #acceptTools(tools: readonly AcceptedTool[]): Promise<void> {
    const accepted = tools.flatMap(({ tool, fingerprint }) => {
      const held = this.#held.find((other) => other.tool === tool && other.why !== "refused");
      const seen = this.#seen.get(tool);
      return held?.fingerprint === fingerprint && seen?.hash === fingerprint ? [seen] : [];
    });
    await this.#parts.pins.pin(accepted, true);
    await this.reconsider();
  }
}

function unreadable(error: unknown): { readonly reason: string } {
  const reason = ToolkeepError.isInstance(error) ? error.message : "Its record cannot be read.";
  return { reason: `What was accepted of it is not known. ${reason}` };
}
