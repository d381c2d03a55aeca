import type { Diagnostic } from "@toolkeep/core";
import { isRecord } from "@toolkeep/core/internal";
import { plainValue, positionOf, readJsonc, readOwnedFile } from "@toolkeep/node/internal";
import { cleanName, type ParsedEntry, parseEntry } from "./parse-entry.ts";
import type { ServerEntry } from "./server-entry.ts";

/** One file that can configure servers. */
export interface ServerFile {
  readonly path: string;
  /** The keys under which they are; every key that exists is read. */
  readonly keys: readonly (readonly string[])[];
  readonly mostBytes: number;
  /** The project it belongs to; without it the file is the user's. */
  readonly project?: string;
}

/** The contents of one file. */
export interface ReadServerFile {
  readonly isOfProject: boolean;
  readonly servers: readonly ServerEntry[];
  /** Names of configured servers that are not used: switched off, or invalid. */
  readonly unused: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  /** The whole file is refused, so its server names are unknown. */
  readonly isRefused?: true;
}

const MOST_SERVERS = 500;
/** The most errors reported for one file. */
const MOST_REPORTED = 20;
const LONGEST_NAME = 100;

const OWN_PROGRAM = /^toolkeep(?:@[\w.^~-]+)?(?:\.(?:cmd|exe|ps1|js|mjs))?$/;
const OWN_PATH = /[/\\](?:node_modules[/\\]toolkeep|packages[/\\]cli)[/\\]/;

/** Reads one file. `undefined`: there is none. Never throws for its contents. */
export async function readServerFile(file: ServerFile): Promise<ReadServerFile | undefined> {
  const { path, mostBytes, project } = file;
  const within = project === undefined ? {} : { beneath: project };
  const found = await readOwnedFile(path, { mostBytes, owners: "anyone", ...within });
  if (found === undefined) return undefined;
  if (found.error !== undefined) return refused(file, { error: `${found.error}.`, hint: "Fix the file." });
  const { root, errors } = readJsonc(found.text);
  if (root === undefined) {
    const [{ message, position }] = errors;
    return refused(file, { error: `it is invalid. ${message}`, line: position.line, hint: "Fix the file." });
  }
  const value = plainValue(root);
  const written = file.keys.flatMap((key) => entriesAt(value, key));
  if (written.length > MOST_SERVERS) {
    const error = `it names ${written.length} servers, more than ${MOST_SERVERS}.`;
    return refused(file, { error, hint: "Remove servers that are not used." });
  }
  return readEntries(file, written, (at) => positionOf(root, at).line);
}

function refused(
  { path, project }: ServerFile,
  { error, hint, line }: { readonly error: string; readonly hint: string; readonly line?: number },
): ReadServerFile {
  const message = `The file is refused: ${error} Its servers are ignored.`;
  return {
    isOfProject: project !== undefined,
    isRefused: true,
    servers: [],
    unused: [],
    diagnostics: [
      { code: "invalid_file", file: path, ...(line === undefined ? {} : { line }), message, hint },
    ],
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
      // A gateway uses the name of the server behind it, which keeps it.
      if (!isOwnGateway(parsed.entry)) servers.push(parsed.entry);
      continue;
    }
    unused.push(cleanName(one.name));
    if ("error" in parsed) errors.push({ ...one, ...parsed });
  }
  const reported = errors.slice(0, MOST_REPORTED).map(({ at, name, error, hint }) => ({
    file: path,
    line: lineOf(at),
    subject: name.slice(0, LONGEST_NAME),
    code: "invalid_server",
    message: `The server is ignored: ${error}.`,
    hint,
  }));
  return {
    isOfProject,
    servers,
    unused,
    diagnostics: [...reported, ...notReported(path, errors.length - reported.length)],
  };
}

function notReported(file: string, count: number): readonly Diagnostic[] {
  return count > 0
    ? [
        {
          code: "invalid_server",
          file,
          message: `${count} more servers of this file are ignored for such reasons.`,
        },
      ]
    : [];
}

/** Whether an entry starts our own gateway, by any route, as `npx -y toolkeep gateway`: it would never stop. */
function isOwnGateway(entry: ServerEntry): boolean {
  if (entry.kind !== "stdio") return false;
  const args = [entry.command, ...entry.args].flatMap((arg) => arg.split(/[\s"']+/)).filter(Boolean);
  const gateway = args.indexOf("gateway");
  return args.slice(0, Math.max(0, gateway)).some(isOurs);
}

function isOurs(word: string): boolean {
  const program = word.split(/[/\\]/).at(-1) ?? word;
  return OWN_PROGRAM.test(program.replace(/^--package=/, "")) || OWN_PATH.test(word);
}
