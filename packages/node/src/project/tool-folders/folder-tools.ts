import type { Registry, Tool } from "@toolkeep/core";
import type { Origin } from "@toolkeep/core/internal";
import { type FolderDiagnostic, folderDiagnosticOf } from "../trust/folder-diagnostic.ts";

/** What became of the tools of a folder, by name. */
export interface FolderToolsChanges {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** The tools that one file brings. */
export interface ToolsOfFile {
  readonly origin: Origin;
  readonly tools: readonly Tool[];
}

interface Bound {
  readonly tool: Tool;
  readonly origin: Origin;
  readonly error?: FolderDiagnostic;
}

/** Which tools of a folder a registry has. Touches no others. */
export class FolderTools {
  readonly #registry: Registry;
  #bound: ReadonlyMap<string, Bound> = new Map();
  #twins: readonly FolderDiagnostic[] = [];

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Tools that are not there although a file brings them. */
  get errors(): readonly FolderDiagnostic[] {
    return [...this.#twins, ...[...this.#bound.values()].flatMap(({ error }) => error ?? [])];
  }

  /** Brings the registry to these tools. Of two with one name, that of the first file stays. */
  bind(files: readonly ToolsOfFile[]): FolderToolsChanges {
    const { wanted, twins } = firstOfEach(files);
    const before = this.#bound;
    const isSame = (name: string) => before.get(name)?.tool === wanted.get(name)?.tool;
    const added = [...wanted.keys()].filter((name) => !before.has(name));
    const changed = [...wanted.keys()].filter((name) => before.has(name) && !isSame(name));
    const removed = [...before.keys()].filter((name) => !wanted.has(name));
    for (const [name, { origin }] of before) if (!isSame(name)) this.#registry.unregister(name, origin);
    this.#bound = new Map(
      [...wanted].map(([name, bound]) => [
        name,
        isSame(name) ? (before.get(name) ?? bound) : this.#register(bound),
      ]),
    );
    this.#twins = twins;
    return { added, changed, removed };
  }

  #register({ tool, origin }: Bound): Bound {
    const refusal = this.#registry.register(tool, { origin });
    if (refusal === undefined) return { tool, origin };
    const error = errorFor(origin, `The tool ${JSON.stringify(tool.name)} is refused: ${refusal.message}`);
    return { tool, origin, error };
  }
}

function firstOfEach(files: readonly ToolsOfFile[]): {
  readonly wanted: ReadonlyMap<string, Bound>;
  readonly twins: readonly FolderDiagnostic[];
} {
  const wanted = new Map<string, Bound>();
  const twins: FolderDiagnostic[] = [];
  for (const { origin, tools } of files) {
    for (const tool of tools) {
      const first = wanted.get(tool.name);
      if (first === undefined) wanted.set(tool.name, { tool, origin });
      else
        twins.push({
          ...errorFor(origin, `The name ${JSON.stringify(tool.name)} is taken by ${first.origin.id}.`),
          ...{ code: "name_taken", subject: tool.name },
        });
    }
  }
  return { wanted, twins };
}

function errorFor({ layer, id = "" }: Origin, message: string): FolderDiagnostic {
  return folderDiagnosticOf({ layer, file: id, message });
}
