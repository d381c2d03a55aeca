import { setTimeout as wait } from "node:timers/promises";
import { createRegistry } from "@toolkeep/core";
import { type McpSource, openMcpSource } from "@toolkeep/mcp/internal";
import type { ChosenServers } from "./choose-servers.ts";
import type { LoginUser } from "./login.ts";
import { serverStart } from "./server-start.ts";

export interface SourceParts {
  readonly project: string;
  readonly chosen: ChosenServers;
  /** Logs in to servers that need it. */
  readonly user?: LoginUser;
  /** How long to wait for each server. Default: as long as it takes to start or to fail. */
  readonly patienceMs?: number;
}

/** Starts the accepted ones of the servers that the administrator permits, calls `use`, and stops them. */
export async function withSource<Result>(
  { project, chosen, user, patienceMs }: SourceParts,
  use: (source: McpSource, refused: ReadonlyMap<string, string>) => Promise<Result>,
): Promise<Result> {
  const { servers, refused, options } = await serverStart({ project, chosen, user });
  const source = openMcpSource({ registry: createRegistry(), ...options });
  try {
    const started = Promise.all(servers.map((entry) => source.add(entry)));
    await (patienceMs === undefined ? started : unlessLate(started, patienceMs));
    return await use(source, refused);
  } finally {
    await source.close();
  }
}

/** What comes later is not waited for, and no error. */
async function unlessLate(work: Promise<unknown>, ms: number): Promise<void> {
  const late = new AbortController();
  try {
    await Promise.race([work, wait(ms, undefined, { signal: late.signal })]);
  } finally {
    late.abort();
    work.catch(() => {});
  }
}
