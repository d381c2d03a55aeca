import type { Rule } from "@toolkeep/core";
import { type GeminiEntry, geminiEntry, mcpAddress, OUR_TOOLS, prefixPatterns } from "./gemini-tools.ts";
import {
  Import,
  type ImportedRules,
  type ImportOptions,
  type ListedEntry,
  readSettings,
  textsIn,
  under,
  unread,
} from "./imported-rules.ts";

const LISTS = [
  ["core", ["tools", "core"]],
  ["core", ["coreTools"]],
  ["exclude", ["tools", "exclude"]],
  ["exclude", ["excludeTools"]],
  ["allowed", ["tools", "allowed"]],
  ["allowed", ["allowedTools"]],
] as const;

const LEFT_OUT = [
  ["mcp"],
  ["mcpServers"],
  ["allowMCPServers"],
  ["excludeMCPServers"],
  ["security"],
  ["tools", "approvalMode"],
  ["tools", "autoAccept"],
  ["general", "defaultApprovalMode"],
  ["autoAccept"],
] as const;

/**
 * The tool lists of a Gemini CLI `settings.json`: `core` is all there is, `exclude` is taken out of it,
 * `allowed` runs without a question.
 */
export function importGemini(text: string, options: ImportOptions): ImportedRules {
  const { file } = options;
  const { root, diagnostics } = readSettings(text, file);
  if (diagnostics.length > 0) return unread(diagnostics);
  const lists = LISTS.map(([kind, keys]) => ({ kind, node: under(root, ...keys) }))
    .filter(({ node }) => node !== undefined)
    .map(({ kind, node }) => ({ kind, ...textsIn(node, file) }));
  const wrong = lists.flatMap((list) => list.diagnostics);
  if (wrong.length > 0) return unread(wrong);
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
  for (const keys of LEFT_OUT) {
    const node = under(root, ...keys);
    const entry = { text: keys.join("."), line: node?.place.line ?? 0 };
    if (node !== undefined) found.note(entry, "dropped", "it is not imported; see to it by hand");
  }
  return found.done();
}

interface Read extends ListedEntry, GeminiEntry {}

/** Denies what is not listed. Says whether only some commands are. */
function importCore(entries: readonly ListedEntry[], found: Import): boolean {
  const read: readonly Read[] = entries.map((entry) => ({ ...entry, ...geminiEntry(entry.text) }));
  for (const entry of read) {
    if (entry.tool === undefined) found.note(entry, "dropped", "there is no such tool here");
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

export const ONLY_PLAIN =
  "it means whole words, and options only where they are known to be harmless; a line that is not plain is not meant, nor what a command redirects, commits, pushes or publishes";

/** In the scope of the session a command is let through that is denied with its tool for the project. */
function allowPrefix(entry: Read, permission: string, fields: Partial<Rule>, found: Import): void {
  for (const read of prefixPatterns(entry.specifier ?? "", "allow")) {
    if ("dropped" in read) found.note(entry, "dropped", read.dropped);
    else {
      found.rule(entry, { permission, ...only(read.pattern), action: "allow" }, fields);
      found.note(entry, "stricter", ONLY_PLAIN);
    }
  }
}

function only(pattern: string | undefined): { readonly pattern?: string } {
  return pattern === undefined ? {} : { pattern };
}

function importExclude(listed: ListedEntry, found: Import): void {
  const { tool, name, specifier } = geminiEntry(listed.text);
  if (tool === "bash" && specifier !== undefined) {
    for (const read of prefixPatterns(specifier, "deny")) {
      if ("dropped" in read) continue;
      found.rule(listed, { permission: "shell.run", ...only(read.pattern), action: "deny" });
      if (read.note !== undefined) found.note(listed, "stricter", read.note);
    }
    found.note(listed, "stricter", "it binds the command by its path and behind others as well");
    return;
  }
  found.rule(listed, { permission: tool ?? mcpAddress(name) ?? name, action: "deny" });
  if (specifier !== undefined) found.note(listed, "stricter", "it covers the whole tool");
  else if (tool !== undefined) found.note(listed, "stricter", `it covers all that ${tool} does here`);
}

function importAllowed(listed: ListedEntry, isNarrowed: boolean, found: Import): void {
  const entry: Read = { ...listed, ...geminiEntry(listed.text) };
  const target = entry.tool ?? mcpAddress(entry.name);
  if (target === undefined) found.note(entry, "dropped", "there is no such tool here");
  else if (entry.specifier === undefined) {
    found.rule(entry, { permission: target, action: "allow" });
    if (isNarrowed && target === "bash")
      found.note(entry, "stricter", "where `core` names commands they ask");
  } else if (entry.tool !== "bash") found.note(entry, "dropped", "its brackets mean nothing here");
  // Where only some commands are let through, whether they ask is left to what they do.
  else allowPrefix(entry, isNarrowed ? "shell.run" : "bash", {}, found);
}
