import type { Action } from "@toolkeep/core";
import type { EntryPattern } from "@toolkeep/core/internal";
import { parse, TomlError } from "smol-toml";
import type { FileDiagnostic } from "../files/policy-file.ts";
import { KNOWN_FIELDS, TOOL_CAPABILITIES, UNKNOWN_CONDITIONS } from "./gemini-names.ts";
import { geminiEntry, mcpAddress, ONLY_PLAIN, prefixPatterns } from "./gemini-tools.ts";
import {
  EVERYTHING,
  Import,
  type ImportedRules,
  type ImportOptions,
  type ListedEntry,
  notImported,
} from "./imported-rules.ts";

const DECISIONS: Readonly<Record<string, Action>> = { allow: "allow", ask_user: "ask", deny: "deny" };

/**
 * Converts a Gemini CLI policy file. In Gemini CLI the highest priority decides; in Toolkeep a deny overrides an ask,
 * and an ask overrides an allow. A file with anything but rules is not imported.
 */
export function importGeminiPolicy(text: string, options: ImportOptions): ImportedRules {
  const rules = readRules(text, options.file);
  if ("code" in rules) return notImported([rules]);
  const wrong = rules.flatMap((rule) => diagnosticsOf(rule, options.file));
  if (wrong.length > 0) return notImported(wrong);
  const found = new Import(options, rules.flatMap(toolsAsked));
  for (const rule of rules) importRule(rule, rules, found);
  found.allowReading();
  return found.done();
}

/** Tools that always ask and have no capability that could ask for them. */
function toolsAsked({ fields }: TomlRule): readonly string[] {
  if (actionOf(fields) !== "ask") return [];
  return toolsOf(fields).filter((tool) => !Object.hasOwn(TOOL_CAPABILITIES, tool) && tool !== EVERYTHING);
}

function diagnosticsOf({ line, fields }: TomlRule, file: string) {
  const foreign = [...fields.keys()].find((key) => !KNOWN_FIELDS.has(key));
  if (foreign !== undefined) {
    return [invalid(file, line, `The rule has an unknown field ${foreign}, so the file is not imported.`)];
  }
  if (actionOf(fields) !== undefined) return [];
  return [invalid(file, line, "The rule has no valid decision, so the file is not imported.")];
}

function actionOf(fields: TomlRule["fields"]): Action | undefined {
  const decision = fields.get("decision");
  return typeof decision === "string" && Object.hasOwn(DECISIONS, decision) ? DECISIONS[decision] : undefined;
}

function importRule(rule: TomlRule, all: readonly TomlRule[], found: Import): void {
  const { line, fields } = rule;
  const action = actionOf(fields) ?? "deny";
  const entry = { text: nameOf(rule), line };
  const condition = UNKNOWN_CONDITIONS.find((key) => fields.has(key));
  if (condition !== undefined && action === "allow") {
    found.note(entry, "dropped", `its ${condition} cannot be expressed`);
    return;
  }
  if (condition !== undefined) found.note(entry, "stricter", `it applies whatever its ${condition} is`);
  if (isOverruled(rule, action, all)) {
    found.note(entry, "stricter", "a stricter rule overrides it, whatever the priority");
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
    found.note(entry, "dropped", "it would allow the tools of every server");
    return;
  }
  const because = fields.get("denyMessage");
  const reason = typeof because === "string" && because.trim() !== "" ? { because: because.trim() } : {};
  const permissions = action === "allow" ? [tool] : [...(TOOL_CAPABILITIES[tool] ?? []), tool];
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
      found.note(entry, "stricter", "it applies to every tool and command with the same effect");
  }
}

function patternsOf(fields: TomlRule["fields"], action: Action): readonly EntryPattern[] {
  const given = fields.get("commandPrefix");
  if (given === undefined) return [{}];
  const prefixes = listOf(given).filter((prefix) => prefix.trim() !== "");
  if (prefixes.length > 0) return prefixes.flatMap((prefix) => prefixPatterns(prefix, action));
  return [action === "allow" ? { dropped: "it names no command" } : {}];
}

/** The tools that a rule is about, by name or address. Without any it is about all tools. */
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

/** Whether a stricter rule of lower priority may match the same calls. */
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

type TomlValue = string | number | boolean | readonly string[];

/** One `[[rule]]`. */
interface TomlRule {
  readonly line: number;
  readonly fields: ReadonlyMap<string, TomlValue>;
}

const LONGEST = 1_000_000;

/** Reads a TOML file that contains only rules with plain values. Anything else is an error. */
function readRules(text: string, file: string): readonly TomlRule[] | FileDiagnostic {
  if (text.length > LONGEST) return invalid(file, 1, `The file is longer than ${LONGEST} characters.`);
  let content: Record<string, unknown>;
  try {
    content = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason = ""] = error.message.split("\n");
    return { ...invalid(file, error.line, `${reason}. The file is not imported.`), column: error.column };
  }
  const { rule: rules = [], ...others } = content;
  const [other] = Object.keys(others);
  if (other !== undefined) return invalid(file, 1, `The file has more than rules (${other}), ${SKIPPED}`);
  if (!Array.isArray(rules)) return invalid(file, 1, `The file has no list of rules, ${SKIPPED}`);
  const lines = [...text.matchAll(/^[ \t]*\[\[[ \t]*rule[ \t]*\]\]/gm)].map(
    ({ index }) => text.slice(0, index).split("\n").length,
  );
  const read: TomlRule[] = [];
  for (const [index, rule] of rules.entries()) {
    const line = lines.length === rules.length ? (lines[index] ?? 1) : 1;
    const fields = Object.entries(rule as Record<string, unknown>);
    const complex = fields.find(([, value]) => !isPlain(value))?.[0];
    if (complex !== undefined)
      return invalid(
        file,
        line,
        `The field ${complex} is not a text, number, boolean or list of texts, ${SKIPPED}`,
      );
    read.push({ line, fields: new Map(fields as readonly [string, TomlValue][]) });
  }
  return read;
}

const SKIPPED = "so the file is not imported.";

function isPlain(value: unknown): value is TomlValue {
  if (Array.isArray(value)) return value.every((item) => typeof item === "string");
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function invalid(file: string, line: number, message: string): FileDiagnostic {
  return { code: "invalid_settings", file, line, column: 1, message };
}
