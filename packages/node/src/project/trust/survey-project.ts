import type { Dirent } from "node:fs";
import { readdir, readlink, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { isWithin } from "@toolkeep/core/internal";
import { realOf } from "../../files/entries.ts";
import { codeOf, readOwnedFile } from "../../owned-files/read-owned-file.ts";
import { sha256 } from "../../owned-files/sha256.ts";
import { COMPILED, MOST_IMPORTS, surveyImports } from "./survey-imports.ts";

/** What applies outside the folder: configuration, rules, and servers that would be started. */
const FILES = ["toolkeep.jsonc", "toolkeep.json", "toolkeep.yaml", "toolkeep.yml", ".mcp.json"] as const;
const FOLDER = ".toolkeep";

const MOST_THINGS = 1_000;
const DEEPEST = 8;
const MOST_BYTES = 1_000_000;
const MOST_BYTES_TOGETHER = 16_000_000;

/** Names of the things in a project that are run or applied, each with a hash of its content. */
export type Survey = Readonly<Record<string, string>>;

/** What was found, or why that is unknown. */
export type Surveyed =
  | { readonly things: Survey; readonly error?: undefined; readonly isTooMuch?: undefined }
  | { readonly isTooMuch: true; readonly error?: undefined }
  | { readonly error: string };

export interface SurveyOptions {
  readonly owners?: readonly number[];
  /** What else would be run or applied: by path, with a hash. */
  more?(): Promise<ReadonlyMap<string, string>>;
}

/**
 * Finds what a trusted project would run or apply: its configuration, all in `.toolkeep`, what links in there lead to,
 * and what the tools in there import, wherever it is. Must not be called before the project is trusted.
 */
export async function surveyProject(project: string, options: SurveyOptions = {}): Promise<Surveyed> {
  const { owners = [] } = options;
  const surveyor = new Surveyor(project, owners);
  for (const name of FILES) await surveyor.file(name);
  await surveyor.folder(FOLDER, 0);
  if (surveyor.error !== undefined) return { error: surveyor.error };
  if (!surveyor.isWhole) return { isTooMuch: true };
  const elsewhere = [...(await surveyImports(project, owners)), ...((await options.more?.()) ?? [])];
  const named = elsewhere.map(([path, hash]): [string, string] => [nameOfThing(project, path), hash]);
  const found = new Map([...named, ...surveyor.found]);
  if (found.size > MOST_THINGS + MOST_IMPORTS) return { isTooMuch: true };
  return {
    things: Object.fromEntries([...found].toSorted(([one], [other]) => (one < other ? -1 : 1))),
  };
}

/** The name of a thing: its real path, relative to the project. */
export function nameOfThing(project: string, path: string): string {
  const real = realOf(path);
  return real !== project && isWithin(real, project) ? relative(project, real).replaceAll(sep, "/") : real;
}

class Surveyor {
  readonly found = new Map<string, string>();
  readonly #project: string;
  readonly #owners: readonly number[];
  readonly #walked = new Set<string>();
  #bytes = 0;
  #isWhole = true;
  #error: string | undefined;

  constructor(project: string, owners: readonly number[]) {
    this.#project = project;
    this.#owners = owners;
  }

  /** Whether everything was found and looked at. */
  get isWhole(): boolean {
    return this.#isWhole && this.found.size <= MOST_THINGS && this.#bytes <= MOST_BYTES_TOGETHER;
  }

  /** Why something may have been missed. */
  get error(): string | undefined {
    return this.#error;
  }

  async folder(folder: string, depth: number): Promise<void> {
    if (depth > DEEPEST) this.#isWhole = false;
    const real = realOf(join(this.#project, folder));
    if (this.#walked.has(real)) return;
    this.#walked.add(real);
    for (const entry of await this.#entriesOf(folder)) {
      if (!this.isWhole) return;
      const name = `${folder}/${entry.name}`;
      // Packages are many; which of them are used is decided by what imports them.
      if (entry.name === "node_modules" && !entry.isFile()) continue;
      if (entry.isDirectory()) await this.folder(name, depth + 1);
      else if (entry.isSymbolicLink()) await this.#link(name, depth);
      else await this.file(name);
    }
  }

  async file(name: string): Promise<void> {
    const path = join(this.#project, name);
    const file = await readOwnedFile(path, { mostBytes: MOST_BYTES, owners: this.#owners });
    if (file === undefined) return;
    this.#bytes += file.error === undefined ? file.text.length : 0;
    const hash = file.error === undefined ? sha256(file.text) : `unread: ${file.error}`;
    // Commands may well be able to write to the target of a link, whatever the link is called.
    this.found.set(nameOfThing(this.#project, path), hash);
  }

  async #link(name: string, depth: number): Promise<void> {
    const path = join(this.#project, name);
    this.found.set(name, `link: ${sha256(await readlink(path))}`);
    // What leads out of the project is refused when it is read; what tools import is checked separately.
    if (!isWithin(realOf(path), this.#project)) return;
    const stats = await stat(path).catch(() => undefined);
    if (stats?.isDirectory() === true) await this.folder(name, depth + 1);
    else if (!COMPILED.test(name)) await this.file(name);
  }

  /** What cannot be listed can often be loaded all the same, by name. */
  async #entriesOf(folder: string): Promise<readonly Dirent[]> {
    try {
      return await readdir(join(this.#project, folder), { withFileTypes: true });
    } catch (error) {
      const code = codeOf(error);
      if (code !== "ENOENT" && code !== "ENOTDIR")
        this.#error = `what is in its folder ${JSON.stringify(folder)} cannot be listed (${code})`;
      return [];
    }
  }
}
