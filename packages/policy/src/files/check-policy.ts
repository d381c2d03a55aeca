import type { Rule } from "@toolkeep/core";
import { closestName, KNOWN_CAPABILITIES, overridden } from "@toolkeep/core/internal";
import { type ParsePolicyOptions, parsePolicy } from "./parse-policy.ts";
import type { FileDiagnostic, OwnRule, PolicyFile, Position } from "./policy-file.ts";
import { readYaml } from "./yaml-text.ts";

export interface PolicyCheck {
  readonly file: PolicyFile;
  /** Errors. The file decides nothing until they are fixed. */
  readonly diagnostics: readonly FileDiagnostic[];
  /** Rules and settings that are probably a mistake. */
  readonly warnings: readonly FileDiagnostic[];
}

/** Parses a policy file and warns about rules and settings that are probably a mistake. */
export function checkPolicy(text: string, options: ParsePolicyOptions): PolicyCheck {
  const file = parsePolicy(text, options);
  const { diagnostics } = file;
  const warnings = [...rulesWarnings(file), ...settingsWarnings(file, text)].toSorted(
    (one, other) => one.line - other.line || one.column - other.column,
  );
  return Object.freeze({ file, diagnostics, warnings });
}

function rulesWarnings(file: PolicyFile): readonly FileDiagnostic[] {
  const { ownRules, definition } = file;
  const rules = definition?.rules ?? ownRules.map(({ rule }) => rule);
  return ownRules.flatMap((own, index) => {
    const position = { file: file.file, line: own.line, column: own.column };
    const messages = [
      duplicate(own, ownRules.slice(0, index)),
      overridden(own.rule, rules),
      wide(own.rule),
      mistyped(own.rule),
    ];
    return messages.flatMap((message) => (message === undefined ? [] : [{ ...position, ...message }]));
  });
}

type Warning = Pick<FileDiagnostic, "code" | "message" | "hint">;

function duplicate({ rule }: OwnRule, before: readonly OwnRule[]): Warning | undefined {
  const same = before.find((other) => isSameRule(other.rule, rule));
  return same === undefined
    ? undefined
    : { code: "duplicate_rule", message: `The rule is the same as the one in line ${same.line}.` };
}

const ANYTHING: ReadonlySet<string | undefined> = new Set([undefined, "*", "**", "/**"]);

function wide({ action, permission, pattern, if: conditions = [], when }: Rule): Warning | undefined {
  if (action !== "allow" || conditions.length > 0 || when !== undefined || !ANYTHING.has(pattern))
    return undefined;
  if (permission === "*") return { code: "wide_rule", message: "The rule allows everything." };
  const isWide = /^(?:fs\.(?:write|delete|\*)|shell\.(?:run|dynamic|\*)|bash|net\.(?:fetch|\*))$/.test(
    permission,
  );
  return isWide
    ? { code: "wide_rule", message: `The rule allows every ${permission}.`, hint: "Add a pattern." }
    : undefined;
}

const STANDARD_TOOLS = [
  ...["read", "write", "edit", "glob", "grep", "list", "bash", "bash_start", "bash_output", "bash_stop"],
  ...["web_fetch", "web_search", "task", "todo", "question", "skill", "tool_search"],
];

/** Names that a host application may define, close to one that exists. An impossible permission is an error already. */
function mistyped({ action, permission }: Rule): Warning | undefined {
  // An allow that never applies asks, which is seen.
  if (action === "allow") return undefined;
  const isName = /^[a-z_]+(?:\.[a-z_]+)?$/.test(permission);
  const known = [...KNOWN_CAPABILITIES, ...STANDARD_TOOLS];
  if (!isName || known.includes(permission)) return undefined;
  const near = closestName(permission, known);
  return near === undefined
    ? undefined
    : {
        code: "unknown_permission",
        message: `No built-in tool or capability is called ${permission}.`,
        hint: `Did you mean \`${near}\`?`,
      };
}

function settingsWarnings(
  { file, definition, allowList, watchdogSettings }: PolicyFile,
  text: string,
): readonly FileDiagnostic[] {
  const positions = positionsOfKeys(text, file);
  const warn = (code: string, key: string, message: string): FileDiagnostic => ({
    ...{ code, file, message },
    ...(positions.get(key) ?? { line: 1, column: 1 }),
  });
  const mode = definition?.mode;
  const off = Object.entries(watchdogSettings).filter(([, value]) => value === "off");
  const warnings = off.map(([name]) => warn("watchdog_off", "watchdogs", `The watchdog ${name} is off.`));
  if (mode === "yolo") warnings.push(warn("mode_yolo", "mode", "The mode yolo never asks."));
  if (mode === "observe") warnings.push(warn("mode_observe", "mode", "The mode observe blocks nothing."));
  if (definition !== undefined && mode !== "allowlist" && allowList.length > 0) {
    const message = "The allow-list applies only in the mode allowlist.";
    warnings.push(warn("unused_allow_list", "allow-list", message));
  }
  return warnings;
}

function positionsOfKeys(text: string, file: string): ReadonlyMap<string, Position> {
  const { root } = readYaml(text, file);
  return new Map(root?.kind === "map" ? root.entries.map(({ key, keyPosition }) => [key, keyPosition]) : []);
}

/** Whether two rules are the same. */
function isSameRule(one: Rule, other: Rule): boolean {
  return (
    one.action === other.action &&
    one.permission === other.permission &&
    one.pattern === other.pattern &&
    one.label === other.label &&
    one.when === other.when &&
    (one.neverRemember ?? false) === (other.neverRemember ?? false) &&
    JSON.stringify(one.approvers) === JSON.stringify(other.approvers) &&
    (one.final ?? false) === (other.final ?? false) &&
    conditionsOf(one).join() === conditionsOf(other).join()
  );
}

function conditionsOf({ if: conditions = [] }: Rule): readonly string[] {
  return [...conditions].sort();
}
