import { nearest, type Place, type PolicyProblem } from "./problem.ts";
import type { YamlEntry, YamlList, YamlMap, YamlNode } from "./yaml-text.ts";

/** Collects what is wrong with one file while its parts are read. */
export class Problems {
  readonly file: string;
  readonly #found: PolicyProblem[] = [];

  constructor(file: string) {
    this.file = file;
  }

  get all(): readonly PolicyProblem[] {
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

  take(problems: Iterable<PolicyProblem>): void {
    for (const problem of problems) this.#found.push(problem);
  }
}

export function asMap(node: YamlNode, what: string, problems: Problems): YamlMap | undefined {
  return node.kind === "map" ? node : problems.add(node.place, `${what} is written as \`name: value\`.`);
}

export function asList(node: YamlNode, what: string, problems: Problems): YamlList | undefined {
  return node.kind === "list"
    ? node
    : problems.add(node.place, `${what} is a list.`, "Begin each line with `- `.");
}

/** A text; numbers and the like are taken as they are written. */
export function asText(node: YamlNode, what: string, problems: Problems): string | undefined {
  if (node.kind === "scalar" && node.value !== null && node.text.trim() !== "") return node.text;
  return problems.add(node.place, `${what} is a text.`);
}

export function asFlag(node: YamlNode, what: string, problems: Problems): boolean | undefined {
  if (node.kind === "scalar" && typeof node.value === "boolean") return node.value;
  return problems.add(node.place, `${what} is true or false.`);
}

/** One of several words. */
export function asWord<Word extends string>(
  node: YamlNode,
  what: string,
  words: readonly Word[],
  problems: Problems,
): Word | undefined {
  const found = node.kind === "scalar" ? words.find((word) => word === node.value) : undefined;
  if (found !== undefined) return found;
  const near = node.kind === "scalar" ? nearest(node.text, words) : undefined;
  return problems.add(node.place, `${what} is ${words.join(", ")}.`, hint(near));
}

/** The entries whose keys are known; every other key is a problem. */
export function knownEntries(
  { entries }: YamlMap,
  known: readonly string[],
  problems: Problems,
): readonly YamlEntry[] {
  return entries.filter(({ key, keyPlace }) => {
    if (known.includes(key)) return true;
    const near = nearest(key, known);
    problems.add(
      keyPlace,
      `Nobody knows ${JSON.stringify(key)} here.`,
      hint(near) ?? `Write one of ${known.join(", ")}.`,
    );
    return false;
  });
}

function hint(near: string | undefined): string | undefined {
  return near === undefined ? undefined : `Did you mean \`${near}\`?`;
}
