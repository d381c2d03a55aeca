import type { Rule } from "@toolkeep/core";
import { assertKnownKeys, defined, POLICY_KEYWORDS } from "@toolkeep/core/internal";
import {
  type Policy,
  type PolicyMode,
  RECOMMENDED_POLICY,
  type RuleScope,
  type Variables,
  type WatchdogSettings,
} from "@toolkeep/core/policy";
import { cel } from "../cel/cel.ts";
import type { OwnRule, PolicyFile, PolicyTest } from "./policy-file.ts";
import { asKeyword, asList, asMap, asText, Diagnostics, knownEntries } from "./read-fields.ts";
import { joined, readLocks } from "./read-locks.ts";
import { readRules, readShadow } from "./read-rules.ts";
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
  ...["version", "mode", "extends", "allow-list", "rules", "shadow", "watchdogs", "locks", "tests"],
] as const;

/** The name of the built-in policy. */
export const RECOMMENDED = "toolkeep:recommended";

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
  const { mode = "ask", rules, settings, tests, allowList, locks, inherited, shadow } = content;
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
    ...(shadow.length > 0 ? { shadow } : {}),
    ...([...all, ...shadow].some(({ when }) => when !== undefined) ? { conditions: cel } : {}),
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
  /** Rules on trial, with those of the files that it extends. */
  readonly shadow: readonly Rule[];
  readonly settings: WatchdogSettings;
  readonly tests: readonly PolicyTest[];
  readonly allowList: readonly string[];
  readonly locks: readonly string[];
}

const NOTHING: Content = {
  ...{ rules: [], inherited: [], shadow: [], settings: {} },
  tests: [],
  allowList: [],
  locks: [],
};

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
    shadow: [
      ...(base?.shadow ?? []),
      ...(part("shadow", (node) => readShadow(node, options, diagnostics)) ?? []),
    ],
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
  readonly shadow: readonly Rule[];
  readonly settings: WatchdogSettings;
  readonly locks: readonly string[];
}

const NO_BASE: Base = { rules: [], shadow: [], settings: {}, locks: [] };

/** Rules, those on trial, watchdogs and locks are inherited; mode, allow-list and tests are not. */
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
      shadow: [...base.shadow, ...one.shadow],
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
      shadow: [],
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
  const { rules, inherited, shadow, settings, locks } = readContent(text, options, inside, [...trail, name]);
  diagnostics.take(inside.all);
  return { rules: [...inherited, ...rules.map(({ rule }) => rule)], shadow, settings, locks };
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
