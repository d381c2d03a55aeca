import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Tool as McpTool } from "@modelcontextprotocol/client";
import type { AcceptedServer, AcceptedServers, ChangeAccepted } from "../servers/accepted-servers.ts";
import { pinKey } from "../servers/pin-key.ts";
import type { DefinitionLook } from "./check-definition.ts";
import { definitionHash } from "./definition-hash.ts";

const LOOKED_AT = "looked-at";
const SAID = "said:";
/** A server that shows other tools every time would fill the disk. */
const MOST_PINS = 12_000;
/** How much space the stored definitions of one server may take. They are kept to show what has changed. */
const MOST_DEFINITION_CHARACTERS = 2_000_000;

/** What is remembered of an accepted tool. */
export interface Pin {
  readonly hash: string;
  readonly wasLookedAt: boolean;
}

const LONGEST_PACKED = 4_000;
const MOST_UNPACKED_BYTES = 600_000;

/** The accepted fingerprint and tools of one server. */
export class Pins {
  readonly #store: AcceptedServers;
  readonly #owner: string;
  readonly #name: string;
  #accepted: AcceptedServer | undefined;
  #size = 0;

  constructor(store: AcceptedServers, owner: string, name: string) {
    this.#store = store;
    this.#owner = owner;
    this.#name = name;
  }

  /** Whether the server is accepted, by this fingerprint or another. Rejects if the record cannot be read. */
  async look(fingerprint: string): Promise<"accepted" | "changed" | "new"> {
    this.#take(await this.#store.get(this.#owner, this.#name));
    if (this.#accepted === undefined) return "new";
    return this.#accepted.fingerprint === fingerprint ? "accepted" : "changed";
  }

  /** Accepts the server with this fingerprint. Tools accepted under another fingerprint are forgotten. */
  async accept(fingerprint: string): Promise<void> {
    const fresh = { fingerprint, at: new Date().toISOString(), tools: {} };
    this.#take(await this.#change((accepted) => (accepted?.fingerprint === fingerprint ? accepted : fresh)));
  }

  get isFull(): boolean {
    return this.#size >= MOST_PINS;
  }

  pinOf(tool: string): Pin | undefined {
    const text = this.#textOf(tool);
    if (text === undefined) return undefined;
    const [hash = "", ...marks] = text.split(" ");
    return { hash, wasLookedAt: marks.includes(LOOKED_AT) };
  }

  /** The definition when the tool was accepted, if it was stored. */
  definitionOf(tool: string): McpTool | undefined {
    const [hash = "", ...marks] = this.#textOf(tool)?.split(" ") ?? [];
    const packed = marks.find((mark) => mark.startsWith(SAID))?.slice(SAID.length);
    return packed === undefined ? undefined : unpackedDefinition(packed, hash);
  }

  /** Pins added by other processes in the meantime stay, unless the user reviewed these. */
  async pin(tools: readonly Pick<SeenTool, "definition" | "hash">[], wasLookedAt: boolean): Promise<void> {
    const fingerprint = this.#accepted?.fingerprint;
    if (fingerprint === undefined || tools.length === 0) return;
    let left = MOST_DEFINITION_CHARACTERS - keptSize(this.#accepted);
    const pinned = tools.map(({ definition, hash }) => {
      const packed = left > 0 ? packedDefinition(definition) : undefined;
      left -= packed?.length ?? 0;
      const marks = [
        ...(wasLookedAt ? [LOOKED_AT] : []),
        ...(packed === undefined ? [] : [`${SAID}${packed}`]),
      ];
      return [pinKey(definition.name), [hash, ...marks].join(" ")] as const;
    });
    const add: ChangeAccepted = (accepted) => {
      if (accepted?.fingerprint !== fingerprint) return undefined;
      const kept = wasLookedAt ? pinned : pinned.filter(([key]) => !Object.hasOwn(accepted.tools, key));
      return { ...accepted, tools: { ...accepted.tools, ...Object.fromEntries(kept) } };
    };
    const accepted = await this.#change(add);
    // Accepted with another fingerprint by another process: its pins do not apply to this one.
    this.#take(accepted?.fingerprint === fingerprint ? accepted : add(this.#accepted));
  }

  #textOf(tool: string): string | undefined {
    const tools = this.#accepted?.tools ?? {};
    const key = pinKey(tool);
    return Object.hasOwn(tools, key) ? tools[key] : undefined;
  }

  /** If the record cannot be written, acceptance lasts as long as the process, and is asked for again later. */
  #change(change: ChangeAccepted): Promise<AcceptedServer | undefined> {
    return this.#store
      .update(this.#owner, this.#name, change)
      .catch(() => change(this.#accepted) ?? this.#accepted);
  }

  #take(accepted: AcceptedServer | undefined): void {
    this.#accepted = accepted;
    this.#size = Object.keys(accepted?.tools ?? {}).length;
  }
}

function keptSize(accepted: AcceptedServer | undefined): number {
  let size = 0;
  for (const text of Object.values(accepted?.tools ?? {})) size += Math.max(0, text.length - 64);
  return size;
}

/** A tool as its server lists it, with the result of checking it. */
export interface SeenTool {
  readonly definition: McpTool;
  readonly hash: string;
  readonly look: DefinitionLook;
}

/** A definition, compressed to be stored with its hash; `undefined` if it is too large. */
function packedDefinition(definition: McpTool): string | undefined {
  const { name, title, description, inputSchema, outputSchema, annotations } = definition;
  const fields = JSON.stringify({ name, title, description, inputSchema, outputSchema, annotations });
  if (Buffer.byteLength(fields) > MOST_UNPACKED_BYTES) return undefined;
  const packed = deflateRawSync(fields).toString("base64");
  return packed.length <= LONGEST_PACKED ? packed : undefined;
}

/** The stored definition, if it matches the hash. */
function unpackedDefinition(packed: string, hash: string): McpTool | undefined {
  try {
    const text = inflateRawSync(Buffer.from(packed, "base64"), { maxOutputLength: MOST_UNPACKED_BYTES });
    const definition = JSON.parse(text.toString("utf8")) as McpTool;
    return definitionHash(definition) === hash ? definition : undefined;
  } catch {
    return undefined;
  }
}
