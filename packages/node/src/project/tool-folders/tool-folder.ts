import type { Registry } from "@toolkeep/core";
import type { Origin } from "@toolkeep/core/internal";
import { readOwnedFile } from "../../owned-files/read-owned-file.ts";
import { sha256 } from "../../owned-files/sha256.ts";
import type { FolderDiagnostic } from "../trust/folder-diagnostic.ts";
import { listToolFiles, type ToolAddress, type ToolFile } from "../trust/list-tool-files.ts";
import { FolderTools, type FolderToolsChanges } from "./folder-tools.ts";
import { type ImportGuard, type ImportRules, importGuardOf } from "./guarded-imports.ts";
import { type FolderLimits, type LoadedFile, type LoadOptions, loadToolFile } from "./load-tool-file.ts";

export interface ToolFolderOptions extends ToolAddress {
  readonly registry: Registry;
  readonly limits: FolderLimits;
}

/** What a tool imports may be larger than a tool. */
const MOST_IMPORTED_BYTES = 16_000_000;

/** The tools of one folder in a registry. Must not be used by two at the same time. */
export class ToolFolder {
  readonly #options: ToolFolderOptions;
  readonly #tools: FolderTools;
  readonly #importGuard: ImportGuard;
  /** By file: the last version that was good, what is wrong with the present one, and what both depend on. */
  #states = new Map<string, LoadedFile>();
  #errors: readonly FolderDiagnostic[] = [];

  constructor(options: ToolFolderOptions) {
    this.#options = options;
    this.#tools = new FolderTools(options.registry);
    this.#importGuard = importGuardOf(options.folder, options.beneath);
  }

  get folder(): string {
    return this.#options.folder;
  }

  /** What is wrong right now. */
  get errors(): readonly FolderDiagnostic[] {
    return this.#errors;
  }

  /** Every file that the tools depend on. */
  get watched(): ReadonlySet<string> {
    return new Set([...this.#states.values()].flatMap(({ hashes }) => [...hashes.keys()]));
  }

  /** The folders of the packages that the tools load. */
  get packages(): Iterable<string> {
    return this.#states.size === 0 ? [] : this.#importGuard.packages;
  }

  /** What a tool was refused when it was called, since that was asked about: by path, with a hash. */
  get late(): ReadonlyMap<string, string> {
    return this.#importGuard.late;
  }

  /** What must be trusted before all of it can be loaded: by path, with a hash. */
  get uncovered(): ReadonlyMap<string, string> {
    return new Map([...this.#states.values()].flatMap(({ uncovered }) => [...(uncovered ?? [])]));
  }

  /** Brings the registry to what is in the folder. A failing file keeps its last good version. Only covered code runs. */
  async refresh(covers?: ImportRules["covers"]): Promise<FolderToolsChanges> {
    this.#importGuard.rules = { owners: this.#options.owners ?? [], covers };
    this.#importGuard.asked();
    const { folder, files, errors } = await listToolFiles(this.#options, this.#options.limits.files);
    const stale = await this.#staleFiles(files);
    const states = new Map<string, LoadedFile>();
    for (const file of files) {
      const before = this.#states.get(file.path);
      const isKept = before !== undefined && !stale.has(file.path);
      states.set(file.path, isKept ? before : await this.#load({ file, folder }, before));
    }
    this.#states = states;
    const changes = this.#tools.bind(
      files.map((file) => ({ origin: this.#originOf(file), tools: states.get(file.path)?.tools ?? [] })),
    );
    const inFiles = [...states.values()].flatMap(({ error }) => error ?? []);
    this.#errors = [...errors, ...inFiles, ...this.#tools.errors];
    this.#options.registry.report(this, this.#errors);
    return changes;
  }

  /** Takes all tools of the folder out of the registry, and no others. */
  clear(): FolderToolsChanges {
    this.#states.clear();
    this.#errors = [];
    this.#options.registry.report(this, []);
    return this.#tools.bind([]);
  }

  /** Files to load again: what they depend on changed, or they are broken and anything at all changed. */
  async #staleFiles(files: readonly ToolFile[]): Promise<ReadonlySet<string>> {
    const now = new Map<string, string | undefined>();
    for (const path of this.watched) now.set(path, await this.#hashNow(path));
    const states = [...this.#states];
    const changed = states.filter(([, { hashes }]) =>
      [...hashes].some(([part, hash]) => now.get(part) !== hash),
    );
    const isSameList = files.length === states.length && files.every(({ path }) => this.#states.has(path));
    const isChanged = changed.length > 0 || !isSameList;
    // A file that was refused unread costs nothing to check again, and the user may have been asked about another one
    // since.
    const broken = states.filter(
      ([, { error, hashes, uncovered }]) =>
        error !== undefined && (isChanged || hashes.size === 0 || uncovered !== undefined),
    );
    return new Set([...changed, ...broken].map(([path]) => path));
  }

  async #hashNow(path: string): Promise<string | undefined> {
    const { owners = [] } = this.#options;
    const file = await readOwnedFile(path, { mostBytes: MOST_IMPORTED_BYTES, owners });
    return file === undefined || file.error !== undefined ? undefined : sha256(file.text);
  }

  async #load(
    { file, folder }: Pick<LoadOptions, "file" | "folder">,
    before: LoadedFile | undefined,
  ): Promise<LoadedFile> {
    const { limits, owners = [], registry } = this.#options;
    const origin = this.#originOf(file);
    const loaded = await loadToolFile({
      file,
      origin,
      folder,
      limits,
      owners,
      variables: registry.variables,
      importGuard: this.#importGuard,
    });
    // A file that was refused unread is not one that failed: its author is unknown.
    const isRefused = loaded.hashes.size === 0;
    if (loaded.error === undefined || isRefused || before === undefined || before.tools.length === 0)
      return loaded;
    const hint = [loaded.error.hint, "Its last good version stays."]
      .filter((one) => one !== undefined)
      .join(" ");
    return { ...loaded, tools: before.tools, error: { ...loaded.error, hint } };
  }

  #originOf({ id }: ToolFile): Origin {
    return { layer: this.#options.layer, source: "folder", id };
  }
}
