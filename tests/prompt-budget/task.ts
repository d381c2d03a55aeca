/** A call as the agent makes it: which tool, with what. */
export type Move = readonly [tool: string, args: Readonly<Record<string, unknown>>];

/** Something a developer asks an agent for, and the calls a sensible agent makes of it. */
export interface Task {
  readonly name: string;
  readonly moves: readonly Move[];
}

export const WORKSPACE = "/ws";

export function task(name: string, ...moves: readonly Move[]): Task {
  return Object.freeze({ name, moves: Object.freeze(moves) });
}

export function bash(command: string): Move {
  return ["bash", { command }];
}

export function read(path: string): Move {
  return ["read", { path: inWorkspace(path) }];
}

export function write(path: string): Move {
  return ["write", { path: inWorkspace(path), text: "…" }];
}

export function edit(path: string): Move {
  return ["edit", { path: inWorkspace(path), before: "…", after: "…" }];
}

export function glob(pattern: string): Move {
  return ["glob", { folder: WORKSPACE, pattern }];
}

export function grep(pattern: string, folder = "src"): Move {
  return ["grep", { folder: inWorkspace(folder), pattern }];
}

export function fetchPage(url: string): Move {
  return ["web_fetch", { url }];
}

export function searchWeb(query: string): Move {
  return ["web_search", { query }];
}

/** A tool of the server `tracker`. */
export function tracker(tool: string, args: Readonly<Record<string, unknown>>): Move {
  return [`tracker_${tool}`, args];
}

function inWorkspace(path: string): string {
  return path.startsWith("/") ? path : `${WORKSPACE}/${path}`;
}
