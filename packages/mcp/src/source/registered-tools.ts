import type { Registry, Tool } from "@toolkeep/core";
import type { Origin } from "@toolkeep/core/internal";

/** The tools of one server that are in the registry. */
export class RegisteredTools {
  readonly #registry: Registry;
  readonly #origin: Origin;
  /** By the server's own names. */
  readonly #tools = new Map<string, { readonly name: string; readonly hash: string }>();

  constructor(registry: Registry, origin: Origin) {
    this.#registry = registry;
    this.#origin = origin;
  }

  get names(): readonly string[] {
    return [...this.#tools.values()].map(({ name }) => name);
  }

  get own(): readonly string[] {
    return [...this.#tools.keys()];
  }

  has(tool: string, hash: string): boolean {
    return this.#tools.get(tool)?.hash === hash;
  }

  /** Replaces the earlier registration of the tool. Returns the reason if the registry rejects it. */
  register(own: string, hash: string, tool: Tool): string | undefined {
    this.take(own);
    const other = this.#registry.get(tool.name);
    if (other !== undefined) return `its name ${JSON.stringify(tool.name)} is taken by ${other.originName}`;
    const error = this.#register(tool);
    if (error !== undefined) return error;
    this.#tools.set(own, { name: tool.name, hash });
    return undefined;
  }

  take(own: string): void {
    const known = this.#tools.get(own);
    if (known === undefined) return;
    this.#tools.delete(own);
    this.#registry.unregister(known.name, this.#origin);
  }

  takeAll(): void {
    for (const own of this.own) this.take(own);
  }

  #register(tool: Tool): string | undefined {
    const error = this.#registry.register(tool, { origin: this.#origin });
    if (error === undefined) return undefined;
    // Output schemas are never enforced: an error in one does not prevent calls.
    if (tool.outputSchema !== undefined && error.path?.startsWith("/outputSchema")) {
      const { outputSchema: _outputSchema, ...rest } = tool;
      return this.#register(Object.freeze(rest) as Tool);
    }
    // Some errors are found after the tool was bound.
    this.#registry.unregister(tool.name, this.#origin);
    return `${error.path}: ${error.message}`;
  }
}
