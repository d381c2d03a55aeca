import { ToolFailure, ToolkeepError } from "@toolkeep/core";
import { defined, invalidOption } from "@toolkeep/core/internal";
import { connect } from "../connection/connect.ts";
import type { Connection, ConnectionChange } from "../connection/news/connection.ts";
import { expandEntry } from "../servers/expand-entry.ts";
import { mapFor } from "../servers/maps/map-for.ts";
import type { ServerEntry, ServerSettings } from "../servers/server-entry.ts";
import { settingsFor } from "../servers/settings-for.ts";
import type { NamesInUse } from "./foreign-names.ts";
import type {
  AcceptedTool,
  ConsentRequest,
  McpSource,
  McpSourceOptions,
  ServerReport,
} from "./mcp-source.ts";
import { Pins } from "./pins.ts";
import { ServerSlot, type SlotParts } from "./server-slot.ts";
import { startedEntry } from "./started-entry.ts";
import { plainName, prefixedName } from "./tool-name.ts";

type Tell = (change: ConnectionChange, server: string) => void;

/** Makes MCP servers a source of tools for a registry. Starts nothing before `add`. */
export function openMcpSource(options: McpSourceOptions): McpSource {
  return new OpenSource(options);
}

class OpenSource implements McpSource {
  readonly #options: McpSourceOptions;
  readonly #slots = new Map<string, ServerSlot>();
  readonly #watchers = new Set<Tell>();
  #isClosed = false;

  constructor(options: McpSourceOptions) {
    this.#options = options;
  }

  async add(entry: ServerEntry): Promise<void> {
    if (this.#isClosed) throw invalidOption("The source of MCP servers is closed.");
    if (!NAME.test(entry.name)) {
      const message = `Invalid server name ${JSON.stringify(entry.name)}. Use up to 64 letters, digits, \`_\` and \`-\`.`;
      throw invalidOption(message);
    }
    if (this.#slots.has(entry.name)) {
      throw invalidOption(`There is already a server ${JSON.stringify(entry.name)}.`);
    }
    const slot = new ServerSlot(entry, this.#partsFor(entry));
    this.#slots.set(entry.name, slot);
    await slot.start();
    this.#changed(entry.name, "tools");
  }

  get servers(): readonly ServerReport[] {
    return [...this.#slots.values()].map(({ report }) => report);
  }

  connection(name: string): Connection | undefined {
    return this.#slots.get(name)?.connection;
  }

  watch(tell: Tell): () => void {
    this.#watchers.add(tell);
    return () => void this.#watchers.delete(tell);
  }

  async accept(server: string, tools?: readonly AcceptedTool[]): Promise<void> {
    const slot = this.#slots.get(server);
    if (slot === undefined) throw invalidOption(`There is no server ${JSON.stringify(server)}.`);
    for (const one of tools ?? []) assertLookedAt(one);
    await slot.accept(tools);
    this.#changed(server, "tools");
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watchers.clear();
    await Promise.all([...this.#slots.values()].map((slot) => slot.close()));
  }

  #partsFor(entry: ServerEntry): SlotParts {
    const { registry, accepted, naming, owner = entry.file ?? "" } = this.#options;
    const settings = settingsFor(entry, this.#options.settings);
    return {
      registry,
      settings,
      pins: new Pins(accepted, entry.isOfProject ? owner : "", entry.name),
      open: () => openServer(entry, settings, this.#options),
      nameOf: naming === "plain" ? plainName : prefixedName,
      around: {
        names: (server) => this.#namesAround(server),
        changed: (server, change) => this.#changed(server, change),
        consent: (request) => this.#consent(request),
        failed: (server, error) => this.#failed(server, error),
      },
    };
  }

  /**
   * Other servers' tools, by all their names, and everything else that is registered. Whether a tool awaits review must
   * not depend on whether another does, or two of them could alternate forever.
   */
  #namesAround(server: string): Omit<NamesInUse, "own"> {
    const { registry, naming } = this.#options;
    const elsewhere = new Map<string, string>();
    for (const { name, origin, originName } of registry.list()) {
      if (origin.source !== "mcp" || !this.#slots.has(origin.id ?? "")) elsewhere.set(name, originName);
    }
    const others = [...this.#slots].filter(([name]) => name !== server);
    for (const [name, slot] of others) {
      for (const tool of slot.toolNames) {
        elsewhere.set(tool, `the server ${name}`);
        if (naming !== "plain") elsewhere.set(prefixedName({ server: name, tool }), `the server ${name}`);
      }
    }
    return { elsewhere, servers: others.map(([name]) => name) };
  }

  /** The list of one server can change the result of checking another. */
  #changed(server: string, change: ConnectionChange): void {
    if (this.#isClosed) return;
    for (const tell of this.#watchers) tell(change, server);
    if (change !== "tools") return;
    for (const [name, slot] of this.#slots)
      if (name !== server) slot.reconsider().catch((error: unknown) => this.#failed(name, error));
  }

  #failed(server: string, error: unknown): void {
    const reason = ToolkeepError.isInstance(error) ? error.message : "Internal error of the tool source.";
    this.#options.onNote?.(`The tools of ${server} could not be updated. ${reason}`);
  }

  async #consent(request: ConsentRequest): Promise<boolean> {
    try {
      return (await this.#options.consent?.(request)) === true;
    } catch {
      return false;
    }
  }
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** A name alone would accept whatever the definition says by now. */
function assertLookedAt(tool: AcceptedTool): void {
  const { fingerprint } = (typeof tool === "object" && tool !== null ? tool : {}) as Partial<AcceptedTool>;
  if (typeof fingerprint === "string") return;
  throw invalidOption(
    "A tool is accepted by its name and the fingerprint of the reviewed definition. Pass the entries of `inReview`.",
  );
}

async function openServer(
  entry: ServerEntry,
  settings: ServerSettings,
  options: McpSourceOptions,
): ReturnType<SlotParts["open"]> {
  const { owner, environment = process.env, sandbox, oauth, maps, folder } = options;
  const expanded = expandEntry(entry, {
    environment,
    ...(owner === undefined || owner === "" ? {} : { workspaceFolder: owner }),
  });
  if (expanded.error !== undefined) return { error: `It is not started: ${expanded.error}.` };
  try {
    const map = await mapFor({ entry: expanded.entry, settings, ...(maps === undefined ? {} : { maps }) });
    const started = startedEntry(expanded.entry, { map, settings, owner, environment });
    const connection = (options.connect ?? connect)(started, {
      settings,
      environment,
      ...defined({ folder, sandbox, oauth }),
    });
    // Relative paths in a call are the project's, wherever its program was started.
    const isElsewhere = entry.isOfProject && !started.isOfProject;
    const cwd = isElsewhere ? owner : started.kind === "stdio" ? started.cwd : undefined;
    return { connection, map, ...(cwd?.startsWith("/") === true ? { cwd } : {}) };
  } catch (error) {
    if (!ToolkeepError.isInstance(error) && !ToolFailure.isInstance(error)) throw error;
    return { error: error.message };
  }
}
