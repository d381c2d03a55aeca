import { isOwnGateway } from "./is-own-gateway.ts";
import { isRecord } from "./is-record.ts";
import { cleanName, type ParsedEntry, parseEntry } from "./parse-entry.ts";
import { readJsonc } from "./read-jsonc.ts";
import { readPlainFile } from "./read-plain-file.ts";
import type { ServerDiagnostic } from "./server-diagnostic.ts";
import type { ServerEntry } from "./server-entry.ts";

/** One file that may name servers. */
export interface ServerFile {
  readonly path: string;
  /** Where in it they are; each that is there counts. */
  readonly keys: readonly (readonly string[])[];
  readonly mostBytes: number;
  /** The project it belongs to; the user's where it is left out. */
  readonly project?: string;
}

/** What one file says. */
export interface ReadServerFile {
  readonly isOfProject: boolean;
  readonly servers: readonly ServerEntry[];
  /** Names of servers that it has and that are not used: switched off, or faulty. */
  readonly unused: readonly string[];
  readonly diagnostics: readonly ServerDiagnostic[];
  /** Nothing of it counts, and nobody can tell which names it has. */
  readonly isRefused?: true;
}

const MOST_SERVERS = 500;
/** Of the faults of one file. */
const MOST_REPORTED = 20;
const LONGEST_NAME = 100;

/** Reads one file. `undefined`: there is none. Never throws for what is in it. */
export async function readServerFile(file: ServerFile): Promise<ReadServerFile | undefined> {
  const { path, mostBytes, project } = file;
  const within = project === undefined ? {} : { beneath: project };
  const found = await readPlainFile(path, { mostBytes, ...within });
  if (found === undefined) return undefined;
  if (found.error !== undefined) return refused(file, { error: found.error, hint: "Mend it." });
  const read = readJsonc(found.text);
  if ("error" in read) return refused(file, { ...read, hint: "Mend it." });
  const written = file.keys.flatMap((key) => entriesAt(read.value, key));
  if (written.length > MOST_SERVERS) {
    const error = `it names ${written.length} servers, more than ${MOST_SERVERS}`;
    return refused(file, { error, hint: "Take out what is not used." });
  }
  return readEntries(file, written, read.lineOf);
}

function refused(
  { path, project }: ServerFile,
  { error, hint, line }: { readonly error: string; readonly hint: string; readonly line?: number },
): ReadServerFile {
  const message = `The file is refused: ${error}. Its servers are left out.`;
  return {
    isOfProject: project !== undefined,
    isRefused: true,
    servers: [],
    unused: [],
    diagnostics: [{ file: path, ...(line === undefined ? {} : { line }), message, hint }],
  };
}

interface WrittenEntry {
  readonly at: readonly string[];
  readonly name: string;
  readonly value: unknown;
}

function entriesAt(value: unknown, key: readonly string[]): readonly WrittenEntry[] {
  let at = value;
  for (const name of key) at = isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  if (!isRecord(at)) return [];
  return Object.entries(at).map(([name, one]) => ({ at: [...key, name], name, value: one }));
}

function readEntries(
  { path, project }: ServerFile,
  written: readonly WrittenEntry[],
  lineOf: (at: readonly string[]) => number,
): ReadServerFile {
  const isOfProject = project !== undefined;
  const servers: ServerEntry[] = [];
  const unused: string[] = [];
  const errors: (WrittenEntry & Extract<ParsedEntry, { error: string }>)[] = [];
  for (const one of written) {
    const parsed = parseEntry(one.value, { name: one.name, file: path, isOfProject });
    if ("entry" in parsed) {
      // A gateway goes by the name of the server behind it, which keeps it.
      if (!isOwnGateway(parsed.entry)) servers.push(parsed.entry);
      continue;
    }
    unused.push(cleanName(one.name));
    if ("error" in parsed) errors.push({ ...one, ...parsed });
  }
  const reported = errors.slice(0, MOST_REPORTED).map(({ at, name, error, hint }) => ({
    file: path,
    line: lineOf(at),
    server: name.slice(0, LONGEST_NAME),
    message: `It is left out: ${error}.`,
    hint,
  }));
  return {
    isOfProject,
    servers,
    unused,
    diagnostics: [...reported, ...notReported(path, errors.length - reported.length)],
  };
}

function notReported(file: string, count: number): readonly ServerDiagnostic[] {
  return count > 0 ? [{ file, message: `${count} more of its servers are left out for such reasons.` }] : [];
}
