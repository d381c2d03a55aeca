import { ToolFailure } from "@toolkeep/core";

/** More than a user can look at. */
const MOST_WATCHED = 200;

/** Which clients are notified of which resources. */
export class WatchedResources {
  readonly #watch: (uri: string) => Promise<() => void>;
  readonly #clients = new Map<object, Map<string, () => void>>();

  constructor(watch: (uri: string) => Promise<() => void>) {
    this.#watch = watch;
  }

  has(client: object, uri: string): boolean {
    return this.#clients.get(client)?.has(uri) === true;
  }

  /** Whether a client watches it, and may. */
  isWatched(uri: string): boolean {
    return this.#clients.values().some((watched) => (watched.get(uri) ?? nothing) !== nothing);
  }

  /** @throws ToolFailure for a resource that cannot be watched. */
  async add(client: object, uri: string): Promise<void> {
    const watched = this.#clients.get(client) ?? new Map<string, () => void>();
    if (watched.has(uri)) return;
    if (watched.size >= MOST_WATCHED)
      throw new ToolFailure("too_large", `At most ${MOST_WATCHED} resources can be watched at a time.`);
    this.#clients.set(client, watched.set(uri, nothing));
    try {
      const release = await this.#watch(uri);
      // The client may have unsubscribed or disconnected.
      if (watched.has(uri)) watched.set(uri, release);
      else release();
    } catch (error) {
      watched.delete(uri);
      throw error;
    }
  }

  remove(client: object, uri: string): void {
    const watched = this.#clients.get(client);
    watched?.get(uri)?.();
    watched?.delete(uri);
  }

  removeAll(client: object): void {
    for (const uri of [...(this.#clients.get(client)?.keys() ?? [])]) this.remove(client, uri);
    this.#clients.delete(client);
  }
}

function nothing(): void {}

/** The resources that a message of the newer protocol generation subscribes to; none for any other message. */
export function listenedResources(message: unknown): readonly string[] {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: unknown };
  if (method !== "subscriptions/listen") return [];
  const { notifications } = (params ?? {}) as { notifications?: unknown };
  const { resourceSubscriptions: uris } = (notifications ?? {}) as { resourceSubscriptions?: unknown };
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === "string") : [];
}
