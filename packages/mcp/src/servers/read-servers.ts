import { realpath } from "node:fs/promises";
import { join } from "node:path";
import type { Diagnostic } from "@toolkeep/core";
import { isWithin } from "@toolkeep/core/internal";
import { type ReadServerFile, readServerFile, type ServerFile } from "./read-server-file.ts";
import type { ServerEntry } from "./server-entry.ts";
import { serverFingerprint } from "./server-fingerprint.ts";

export interface ServerFiles {
  /** A project whose files are read. Its servers are not started until the user accepts them. */
  readonly project?: string;
  /** The user's home directory, where clients keep servers for all projects. */
  readonly home?: string;
  /** Additional files, read first. They are the user's, unless they are in the project. */
  readonly files?: readonly string[];
}

export interface ReadServers {
  readonly servers: readonly ServerEntry[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The servers that clients are configured with. Starts nothing and expands nothing. What cannot be read becomes a
 * diagnostic and never throws. Of two servers with one name the user's is used, so that a project cannot replace a
 * server that rules were written for, even while that one is off or invalid; otherwise the first.
 */
export async function readServers(directories: ServerFiles): Promise<ReadServers> {
  const project = directories.project === undefined ? undefined : await realPath(directories.project);
  const named = (directories.files ?? []).map((file) => namedFile(file, project));
  const read = await Promise.all([
    ...named.map((file) => readServerFile(file)),
    ...(directories.home === undefined
      ? []
      : homeFiles(directories.home, project).map((file) => readServerFile(file))),
  ]);
  const ofProject = project === undefined ? [] : await readProject(project);
  const files = [...read, ...ofProject].filter((file) => file !== undefined);
  const { servers, diagnostics } = withoutTakenNames(inOrder(files));
  return { servers, diagnostics: [...files.flatMap((file) => file.diagnostics), ...diagnostics] };
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
  const isOfProject = project !== undefined && isWithin(path, project);
  return { path, keys: EITHER_KEY, mostBytes: MOST_BYTES, ...(isOfProject ? { project } : {}) };
}

/** Our installer moves servers to `.toolkeep/mcp.json`, which comes first. Those of shared files stay where they are. */
function readProject(project: string): Promise<readonly (ReadServerFile | undefined)[]> {
  const within = (keys: ServerFile["keys"], ...path: readonly string[]): ServerFile => ({
    path: join(project, ...path),
    keys,
    mostBytes: MOST_BYTES,
    project,
  });
  return Promise.all([
    readServerFile(within([["mcpServers"]], ".toolkeep", "mcp.json")),
    readServerFile(within([["mcpServers"]], ".mcp.json")),
    readServerFile(within([["mcpServers"]], ".cursor", "mcp.json")),
    readServerFile(within([["servers"]], ".vscode", "mcp.json")),
  ]);
}

function inOrder(files: readonly ReadServerFile[]): readonly ReadServerFile[] {
  return [...files.filter((file) => !file.isOfProject), ...files.filter((file) => file.isOfProject)];
}

async function realPath(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/**
 * One server for each name: the first, with the user's files before those of a project. A name that the user has given
 * stays the user's while its server is off or invalid, because rules refer to it. If a file of the user is refused, its
 * names are unknown, and no server of the project is used.
 */
function withoutTakenNames(files: readonly ReadServerFile[]) {
  const diagnostics: Diagnostic[] = [];
  const ofUser = files.filter(({ isOfProject }) => !isOfProject);
  const reserved = new Set(ofUser.flatMap(({ unused }) => unused));
  const isUnclear = ofUser.some(({ isRefused }) => isRefused === true);
  const byName = new Map<string, ServerEntry>();
  let unclear = 0;
  for (const server of files.flatMap(({ servers }) => servers)) {
    const first = byName.get(server.name);
    if (server.isOfProject && isUnclear) unclear += 1;
    else if (first !== undefined) {
      if (serverFingerprint(first) !== serverFingerprint(server))
        diagnostics.push(leftOut(server, `${first.file} has another server with this name`));
    } else if (server.isOfProject && reserved.has(server.name)) {
      diagnostics.push(leftOut(server, "the user has a server with this name, which is off or invalid"));
    } else byName.set(server.name, server);
  }
  if (unclear > 0) {
    diagnostics.push({
      code: "servers_ignored",
      message: `The project's servers are ignored (${unclear}): a file of the user is refused, so the names of the user's servers are unknown.`,
      hint: "Fix the user's file.",
    });
  }
  return { servers: [...byName.values()], diagnostics };
}

function leftOut({ name, file }: ServerEntry, why: string): Diagnostic {
  return {
    ...(file === undefined ? {} : { file }),
    subject: name,
    code: "server_ignored",
    message: `The server is ignored: ${why}.`,
    hint: "Rename one of them.",
  };
}
