import { join } from "node:path";
import { fileAcceptedServers } from "@toolkeep/mcp";
import { readServers, serverFingerprint } from "@toolkeep/mcp/internal";
import type { CliBench } from "./cli-bench.ts";

/** Accepts servers of a project in this process, which is faster than `servers accept`. */
export async function acceptServers(
  { project, environment }: Pick<CliBench, "project" | "environment">,
  names: readonly string[],
): Promise<void> {
  const accepted = fileAcceptedServers(join(environment.TOOLKEEP_HOME, "state", "accepted-servers.json"));
  const { servers } = await readServers({ project });
  for (const name of names) {
    const entry = servers.find((one) => one.name === name);
    if (entry === undefined) throw new Error(`The project names no server ${name}.`);
    const fingerprint = serverFingerprint(entry);
    await accepted.set(project, name, { fingerprint, at: new Date().toISOString(), tools: {} });
  }
}
