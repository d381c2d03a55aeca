import type { Rule } from "@toolkeep/core";
import { POLICY_KEYWORDS } from "@toolkeep/core/internal";
import {
  type Policy,
  type PolicyMode,
  parseRule,
  RECOMMENDED_POLICY,
  type RuleScope,
  type Variables,
  type WatchdogSettings,
} from "@toolkeep/core/policy";
import type { OwnRule, PolicyFile, PolicyTest } from "./policy-file.ts";
import { asList, asMap, asText, asWord, Diagnostics, knownEntries } from "./read-fields.ts";
import { readTests } from "./read-tests.ts";
import { readWatchdogs } from "./read-watchdogs.ts";
import { readYaml, type YamlNode } from "./yaml-text.ts";

export interface ReadPolicyOptions {
  /** How the file is called in problems and in `at`. */
  readonly file: string;
  /** `project` where it is left out. */
  readonly scope?: RuleScope;
  /** What `~` stands for. */
  readonly home?: string;
  /** What `{workspace}` and the others stand for. */
  readonly variables?: Variables;
  /** The text of another policy, by the name under `extends`; `undefined` for one that is not known. */
  extends?(name: string): string | undefined;
}

const POLICY_KEYS = ["version", "mode", "extends", "allow-list", "rules", "watchdogs", "tests"] as const;

/** The name of the rules that ship. */
export const RECOMMENDED = "toolkeep:recommended";

const MOST_RULES = 5_000;
const DEEPEST_EXTENDS = 4;
const MOST_EXTENDS = 8;

/** Reads a policy file. One with problems gives no definition. */
export function readPolicy(text: string, options: ReadPolicyOptions): PolicyFile {
  const { file, variables, home } = options;
  const diagnostics = new Diagnostics(file);
  const said = readSaid(text, options, diagnostics, [file]);
  const { mode = "ask", rules, settings, tests, allowList, inherited } = said;
  const found = {
    file,
    ...(home === undefined ? {} : { home }),
    watchdogSettings: settings,
    tests,
    diagnostics: diagnostics.all,
    ownRules: rules,
    allowList,
  };
  if (diagnostics.all.length > 0) return Object.freeze(found);
  const definition: Policy["definition"] = Object.freeze({
    mode,
    rules: Object.freeze([...inherited, ...rules.map(({ rule }) => rule)]),
    ...(mode === "allowlist" ? { allowList } : {}),
    builtIn: settings,
    ...(variables === undefined ? {} : { variables }),
  });
  return Object.freeze({ ...found, definition });
}

/** What one file says, with the rules and watchdogs of those that it extends. */
interface Said {
  readonly mode?: PolicyMode;
  readonly rules: readonly OwnRule[];
  readonly inherited: readonly Rule[];
  readonly settings: WatchdogSettings;
  readonly tests: readonly PolicyTest[];
  readonly allowList: readonly string[];
}

const NOTHING: Said = { rules: [], inherited: [], settings: {}, tests: [], allowList: [] };

