import { closestName } from "@toolkeep/core/internal";
import type { Place, PolicyDiagnostic } from "./diagnostic.ts";
import type { YamlEntry, YamlList, YamlMap, YamlNode } from "./yaml-text.ts";

/** Collects what is wrong with one file while its parts are read. */
export class Diagnostics {
  readonly file: string;
  readonly #found: PolicyDiagnostic[] = [];

  constructor(file: string) {
    this.file = file;
  }

  get all(): readonly PolicyDiagnostic[] {
    return this.#found;
  }

  add({ line, column }: Place, message: string, instead?: string): undefined {
    this.#found.push({
      file: this.file,
      line,
      column,
      message,
      ...(instead === undefined ? {} : { instead }),
    });
    return undefined;
  }

  take(diagnostics: Iterable<PolicyDiagnostic>): void {
    for (const diagnostic of diagnostics) this.#found.push(diagnostic);
  }
}

export function asMap(node: YamlNode, what: string, diagnostics: Diagnostics): YamlMap | undefined {
  return node.kind === "map" ? node : diagnostics.add(node.place, `${what} is written as \`name: value\`.`);
}

export function asList(node: YamlNode, what: string, diagnostics: Diagnostics): YamlList | undefined {
  return node.kind === "list"
    ? node
    : diagnostics.add(node.place, `${what} is a list.`, "Begin each line with `- `.");
}

/** A text; numbers and the like are taken as they are written. */
export function asText(node: YamlNode, what: string, diagnostics: Diagnostics): string | undefined {
  if (node.kind === "scalar" && node.value !== null && node.text.trim() !== "") return node.text;
  return diagnostics.add(node.place, `${what} is a text.`);
}

export function asFlag(node: YamlNode, what: string, diagnostics: Diagnostics): boolean | undefined {
  if (node.kind === "scalar" && typeof node.value === "boolean") return node.value;
  return diagnostics.add(node.place, `${what} is true or false.`);
}

/** One of several words. */
export function asWord<Word extends string>(
  node: YamlNode,
  what: string,
  words: readonly Word[],
  diagnostics: Diagnostics,
): Word | undefined {
  const found = node.kind === "scalar" ? words.find((word) => word === node.value) : undefined;
  if (found !== undefined) return found;
  const near = node.kind === "scalar" ? closestName(node.text, words) : undefined;
  return diagnostics.add(node.place, `${what} is ${words.join(", ")}.`, hint(near));
}

/** The entries whose keys are known; every other key is a problem. */
export function knownEntries(
  { entries }: YamlMap,
  known: readonly string[],
  diagnostics: Diagnostics,
): readonly YamlEntry[] {
  return entries.filter(({ key, keyLocation }) => {
    if (known.includes(key)) return true;
    const near = closestName(key, known);
    diagnostics.add(
      keyLocation,
      `Nobody knows ${JSON.stringify(key)} here.`,
      hint(near) ?? `Write one of ${known.join(", ")}.`,
    );
    return false;
  });
}

function hint(near: string | undefined): string | undefined {
  return near === undefined ? undefined : `Did you mean \`${near}\`?`;
}
