import type { Rule } from "@toolkeep/core";
import { assertKnownKeys, writtenRuleError } from "@toolkeep/core/internal";
import type { RuleScope } from "@toolkeep/core/policy";
import type { FileDiagnostic } from "../files/policy-file.ts";
import { readYaml, type YamlMap, type YamlNode } from "../files/yaml-text.ts";

/** The permissions of another program as rules. They never allow more than the original. */
export interface ImportedRules {
  readonly rules: readonly Rule[];
  /** Every entry that became stricter or was dropped, and why. */
  readonly notes: readonly ImportNote[];
  /** Errors of the file. If there are any, there are no rules. */
  readonly diagnostics: readonly FileDiagnostic[];
  /** The original refuses everything it does not allow: create the session without an approver. */
  readonly isHeadless?: true;
}

/** An entry that was not imported exactly. */
export interface ImportNote {
  /** The entry as it is written. */
  readonly entry: string;
  /** 0 for a default of the other program. */
  readonly line: number;
  readonly what: "stricter" | "dropped";
  readonly why: string;
}

/** Options of `importClaude` and `importGemini`. */
export interface ImportOptions {
  /** The name of the file in diagnostics and in `at` of the rules. */
  readonly file: string;
  /** Default: `project`. */
  readonly scope?: RuleScope;
  /** The value of `~`. */
  readonly home?: string;
}

/** An entry and its line. Line 0: a default of the other program. */
export interface ListedEntry {
  readonly text: string;
  readonly line: number;
}

/** A rule on `*` applies where no other rule matches; a rule on `**` matches every effect. */
export const EVERYTHING = "**";

const BUILT_IN: ListedEntry = { text: "(built in)", line: 0 };

/** Collects rules and notes while a file is read. */
export class Import {
  readonly #options: ImportOptions;
  readonly #rules: Rule[] = [];
  readonly #notes = new Map<string, ImportNote>();
  /** Tools that always ask: a more specific allow would override that. */
  readonly #asked: readonly string[];

  constructor(options: ImportOptions, asked: readonly string[] = []) {
    assertKnownKeys(options, ["file", "scope", "home"] satisfies (keyof ImportOptions)[], "import option");
    this.#options = options;
    this.#asked = asked;
  }

  /** An entry that cannot be a rule is dropped if it allows, and widened if it asks or denies. */
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
      this.note(entry, "stricter", `${rule.permission} also has an ask entry, which takes precedence`);
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
        `it applies to ${isPermissionFine ? `every ${rule.permission}` : "everything"}: ${error}`,
      );
    }
  }

  /** The other programs allow reading in the project by default. */
  allowReading(): void {
    for (const permission of ["read", "glob", "grep"]) {
      this.rule(BUILT_IN, { permission, pattern: "{workspace}/**", action: "allow" });
    }
    this.note(BUILT_IN, "stricter", "commands that only read, and web searches, ask");
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

/** The result for a file with errors. */
export function notImported(diagnostics: readonly FileDiagnostic[]): ImportedRules {
  return Object.freeze({ rules: [], notes: [], diagnostics });
}

/** Reads JSON with comments, with positions. */
export function readSettings(
  text: string,
  file: string,
): { root?: YamlMap; diagnostics: readonly FileDiagnostic[] } {
  const plain = text
    .replaceAll(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (found) =>
      found.startsWith('"') ? found : found.replaceAll(/[^\n]/g, " "),
    )
    .replaceAll("\t", " ");
  try {
    JSON.parse(plain);
  } catch {
    return {
      diagnostics: [
        { code: "invalid_json", file, line: 1, column: 1, message: "The file is not valid JSON." },
      ],
    };
  }
  const { root, diagnostics } = readYaml(plain, file);
  if (diagnostics.length > 0) return { diagnostics };
  if (root?.kind === "map") return { root, diagnostics: [] };
  return {
    diagnostics: [
      { code: "invalid_settings", file, line: 1, column: 1, message: "The settings must be an object." },
    ],
  };
}

/** The value at a path of keys. */
export function under(node: YamlNode | undefined, ...keys: readonly string[]): YamlNode | undefined {
  let found = node;
  for (const key of keys) {
    found = found?.kind === "map" ? found.entries.find((entry) => entry.key === key)?.value : undefined;
  }
  return found;
}

/** The texts of a list. Anything else is an error: it may have been meant to deny. */
export function textsIn(
  node: YamlNode | undefined,
  file: string,
): { entries: readonly ListedEntry[]; diagnostics: readonly FileDiagnostic[] } {
  if (node === undefined) return { entries: [], diagnostics: [] };
  const items = node.kind === "list" ? node.items : undefined;
  const wrong =
    items === undefined
      ? node
      : items.find((item) => item.kind !== "scalar" || typeof item.value !== "string");
  if (items === undefined || wrong !== undefined) {
    return {
      entries: [],
      diagnostics: [
        {
          code: "invalid_settings",
          file,
          ...(wrong ?? node).position,
          message: "This must be a list of texts.",
        },
      ],
    };
  }
  const entries = items.flatMap((item) =>
    item.kind === "scalar" ? [{ text: item.text.trim(), line: item.position.line }] : [],
  );
  return { entries, diagnostics: [] };
}
