import type { Rule } from "@toolkeep/core";
import { defined } from "@toolkeep/core/internal";
import { LEFT_OUT_SETTINGS, TOOL_LISTS } from "./gemini-names.ts";
import { importGeminiPolicy } from "./gemini-policy.ts";
import {
  type GeminiEntry,
  geminiEntry,
  mcpAddress,
  ONLY_PLAIN,
  OUR_TOOLS,
  prefixPatterns,
} from "./gemini-tools.ts";
import {
  Import,
  type ImportedRules,
  type ImportOptions,
  type ListedEntry,
  notImported,
  readSettings,
  textsIn,
  under,
} from "./imported-rules.ts";

/**
 * Converts the permissions of Gemini CLI to rules: the tool lists of a `settings.json`, or a policy file if the name
 * ends with `.toml`.
 *
 * @example
 * const { rules, notes } = importGemini(text, { file: ".gemini/settings.json" });
 */
export function importGemini(text: string, options: ImportOptions): ImportedRules {
  return options.file.endsWith(".toml")
    ? importGeminiPolicy(text, options)
    : importGeminiSettings(text, options);
}

/** `core` lists all tools, `exclude` removes some of them, `allowed` tools run without asking. */
function importGeminiSettings(text: string, options: ImportOptions): ImportedRules {
  const { file } = options;
  const { root, diagnostics } = readSettings(text, file);
  if (diagnostics.length > 0) return notImported(diagnostics);
  const lists = TOOL_LISTS.map(([kind, keys]) => ({ kind, node: under(root, ...keys) }))
    .filter(({ node }) => node !== undefined)
    .map(({ kind, node }) => ({ kind, ...textsIn(node, file) }));
  const wrong = lists.flatMap((list) => list.diagnostics);
  if (wrong.length > 0) return notImported(wrong);
  const entriesOf = (kind: string) => lists.filter((list) => list.kind === kind);
  const found = new Import(options);
  const core = entriesOf("core");
  const isNarrowed =
    core.length > 0 &&
    importCore(
      core.flatMap(({ entries }) => entries),
      found,
    );
  for (const entry of entriesOf("exclude").flatMap(({ entries }) => entries)) importExclude(entry, found);
  for (const entry of entriesOf("allowed").flatMap(({ entries }) => entries))
    importAllowed(entry, isNarrowed, found);
  found.allowReading();
  for (const keys of LEFT_OUT_SETTINGS) {
    const node = under(root, ...keys);
    const entry = { text: keys.join("."), line: node?.position.line ?? 0 };
    if (node !== undefined) found.note(entry, "dropped", "it is not imported; set it up by hand");
  }
  return found.done();
}

interface Read extends ListedEntry, GeminiEntry {}

/** Denies what is not listed. Returns whether only some commands are listed. */
function importCore(entries: readonly ListedEntry[], found: Import): boolean {
  const read: readonly Read[] = entries.map((entry) => ({ ...entry, ...geminiEntry(entry.text) }));
  for (const entry of read) {
    if (entry.tool === undefined) found.note(entry, "dropped", "there is no such tool");
  }
  const list = { text: "core", line: entries[0]?.line ?? 1 };
  for (const permission of OUR_TOOLS) {
    if (!read.some(({ tool }) => tool === permission)) found.rule(list, { permission, action: "deny" });
  }
  const shell = read.filter(({ tool }) => tool === "bash");
  if (shell.length === 0 || shell.some(({ specifier }) => specifier === undefined)) return false;
  found.rule(list, { permission: "bash", action: "deny" });
  found.rule(list, { permission: "shell.*", action: "ask" });
  for (const entry of shell) allowPrefix(entry, "bash", { scope: "session" }, found);
  return true;
}

/** A rule of the session scope allows a command although its tool is denied for the project. */
function allowPrefix(entry: Read, permission: string, fields: Partial<Rule>, found: Import): void {
  for (const read of prefixPatterns(entry.specifier ?? "", "allow")) {
    if ("dropped" in read) found.note(entry, "dropped", read.dropped);
    else {
      found.rule(entry, { permission, ...defined({ pattern: read.pattern }), action: "allow" }, fields);
      found.note(entry, "stricter", ONLY_PLAIN);
    }
  }
}

function importExclude(listed: ListedEntry, found: Import): void {
  const { tool, name, specifier } = geminiEntry(listed.text);
  if (tool === "bash" && specifier !== undefined) {
    for (const read of prefixPatterns(specifier, "deny")) {
      if ("dropped" in read) continue;
      found.rule(listed, { permission: "shell.run", ...defined({ pattern: read.pattern }), action: "deny" });
      if (read.note !== undefined) found.note(listed, "stricter", read.note);
    }
    found.note(listed, "stricter", "it also applies to the command with its path and within other commands");
    return;
  }
  found.rule(listed, { permission: tool ?? mcpAddress(name) ?? name, action: "deny" });
  if (specifier !== undefined) found.note(listed, "stricter", "it applies to the whole tool");
  else if (tool !== undefined) found.note(listed, "stricter", `it applies to everything that ${tool} does`);
}

function importAllowed(listed: ListedEntry, isNarrowed: boolean, found: Import): void {
  const entry: Read = { ...listed, ...geminiEntry(listed.text) };
  const target = entry.tool ?? mcpAddress(entry.name);
  if (target === undefined) found.note(entry, "dropped", "there is no such tool");
  else if (entry.specifier === undefined) {
    found.rule(entry, { permission: target, action: "allow" });
    if (isNarrowed && target === "bash")
      found.note(entry, "stricter", "commands ask, because `core` lists commands");
  } else if (entry.tool !== "bash")
    found.note(entry, "dropped", "its brackets have no meaning for this tool");
  // If only some commands are listed, their effects decide whether they ask.
  else allowPrefix(entry, isNarrowed ? "shell.run" : "bash", {}, found);
}
