import { readServers, type ServerEntry, serverFingerprint } from "@toolkeep/mcp";
import { acceptedServers } from "../project/accepted-servers.ts";

/** Accepts servers of a project exactly as they are given: as somebody has seen them. */
export async function acceptMoved(
  project: string,
  servers: readonly ServerEntry[],
): Promise<readonly string[]> {
  const known = acceptedServers();
  for (const entry of servers) {
    const fingerprint = serverFingerprint(entry);
    const before = await known.get(project, entry.name);
    // What was pinned of the same server stays pinned.
    const tools = before?.fingerprint === fingerprint ? before.tools : {};
    await known.set(project, entry.name, { fingerprint, at: new Date().toISOString(), tools });
  }
  return servers.map(({ name }) => name);
}

/** The servers in the user's own copy of what is moved. */
export async function movedServers(file: string): Promise<readonly ServerEntry[]> {
  return (await readServers({ files: [file] })).servers;
}

/** Forgets them again. */
export async function forgetMoved(project: string, names: readonly string[]): Promise<void> {
  const known = acceptedServers();
  for (const name of names) await known.delete(project, name);
}
