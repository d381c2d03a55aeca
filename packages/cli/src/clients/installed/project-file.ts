import { createHash, randomUUID } from "node:crypto";
import { lstat, mkdir, open, readFile, realpath, rename, rm, rmdir, stat } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { CommandError } from "../../terminal/command-error.ts";

/** The current content of a file. */
export interface FoundFile {
  readonly bytes: Buffer;
  readonly hash: string;
  /** The permission bits. */
  readonly mode: number;
}

/** The new content of a file. */
export interface NewFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly mode: number;
}

const MOST_BYTES = 4_000_000;
/** Claude Code keeps its history in the same file as the servers. */
const MOST_BYTES_ELSEWHERE = 32_000_000;

/** Reads and writes the files of one folder. Links and `..` cannot lead out of it. */
export class ProjectFiles {
  /** The canonical path of the folder. */
  readonly root: string;
  readonly #elsewhere: ReadonlyMap<string, string>;

  /** `elsewhere`: names of single files that are not in the folder, with their paths. */
  constructor(root: string, elsewhere: ReadonlyMap<string, string> = new Map()) {
    this.root = root;
    this.#elsewhere = elsewhere;
  }

  /** `undefined` if there is none. @throws CommandError */
  async read(path: string): Promise<FoundFile | undefined> {
    const real = await this.#locate(path);
    const stats = await stat(real).catch(() => undefined);
    if (stats === undefined) return undefined;
    if (!stats.isFile()) throw new CommandError(`${path} is not a file.`);
    const most = this.#elsewhere.has(path) ? MOST_BYTES_ELSEWHERE : MOST_BYTES;
    if (stats.size > most) throw new CommandError(`${path} is larger than ${most} bytes.`);
    const bytes = await readFile(real);
    return { bytes, hash: hashOf(bytes), mode: stats.mode & 0o7777 };
  }

  /** Replaces a file atomically. */
  async write({ path, bytes, mode }: NewFile): Promise<void> {
    const real = await this.#locate(path);
    const isOfUser = this.#elsewhere.has(path);
    await mkdir(dirname(real), { recursive: true, ...(isOfUser ? { mode: 0o700 } : {}) });
    const owner = await stat(real).catch(() => undefined);
    const draft = join(dirname(real), `.${basename(real)}.${randomUUID()}.tmp`);
    try {
      const handle = await open(draft, "wx", mode);
      try {
        await handle.writeFile(bytes);
        await handle.chmod(mode);
        if (owner !== undefined && process.getuid?.() === 0) await handle.chown(owner.uid, owner.gid);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, real);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  async remove(path: string): Promise<void> {
    await rm(await this.#locate(path), { force: true });
  }

  /** Removes a folder if nothing is in it. */
  async removeFolder(path: string): Promise<void> {
    await rmdir(await this.#locate(path)).catch(() => undefined);
  }

  /** The ones of these folders that do not exist. */
  async missing(folders: readonly string[]): Promise<readonly string[]> {
    const real = await Promise.all(folders.map((one) => this.#locate(one)));
    const found = await Promise.all(real.map((one) => lstat(one).catch(() => undefined)));
    return folders.filter((_, index) => found[index] === undefined);
  }

  /** The path without links. @throws CommandError if it leads out of the folder, or could. */
  async #locate(path: string): Promise<string> {
    const outside = this.#elsewhere.get(path);
    // The user may have replaced it with a link.
    if (outside !== undefined) return realpath(outside).catch(() => outside);
    const names = path.split("/");
    if (names.some((name) => name === "" || name === "." || name === ".." || name.includes("\0"))) {
      throw new CommandError(
        `${JSON.stringify(path)} is not a plain path within the folder, so it is not changed.`,
      );
    }
    let at = this.root;
    for (const name of names) {
      const next = join(at, name);
      const link = await lstat(next).catch(() => undefined);
      if (link?.isSymbolicLink() !== true) {
        at = next;
        continue;
      }
      at = await realpath(next).catch(() => "");
      if (!at.startsWith(this.root.endsWith(sep) ? this.root : this.root + sep)) {
        throw new CommandError(`${path} is a link that leads out of the project, so it is not changed.`, {
          hint: "Replace the link with a file, or edit the target by hand.",
        });
      }
    }
    return at;
  }
}

export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
