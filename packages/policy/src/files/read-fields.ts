import { closestName } from "@toolkeep/core/internal";
import type { FileDiagnostic, Position } from "./policy-file.ts";
import type { YamlEntry, YamlList, YamlMap, YamlNode } from "./yaml-text.ts";

/** Collects the diagnostics of one file. */
export class Diagnostics {
  readonly file: string;
  readonly #found: FileDiagnostic[] = [];

  constructor(file: string) {
    this.file = file;
  }

  get all(): readonly FileDiagnostic[] {
    return this.#found;
  }

  add({ line, column }: Position, message: string, hint?: string, code = "invalid_policy"): undefined {
    const position = { file: this.file, line, column };
    this.#found.push({ code, ...position, message, ...(hint === undefined ? {} : { hint }) });
    return undefined;
  }

  take(diagnostics: Iterable<FileDiagnostic>): void {
    for (const diagnostic of diagnostics) this.#found.push(diagnostic);
  }
}

export function asMap(node: YamlNode, what: string, diagnostics: Diagnostics): YamlMap | undefined {
  return node.kind === "map"
    ? node
    : diagnostics.add(node.position, `${what} must be written as \`name: value\`.`);
}

export function asList(node: YamlNode, what: string, diagnostics: Diagnostics): YamlList | undefined {
  return node.kind === "list"
    ? node
    : diagnostics.add(node.position, `${what} must be a list.`, "Begin each line with `- `.");
}

/** A text. Numbers and booleans are taken as they are written. */
export function asText(node: YamlNode, what: string, diagnostics: Diagnostics): string | undefined {
  if (node.kind === "scalar" && node.value !== null && node.text.trim() !== "") return node.text;
  return diagnostics.add(node.position, `${what} must be a text.`);
}

export function asFlag(node: YamlNode, what: string, diagnostics: Diagnostics): boolean | undefined {
  if (node.kind === "scalar" && typeof node.value === "boolean") return node.value;
  return diagnostics.add(node.position, `${what} must be true or false.`);
}

/** One of several keywords. */
export function asKeyword<Keyword extends string>(
  node: YamlNode,
  what: string,
  keywords: readonly Keyword[],
  diagnostics: Diagnostics,
): Keyword | undefined {
  const found = node.kind === "scalar" ? keywords.find((keyword) => keyword === node.value) : undefined;
  if (found !== undefined) return found;
  // The mode that asks nothing is not what a typo should become.
  const safe = keywords.filter((keyword) => keyword !== "yolo");
  const near = node.kind === "scalar" ? closestName(node.text, safe) : undefined;
  return diagnostics.add(node.position, `${what} must be one of ${keywords.join(", ")}.`, hint(near));
}

/** The entries with known keys; every other key is an error. */
export function knownEntries(
  { entries }: YamlMap,
  known: readonly string[],
  diagnostics: Diagnostics,
): readonly YamlEntry[] {
  return entries.filter(({ key, keyPosition }) => {
    if (known.includes(key)) return true;
    const near = closestName(key, known);
    diagnostics.add(
      keyPosition,
      `Unknown key ${JSON.stringify(key)}.`,
      hint(near) ?? `Write one of ${known.join(", ")}.`,
    );
    return false;
  });
}

function hint(near: string | undefined): string | undefined {
  return near === undefined ? undefined : `Did you mean \`${near}\`?`;
}
