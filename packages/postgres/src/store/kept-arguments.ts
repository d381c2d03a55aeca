import type { KeyRing } from "./key-ring.ts";
import type { SessionWrite } from "./session-write.ts";

/** A session's raw arguments, written with the commit that needs them. */
export class KeptArguments {
  readonly #keys: KeyRing;
  /** What the database has or will have; `undefined` for a text that was not read yet. */
  readonly #kept: Map<string, string | undefined>;
  #puts = new Set<string>();
  #removes = new Set<string>();

  constructor(keys: KeyRing, kept: readonly string[]) {
    this.#keys = keys;
    this.#kept = new Map(kept.map((key) => [key, undefined]));
  }

  get isChanged(): boolean {
    return this.#puts.size + this.#removes.size > 0;
  }

  put(key: string, text: string): void {
    if (this.#kept.get(key) === text) return;
    this.#kept.set(key, text);
    this.#puts.add(key);
    this.#removes.delete(key);
  }

  delete(key: string): void {
    if (!this.#kept.delete(key)) return;
    this.#puts.delete(key);
    this.#removes.add(key);
  }

  /** Removes what is kept for a turn that is finished. */
  deleteTurn(prefix: string): void {
    for (const key of [...this.#kept.keys()])
      if (key === prefix || key.startsWith(`${prefix}/`)) this.delete(key);
  }

  /** The text, or whether the database has it. */
  get(key: string): { readonly text: string | undefined; readonly isUnread: boolean } {
    const text = this.#kept.get(key);
    return { text, isUnread: text === undefined && this.#kept.has(key) };
  }

  /** Removes what belongs to no unfinished turn. */
  keepOnly(prefix: string, turns: ReadonlySet<string>): void {
    for (const key of [...this.#kept.keys()]) {
      const [turn = ""] = key.slice(prefix.length).split("/");
      if (!turns.has(turn)) this.delete(key);
    }
  }

  /** What changed since the last time, encrypted. */
  takeChanges(): Pick<SessionWrite, "puts" | "removes"> {
    if (!this.isChanged) return UNCHANGED;
    const puts = [...this.#puts].map((key) => ({
      key,
      ...this.#keys.encrypt(key, this.#kept.get(key) ?? ""),
    }));
    const removes = [...this.#removes];
    this.#puts = new Set();
    this.#removes = new Set();
    return { puts, removes };
  }
}

const UNCHANGED = { puts: [], removes: [] } as const;
