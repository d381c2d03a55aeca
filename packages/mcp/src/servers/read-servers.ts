import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { isOwnGateway } from "./is-own-gateway.ts";
import { isRecord } from "./is-record.ts";
import { parseEntry } from "./parse-entry.ts";
import { readJsonc } from "./read-jsonc.ts";
import { isBeneath, readPlainFile } from "./read-plain-file.ts";
import type { ServerEntry } from "./server-entry.ts";
import { serverFingerprint } from "./server-fingerprint.ts";
import type { ServerProblem } from "./server-problem.ts";

export interface ServerPlaces {
  /** A project whose files are read. Its servers are not started before somebody accepted them. */
  readonly project?: string;
  /** The user's home folder: clients keep servers for all projects there. */
  readonly home?: string;
  /** Further files; of the user, unless they lie in the project. They are read first. */
  readonly files?: readonly string[];
}

export interface ReadServers {
  readonly servers: readonly ServerEntry[];
  readonly problems: readonly ServerProblem[];
}

/**
 * The servers that clients are configured with. Nothing is started and nothing is expanded. What cannot be read is
 * a problem and never throws. Of two servers of one name the user's counts, so that a project cannot take the place
 * of one that rules were written for; among a kind, the first.
 */
export async function readServers(places: ServerPlaces): Promise<ReadServers> {
  const project = places.project === undefined ? undefined : await realPath(places.project);
  const named = (places.files ?? []).map((file) => namedFile(file, project));
  const read = await Promise.all([
    ...named.map((file) => readFile(file)),
    ...(places.home === undefined ? [] : homeFiles(places.home, project).map((file) => readFile(file))),
  ]);
  const ofProject = project === undefined ? [] : await readProject(project);
  const files = [...read, ...ofProject].filter((file) => file !== undefined);
  const problems = files.flatMap((file) => file.problems);
  const servers = inOrder(files).flatMap(({ servers: found }) => found);
  return { servers: withoutTwins(servers, problems), problems };
}

/** One file that may name servers. */
interface ServerFile {
  readonly path: string;
  /** Where in it they are; each that is there counts. */
  readonly keys: readonly (readonly string[])[];
  readonly mostBytes: number;
  /** The project it belongs to; the user's where it is left out. */
  readonly project?: string;
}

interface ReadFile extends ReadServers {
  readonly isOfProject: boolean;
}

const MOST_BYTES = 1_000_000;
/** Claude Code keeps its history in the same file. */
const MOST_BYTES_OF_CLAUDE = 32_000_000;
const EITHER_KEY = [["mcpServers"], ["servers"]] as const;

function homeFiles(home: string, project: string | undefined): readonly ServerFile[] {
  const ownOfProject = project === undefined ? [] : [["projects", project, "mcpServers"]];
  return [
    { path: join(home, ".cursor", "mcp.json"), keys: [["mcpServers"]], mostBytes: MOST_BYTES },
    {
      path: join(home, ".claude.json"),
      keys: [...ownOfProject, ["mcpServers"]],
      mostBytes: MOST_BYTES_OF_CLAUDE,
    },
  ];
}

function namedFile(path: string, project: string | undefined): ServerFile {
  const isOfProject = project !== undefined && isBeneath(path, project);
  return { path, keys: EITHER_KEY, mostBytes: MOST_BYTES, ...(isOfProject ? { project } : {}) };
}

/** Our installer leaves what it found in `.toolkeep/mcp.json`: that stands for the project's other files. */
async function readProject(project: string): Promise<readonly (ReadFile | undefined)[]> {
  const within = (keys: ServerFile["keys"], ...path: readonly string[]): ServerFile => ({
    path: join(project, ...path),
    keys,
    mostBytes: MOST_BYTES,
    project,
  });
  const installed = await readFile(within([["mcpServers"]], ".toolkeep", "mcp.json"));
  if (installed !== undefined) return [installed];
  return Promise.all([
    readFile(within([["mcpServers"]], ".mcp.json")),
    readFile(within([["mcpServers"]], ".cursor", "mcp.json")),
    readFile(within([["servers"]], ".vscode", "mcp.json")),
  ]);
}

async function readFile({ path, keys, mostBytes, project }: ServerFile): Promise<ReadFile | undefined> {
  const isOfProject = project !== undefined;
  const within = isOfProject ? { beneath: project } : {};
  const found = await readPlainFile(path, { mostBytes, ...within });
  if (found === undefined) return undefined;
  const failed = (message: string, hint: string, line?: number): ReadFile => ({
    isOfProject,
    servers: [],
    problems: [{ file: path, ...(line === undefined ? {} : { line }), message, hint }],
  });
  if (found.fault !== undefined)
    return failed(`The file is refused: ${found.fault}.`, "Its servers are left out.");
  const read = readJsonc(found.text);
  if ("fault" in read) return failed(`The file is refused: ${read.fault}.`, "Mend it.", read.line);
  const servers: ServerEntry[] = [];
  const problems: ServerProblem[] = [];
  for (const key of keys) {
    for (const [name, written] of entriesAt(read.value, key)) {
      const parsed = parseEntry(written, { name, file: path, isOfProject });
      const line = read.lineOf([...key, name]);
      if ("fault" in parsed) {
        problems.push({
          file: path,
          line,
          server: name,
          message: `It is left out: ${parsed.fault}.`,
          hint: parsed.hint,
        });
      } else if ("entry" in parsed && !isOwnGateway(parsed.entry)) servers.push(parsed.entry);
    }
  }
  return { isOfProject, servers, problems };
}

function entriesAt(value: unknown, key: readonly string[]): readonly [string, unknown][] {
  let at = value;
  for (const name of key) at = isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  return isRecord(at) ? Object.entries(at) : [];
}

function inOrder(files: readonly ReadFile[]): readonly ReadFile[] {
  return [...files.filter((file) => !file.isOfProject), ...files.filter((file) => file.isOfProject)];
}

function withoutTwins(servers: readonly ServerEntry[], problems: ServerProblem[]): readonly ServerEntry[] {
  const byName = new Map<string, ServerEntry>();
  for (const server of servers) {
    const first = byName.get(server.name);
    if (first === undefined) byName.set(server.name, server);
    else if (serverFingerprint(first) !== serverFingerprint(server)) {
      problems.push({
        ...(server.file === undefined ? {} : { file: server.file }),
        server: server.name,
        message: `It is left out: ${first.file} names another server like that.`,
        hint: "Give one of them another name.",
      });
    }
  }
  return [...byName.values()];
}

async function realPath(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
