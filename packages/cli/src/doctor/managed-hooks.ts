import { readFileSync } from "node:fs";
import { managedFiles } from "../hooks/clients/claude-settings.ts";
import { isFields } from "../hooks/payload.ts";
import type { Fact } from "./finding.ts";

/** A client whose hooks its own managed settings have: they are there in every project. */
export interface ManagedHooks {
  readonly client: "claude-code";
  readonly file: string;
}

/** The clients with hooks of ours in their managed settings. Runs nothing: who wrote them is not known. */
export function managedHooks(files: readonly string[] = managedFiles()): readonly ManagedHooks[] {
  const file = files.find((one) => hasHook(one));
  return file === undefined ? [] : [{ client: "claude-code", file }];
}

export function managedFacts(found: readonly ManagedHooks[]): readonly Fact[] {
  return found.map(({ client, file }) => ({ about: client, text: `hooks in ${file}, not tried` }));
}

/** Only a hook that decides about every tool, and blocks the call where it cannot, is one. */
function hasHook(file: string): boolean {
  try {
    const settings: unknown = JSON.parse(readFileSync(file, "utf8"));
    const hooks = isFields(settings) ? settings["hooks"] : undefined;
    const groups = isFields(hooks) ? hooks["PreToolUse"] : undefined;
    return Array.isArray(groups) && groups.some(decides);
  } catch {
    return false;
  }
}

function decides(group: unknown): boolean {
  if (!isFields(group)) return false;
  const { matcher = "", hooks } = group;
  const isForAll = matcher === "" || matcher === "*" || matcher === ".*";
  return isForAll && Array.isArray(hooks) && hooks.some((one) => isFields(one) && isOurs(one["command"]));
}

const OURS = /(?:^|[\s/'"])(?:toolkeep|main\.js)['"]? hook claude-code(?: .*)? \|\| exit 2$/;

function isOurs(command: unknown): boolean {
  return typeof command === "string" && OURS.test(command.trim());
}
