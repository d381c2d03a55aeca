import type { Client, SubscriptionFilter } from "@modelcontextprotocol/client";
import type { ConnectionChange } from "./connection.ts";

type ListChange = Exclude<ConnectionChange, "status">;

/** A server that changes its mind many times at once is heard once. */
const GATHER_MS = 50;
const STEADY_MS = 30_000;
const LISTEN_AGAIN_MS = [1_000, 5_000, 30_000, 60_000] as const;

/** Hears that a list has changed. To be called before the client connects. */
export function hearListChanges(client: Client, tell: (change: ListChange) => void): void {
  const timers = new Map<ListChange, NodeJS.Timeout>();
  const gather = (change: ListChange) => {
    if (timers.has(change)) return;
    const timer = setTimeout(() => {
      timers.delete(change);
      tell(change);
    }, GATHER_MS);
    timers.set(change, timer.unref());
  };
  client.setNotificationHandler("notifications/tools/list_changed", () => gather("tools"));
  client.setNotificationHandler("notifications/resources/list_changed", () => gather("resources"));
  client.setNotificationHandler("notifications/prompts/list_changed", () => gather("prompts"));
}

/** Asks a server of the newer revision to tell, for as long as the client is connected. Older ones tell unasked. */
export async function listenForChanges(client: Client): Promise<void> {
  const filter = filterOf(client);
  if (client.getProtocolEra() !== "modern" || Object.keys(filter).length === 0) return;
  for (let failures = 0; client.transport !== undefined; failures += 1) {
    const begun = performance.now();
    try {
      const subscription = await client.listen(filter);
      if ((await subscription.closed) === "local") return;
    } catch {
      // Whether it was refused or cut off, it is asked for again, ever more rarely.
    }
    if (performance.now() - begun > STEADY_MS) failures = 0;
    await pause(LISTEN_AGAIN_MS[Math.min(failures, LISTEN_AGAIN_MS.length - 1)] ?? 0);
  }
}

function filterOf(client: Client): SubscriptionFilter {
  const { tools, resources, prompts } = client.getServerCapabilities() ?? {};
  return {
    ...(tools?.listChanged === true ? { toolsListChanged: true } : {}),
    ...(resources?.listChanged === true ? { resourcesListChanged: true } : {}),
    ...(prompts?.listChanged === true ? { promptsListChanged: true } : {}),
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
