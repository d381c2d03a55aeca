import type { Server, ServerNotifier } from "@modelcontextprotocol/server";

/** Everybody who can be told of changes. */
export class Audience {
  readonly #tell = new Set<(what: Changed) => void>();

  join(server: Server): () => void {
    return this.#add((what) => {
      // Whoever is not connected any more, or wants no such news, misses nothing.
      server[`send${what}ListChanged`]().catch(() => {});
    });
  }

  joinNotifier(notify: ServerNotifier): () => void {
    const names = { Tool: "toolsChanged", Resource: "resourcesChanged", Prompt: "promptsChanged" } as const;
    return this.#add((what) => notify[names[what]]());
  }

  tell(what: Changed): void {
    for (const tell of this.#tell) tell(what);
  }

  #add(tell: (what: Changed) => void): () => void {
    this.#tell.add(tell);
    return () => this.#tell.delete(tell);
  }
}

type Changed = "Tool" | "Resource" | "Prompt";
