import type { Action } from "@toolkeep/core";
import { type EntryMeaning, entryAt, meaningOf, type PermissionEntry } from "@toolkeep/core/internal";
import {
  EVERYTHING,
  Import,
  type ImportedRules,
  type ImportOptions,
  type ListedEntry,
  readSettings,
  textsIn,
  under,
  unread,
} from "./imported-rules.ts";
import type { YamlNode } from "./yaml-text.ts";

const ACTIONS = ["deny", "ask", "allow"] as const;

/**
 * The permissions of a `.claude/settings.json`. An allow binds the tool it names alone; an ask or a
 * deny binds whatever does the same, and since both are judged apart an ask counts before an allow, as
 * it does there.
 */
export function importClaude(text: string, options: ImportOptions): ImportedRules {
  const { file, home } = options;
  const { root, diagnostics } = readSettings(text, file);
  if (diagnostics.length > 0) return unread(diagnostics);
  const lists = ACTIONS.map((action) => ({ action, ...textsIn(under(root, "permissions", action), file) }));
  const wrong = lists.flatMap((list) => list.diagnostics);
  if (wrong.length > 0) return unread(wrong);
  const asked = lists.flatMap(({ action, entries }) => (action === "ask" ? toolsAsked(entries) : []));
  const found = new Import(options, asked);
  for (const { action, entries } of lists) {
    for (const entry of entries) importEntry(entry, action, home, found);
  }
  found.allowReading();
  const isHeadless = importMode(under(root, "permissions", "defaultMode"), found);
  const folders = under(root, "permissions", "additionalDirectories");
  if (folders !== undefined) {
    const entry = { text: "additionalDirectories", line: folders.place.line };
    found.note(entry, "dropped", "give the session those folders as its workspace");
  }
  noteRest(root, found);
  return found.done(isHeadless);
}

/** Settings that may forbid something as well, in ways that rules cannot say. */
function noteRest(root: YamlNode | undefined, found: Import): void {
  for (const key of ["hooks", "sandbox"]) {
    const node = under(root, key);
    if (node !== undefined) {
      found.note(
        { text: key, line: node.place.line },
        "dropped",
        "it may forbid more; write a watchdog for it",
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

/** Nothing here is called so; should a tool be one day, it stays forbidden. */
function importForeign(listed: ListedEntry, action: Action, found: Import): void {
  found.note(listed, "dropped", "there is no such tool here");
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
  "a line that is not plain asks, and so does what a command redirects, commits, pushes or publishes";

/** They look into a folder; to the others, what lies in one is allowed and not what is called like it. */
const SEARCHING: ReadonlySet<string> = new Set(["glob", "grep"]);

function importAllow(entry: PermissionEntry, meaning: Meaning, listed: ListedEntry, found: Import): void {
  const { tools, pattern, note } = meaning;
  if (entry.tool === "Write" && entry.specifier !== undefined) {
    found.note(listed, "dropped", "paths are checked for Edit and Read alone there; write Edit(…)");
    return;
  }
  for (const permission of tools) {
    const inside = SEARCHING.has(permission) ? pattern : pattern?.replace(/\/\*\*$/, "/**/*");
    found.rule(listed, { permission, ...patternOf(inside), action: "allow" });
  }
  if (note !== undefined) found.note(listed, "stricter", note);
  if (entry.tool === "Bash" && pattern !== undefined) found.note(listed, "stricter", BY_ITSELF);
}

function importStrict(meaning: Meaning, listed: ListedEntry, action: Action, found: Import): void {
  const { tools, capabilities, pattern, note } = meaning;
  const permissions = capabilities.length > 0 ? capabilities : tools;
  for (const permission of permissions) found.rule(listed, { permission, ...patternOf(pattern), action });
  if (note !== undefined) found.note(listed, "stricter", note);
  // A line that is not plain has no commands that an entry for all of them could speak of.
  if (capabilities.includes("shell.run") && pattern === undefined) {
    found.rule(listed, { permission: "shell.dynamic", action });
  } else if (capabilities.length > 0)
    found.note(listed, "stricter", "it binds every tool and command that does the same");
}

function patternOf(pattern: string | undefined): { readonly pattern?: string } {
  return pattern === undefined ? {} : { pattern };
}

/** Not an entry as we know them: an allow is left out, anything else stops whatever it may have meant. */
function importUnread(listed: ListedEntry, action: Action, found: Import): void {
  const why = "it is no `Tool` and no `Tool(specifier)`";
  if (action === "allow") {
    found.note(listed, "dropped", why);
    return;
  }
  found.rule(listed, { permission: EVERYTHING, action });
  found.note(listed, "stricter", `${why}, so it covers everything`);
}

/** Whether what is not allowed is to be refused. */
function importMode(node: YamlNode | undefined, found: Import): boolean {
  const mode = node?.kind === "scalar" ? node.text : undefined;
  const entry = { text: `defaultMode: ${mode}`, line: node?.place.line ?? 0 };
  if (mode === undefined || mode === "default") return false;
  if (mode === "acceptEdits") {
    for (const permission of ["edit", "write"]) {
      found.rule(entry, { permission, pattern: "{workspace}/**", action: "allow" });
    }
    found.rule(entry, { permission: "fs.write", pattern: PROTECTED, action: "ask" });
    found.note(entry, "stricter", "commands that change files ask here");
  } else if (mode === "plan") {
    for (const permission of ["fs.write", "fs.delete", "shell.*"])
      found.rule(entry, { permission, action: "deny" });
    found.note(entry, "stricter", "no command runs at all");
  } else if (mode === "dontAsk") {
    found.note(entry, "stricter", "what no entry allows is denied where nobody is there to be asked");
    return true;
  } else found.note(entry, "dropped", "it asks less than this; choose a mode of ours by hand");
  return false;
}

const PROTECTED = "{workspace}/{.git,.claude,.vscode,.idea,.husky}/**";

/** Tools that ask whatever they do, where no capability could do it for them. */
function toolsAsked(entries: readonly ListedEntry[]): readonly string[] {
  return entries.flatMap(({ text }) => {
    const entry = entryAt(text, 0);
    const meaning = entry === undefined ? undefined : meaningOf(entry, "ask", undefined);
    return meaning === undefined || "dropped" in meaning || meaning.capabilities.length > 0
      ? []
      : meaning.tools;
  });
}
