import type { Rule } from "@toolkeep/core";
import { assertKnownKeys, defined, POLICY_KEYWORDS } from "@toolkeep/core/internal";
import {
  type Policy,
  type PolicyMode,
  parseRule,
  RECOMMENDED_POLICY,
  type RuleScope,
  type Variables,
  type WatchdogSettings,
} from "@toolkeep/core/policy";
import { cel } from "../cel/cel.ts";
import type { OwnRule, PolicyFile, PolicyTest } from "./policy-file.ts";
import { asKeyword, asList, asMap, asText, Diagnostics, knownEntries } from "./read-fields.ts";
import { joined, readLocks } from "./read-locks.ts";
import { readTests } from "./read-tests.ts";
import { readYaml, type YamlNode } from "./yaml-text.ts";

/** Options of `parsePolicy`. */
export interface ParsePolicyOptions {
  /** The name of the file in diagnostics and in `at` of its rules. */
  readonly file: string;
  /** Default: `project`. */
  readonly scope?: RuleScope;
  /** The value of `~`. Without it, a rule with `~` is an error. */
  readonly home?: string;
  /** The values of `{workspace}`, `{ad-hoc}`, `{user-data}` and `{tmp}`. */
  readonly variables?: Variables;
  /** Returns the text of a policy by its name under `extends`; `undefined` if it does not exist. */
  extends?(name: string): string | undefined;
}

const POLICY_KEYS = [
  ...["version", "mode", "extends", "allow-list", "rules", "watchdogs", "locks", "tests"],
] as const;

/** The name of the built-in policy. */
export const RECOMMENDED = "toolkeep:recommended";

const MOST_RULES = 5_000;
const DEEPEST_EXTENDS = 4;
const MOST_EXTENDS = 8;

const KNOWN_OPTIONS = {
  file: true,
  scope: true,
  home: true,
  variables: true,
  extends: true,
} satisfies Record<keyof ParsePolicyOptions, true>;

/**
 * Parses the text of a policy file: rules, watchdogs and tests. An invalid file has diagnostics and no definition.
 *
 * @example
 * const { definition, diagnostics } = parsePolicy(text, { file: "policy.yaml" });
 */
export function parsePolicy(text: string, options: ParsePolicyOptions): PolicyFile {
  assertKnownKeys(options, Object.keys(KNOWN_OPTIONS), "policy file option");
  const { file, variables, home } = options;
  const diagnostics = new Diagnostics(file);
  const content = readContent(text, options, diagnostics, [file]);
  const { mode = "ask", rules, settings, tests, allowList, locks, inherited } = content;
  const found = {
    file,
    ...defined({ mode: content.mode, home }),
    watchdogSettings: settings,
    tests,
    diagnostics: diagnostics.all,
    ownRules: rules,
    allowList,
  };
  if (diagnostics.all.length > 0) return Object.freeze(found);
  const all = Object.freeze([...inherited, ...rules.map(({ rule }) => rule)]);
  const definition: Policy["definition"] = Object.freeze({
    mode,
    rules: all,
    ...(all.some(({ when }) => when !== undefined) ? { conditions: cel } : {}),
    ...(mode === "allowlist" ? { allowList } : {}),
    builtIn: settings,
    ...(locks.length > 0 ? { locks } : {}),
    ...(variables === undefined ? {} : { variables }),
  });
  return Object.freeze({ ...found, definition });
}

/** The content of one file, with the rules, watchdogs and locks of the files that it extends. */
interface Content {
  readonly mode?: PolicyMode;
  readonly rules: readonly OwnRule[];
  readonly inherited: readonly Rule[];
  readonly settings: WatchdogSettings;
  readonly tests: readonly PolicyTest[];
  readonly allowList: readonly string[];
  readonly locks: readonly string[];
}

const NOTHING: Content = { rules: [], inherited: [], settings: {}, tests: [], allowList: [], locks: [] };

