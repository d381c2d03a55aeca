import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Environment } from "../../clients/hook-call.ts";
import { clearEntries } from "../../clients/json-edit.ts";

const FILES = ["opencode.json", "opencode.jsonc", "config.json"];
const AGENTS = ["agent", "agents", "mode", "modes"];

/** A permission or a list of tools that may refuse or ask. What it says may be elsewhere. */
const NARROWS = /permission|tools/;
const REFUSES = /\b(?:ask|deny|false)\b|\{(?:env|file):/;

/**
 * Whether opencode may have rules of its own about commands. It would apply them to what a plugin makes of a command,
 * so such commands are left as they are. Says yes more often than it is so, also for a file that cannot be read.
 */
export function hasOwnRules(folder: string, environment: Environment): boolean {
  const { XDG_CONFIG_HOME, OPENCODE_CONFIG, OPENCODE_CONFIG_DIR } = environment;
  const user = join(XDG_CONFIG_HOME || join(homedir(), ".config"), "opencode");
  const folders = [
    ...[user, ...(OPENCODE_CONFIG_DIR ? [OPENCODE_CONFIG_DIR] : [])],
    ...above(folder).flatMap((one) => [one, join(one, ".opencode")]),
  ];
  const files = [
    ...(OPENCODE_CONFIG ? [OPENCODE_CONFIG] : []),
    ...folders.flatMap((one) => FILES.map((name) => join(one, name))),
    ...folders.flatMap((one) => AGENTS.flatMap((name) => textsIn(join(one, name)))),
  ];
  const given = [environment["OPENCODE_CONFIG_CONTENT"], environment["OPENCODE_PERMISSION"]];
  return given.some((text) => text !== undefined && REFUSES.test(text)) || files.some(mayNarrow);
}

function above(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...above(parent)];
}

/** The agents of a folder are files that begin with their settings. */
function textsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true })
      .map(String)
      .filter((name) => name.endsWith(".md"))
      .map((name) => join(folder, name));
  } catch (error) {
    return isMissing(error) ? [] : [folder];
  }
}

function mayNarrow(file: string): boolean {
  try {
    const text = readFileSync(file, "utf8");
    if (file.endsWith(".md")) return isNarrow(/^---\r?\n(.*?)\n---/s.exec(text)?.[1] ?? "");
    const entries = clearEntries(text, []);
    return entries === undefined ? isNarrow(text) : hasNarrow(Object.fromEntries(entries));
  } catch (error) {
    return !isMissing(error);
  }
}

function isNarrow(settings: string): boolean {
  return NARROWS.test(settings) && REFUSES.test(settings);
}

function hasNarrow(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, inner]) =>
    NARROWS.test(key) ? REFUSES.test(JSON.stringify(inner)) : hasNarrow(inner),
  );
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
}
