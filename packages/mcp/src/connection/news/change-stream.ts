import type { Client, McpSubscription, SubscriptionFilter } from "@modelcontextprotocol/client";
import type { ListChange } from "./list-changes.ts";

const LISTS = ["tools", "resources", "prompts"] as const;
const STEADY_MS = 30_000;
const LISTEN_AGAIN_MS = [1_000, 5_000, 30_000, 60_000] as const;

/** Subscribes to change notifications of a server of the newer protocol generation, while its client is connected. */
export class ChangeStream {
  readonly #client: Client;
  readonly #watched: () => Iterable<string>;
  readonly #tell: (change: ListChange) => void;
  #subscription: McpSubscription | undefined;
  #renewal = Promise.withResolvers<void>();
  #mustRenew = false;

  constructor(client: Client, watched: () => Iterable<string>, tell: (change: ListChange) => void) {
    this.#client = client;
    this.#watched = watched;
    this.#tell = tell;
    this.#listen().catch(() => {});
  }

  /** The set of watched resources has changed. */
  renew(): void {
    this.#mustRenew = true;
    this.#renewal.resolve();
    this.#subscription?.close().catch(() => {});
  }

  async #listen(): Promise<void> {
    for (let failures = 0; this.#client.transport !== undefined; failures += 1) {
      this.#mustRenew = false;
      this.#renewal = Promise.withResolvers();
      const begun = performance.now();
      if ((await this.#receive()) === "left") return;
      if (this.#mustRenew || performance.now() - begun > STEADY_MS) failures = 0;
      if (!this.#mustRenew)
        await pause(
          LISTEN_AGAIN_MS[Math.min(failures, LISTEN_AGAIN_MS.length - 1)] ?? 0,
          this.#renewal.promise,
        );
    }
  }

  /** Listens once. `left`: we ended it ourselves, for good. */
  async #receive(): Promise<"left" | "ended"> {
    const filter = filterOf(this.#client, [...this.#watched()]);
    if (Object.keys(filter).length === 0) {
      await this.#renewal.promise;
      return "ended";
    }
    try {
      this.#subscription = await this.#client.listen(filter);
      // The server reported no change that it made before this moment.
      for (const list of LISTS) if (filter[`${list}ListChanged`] === true) this.#tell(list);
      if (this.#mustRenew) await this.#subscription.close();
      const how = await this.#subscription.closed;
      return how === "local" && !this.#mustRenew ? "left" : "ended";
    } catch {
      // After a refusal or a lost stream it is requested again, at growing intervals.
      return "ended";
    } finally {
      this.#subscription = undefined;
    }
  }
}

function filterOf(client: Client, watched: readonly string[]): SubscriptionFilter {
  const { tools, resources, prompts } = client.getServerCapabilities() ?? {};
  return {
    ...(tools?.listChanged === true ? { toolsListChanged: true } : {}),
    ...(resources?.listChanged === true ? { resourcesListChanged: true } : {}),
    ...(prompts?.listChanged === true ? { promptsListChanged: true } : {}),
    ...(resources?.subscribe === true && watched.length > 0 ? { resourceSubscriptions: [...watched] } : {}),
  };
}

async function pause(ms: number, renewal: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms).unref();
  await Promise.race([promise, renewal]);
  clearTimeout(timer);
}
