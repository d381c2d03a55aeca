import { existsSync, readFileSync, statSync } from "node:fs";
import { registerHooks } from "node:module";
import { sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ToolFailure } from "@toolkeep/core";
import { realOf } from "../../files/entries.ts";
import { ownershipError } from "../../owned-files/ownership-error.ts";
import { sha256 } from "../../owned-files/sha256.ts";

/** What may be evaluated as part of a folder's tools. */
export interface ImportRules {
  /** Users whose files may be imported in addition to this user's and root's. */
  readonly owners: readonly number[];
  /** Whether a file with this hash may be evaluated. Default: every file may. */
  readonly covers?: ((path: string, hash: string) => boolean) | undefined;
}

/**
 * Checks everything that the tools of one folder load, while a file is evaluated and later, when a tool is called: what
 * may not be evaluated is not. There is one for each folder in a process, and it is kept: the modules that were loaded
 * through it are kept too, and may load more at any time.
 */
export class ImportGuard implements LoadCheck {
  readonly #packages = new Set<string>();
  readonly #late = new Map<string, string>();
  #compiler: Promise<Compiler> | undefined;
  /** What was refused while a file is evaluated; `undefined` at any other time. */
  #refused: Map<string, string> | undefined;
  rules: ImportRules = { owners: [], covers: () => false };

  /** What was refused when a tool was called, and has not been asked about since: by path, with a hash. */
  get late(): ReadonlyMap<string, string> {
    return this.#late;
  }

  /** The folders of all packages that took part so far; free of links. */
  get packages(): ReadonlySet<string> {
    return this.#packages;
  }

  /** Must be called once the late ones were asked about. */
  asked(): void {
    this.#late.clear();
  }

  /** Must be called before a file is evaluated. @throws Error with the reason why it must not be. */
  enter(path: string, hash: string): void {
    const { owners, covers } = this.rules;
    const error = isPackage(path) ? undefined : ownershipError(statSync(path), owners);
    if (error !== undefined)
      throw new Error(`It imports ${JSON.stringify(path)}, which is refused: ${error}`);
    if (covers?.(path, hash) === false) throw this.#refuse(path, hash);
    loadsFrom(pathToFileURL(path).href, this);
    const folder = packageFolder(realOf(path));
    if (folder !== undefined) this.#packages.add(folder);
  }

  /**
   * The compiler of this folder's files. It is a copy with its own address, so that what it makes Node import is
   * checked here; imports of Toolkeep and of the host application are not.
   */
  compiler(): Promise<Compiler> {
    this.#compiler ??= loadCompiler(importGuards.size, this);
    return this.#compiler;
  }

  /** What Node itself is about to load: CommonJS, modules, data, packages. */
  load(url: string, source: unknown): void {
    const path = fileURLToPath(url);
    this.enter(path, hashOfSource(source, path));
    // The same file under another address loads more in that one's name.
    loadsFrom(url, this);
  }

  /** Compiled code of the machine is never loaded as text. */
  resolved(url: string): void {
    const path = fileURLToPath(url);
    if (path.endsWith(".node")) this.enter(path, sha256(readFileSync(path)));
  }

