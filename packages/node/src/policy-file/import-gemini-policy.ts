import type { Action } from "@toolkeep/core";
import type { EntryPattern } from "@toolkeep/core/internal";
import { geminiEntry, mcpAddress, prefixPatterns } from "./gemini-tools.ts";
import { ONLY_PLAIN } from "./import-gemini.ts";
import {
  EVERYTHING,
  Import,
  type ImportedRules,
  type ImportOptions,
  type ListedEntry,
  unread,
} from "./imported-rules.ts";
import { readTomlRules, type TomlRule } from "./toml-rules.ts";

const DECISIONS: Readonly<Record<string, Action>> = { allow: "allow", ask_user: "ask", deny: "deny" };

/** Fields that narrow a rule in ways that cannot be said here. */
const CONDITIONS = ["argsPattern", "commandRegex", "subagent", "toolAnnotations", "interactive", "modes"];

const KNOWN = new Set([
  ...CONDITIONS,
  "toolName",
  "mcpName",
  "commandPrefix",
  "decision",
  "priority",
  "denyMessage",
  "allowRedirection",
]);

const CAPABILITIES: Readonly<Record<string, readonly string[]>> = {
  bash: ["shell.run", "shell.dynamic"],
  read: ["fs.read"],
  write: ["fs.write"],
  edit: ["fs.write"],
  web_fetch: ["net.fetch"],
};

/**
 * The rules of a Gemini CLI policy file. There the highest priority decides, here a deny counts before
 * an ask and an ask before an allow. A file with more than plain rules is not imported.
 */
export function importGeminiPolicy(text: string, options: ImportOptions): ImportedRules {
  const { rules, diagnostics } = readTomlRules(text, options.file);
  const wrong =
    diagnostics.length > 0 ? diagnostics : rules.flatMap((rule) => diagnosticsOf(rule, options.file));
  if (wrong.length > 0) return unread(wrong);
  const found = new Import(options, rules.flatMap(toolsAsked));
  for (const rule of rules) importRule(rule, rules, found);
  found.allowReading();
  return found.done();
}

/** Tools that ask whatever they do, where no capability could do it for them. */
function toolsAsked({ fields }: TomlRule): readonly string[] {
  if (actionOf(fields) !== "ask") return [];
  return toolsOf(fields).filter((tool) => !Object.hasOwn(CAPABILITIES, tool) && tool !== EVERYTHING);
}

function diagnosticsOf({ line, fields }: TomlRule, file: string) {
  const foreign = [...fields.keys()].find((key) => !KNOWN.has(key));
  if (foreign !== undefined) {
    return [
      { file, line, column: 1, message: `The rule has a field ${foreign}, so the file is not imported.` },
    ];
  }
  if (actionOf(fields) !== undefined) return [];
  return [{ file, line, column: 1, message: "The rule does not decide, so the file is not imported." }];
}

function actionOf(fields: TomlRule["fields"]): Action | undefined {
  const decision = fields.get("decision");
  return typeof decision === "string" && Object.hasOwn(DECISIONS, decision) ? DECISIONS[decision] : undefined;
}

function importRule(rule: TomlRule, all: readonly TomlRule[], found: Import): void {
  const { line, fields } = rule;
  const action = actionOf(fields) ?? "deny";
  const entry = { text: nameOf(rule), line };
  const condition = CONDITIONS.find((key) => fields.has(key));
  if (condition !== undefined && action === "allow") {
    found.note(entry, "dropped", `its ${condition} cannot be said here`);
    return;
  }
  if (condition !== undefined) found.note(entry, "stricter", `it counts whatever its ${condition} says`);
  if (isOverruled(rule, action, all)) {
    found.note(entry, "stricter", "a stricter rule counts first, whatever its priority");
  }
  for (const tool of toolsOf(fields)) importTool(tool, action, fields, entry, found);
}

function importTool(
  tool: string,
  action: Action,
  fields: TomlRule["fields"],
  entry: ListedEntry,
  found: Import,
): void {
  if (action === "allow" && tool.includes("*") && !/^mcp:[^*]+:\*$/.test(tool)) {
    found.note(entry, "dropped", "it would allow the tools of any server");
    return;
  }
  const because = fields.get("denyMessage");
  const reason = typeof because === "string" && because.trim() !== "" ? { because: because.trim() } : {};
  const permissions = action === "allow" ? [tool] : [...(CAPABILITIES[tool] ?? []), tool];
  for (const read of patternsOf(fields, action)) {
    if ("dropped" in read) {
      found.note(entry, "dropped", read.dropped);
      continue;
    }
    const { pattern, note } = read;
    const what = { ...(pattern === undefined ? {} : { pattern }), action };
    for (const permission of permissions) found.rule(entry, { permission, ...what }, reason);
    if (note !== undefined) found.note(entry, "stricter", note);
    if (action === "allow" && tool === "bash") found.note(entry, "stricter", ONLY_PLAIN);
    if (permissions.length > 1)
      found.note(entry, "stricter", "it binds every tool and command that does the same");
  }
}

function patternsOf(fields: TomlRule["fields"], action: Action): readonly EntryPattern[] {
  const given = fields.get("commandPrefix");
  if (given === undefined) return [{}];
  const prefixes = listOf(given).filter((prefix) => prefix.trim() !== "");
  if (prefixes.length > 0) return prefixes.flatMap((prefix) => prefixPatterns(prefix, action));
  return [action === "allow" ? { dropped: "it names no command" } : {}];
}

/** The tools a rule is about, as ours or by their addresses. Without any it is about all of them. */
function toolsOf(fields: TomlRule["fields"]): readonly string[] {
  const names = listOf(fields.get("toolName"));
  const server = fields.get("mcpName");
  if (typeof server === "string") {
    const tools = names.length === 0 ? ["*"] : names;
    return tools.map((tool) => `mcp:${server}:${tool}`);
  }
  if (fields.has("commandPrefix") || fields.has("commandRegex")) return ["bash"];
  if (names.length === 0) return [EVERYTHING];
  return names.map((name) =>
    name === "*" ? EVERYTHING : (geminiEntry(name).tool ?? mcpAddress(name) ?? name),
  );
}

function listOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

const STRICTNESS: Readonly<Record<Action, number>> = { allow: 0, ask: 1, deny: 2 };

/** Whether a stricter rule of lower priority may be about the same. */
function isOverruled({ fields }: TomlRule, action: Action, all: readonly TomlRule[]): boolean {
  const tools = toolsOf(fields);
  return all.some((other) => {
    const theirs = actionOf(other.fields) ?? "deny";
    const isAbout = toolsOf(other.fields).some(
      (tool) => tool.includes("*") || tools.includes(tool) || tools.some((own) => own.includes("*")),
    );
    return STRICTNESS[theirs] > STRICTNESS[action] && isAbout && priorityOf(other) < priorityOf({ fields });
  });
}

function priorityOf({ fields }: Pick<TomlRule, "fields">): number {
  const priority = fields.get("priority");
  return typeof priority === "number" ? priority : 0;
}

function nameOf({ fields }: TomlRule): string {
  const names = ["toolName", "mcpName", "commandPrefix", "commandRegex"].flatMap((key) =>
    listOf(fields.get(key)),
  );
  return `[[rule]] ${names.join(" ")} ${String(fields.get("decision"))}`.replaceAll(/\s+/g, " ");
}
