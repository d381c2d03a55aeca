import type { Rule } from "@toolkeep/core";
import { writtenRuleError } from "@toolkeep/core/internal";
import type { RuleScope } from "@toolkeep/core/policy";
import type { PolicyDiagnostic } from "./diagnostic.ts";
import { readYaml, type YamlMap, type YamlNode } from "./yaml-text.ts";

/** The rules of another program in our words. Never looser than what they say there. */
export interface ImportedRules {
  readonly rules: readonly Rule[];
  /** Every entry that is stricter here than there, or left out. */
  readonly notes: readonly ImportNote[];
  /** What could not be read at all; then there are no rules. */
  readonly diagnostics: readonly PolicyDiagnostic[];
  /** What is not allowed there is refused without a question: give the session nobody to ask. */
  readonly isHeadless?: true;
}

export interface ImportNote {
  /** As it is written there. */
  readonly entry: string;
  /** Where; 0 for what is built in there. */
  readonly line: number;
  readonly what: "stricter" | "dropped";
  readonly why: string;
}

export interface ImportOptions {
  /** How the file is called in `at`. */
  readonly file: string;
  /** `project` where it is left out. */
  readonly scope?: RuleScope;
  /** What `~` stands for. */
  readonly home?: string;
}

/** An entry where it is written. Line 0: it is built in there. */
export interface ListedEntry {
  readonly text: string;
  readonly line: number;
}

/** A rule on `*` is heard where no other speaks; one on this speaks of everything that is done. */
export const EVERYTHING = "**";

const BUILT_IN: ListedEntry = { text: "(built in)", line: 0 };

/** Collects rules and notes while a file is read. */
export class Import {
  readonly #options: ImportOptions;
  readonly #rules: Rule[] = [];
  readonly #notes = new Map<string, ImportNote>();
  /** Tools that ask whatever they do: an allow of one of them would be more specific and win. */
  readonly #asked: readonly string[];

  constructor(options: ImportOptions, asked: readonly string[] = []) {
    this.#options = options;
    this.#asked = asked;
  }

  /** What cannot be a rule of ours is left out where it allows, and covers everything where it does not. */
  rule(
    entry: ListedEntry,
    what: Pick<Rule, "action" | "permission" | "pattern">,
    fields: Partial<Rule> = {},
  ): void {
    const { file, scope = "project" } = this.#options;
    const at = entry.line === 0 ? `${file} ${entry.text}` : `${file}:${entry.line}`;
    const rule: Rule = Object.freeze({ ...what, scope, ...fields, at });
    const isAllow = rule.action === "allow";
    if (isAllow && this.#asked.some((asked) => coversAddress(asked, rule.permission))) {
      this.note(entry, "stricter", `${rule.permission} asks, and asking counts first there`);
      return;
    }
    const error = writtenRuleError(rule);
    if (error === undefined) this.#rules.push(rule);
    else if (isAllow) this.note(entry, "dropped", error);
    else {
      const { pattern: _, ...wide } = rule;
      const isPermissionFine = writtenRuleError(wide) === undefined;
      this.#rules.push(Object.freeze(isPermissionFine ? wide : { ...wide, permission: EVERYTHING }));
      this.note(
        entry,
        "stricter",
        `it covers ${isPermissionFine ? rule.permission : "everything"}: ${error}`,
      );
    }
  }

  /** Reading in the project is free there. */
  allowReading(): void {
    for (const permission of ["read", "glob", "grep"]) {
      this.rule(BUILT_IN, { permission, pattern: "{workspace}/**", action: "allow" });
    }
    this.note(BUILT_IN, "stricter", "commands that only read, and searching the web, ask here");
  }

  note({ text: entry, line }: ListedEntry, what: ImportNote["what"], why: string): void {
    this.#notes.set(`${line} ${entry} ${why}`, { entry, line, what, why });
  }

  done(isHeadless = false): ImportedRules {
    const result = { rules: this.#rules, notes: [...this.#notes.values()], diagnostics: [] };
    return Object.freeze(isHeadless ? { ...result, isHeadless: true as const } : result);
  }
}

function coversAddress(wide: string, narrow: string): boolean {
  const [start = "", ...rest] = wide.split("*");
  if (rest.length === 0) return wide === narrow;
  return narrow.startsWith(start) && narrow.endsWith(rest.at(-1) ?? "");
}

/** Nothing is imported from a file that cannot be read. */
export function unread(diagnostics: readonly PolicyDiagnostic[]): ImportedRules {
  return Object.freeze({ rules: [], notes: [], diagnostics });
}

/** JSON, with the comments that settings files may have, by places. */
export function readSettings(
  text: string,
  file: string,
): { root?: YamlMap; diagnostics: readonly PolicyDiagnostic[] } {
  const plain = text
    .replaceAll(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (found) =>
      found.startsWith('"') ? found : found.replaceAll(/[^\n]/g, " "),
    )
    .replaceAll("\t", " ");
  try {
    JSON.parse(plain);
  } catch {
    return { diagnostics: [{ file, line: 1, column: 1, message: "The file is no JSON." }] };
  }
  const { root, diagnostics } = readYaml(plain, file);
  if (diagnostics.length > 0) return { diagnostics };
  if (root?.kind === "map") return { root, diagnostics: [] };
  return { diagnostics: [{ file, line: 1, column: 1, message: "The settings are no object." }] };
}

/** What stands under a path of keys. */
export function under(node: YamlNode | undefined, ...keys: readonly string[]): YamlNode | undefined {
  let found = node;
  for (const key of keys) {
    found = found?.kind === "map" ? found.entries.find((entry) => entry.key === key)?.value : undefined;
  }
  return found;
}

/** The texts of a list. What is no list, or no text, is a problem: it may have been meant to deny. */
export function textsIn(
  node: YamlNode | undefined,
  file: string,
): { entries: readonly ListedEntry[]; diagnostics: readonly PolicyDiagnostic[] } {
  if (node === undefined) return { entries: [], diagnostics: [] };
  const items = node.kind === "list" ? node.items : undefined;
  const wrong =
    items === undefined
      ? node
      : items.find((item) => item.kind !== "scalar" || typeof item.value !== "string");
  if (items === undefined || wrong !== undefined) {
    return {
      entries: [],
      diagnostics: [{ file, ...(wrong ?? node).place, message: "This is a list of texts there." }],
    };
  }
  const entries = items.flatMap((item) =>
    item.kind === "scalar" ? [{ text: item.text.trim(), line: item.place.line }] : [],
  );
  return { entries, diagnostics: [] };
}
