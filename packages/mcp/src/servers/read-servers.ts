import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { isWithin } from "@toolkeep/core/internal";
import { type ReadServerFile, readServerFile, type ServerFile } from "./read-server-file.ts";
import type { McpDiagnostic } from "./server-diagnostic.ts";
import type { ServerEntry } from "./server-entry.ts";
import { withoutTakenNames } from "./without-taken-names.ts";

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
  readonly diagnostics: readonly McpDiagnostic[];
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
