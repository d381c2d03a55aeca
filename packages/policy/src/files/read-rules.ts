import type { Rule } from "@toolkeep/core";
import { parseRule, type RuleScope, type Variables } from "@toolkeep/core/policy";
import { cel } from "../cel/cel.ts";
import type { OwnRule } from "./policy-file.ts";
import { asList, type Diagnostics } from "./read-fields.ts";
import type { YamlNode } from "./yaml-text.ts";

/** What the lines of rules are read with. */
interface RuleOptions {
  readonly scope?: RuleScope;
  readonly home?: string;
  readonly variables?: Variables;
}

const MOST_RULES = 5_000;

/** The rules under a key, with what is wrong with them. */
export function readRules(
  node: YamlNode,
  options: RuleOptions,
  diagnostics: Diagnostics,
  key = "`rules`",
): readonly OwnRule[] {
  const items = asList(node, key, diagnostics)?.items ?? [];
  if (items.length > MOST_RULES)
    diagnostics.add(node.position, `A file can have at most ${MOST_RULES} rules.`);
  return items.slice(0, MOST_RULES).flatMap((item) => readRule(item, options, diagnostics));
}

/** Rules on trial. A label decides nothing that could be tried. */
export function readShadow(node: YamlNode, options: RuleOptions, diagnostics: Diagnostics): readonly Rule[] {
  return readRules(node, options, diagnostics, "`shadow`").map(({ rule, line, column }) => {
    if (rule.label !== undefined)
      diagnostics.add({ line, column }, "A label cannot be on trial.", "Move it to `rules`.", "invalid_rule");
    return rule;
  });
}

function readRule(
  node: YamlNode,
  { scope, home, variables }: RuleOptions,
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
