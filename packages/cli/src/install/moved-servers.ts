import { readServers, type ServerEntry, serverFingerprint } from "@toolkeep/mcp/internal";
import { acceptedServers } from "../project/user-files.ts";
import { listedServers } from "../tools/servers/managed-servers.ts";
import { entryLines, isReadable } from "../tools/servers/server-lines.ts";

/** The servers in the user's own copy of what an installation moves behind the gateway. */
export async function movedServers(file: string): Promise<readonly ServerEntry[]> {
  return (await readServers({ files: [file] })).servers;
}

/** Accepts servers of a project exactly as the user saw them, if the administrator permits them. Returns their names. */
export async function acceptMoved(
  project: string,
  moved: readonly ServerEntry[],
): Promise<readonly string[]> {
  const accepted = acceptedServers();
  const { servers } = await listedServers(project, moved);
  for (const entry of servers) {
    const fingerprint = serverFingerprint(entry);
    const before = await accepted.get(project, entry.name);
    // The tools of the same server stay pinned.
    const tools = before?.fingerprint === fingerprint ? before.tools : {};
    await accepted.set(project, entry.name, { fingerprint, at: new Date().toISOString(), tools });
  }
  return servers.map(({ name }) => name);
}

/** Why moved servers are not accepted: the administrator does not permit them, so the gateway starts none of them. */
export async function refusedMoves(
  project: string,
  moved: ReadonlyMap<string, unknown>,
): Promise<ReadonlyMap<string, string>> {
  const entries = [...moved].flatMap(([name, written]) => writtenEntries(name, written));
  return entries.length === 0 ? new Map() : (await listedServers(project, entries)).refused;
}

/** Revokes the acceptance of servers. */
export async function forgetMoved(project: string, names: readonly string[]): Promise<void> {
  const accepted = acceptedServers();
  for (const name of names) await accepted.delete(project, name);
}

/** The lines that the user accepts with a server. An entry with both a command and a URL shows both. */
export function movedLines(name: string, written: unknown): readonly string[] {
  return [`${name}:`, ...writtenEntries(name, written).flatMap(entryLines)];
}

/** Whether all of an entry can be shown before it is accepted. */
export function canBeRead(name: string, written: unknown): boolean {
  return writtenEntries(name, written).every(isReadable);
}

function writtenEntries(name: string, written: unknown): readonly ServerEntry[] {
  if (typeof written !== "object" || written === null) return [];
  const { command, args, env, cwd, url, httpUrl, serverUrl, headers } = written as Record<string, unknown>;
  const base = { name, isOfProject: true } as const;
  const address = url ?? httpUrl ?? serverUrl;
  const start: ServerEntry = {
    ...base,
    kind: "stdio",
    command: textOf(command),
    args: Array.isArray(args) ? args.map(textOf) : args === undefined ? [] : [textOf(args)],
    env: textsOf(env),
    ...(cwd === undefined ? {} : { cwd: textOf(cwd) }),
  };
  const reach: ServerEntry = { ...base, kind: "http", url: textOf(address), headers: textsOf(headers) };
  return [...(command === undefined ? [] : [start]), ...(address === undefined ? [] : [reach])];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function textsOf(value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, textOf(one)]));
}
