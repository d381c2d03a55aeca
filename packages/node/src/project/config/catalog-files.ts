import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type CheckedEntry, checkEntryText, type ProgramEntry } from "@toolkeep/catalog";
import { codeOf, readOwnedFile } from "../../owned-files/read-owned-file.ts";
import { sha256 } from "../../owned-files/sha256.ts";
import type { TrustVerdict } from "../trust/project-trust.ts";
import type { CatalogFile, ConfigDiagnostic } from "./config.ts";
import { ConfigDiagnostics } from "./config-diagnostics.ts";
import { MOST_CONFIG_BYTES } from "./config-files.ts";

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
 * entry that is invalid makes its program ask. `texts` are those of a project that are what was trusted, by path.
 */
export async function readCatalogs(
  verdict: TrustVerdict,
  { user, administrator, isManaged, owners }: CatalogOptions,
) {
  const ofAll = await readFolder(administrator, { layer: "managed", rank: "first", owners });
  const rank = isManaged || ofAll.length > 0 ? "last" : "first";
  const ofUser = await readFolder(user, { layer: "user", rank, owners });
  const { now, before, texts } = await readProjectCatalog(verdict, owners);
  const read = [...ofAll, ...ofUser, ...now];
  const files = [...read, ...before].map(({ added }) => added);
  return { files, diagnostics: read.flatMap(diagnosticsOf), texts };
}

const OF_PROJECT = { layer: "project", rank: "narrowing" } as const;

/** A project's entries only narrow, those that were trusted before as well. Without any trust none are read. */
async function readProjectCatalog(verdict: TrustVerdict, owners: readonly number[]) {
  const { project } = verdict;
  const texts = new Map<string, string>();
  const known = verdict.isTrusted ? { ...verdict, ...AS_TRUSTED } : verdict.known;
  if (known === undefined) return { now: [], before: [], texts };
  const folder = join(project, ".toolkeep");
  const now = await readFolder(folder, { ...OF_PROJECT, beneath: project, owners });
  for (const { added, text } of now)
    if (text !== undefined && known.covers?.(added.file, sha256(text)) !== false) texts.set(added.file, text);
  const before = [...new Set([...now.map(({ added }) => added.file), ...known.kept.keys()])]
    .filter((file) => dirname(file) === join(folder, "catalog") && !texts.has(file) && known.names(file))
    .map((file) => entryIn({ ...OF_PROJECT, file }, { text: known.kept.get(file) }));
  return { now, before, texts };
}

const AS_TRUSTED = { names: () => true, kept: new Map<string, string>() };

interface FolderOptions extends Pick<CatalogFile, "layer" | "rank"> {
  readonly owners: readonly number[];
  /** A canonical folder that its files must not lead out of. */
  readonly beneath?: string;
}

interface ReadEntry {
  readonly added: CatalogFile;
  readonly text?: string | undefined;
  readonly errors: CheckedEntry["errors"];
}

async function readFolder(
  nextTo: string,
  { layer, rank, ...options }: FolderOptions,
): Promise<readonly ReadEntry[]> {
  const folder = join(nextTo, "catalog");
  const names = await readdir(folder).catch(codeOf);
  if (names === "ENOENT" || names === "ENOTDIR") return [];
  // What is in it could be about any program.
  if (typeof names === "string")
    return [
      entryIn({ layer, rank, file: join(folder, "*.json") }, { error: `they cannot be listed (${names})` }),
    ];
  const files = names.filter((name) => name.endsWith(".json")).map((name) => join(folder, name));
  const read = files.toSorted().map(async (file) => {
    const found = await readOwnedFile(file, { mostBytes: MOST_CONFIG_BYTES, ...options });
    return entryIn({ layer, rank, file }, found ?? { error: "it is a link to nothing" });
  });
  return Promise.all(read);
}

interface Found {
  readonly text?: string | undefined;
  readonly error?: string | undefined;
}

/** Of an entry that is invalid the name alone counts: nothing is known of its commands. */
function entryIn(place: Omit<CatalogFile, "entry">, { text, error }: Found): ReadEntry {
  const program = basename(place.file, ".json");
  const refused = error === undefined ? [] : [{ at: "", message: `The file is refused: ${error}.` }];
  const { entry, errors } = text === undefined ? { errors: refused } : checked(program, text);
  if (entry !== undefined) return { added: { ...place, entry }, text, errors };
  const unread: ProgramEntry = { program, source: [], otherwise: "nothing", examples: [] };
  return { added: { ...place, entry: unread, rank: "narrowing" }, text, errors };
}

const MOST_PREPARED = 1_000;
const prepared = new Map<string, CheckedEntry>();

/** Each text is checked once: a process may decide about many calls. */
function checked(name: string, text: string): CheckedEntry {
  const key = `${name}\n${text}`;
  const found = prepared.get(key) ?? checkEntryText(text, `${name}.json`);
  if (prepared.size >= MOST_PREPARED) prepared.clear();
  prepared.set(key, found);
  return found;
}

function diagnosticsOf({ added: { file, entry }, errors }: ReadEntry): readonly ConfigDiagnostic[] {
  const diagnostics = new ConfigDiagnostics(file);
  const hint = `Commands of \`${entry.program}\` ask until it is fixed: run \`toolkeep catalog check ${file}\`.`;
  for (const { at, message } of errors)
    diagnostics.warn({ line: 1, column: 1 }, at === "" ? message : `${at}: ${message}`, hint);
  return diagnostics.all;
}
