import type { Action } from "@toolkeep/core";
import {
  defined,
  type EntryMeaning,
  entryAt,
  meaningOf,
  type PermissionEntry,
} from "@toolkeep/core/internal";
import type { YamlNode } from "../files/yaml-text.ts";
import {
  EVERYTHING,
  Import,
  type ImportedRules,
  type ImportOptions,
  type ListedEntry,
  notImported,
  readSettings,
  textsIn,
  under,
} from "./imported-rules.ts";

const ACTIONS = ["deny", "ask", "allow"] as const;

/**
 * Converts the permissions of a `.claude/settings.json` to rules. An allow applies to the tool that it names; an ask
 * or a deny applies to every tool with the same effect. An ask takes precedence over an allow, as in Claude Code.
 *
 * @example
 * const { rules, notes } = importClaude(text, { file: ".claude/settings.json" });
 */
export function importClaude(text: string, options: ImportOptions): ImportedRules {
  const { file, home } = options;
  const { root, diagnostics } = readSettings(text, file);
  if (diagnostics.length > 0) return notImported(diagnostics);
  const lists = ACTIONS.map((action) => ({ action, ...textsIn(under(root, "permissions", action), file) }));
  const wrong = lists.flatMap((list) => list.diagnostics);
  if (wrong.length > 0) return notImported(wrong);
  const asked = lists.flatMap(({ action, entries }) => (action === "ask" ? toolsAsked(entries) : []));
  const found = new Import(options, asked);
  for (const { action, entries } of lists) {
    for (const entry of entries) importEntry(entry, action, home, found);
  }
  found.allowReading();
  const isHeadless = importMode(under(root, "permissions", "defaultMode"), found);
  const folders = under(root, "permissions", "additionalDirectories");
  if (folders !== undefined) {
    const entry = { text: "additionalDirectories", line: folders.position.line };
    found.note(entry, "dropped", "add those folders to the workspace of the session");
  }
  noteRest(root, found);
  return found.done(isHeadless);
}

/** Settings that can forbid more, in ways that rules cannot express. */
function noteRest(root: YamlNode | undefined, found: Import): void {
  for (const key of ["hooks", "sandbox"]) {
    const node = under(root, key);
    if (node !== undefined) {
      found.note(
        { text: key, line: node.position.line },
        "dropped",
        "it can forbid more; write a watchdog for it",
      );
    }
  }
}

function importEntry(listed: ListedEntry, action: Action, home: string | undefined, found: Import): void {
  const entry = entryAt(listed.text, 0);
  if (entry === undefined && /^[A-Z][A-Za-z]*$/.test(listed.text)) importForeign(listed, action, found);
  else if (entry === undefined || entry.end !== listed.text.length) importUnread(listed, action, found);
  else importKnown(entry, listed, action, home, found);
}

/** There is no such tool; if one with this name is added later, it stays forbidden. */
function importForeign(listed: ListedEntry, action: Action, found: Import): void {
  found.note(listed, "dropped", "there is no such tool");
  if (action !== "allow") found.rule(listed, { permission: listed.text, action });
}

function importKnown(
  entry: PermissionEntry,
  listed: ListedEntry,
  action: Action,
  home: string | undefined,
  found: Import,
): void {
  const meaning = meaningOf(entry, action, home);
  if ("dropped" in meaning) {
    found.note(listed, "dropped", meaning.dropped);
    if (action !== "allow") found.rule(listed, { permission: entry.tool, action });
  } else if (action === "allow") importAllow(entry, meaning, listed, found);
  else importStrict(meaning, listed, action, found);
}

type Meaning = Exclude<EntryMeaning, { dropped: string }>;

const BY_ITSELF =
  "a command line that is not plain asks, and so do redirections, commits, pushes and publishing";

/** These search a folder; the others are allowed for what is in the folder, not for the folder itself. */
const SEARCHING: ReadonlySet<string> = new Set(["glob", "grep"]);

function importAllow(entry: PermissionEntry, meaning: Meaning, listed: ListedEntry, found: Import): void {
  const { tools, pattern, note } = meaning;
  if (entry.tool === "Write" && entry.specifier !== undefined) {
    found.note(listed, "dropped", "Claude Code checks paths only for Edit and Read; write Edit(…)");
    return;
  }
  for (const permission of tools) {
    const inside = SEARCHING.has(permission) ? pattern : pattern?.replace(/\/\*\*$/, "/**/*");
    found.rule(listed, { permission, ...defined({ pattern: inside }), action: "allow" });
  }
  if (note !== undefined) found.note(listed, "stricter", note);
  if (entry.tool === "Bash" && pattern !== undefined) found.note(listed, "stricter", BY_ITSELF);
}

function importStrict(meaning: Meaning, listed: ListedEntry, action: Action, found: Import): void {
  const { tools, capabilities, pattern, note } = meaning;
  const permissions = capabilities.length > 0 ? capabilities : tools;
  for (const permission of permissions) found.rule(listed, { permission, ...defined({ pattern }), action });
  if (note !== undefined) found.note(listed, "stricter", note);
  // A command line that is not plain has no commands that a rule on all of them could match.
  if (capabilities.includes("shell.run") && pattern === undefined) {
    found.rule(listed, { permission: "shell.dynamic", action });
  } else if (capabilities.length > 0)
    found.note(listed, "stricter", "it applies to every tool and command with the same effect");
}

/** An unreadable entry: an allow is dropped, an ask or deny applies to everything. */
function importUnread(listed: ListedEntry, action: Action, found: Import): void {
  const why = "it is neither `Tool` nor `Tool(specifier)`";
  if (action === "allow") {
    found.note(listed, "dropped", why);
    return;
  }
  found.rule(listed, { permission: EVERYTHING, action });
  found.note(listed, "stricter", `${why}, so it applies to everything`);
}

/** Whether everything that is not allowed is refused. */
function importMode(node: YamlNode | undefined, found: Import): boolean {
  const mode = node?.kind === "scalar" ? node.text : undefined;
  const entry = { text: `defaultMode: ${mode}`, line: node?.position.line ?? 0 };
  if (mode === undefined || mode === "default") return false;
  if (mode === "acceptEdits") {
    for (const permission of ["edit", "write"]) {
      found.rule(entry, { permission, pattern: "{workspace}/**", action: "allow" });
    }
    found.rule(entry, { permission: "fs.write", pattern: PROTECTED, action: "ask" });
    found.note(entry, "stricter", "commands that change files ask");
  } else if (mode === "plan") {
    for (const permission of ["fs.write", "fs.delete", "shell.*"])
      found.rule(entry, { permission, action: "deny" });
    found.note(entry, "stricter", "no command runs");
  } else if (mode === "dontAsk") {
    found.note(entry, "stricter", "without an approver, everything that no entry allows is denied");
    return true;
  } else found.note(entry, "dropped", "it asks less often; choose a mode of Toolkeep by hand");
  return false;
}

const PROTECTED = "{workspace}/{.git,.claude,.vscode,.idea,.husky}/**";

/** Tools that always ask and have no capability that could ask for them. */
function toolsAsked(entries: readonly ListedEntry[]): readonly string[] {
  return entries.flatMap(({ text }) => {
    const entry = entryAt(text, 0);
    const meaning = entry === undefined ? undefined : meaningOf(entry, "ask", undefined);
    return meaning === undefined || "dropped" in meaning || meaning.capabilities.length > 0
      ? []
      : meaning.tools;
  });
}
