import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type CheckedEntry, checkEntryText, type ProgramEntry } from "@toolkeep/catalog";
import { readOwnedFile } from "../../owned-files/read-owned-file.ts";
import { sha256 } from "../../owned-files/sha256.ts";
import type { TrustVerdict } from "../trust/project-trust.ts";
import type { CatalogFile, ConfigDiagnostic } from "./config.ts";
import { ConfigDiagnostics } from "./config-diagnostics.ts";
import { MOST_CONFIG_BYTES } from "./config-files.ts";

const START = { line: 1, column: 1 };

/** The entries of all folders, and what is wrong with them. */
export interface CatalogReading {
  readonly files: readonly CatalogFile[];
  readonly diagnostics: readonly ConfigDiagnostic[];
  /** Of a project: the text of each file that is what was trusted, by path. */
  readonly texts: ReadonlyMap<string, string>;
}

interface CatalogOptions {
  /** The folder of the user's configuration, and that of the administrator's. */
  readonly user: string;
  readonly administrator: string;
  /** Whether the administrator has a configuration. */
  readonly isManaged: boolean;
  readonly owners: readonly number[];
}

/**
 * Reads the entries in the folders `catalog` of the administrator, the user and the project. Those of the user stand
 * instead of ours, unless there is an administrator: then they narrow what is known, as those of a project always do. An
 * entry that is invalid makes its program ask.
 */
export async function readCatalogs(
  verdict: TrustVerdict,
  { user, administrator, isManaged, owners }: CatalogOptions,
): Promise<CatalogReading> {
  const ofAll = await readFolder({ folder: administrator, layer: "managed", rank: "first" }, owners);
  const rank = isManaged || ofAll.length > 0 ? "last" : "first";
  const ofUser = await readFolder({ folder: user, layer: "user", rank }, owners);
  const { now, before, texts } = await readProjectCatalog(verdict, owners);
  const read = [...ofAll, ...ofUser, ...now];
  return {
    files: [...read, ...before].map(({ entry, rank: counts, file, layer }) => ({
      entry,
      rank: counts,
      file,
      layer,
    })),
    diagnostics: read.flatMap(diagnosticsOf),
    texts,
  };
}

/**
 * The entries of a project only narrow. Nothing of a project that was never trusted is read. Of a file that is not what
 * was trusted, what it said then narrows as well.
 */
async function readProjectCatalog(verdict: TrustVerdict, owners: readonly number[]) {
  const { project } = verdict;
  const texts = new Map<string, string>();
  const known = verdict.isTrusted ? { ...verdict, ...WHOLLY } : verdict.known;
  if (known === undefined) return { now: [], before: [], texts };
  const place = { beneath: project, layer: "project", rank: "narrowing" } as const;
  const now = await readFolder({ ...place, folder: join(project, ".toolkeep") }, owners);
  for (const { file, text } of now)
    if (text !== undefined && known.covers?.(file, sha256(text)) !== false) texts.set(file, text);
  const folder = join(project, ".toolkeep", "catalog");
  const others = new Set([...now.map(({ file }) => file), ...known.kept.keys()]);
  const before = [...others]
    .filter((file) => dirname(file) === folder && !texts.has(file) && known.names(file))
    .map((file) => entryIn({ layer: "project", rank: "narrowing", file, text: known.kept.get(file) }));
  return { now, before, texts };
}

/** What is there is all that was trusted. */
const WHOLLY = { names: () => true, kept: new Map<string, string>() };

/** A folder with a folder `catalog`, and what its entries count. */
interface CatalogFolder extends Pick<CatalogFile, "layer" | "rank"> {
  readonly folder: string;
  /** A canonical folder that its files must not lead out of. */
  readonly beneath?: string;
}

interface ReadEntry extends CatalogFile {
  readonly text?: string | undefined;
  readonly errors: CheckedEntry["errors"];
}

async function readFolder(
  { folder, beneath, ...place }: CatalogFolder,
  owners: readonly number[],
): Promise<readonly ReadEntry[]> {
  const at = join(folder, "catalog");
  const names = (await readdir(at).catch(() => [])).filter((name) => name.endsWith(".json"));
  const within = beneath === undefined ? {} : { beneath };
  const read = names.toSorted().map(async (name) => {
    const file = join(at, name);
    const found = await readOwnedFile(file, { mostBytes: MOST_CONFIG_BYTES, owners, ...within });
    const error = found === undefined ? "it is a link to nothing" : found.error;
    return entryIn({ ...place, file, text: found?.text, error });
  });
  return Promise.all(read);
}

interface EntryText extends Pick<ReadEntry, "file" | "layer" | "rank" | "text"> {
  readonly error?: string | undefined;
}

/** Of an entry that is invalid the name alone counts: nothing is known of its commands. */
function entryIn({ error, ...read }: EntryText): ReadEntry {
  const { file, text } = read;
  const { entry, errors } = text === undefined ? NOT_READ : checked(basename(file), text);
  if (entry !== undefined) return { ...read, entry, errors };
  const unread: ProgramEntry = {
    ...{ program: basename(file, ".json"), source: [], otherwise: "nothing", examples: [] },
  };
  const refused = error === undefined ? [] : [{ at: "", message: `The file is refused: ${error}.` }];
  return { ...read, rank: "narrowing", entry: unread, errors: [...errors, ...refused] };
}

const NOT_READ: CheckedEntry = { errors: [] };
const MOST_REMEMBERED = 1_000;
/** Entries by their texts, so that each is prepared once. */
const remembered = new Map<string, CheckedEntry>();

function checked(name: string, text: string): CheckedEntry {
  const key = `${name}\n${text}`;
  const found = remembered.get(key) ?? checkEntryText(text, name);
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(key, found);
  return found;
}

function diagnosticsOf({ file, entry, errors }: ReadEntry): readonly ConfigDiagnostic[] {
  const diagnostics = new ConfigDiagnostics(file);
  const hint = `Commands of \`${entry.program}\` ask until it is fixed: run \`toolkeep catalog check ${file}\`.`;
  for (const { at, message } of errors)
    diagnostics.warn(START, at === "" ? message : `${at}: ${message}`, hint);
  return diagnostics.all;
}