/** `trail`: the files that extend this one, so that none extends itself. */
function readContent(
  text: string,
  options: ParsePolicyOptions,
  diagnostics: Diagnostics,
  trail: readonly string[],
): Content {
  const { root, diagnostics: inYaml } = readYaml(text, diagnostics.file);
  diagnostics.take(inYaml);
  if (inYaml.length > 0) return NOTHING;
  const start = { line: 1, column: 1 };
  if (root === undefined) {
    diagnostics.add(start, "The file is empty.", "Start it with `version: 1`.");
    return NOTHING;
  }
  const map = asMap(root, "A policy", diagnostics);
  if (map === undefined) return NOTHING;
  const parts = new Map(knownEntries(map, POLICY_KEYS, diagnostics).map(({ key, value }) => [key, value]));
  checkVersion(parts.get("version"), diagnostics);
  const part = <Value>(key: string, read: (node: YamlNode) => Value): Value | undefined => {
    const node = parts.get(key);
    return node === undefined ? undefined : read(node);
  };
  const mode = part("mode", (node) => asKeyword(node, "`mode`", POLICY_KEYWORDS.modes, diagnostics));
  const base = part("extends", (node) => readExtends(node, options, diagnostics, trail));
  const settings = part("watchdogs", (node) => readWatchdogs(node, diagnostics));
  return {
    ...(mode === undefined ? {} : { mode }),
    rules: part("rules", (node) => readRules(node, options, diagnostics)) ?? [],
    inherited: base?.rules ?? [],
    settings: Object.freeze({ ...base?.settings, ...settings }),
    tests: part("tests", (node) => readTests(node, diagnostics)) ?? [],
    allowList: part("allow-list", (node) => readAllowList(node, diagnostics)) ?? [],
    locks: joined(
      base?.locks,
      part("locks", (node) => readLocks(node, diagnostics)),
    ),
  };
}

function checkVersion(node: YamlNode | undefined, diagnostics: Diagnostics): void {
  if (node === undefined) {
    diagnostics.add({ line: 1, column: 1 }, "The file has no version.", "Start it with `version: 1`.");
  } else if (node.kind !== "scalar" || node.value !== 1) {
    diagnostics.add(node.position, "Only version 1 is supported.", "Write `version: 1`.");
  }
}

interface Base {
  readonly rules: readonly Rule[];
  readonly settings: WatchdogSettings;
  readonly locks: readonly string[];
}

const NO_BASE: Base = { rules: [], settings: {}, locks: [] };

/** Rules, watchdogs and locks are inherited; mode, allow-list and tests are not. */
function readExtends(
  node: YamlNode,
  options: ParsePolicyOptions,
  diagnostics: Diagnostics,
  trail: readonly string[],
): Base {
  const names = asList(node, "`extends`", diagnostics)?.items ?? [];
  if (names.length > MOST_EXTENDS) {
    diagnostics.add(node.position, `A file can extend at most ${MOST_EXTENDS} others.`);
    return NO_BASE;
  }
  return names.reduce<Base>((base, item) => {
    const name = asText(item, "A name under `extends`", diagnostics);
    const one = name === undefined ? undefined : extended(name, item, options, diagnostics, trail);
    if (one === undefined) return base;
    return {
      rules: [...base.rules, ...one.rules],
      settings: { ...base.settings, ...one.settings },
      locks: joined(base.locks, one.locks),
    };
  }, NO_BASE);
}

function extended(
  name: string,
  { position }: YamlNode,
  options: ParsePolicyOptions,
  diagnostics: Diagnostics,
  trail: readonly string[],
): Base | undefined {
  if (name === RECOMMENDED) {
    const { scope = "project" } = options;
    return {
      rules: RECOMMENDED_POLICY.rules.map((rule) => ({ ...rule, scope })),
      settings: RECOMMENDED_POLICY.builtIn,
      locks: [],
    };
  }
  if (trail.includes(name)) return diagnostics.add(position, `${JSON.stringify(name)} extends itself.`);
  if (trail.length > DEEPEST_EXTENDS) return diagnostics.add(position, "Too many files extend each other.");
  const text = name.startsWith("toolkeep:") ? undefined : options.extends?.(name);
  if (typeof text !== "string") {
    return diagnostics.add(
      position,
      `There is no policy ${JSON.stringify(name)}.`,
      `The built-in policy is ${RECOMMENDED}.`,
    );
  }
  const inside = new Diagnostics(name);
  const { rules, inherited, settings, locks } = readContent(text, options, inside, [...trail, name]);
  diagnostics.take(inside.all);
  return { rules: [...inherited, ...rules.map(({ rule }) => rule)], settings, locks };
}

