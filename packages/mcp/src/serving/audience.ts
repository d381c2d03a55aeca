import type { Server, ServerNotifier } from "@modelcontextprotocol/server";

/** All clients that can be notified of changes. */
export class Audience {
  readonly #tell = new Set<(what: Changed) => void>();

  /** `wants` decides whether to notify it of a resource. */
  join(server: Server, wants: (uri: string) => boolean): () => void {
    return this.#add((what) => {
      const isSent =
        typeof what === "string"
          ? server[`send${what}ListChanged`]()
          : wants(what.uri)
            ? server.sendResourceUpdated(what)
            : undefined;
      // A client that disconnected, or does not want such notifications, needs none.
      isSent?.catch(() => {});
    });
  }

  joinNotifier(notify: ServerNotifier): () => void {
    const names = { Tool: "toolsChanged", Resource: "resourcesChanged", Prompt: "promptsChanged" } as const;
    return this.#add((what) => {
      if (typeof what === "string") notify[names[what]]();
      else notify.resourceUpdated(what.uri);
    });
  }

  tell(what: Changed): void {
    for (const tell of this.#tell) tell(what);
  }

  #add(tell: (what: Changed) => void): () => void {
    this.#tell.add(tell);
    return () => this.#tell.delete(tell);
  }
}

/** A list, or one resource. */
type Changed = "Tool" | "Resource" | "Prompt" | { readonly uri: string };