/** `trail`: the files that lead here, so that none extends itself. */
function readSaid(
  text: string,
  options: ReadPolicyOptions,
  diagnostics: Diagnostics,
  trail: readonly string[],
): Said {
  const { root, diagnostics: inYaml } = readYaml(text, diagnostics.file);
  diagnostics.take(inYaml);
  if (inYaml.length > 0) return NOTHING;
  const start = { line: 1, column: 1 };
  if (root === undefined) {
    diagnostics.add(start, "The file is empty.", "Begin with `version: 1`.");
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
  const mode = part("mode", (node) => asWord(node, "`mode`", POLICY_KEYWORDS.modes, diagnostics));
  const base = part("extends", (node) => readExtends(node, options, diagnostics, trail));
  const settings = part("watchdogs", (node) => readWatchdogs(node, diagnostics));
  return {
    ...(mode === undefined ? {} : { mode }),
    rules: part("rules", (node) => readRules(node, options, diagnostics)) ?? [],
    inherited: base?.rules ?? [],
    settings: Object.freeze({ ...base?.settings, ...settings }),
    tests: part("tests", (node) => readTests(node, diagnostics)) ?? [],
    allowList: part("allow-list", (node) => readAllowList(node, diagnostics)) ?? [],
  };
}

function checkVersion(node: YamlNode | undefined, diagnostics: Diagnostics): void {
  if (node === undefined) {
    diagnostics.add({ line: 1, column: 1 }, "The file does not say its version.", "Begin with `version: 1`.");
  } else if (node.kind !== "scalar" || node.value !== 1) {
    diagnostics.add(node.place, "Only version 1 is understood.", "Write `version: 1`.");
  }
}

interface Base {
  readonly rules: readonly Rule[];
  readonly settings: WatchdogSettings;
}

/** Rules and watchdogs are taken over; mode, allow-list and tests are every file's own. */
function readExtends(
  node: YamlNode,
  options: ReadPolicyOptions,
  diagnostics: Diagnostics,
  trail: readonly string[],
): Base {
  const names = asList(node, "`extends`", diagnostics)?.items ?? [];
  if (names.length > MOST_EXTENDS) {
    diagnostics.add(node.place, `A file extends at most ${MOST_EXTENDS} others.`);
    return { rules: [], settings: {} };
  }
  return names.reduce<Base>(
    (base, item) => {
      const name = asText(item, "A name under `extends`", diagnostics);
      const one = name === undefined ? undefined : baseCalled(name, item, options, diagnostics, trail);
      if (one === undefined) return base;
      return { rules: [...base.rules, ...one.rules], settings: { ...base.settings, ...one.settings } };
    },
    { rules: [], settings: {} },
  );
}

function baseCalled(
  name: string,
  { place }: YamlNode,
  options: ReadPolicyOptions,
  diagnostics: Diagnostics,
  trail: readonly string[],
): Base | undefined {
  if (name === RECOMMENDED) {
    const { scope = "project" } = options;
    return {
      rules: RECOMMENDED_POLICY.rules.map((rule) => ({ ...rule, scope })),
      settings: RECOMMENDED_POLICY.builtIn,
    };
  }
  if (trail.includes(name)) return diagnostics.add(place, `${JSON.stringify(name)} extends itself.`);
  if (trail.length > DEEPEST_EXTENDS) return diagnostics.add(place, "Too many files extend each other.");
  const text = name.startsWith("toolkeep:") ? undefined : options.extends?.(name);
  if (typeof text !== "string") {
    return diagnostics.add(place, `There is no policy ${JSON.stringify(name)}.`, `Known is ${RECOMMENDED}.`);
  }
  const inside = new Diagnostics(name);
  const { rules, inherited, settings } = readSaid(text, options, inside, [...trail, name]);
  diagnostics.take(inside.all);
  return { rules: [...inherited, ...rules.map(({ rule }) => rule)], settings };
}

function readRules(node: YamlNode, options: ReadPolicyOptions, diagnostics: Diagnostics): readonly OwnRule[] {
  const items = asList(node, "`rules`", diagnostics)?.items ?? [];
  if (items.length > MOST_RULES) diagnostics.add(node.place, `A file has at most ${MOST_RULES} rules.`);
  return items.slice(0, MOST_RULES).flatMap((item) => readRule(item, options, diagnostics));
}

function readRule(
  node: YamlNode,
  { scope, home, variables }: ReadPolicyOptions,
  diagnostics: Diagnostics,
): readonly OwnRule[] {
  if (node.kind !== "scalar" || typeof node.value !== "string") {
    diagnostics.add(
      node.place,
      "A rule is one line of text.",
      "If it contains `: ` or ` #`, put the whole line in single quotes.",
    );
    return [];
  }
  const { line, column } = node.place;
  const parsed = parseRule(node.text, {
    file: diagnostics.file,
    line,
    column: column + node.indent,
    scope: scope ?? "project",
    ...(home === undefined ? {} : { home }),
  });
  if (parsed.diagnostic !== undefined) {
    const { message, column: at = column, hint } = parsed.diagnostic;
    diagnostics.add({ line, column: at }, message, hint);
    return [];
  }
  const empty = parsed.rules.map((rule) => emptyVariable(rule, variables)).find((one) => one !== undefined);
  if (empty !== undefined) {
    diagnostics.add(
      node.place,
      `The rule would stop nothing: {${empty}} stands for nothing here.`,
      "Give it a value.",
    );
  }
  return parsed.rules.map((rule) => ({ ...node.place, rule, text: node.text.trim() }));
}

/** A variable without a value grants nothing, which is as it should be, but it stops nothing either. */
function emptyVariable({ action, pattern }: Rule, variables: Variables | undefined): string | undefined {
  if (action === "allow" || variables === undefined) return undefined;
  const names = pattern?.match(/(?<=\{)(?:workspace|ad-hoc|user-data)(?=\})/g) ?? [];
  return names.find((name) => (variables[name as keyof Variables] ?? []).length === 0);
}

function readAllowList(node: YamlNode, diagnostics: Diagnostics): readonly string[] {
  const items = asList(node, "`allow-list`", diagnostics)?.items ?? [];
  return items.flatMap((item) => {
    const entry = asText(item, "An entry of the allow-list", diagnostics);
    if (entry === undefined) return [];
    if (/^[\w.:*-]+(?:\(.+\))?$/s.test(entry)) return [entry];
    diagnostics.add(
      item.place,
      "An entry is `name` or `name(keyPattern)`.",
      'Write e.g. "bash(git status)".',
    );
    return [];
  });
}
