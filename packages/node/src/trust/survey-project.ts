import { createHash } from "node:crypto";
import type { Dirent } from "node:fs";
import { readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, readOwnedFile } from "./read-owned-file.ts";

/** What counts beside the folder: configuration, rules, and servers that would be started. */
const FILES = ["toolkeep.jsonc", "toolkeep.json", "toolkeep.yaml", "toolkeep.yml", ".mcp.json"] as const;
const FOLDER = ".toolkeep";

const MOST_THINGS = 1_000;
const DEEPEST = 8;
const MOST_BYTES = 1_000_000;
const MOST_BYTES_TOGETHER = 16_000_000;

/** Names of the things in a project that are run or obeyed, each with a hash of what is in it. */
export type Survey = Readonly<Record<string, string>>;

/**
 * Looks at what a project that is trusted would have run or obeyed. Must not be called before somebody
 * trusted it. `undefined`: there is more than can be remembered.
 */
export async function surveyProject(
  project: string,
  owners: readonly number[] = [],
): Promise<Survey | undefined> {
  const surveyor = new Surveyor(project, owners);
  for (const name of FILES) await surveyor.file(name);
  await surveyor.folder(FOLDER, 0);
  if (!surveyor.isWhole) return undefined;
  return Object.fromEntries([...surveyor.found].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

class Surveyor {
  readonly found = new Map<string, string>();
  readonly #project: string;
  readonly #owners: readonly number[];
  #bytes = 0;
  #isWhole = true;

  constructor(project: string, owners: readonly number[]) {
    this.#project = project;
    this.#owners = owners;
  }

  /** Whether everything was found and looked at. */
  get isWhole(): boolean {
    return this.#isWhole && this.found.size <= MOST_THINGS && this.#bytes <= MOST_BYTES_TOGETHER;
  }

  async folder(folder: string, depth: number): Promise<void> {
    if (depth > DEEPEST) this.#isWhole = false;
    for (const entry of await entriesOf(join(this.#project, folder))) {
      if (!this.isWhole) return;
      const name = `${folder}/${entry.name}`;
      // Packages are many; which of them are used is decided by what imports them.
      if (entry.isDirectory() && entry.name === "node_modules") continue;
      if (entry.isDirectory()) await this.folder(name, depth + 1);
      else if (entry.isSymbolicLink()) await this.#link(name);
      else await this.file(name);
    }
  }

  async file(name: string): Promise<void> {
    const path = join(this.#project, name);
    const file = await readOwnedFile(path, { mostBytes: MOST_BYTES, owners: this.#owners });
    if (file === undefined) return;
    this.#bytes += file.fault === undefined ? file.text.length : 0;
    this.found.set(name, file.fault === undefined ? sha256(file.text) : `unread: ${file.fault}`);
  }

  async #link(name: string): Promise<void> {
    this.found.set(name, `link: ${sha256(await readlink(join(this.#project, name)))}`);
  }
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    // Where nothing can be listed nothing can be loaded.
    if (["ENOENT", "ENOTDIR", "EACCES"].includes(codeOf(error))) return [];
    throw error;
  }
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