function readRules(
  node: YamlNode,
  options: ParsePolicyOptions,
  diagnostics: Diagnostics,
): readonly OwnRule[] {
  const items = asList(node, "`rules`", diagnostics)?.items ?? [];
  if (items.length > MOST_RULES)
    diagnostics.add(node.position, `A file can have at most ${MOST_RULES} rules.`);
  return items.slice(0, MOST_RULES).flatMap((item) => readRule(item, options, diagnostics));
}

function readRule(
  node: YamlNode,
  { scope, home, variables }: ParsePolicyOptions,
  diagnostics: Diagnostics,
): readonly OwnRule[] {
  if (node.kind !== "scalar" || typeof node.value !== "string") {
    diagnostics.add(
      node.position,
      "A rule must be one line of text.",
      "If it contains `: ` or ` #`, put the whole line in single quotes.",
    );
    return [];
  }
  const { line, column } = node.position;
  const parsed = parseRule(node.text, {
    file: diagnostics.file,
    line,
    column: column + node.indent,
    scope: scope ?? "project",
    conditions: cel,
    ...(home === undefined ? {} : { home }),
    variables: Object.keys(variables ?? {}),
  });
  if (parsed.diagnostic !== undefined) {
    const { message, column: at = column, hint } = parsed.diagnostic;
    diagnostics.add({ line, column: at }, message, hint, "invalid_rule");
    return [];
  }
  const empty = parsed.rules.map((rule) => emptyVariable(rule, variables)).find((one) => one !== undefined);
  if (empty !== undefined) {
    diagnostics.add(
      node.position,
      `The rule would match nothing: {${empty}} has no value.`,
      "Set the variable, or use a path.",
    );
  }
  return parsed.rules.map((rule) => ({ ...node.position, rule, text: node.text.trim() }));
}

/** A variable without a value is safe in an allow rule. An ask or deny rule with it would match nothing. */
function emptyVariable({ action, pattern }: Rule, variables: Variables | undefined): string | undefined {
  if (action === "allow" || variables === undefined) return undefined;
  const known = ["workspace", "ad-hoc", "user-data", "tmp", ...Object.keys(variables)];
  return known.find((name) => pattern?.includes(`{${name}}`) && (variables[name] ?? []).length === 0);
}

function readAllowList(node: YamlNode, diagnostics: Diagnostics): readonly string[] {
  const items = asList(node, "`allow-list`", diagnostics)?.items ?? [];
  return items.flatMap((item) => {
    const entry = asText(item, "An entry of the allow-list", diagnostics);
    if (entry === undefined) return [];
    if (/^[\w.:*-]+(?:\(.+\))?$/s.test(entry)) return [entry];
    diagnostics.add(
      item.position,
      "An entry must be `name` or `name(keyPattern)`.",
      'Write e.g. "bash(git status)".',
    );
    return [];
  });
}

const OBJECTIONS = ["ask", "deny", "off"] as const;

/** Reads the map `watchdogs`. */
function readWatchdogs(node: YamlNode, diagnostics: Diagnostics): WatchdogSettings {
  const map = asMap(node, "`watchdogs`", diagnostics);
  if (map === undefined) return {};
  const settings: Record<string, unknown> = {};
  for (const { key, value } of knownEntries(map, [...POLICY_KEYWORDS.watchdogs, "loop"], diagnostics)) {
    const read =
      key === "loop" ? readLoop(value, diagnostics) : asKeyword(value, `\`${key}\``, OBJECTIONS, diagnostics);
    if (read !== undefined) settings[key] = read;
  }
  return Object.freeze(settings);
}

function readLoop(node: YamlNode, diagnostics: Diagnostics): number | "off" | undefined {
  const value = node.kind === "scalar" ? node.value : undefined;
  if (value === "off") return "off";
  if (typeof value === "number" && Number.isInteger(value) && value >= 2) return value;
  return diagnostics.add(node.position, "`loop` must be a whole number from 2, or off.");
}
