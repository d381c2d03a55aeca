import { readServers, serverFingerprint } from "@toolkeep/mcp";
import { knownServers } from "../project/known-servers.ts";

/** Accepts servers that were moved behind the gateway: the client had started them already, as they are. */
export async function acceptMoved(project: string, names: readonly string[]): Promise<readonly string[]> {
  const known = knownServers();
  const { servers } = await readServers({ project });
  const moved = servers.filter(({ name, isOfProject }) => isOfProject && names.includes(name));
  for (const entry of moved) {
    const fingerprint = serverFingerprint(entry);
    const before = await known.get(project, entry.name);
    // What was pinned of the same server stays pinned.
    const tools = before?.fingerprint === fingerprint ? before.tools : {};
    await known.set(project, entry.name, { fingerprint, at: new Date().toISOString(), tools });
  }
  return moved.map(({ name }) => name);
}

/** Forgets them again. */
export async function forgetMoved(project: string, names: readonly string[]): Promise<void> {
  const known = knownServers();
  for (const name of names) await known.delete(project, name);
}
