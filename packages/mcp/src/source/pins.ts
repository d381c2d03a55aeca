import type { KnownServer, KnownServers } from "../servers/known-servers.ts";

const LOOKED_AT = " looked-at";
/** A server that shows other tools every time would fill the disk. */
const MOST_PINS = 12_000;

/** What of one server was accepted. */
export class Pins {
  readonly #store: KnownServers;
  readonly #owner: string;
  readonly #name: string;
  #known: KnownServer | undefined;
  #size = 0;

  constructor(store: KnownServers, owner: string, name: string) {
    this.#store = store;
    this.#owner = owner;
    this.#name = name;
  }

  /** Whether the server is known, by this fingerprint or another. */
  async look(fingerprint: string): Promise<"known" | "changed" | "new"> {
    this.#known = await this.#store.get(this.#owner, this.#name).catch(() => undefined);
    this.#size = Object.keys(this.#known?.tools ?? {}).length;
    if (this.#known === undefined) return "new";
    return this.#known.fingerprint === fingerprint ? "known" : "changed";
  }

  /** From now on the server is known as this one. What its tools said before is forgotten. */
  async accept(fingerprint: string): Promise<void> {
    await this.#keep({ fingerprint, at: new Date().toISOString(), tools: {} });
  }

  get isFull(): boolean {
    return this.#size >= MOST_PINS;
  }

  pinOf(tool: string): { readonly hash: string; readonly wasLookedAt: boolean } | undefined {
    const tools = this.#known?.tools ?? {};
    const pin = Object.hasOwn(tools, tool) ? tools[tool] : undefined;
    if (pin === undefined) return undefined;
    const wasLookedAt = pin.endsWith(LOOKED_AT);
    return { hash: wasLookedAt ? pin.slice(0, -LOOKED_AT.length) : pin, wasLookedAt };
  }

  async pin(hashes: ReadonlyMap<string, string>, wasLookedAt: boolean): Promise<void> {
    if (this.#known === undefined || hashes.size === 0) return;
    const pinned = [...hashes].map(([tool, hash]) => [tool, wasLookedAt ? `${hash}${LOOKED_AT}` : hash]);
    await this.#keep({ ...this.#known, tools: { ...this.#known.tools, ...Object.fromEntries(pinned) } });
  }

  /** What cannot be written down holds as long as we live, and is asked again later. */
  async #keep(known: KnownServer): Promise<void> {
    this.#known = known;
    this.#size = Object.keys(known.tools).length;
    await this.#store.set(this.#owner, this.#name, known).catch(() => undefined);
  }
}
