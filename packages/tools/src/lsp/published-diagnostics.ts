import { isRecord } from "@toolkeep/core/internal";
import { pathOf } from "./file-uris.ts";

/** A server that names no version may publish what it finds in several steps. */
const SETTLED_MS = 400;

interface Published {
  readonly version?: number;
  readonly items: readonly unknown[];
}

/** Waits for what a server publishes about files on its own account. */
export class PublishedDiagnostics {
  readonly #waiting = new Set<(published: Published, path: string) => void>();

  take(params: unknown): void {
    if (!isRecord(params) || typeof params["uri"] !== "string" || !Array.isArray(params["diagnostics"]))
      return;
    const path = pathOf(params["uri"]);
    const { version } = params;
    const published = { items: params["diagnostics"], ...(typeof version === "number" ? { version } : {}) };
    for (const look of this.#waiting) look(published, path);
  }

  /** What is published about this version of a file, or a later one. */
  wait(path: string, version: number): Promise<readonly unknown[]> {
    const { promise, resolve } = Promise.withResolvers<readonly unknown[]>();
    let settling: ReturnType<typeof setTimeout> | undefined;
    const look = ({ version: of, items }: Published, at: string) => {
      if (at !== path || (of !== undefined && of < version)) return;
      clearTimeout(settling);
      settling = setTimeout(done, of === undefined ? SETTLED_MS : 0, items);
    };
    const done = (items: readonly unknown[]) => {
      this.#waiting.delete(look);
      resolve(items);
    };
    this.#waiting.add(look);
    return promise;
  }
}