  #refuse(path: string, hash: string): Error {
    (this.#refused ?? this.#late).set(path, hash);
    const message = `It imports ${JSON.stringify(path)}, which is not what was trusted`;
    if (this.#refused !== undefined) return new Error(message);
    // A call is under way, and its caller gets the refusal.
    const hint = "It was changed or added since. The person is asked about it when tools are loaded again.";
    return new ToolFailure("denied", `${message}.`, { hint });
  }

  /** Everything that is loaded while `run` is running is checked here, whatever loads it. Returns what was refused. */
  during(run: () => void): ReadonlyMap<string, string> {
    const refused = new Map<string, string>();
    this.#refused = refused;
    try {
      withCheck(this, run);
    } finally {
      this.#refused = undefined;
    }
    return refused;
  }
}

type Compiler = typeof import("jiti")["createJiti"];

async function loadCompiler(copy: number, importGuard: ImportGuard): Promise<Compiler> {
  // It is large, and most programs have no such files.
  const url = `${import.meta.resolve("jiti")}?guard=${copy}`;
  const { createJiti } = (await import(/* @vite-ignore */ url)) as typeof import("jiti");
  // Loading it is not the time of a file, and its own parts need no trust.
  createJiti(url).transform({ source: "" });
  loadsFrom(url, importGuard);
  return createJiti;
}

const importGuards = new Map<string, ImportGuard>();

/** The check for a folder of tools within its project. From the first one on, loads of this process are intercepted. */
export function importGuardOf(folder: string, project: string | undefined): ImportGuard {
  holdLoads(strayIn);
  const importGuard = importGuards.get(folder) ?? new ImportGuard();
  importGuards.set(folder, importGuard);
  if (project !== undefined) projects.set(`${pathToFileURL(project).href}/`, importGuard);
  return importGuard;
}

/** By the address of a project, with a slash at the end. */
const projects = new Map<string, ImportGuard>();
const CODE = /\.[cm]?[jt]sx?$/;

/**
 * Many tools load plugins in the name of a file that is not a module, such as the `package.json` of the project. A host
 * application that is itself in the project loads in the names of its own modules.
 */
function strayIn(url: string, parent: string | undefined): ImportGuard | undefined {
  for (const [project, importGuard] of projects) {
    if (!url.startsWith(project)) continue;
    if (parent === undefined) return importGuard;
    if (parent.startsWith(project) && !isModule(parent)) return importGuard;
  }
  return undefined;
}

function isModule(url: string): boolean {
  const path = fileURLToPath(url);
  return CODE.test(path) && existsSync(path);
}

/** From now on nothing more of a folder is loaded. */
export function revokeImports(folder: string): void {
  const importGuard = importGuards.get(folder);
  importGuard?.asked();
  if (importGuard !== undefined) importGuard.rules = { owners: [], covers: () => false };
}

/** Whether a file belongs to a package that was installed. */
export function isPackage(path: string): boolean {
  return path.includes(PACKAGES);
}

const PACKAGES = `${sep}node_modules${sep}`;

/** Commands could put another file into it that is loaded instead. */
function packageFolder(path: string): string | undefined {
  const at = path.lastIndexOf(PACKAGES);
  if (at === -1) return undefined;
  const [first = "", second = ""] = path.slice(at + PACKAGES.length).split(sep);
  return path.slice(0, at) + PACKAGES + (first.startsWith("@") ? first + sep + second : first);
}

function hashOfSource(source: unknown, path: string): string {
  if (typeof source === "string") return sha256(source);
  const bytes = source instanceof Uint8Array ? source : undefined;
  // Node would read the file a second time, and could read other content.
  if (bytes === undefined) throw new Error(`It imports ${JSON.stringify(path)}, which has no source`);
  // Compiled code is no text: two that differ may read alike.
  return sha256(path.endsWith(".wasm") ? bytes : Buffer.from(bytes).toString());
}

/** Decides about what is loaded in its name. Both throw what must not be. */
interface LoadCheck {
  /** A file was found, and may come to be loaded. */
  resolved(url: string): void;
  /** What is in a file is about to be evaluated. */
  load(url: string, source: unknown): void;
}

/** Finds in whose name something is loaded that no known module has asked for. */
type Strays = (url: string, parent: string | undefined) => LoadCheck | undefined;

/** In whose name a module loads others. */
const loaders = new Map<string, LoadCheck>();
/** In whose name a module is loaded. Kept, since Node looks for a name once and may load it more often. */
const held = new Map<string, LoadCheck>();
let present: LoadCheck | undefined;
let isHolding = false;

/**
 * Intercepts every load of this process from now on. What a checked module loads is checked by the same check; what the
 * host application loads itself is not checked, wherever it is.
 */
function holdLoads(strays: Strays): void {
  if (isHolding) return;
  isHolding = true;
  registerHooks({
    resolve(name, context, next) {
      const found = next(name, context);
      if (!found.url.startsWith("file:")) return found;
      const parent = context.parentURL;
      const check = present ?? loaders.get(parent ?? "") ?? strays(found.url, parent);
      if (check === undefined) return found;
      held.set(found.url, check);
      check.resolved(found.url);
      return found;
    },
    load(url, context, next) {
      const loaded = next(url, context);
      // The source that is checked is the one that is evaluated: it is passed on.
      if (url.startsWith("file:")) (present ?? held.get(url))?.load(url, loaded.source);
      return loaded;
    },
  });
}

/** From now on whatever this module loads is checked; the first check stays. */
function loadsFrom(url: string, check: LoadCheck): void {
  if (!loaders.has(url)) loaders.set(url, check);
}

/** While `run` is running, all loads go through one check. */
function withCheck(check: LoadCheck, run: () => void): void {
  const before = present;
  present = check;
  try {
    run();
  } finally {
    present = before;
  }
}
