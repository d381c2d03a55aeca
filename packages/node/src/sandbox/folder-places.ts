import type { Dirent } from "node:fs";
import { basename } from "node:path";
import { kindOfName } from "./auto-executed-name.ts";
import type { FindKind } from "./find.ts";
import { isRecord } from "./git-records.ts";

/**
 * As what a folder is looked into. `plain`: names count. `repository`: the folder of a repository. `modules`:
 * where repositories of submodules and worktrees are kept, at any depth because their names may have slashes.
 * `objects`, `record`: what git wrote down, where names are those of branches and only whole repositories
 * and links count. `work`: what git has not finished. `remotes`: where git fetches from and pushes to.
 */
export type Place = "plain" | "repository" | "modules" | "objects" | "record" | "work" | "remotes";

/** What an entry of a folder is, and as what it is looked into next. */
export interface Meaning {
  readonly kind?: FindKind | undefined;
  readonly next: readonly Place[];
  /** Whether git wrote it down, so that it counts what is in it. */
  readonly isRecord?: boolean;
}

const NOTHING: Meaning = { next: [] };

/**
 * What an entry means where it stands. Nothing that a command could put beside it may make it mean less:
 * a folder that is made to look like a repository is looked into as a plain one too.
 */
export function meaningOf(entry: Dirent, path: string, as: { place: Place; isBare: boolean }): Meaning {
  const { place, isBare } = as;
  const within = isBare ? inRepository(entry) : NOTHING;
  switch (place) {
    case "plain":
      return together(inPlain(entry, path), within);
    case "repository":
      return inGitFolder(entry);
    case "modules":
      return inModules(entry, path);
    case "work":
      return entry.isFile() ? RECORD : DECIDES;
    case "remotes":
      return DECIDES;
    default:
      return together(inRecord(entry, path), within);
  }
}

function together(one: Meaning, other: Meaning): Meaning {
  const isRecord = one.isRecord === true || other.isRecord === true;
  return { kind: one.kind ?? other.kind, next: [...new Set([...one.next, ...other.next])], isRecord };
}

/** What is installed is run as it is; to look for settings in it would find those of every package. */
const INSTALLED: ReadonlySet<string> = new Set(["node_modules", "site-packages"]);

function inPlain(entry: Dirent, path: string): Meaning {
  const kind = kindOfName(path, entry.name);
  if (!entry.isDirectory()) return { kind, next: [] };
  if (kind === "repository") return { kind, next: ["repository"] };
  // There may be secrets in what is protected.
  const isLookedInto = kind === "protected" || (kind === undefined && !INSTALLED.has(entry.name));
  return { kind, next: isLookedInto ? ["plain"] : [] };
}

/**
 * What decides, within the folder of a repository, what git runs and where it looks. The rest of the
 * folder is git's own record, which a command that works with git must be able to write.
 */
const DECIDING: ReadonlySet<string> = new Set(["config", "config.worktree", "commondir", "gitdir"]);

/** Decides in the folder `info` of a repository, or of its objects. */
const DECIDING_INFO: ReadonlySet<string> = new Set(["attributes", "alternates", "http-alternates"]);

const LOOKED_INTO: Readonly<Record<string, Place>> = {
  modules: "modules",
  worktrees: "modules",
  info: "modules",
  objects: "objects",
  refs: "record",
  logs: "record",
  "rebase-merge": "work",
  "rebase-apply": "work",
  sequencer: "work",
  "rr-cache": "record",
  "lost-found": "record",
  remotes: "remotes",
  branches: "remotes",
};

/** Git follows links in folders of any name here; beside the files of a bare repository there may be folders of the user. */
function inGitFolder(entry: Dirent): Meaning {
  const found = inRepository(entry);
  return found === NOTHING && entry.isDirectory() ? { next: ["record"] } : found;
}

function inRepository(entry: Dirent): Meaning {
  const name = entry.name.toLowerCase();
  // Git follows each of them, to where no survey looks; and it writes through them.
  if (entry.isSymbolicLink()) return DECIDES;
  if (name === "hooks" || (DECIDING.has(name) && !entry.isDirectory())) return DECIDES;
  if (entry.isFile() && isRecord(name)) return RECORD;
  const next = Object.hasOwn(LOOKED_INTO, name) ? LOOKED_INTO[name] : undefined;
  return next !== undefined && entry.isDirectory() ? { next: [next] } : NOTHING;
}

const RECORD: Meaning = { next: [], isRecord: true };
const DECIDES: Meaning = { kind: "protected", next: [] };

const RECORDS: ReadonlySet<string> = new Set(["refs", "logs", "lfs"]);

function inModules(entry: Dirent, path: string): Meaning {
  const name = entry.name.toLowerCase();
  if (basename(path) === "info" && DECIDING_INFO.has(name)) return DECIDES;
  const found = inRepository(entry);
  if (found !== NOTHING || !entry.isDirectory()) return found;
  return { next: [RECORDS.has(name) ? "record" : "modules"] };
}

/** The folders that objects are kept in. */
const OBJECTS = /^(?:[0-9a-f]{2}|pack)$/;

function inRecord(entry: Dirent, path: string): Meaning {
  if (entry.isSymbolicLink()) return DECIDES;
  if (!entry.isDirectory()) return NOTHING;
  if (basename(path) !== "objects") return { next: ["record"] };
  if (entry.name === "info") return { next: ["modules"] };
  return OBJECTS.test(entry.name) ? NOTHING : { next: ["record"] };
}
