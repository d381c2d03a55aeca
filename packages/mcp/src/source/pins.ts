import type { Tool as McpTool } from "@modelcontextprotocol/client";
import type { AcceptedServer, AcceptedServers, ChangeAccepted } from "../servers/accepted-servers.ts";
import { pinKey } from "../servers/pin-key.ts";
import { packedDefinition, unpackedDefinition } from "./packed-definition.ts";
import type { SeenTool } from "./seen-tools.ts";

const LOOKED_AT = "looked-at";
const SAID = "said:";
/** A server that shows other tools every time would fill the disk. */
const MOST_PINS = 12_000;
/** What all definitions of one server may take that are kept to show what has changed. */
const MOST_SAID = 2_000_000;

/** What is remembered of an accepted tool. */
export interface Pin {
  readonly hash: string;
  readonly wasLookedAt: boolean;
}

/** What of one server was accepted. */
export class Pins {
  readonly #store: AcceptedServers;
  readonly #owner: string;
  readonly #name: string;
  #known: AcceptedServer | undefined;
  #size = 0;

  constructor(store: AcceptedServers, owner: string, name: string) {
    this.#store = store;
    this.#owner = owner;
    this.#name = name;
  }

  /** Whether the server is known, by this fingerprint or another. Rejects where that cannot be read. */
  async look(fingerprint: string): Promise<"known" | "changed" | "new"> {
    this.#take(await this.#store.get(this.#owner, this.#name));
    if (this.#known === undefined) return "new";
    return this.#known.fingerprint === fingerprint ? "known" : "changed";
  }

  /** From now on the server is known as this one. What the tools of another one said is forgotten. */
  async accept(fingerprint: string): Promise<void> {
    const accepted = { fingerprint, at: new Date().toISOString(), tools: {} };
    this.#take(await this.#change((known) => (known?.fingerprint === fingerprint ? known : accepted)));
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

  /** What the tool said when it was accepted, where that was kept. */
  definitionOf(tool: string): McpTool | undefined {
    const [hash = "", ...marks] = this.#textOf(tool)?.split(" ") ?? [];
    const packed = marks.find((mark) => mark.startsWith(SAID))?.slice(SAID.length);
    return packed === undefined ? undefined : unpackedDefinition(packed, hash);
  }

  /** What others have pinned meanwhile stays, unless somebody looked at these. */
  async pin(tools: readonly Pick<SeenTool, "definition" | "hash">[], wasLookedAt: boolean): Promise<void> {
    const fingerprint = this.#known?.fingerprint;
    if (fingerprint === undefined || tools.length === 0) return;
    let left = MOST_SAID - saidSize(this.#known);
    const pinned = tools.map(({ definition, hash }) => {
      const packed = left > 0 ? packedDefinition(definition) : undefined;
      left -= packed?.length ?? 0;
      const marks = [
        ...(wasLookedAt ? [LOOKED_AT] : []),
        ...(packed === undefined ? [] : [`${SAID}${packed}`]),
      ];
      return [pinKey(definition.name), [hash, ...marks].join(" ")] as const;
    });
    const add: ChangeAccepted = (known) => {
      if (known?.fingerprint !== fingerprint) return undefined;
      const kept = wasLookedAt ? pinned : pinned.filter(([key]) => !Object.hasOwn(known.tools, key));
      return { ...known, tools: { ...known.tools, ...Object.fromEntries(kept) } };
    };
    const known = await this.#change(add);
    // Accepted as another one elsewhere: what is pinned there says nothing about this one.
    this.#take(known?.fingerprint === fingerprint ? known : add(this.#known));
  }

  #textOf(tool: string): string | undefined {
    const tools = this.#known?.tools ?? {};
    const key = pinKey(tool);
    return Object.hasOwn(tools, key) ? tools[key] : undefined;
  }

  /** What cannot be written down holds as long as we live, and is asked again later. */
  #change(change: ChangeAccepted): Promise<AcceptedServer | undefined> {
    return this.#store
      .update(this.#owner, this.#name, change)
      .catch(() => change(this.#known) ?? this.#known);
  }

  #take(known: AcceptedServer | undefined): void {
    this.#known = known;
    this.#size = Object.keys(known?.tools ?? {}).length;
  }
}

function saidSize(known: AcceptedServer | undefined): number {
  let size = 0;
  for (const text of Object.values(known?.tools ?? {})) size += Math.max(0, text.length - 64);
  return size;
}
