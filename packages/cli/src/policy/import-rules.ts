import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { ruleText, visible } from "@toolkeep/core/internal";
import { type ImportedRules, importClaude, importGemini, parsePolicy } from "@toolkeep/policy";
import { addRule, formatDiagnostic } from "@toolkeep/policy/internal";
import { readText } from "../project/policy-files.ts";
import { CommandError, EXIT, usageError } from "../terminal/command-error.ts";
import type { Terminal } from "../terminal/terminal.ts";

const CLIENTS = {
  claude: { file: [".claude", "settings.json"], read: importClaude },
  gemini: { file: [".gemini", "settings.json"], read: importGemini },
} as const;

export interface ImportOptions {
  readonly program: string;
  /** Default: the user's own settings of the client, never those of a project. */
  readonly file?: string | undefined;
  readonly write?: string | undefined;
}

/** Shows the permissions of another program as rules, and what cannot be said as one. */
export async function importRules(options: ImportOptions, terminal: Terminal): Promise<number> {
  const { file, read } = clientOf(options.program);
  const name = options.file ?? join(homedir(), ...file);
  const home = homedir();
  const imported = read(readText({ name, path: resolve(terminal.cwd, name) }), { file: name, home });
  if (imported.diagnostics.length > 0)
    throw new CommandError(imported.diagnostics.map(formatDiagnostic).join("\n"));
  const rules = [...new Set(imported.rules.map(ruleText))];
  const text = policyText(rules, name);
  const notes = notesOf(imported);
  if (options.write !== undefined) await written(resolve(terminal.cwd, options.write), text);
  terminal.show(
    { file: name, rules, notes, isHeadless: imported.isHeadless === true },
    options.write === undefined ? text.trimEnd().split("\n") : [],
  );
  for (const { line, entry, what, why } of notes)
    terminal.note(`${name}${line === 0 ? "" : `:${line}`}: ${entry}: ${what}: ${why}`);
  if (imported.isHeadless === true) terminal.note("It asks nobody: what no entry allows is refused there.");
  if (options.write !== undefined)
    terminal.note(`Wrote ${options.write}. Check it with: toolkeep policy check ${options.write}`);
  return EXIT.ok;
}

function clientOf(name: string) {
  if (name === "claude" || name === "claude-code") return CLIENTS.claude;
  if (name === "gemini" || name === "gemini-cli") return CLIENTS.gemini;
  throw usageError(`Permissions of ${JSON.stringify(name)} cannot be imported.`, "Use claude or gemini.");
}

/** It extends no other policy, so that it never allows more than the original. */
function policyText(rules: readonly string[], from: string): string {
  const start = `# From ${visible(from)}. Extend toolkeep:recommended to keep its rules as well.\nversion: 1\nmode: ask\n`;
  const text = rules.reduce(addRule, start);
  const { diagnostics, ownRules } = parsePolicy(text, { file: "the imported rules", home: homedir() });
  if (diagnostics.length === 0 && ownRules.length === rules.length) return text;
  throw new CommandError(
    ["The rules cannot be written as a policy file.", ...diagnostics.map(formatDiagnostic)].join("\n"),
  );
}

function notesOf({ notes }: ImportedRules): ImportedRules["notes"] {
  return notes.map(({ entry, why, ...more }) => ({ ...more, entry: visible(entry), why: visible(why) }));
}

/** A policy that exists is never replaced. */
async function written(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(
      code === "EEXIST" ? `${path} exists already.` : `${path} cannot be written (${code}).`,
      { hint: "Give another path after --write." },
    );
  }
}
