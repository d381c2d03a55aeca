import { basename, dirname } from "node:path";
import { fsRead, type Grant, ToolFailure } from "@toolkeep/core";
import { errorCode } from "./file-failure.ts";
import { type PinnedFolder, pinFolder } from "./pinned-folder.ts";

const MOST_HELD = 32;

/** What tells that an entry is not there, not a file, or not for us. Anything else must not look like nothing found. */
const GONE: ReadonlySet<string> = new Set([
  "conflict",
  "tool_failed",
  "ENOENT",
  "ENOTDIR",
  "ELOOP",
  "EACCES",
  "EPERM",
]);

/** Every refusal is recorded; a search that is refused more often than this is told so. */
const MOST_REFUSALS = 8;

/** What ripgrep came by, held against the grant and against the folders as they really are. */
export class ReadablePaths implements Disposable {
  readonly #grant: Grant;
  readonly #held = new Map<string, PinnedFolder>();
  #refusals = 0;

  constructor(grant: Grant) {
    this.#grant = grant;
  }

  /**
   * What `look` makes of the entry, in the folder where its path says it is; `undefined` when the call may not
   * read it, or when it is not there: a folder that was swapped for a link shows nothing of what lies behind it.
   * Looks without waiting: the system has just been there, and answers from memory.
   */
  look<Seen>(path: string, look: (folder: PinnedFolder, name: string) => Seen): Seen | undefined {
    if (!this.#mayRead(path)) return undefined;
    try {
      const folder = this.#folder(dirname(path));
      return look(folder, basename(path));
    } catch (error) {
      if (GONE.has(ToolFailure.isInstance(error) ? error.code : (errorCode(error) ?? ""))) return undefined;
      throw error;
    }
  }

  [Symbol.dispose](): void {
    for (const folder of this.#held.values()) folder[Symbol.dispose]();
    this.#held.clear();
  }

  #mayRead(path: string): boolean {
    try {
      this.#grant.check(fsRead(path));
      return true;
    } catch (error) {
      if (!ToolFailure.isInstance(error) || error.code !== "out_of_scope") throw error;
      this.#refusals += 1;
      if (this.#refusals > MOST_REFUSALS) throw error;
      return false;
    }
  }

  #folder(path: string): PinnedFolder {
    const held = this.#held.get(path);
    if (held !== undefined) return held;
    const folder = pinFolder(path);
    const [oldest] = this.#held.keys();
    if (this.#held.size >= MOST_HELD && oldest !== undefined) {
      this.#held.get(oldest)?.[Symbol.dispose]();
      this.#held.delete(oldest);
    }
    this.#held.set(path, folder);
    return folder;
  }
}
