import { readFileSync, statSync } from "node:fs";
import { registerHooks } from "node:module";
import { sep } from "node:path";
import { fileURLToPath } from "node:url";
import { ownershipFault } from "../trust/ownership-fault.ts";
import { sha256 } from "../trust/sha256.ts";

export interface ImportDoorOptions {
  /** Users beside us and root whose files may be imported. */
  readonly owners: readonly number[];
  /** Whether a file with this hash may be evaluated. Left out: every one may. */
  readonly covers?: ((path: string, hash: string) => boolean) | undefined;
}

/** Stands before everything that a tool file imports: what may not be evaluated is not. */
export class ImportDoor {
  readonly #options: ImportDoorOptions;
  readonly #refused = new Map<string, string>();

  constructor(options: ImportDoorOptions) {
    this.#options = options;
  }

  /** What nothing covers, although a file may have caught the error. */
  get refused(): ReadonlyMap<string, string> {
    return this.#refused;
  }

  /** Must be called before a file is evaluated. @throws Error with the reason why it must not be. */
  enter(path: string, hash: string): void {
    const { owners, covers } = this.#options;
    const fault = isPackage(path) ? undefined : ownershipFault(statSync(path), owners);
    if (fault !== undefined)
      throw new Error(`It imports ${JSON.stringify(path)}, which is refused: ${fault}`);
    if (covers?.(path, hash) !== false) return;
    this.#refused.set(path, hash);
    throw new Error(`It imports ${JSON.stringify(path)}, which is not what was trusted`);
  }

  /** Also lets in what Node itself loads while `run` goes on: CommonJS, data, packages and compiled addons. */
  watchNode(run: () => void): void {
    const hooks = registerHooks({
      resolve: (name, context, next) => {
        const found = next(name, context);
        // These are never loaded as text.
        if (found.url.startsWith("file:") && found.url.endsWith(".node")) this.#enterAddon(found.url);
        return found;
      },
      load: (url, context, next) => {
        const loaded = next(url, context);
        if (url.startsWith("file:")) this.enter(fileURLToPath(url), hashOfSource(loaded.source, url));
        return loaded;
      },
    });
    try {
      run();
    } finally {
      hooks.deregister();
    }
  }

  #enterAddon(url: string): void {
    const path = fileURLToPath(url);
    this.enter(path, sha256(readFileSync(path)));
  }
}

/** Whether a file belongs to a package that was installed. */
export function isPackage(path: string): boolean {
  return path.includes(`${sep}node_modules${sep}`);
}

function hashOfSource(source: unknown, url: string): string {
  if (typeof source === "string") return sha256(source);
  if (source instanceof Uint8Array) return sha256(Buffer.from(source).toString());
  return sha256(readFileSync(fileURLToPath(url), "utf8"));
}
