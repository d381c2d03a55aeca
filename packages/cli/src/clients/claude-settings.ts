import { readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Rule } from "@toolkeep/core";
import type { Environment } from "./hook-call.ts";
import { isFields } from "./payload.ts";

/** What the entries are evaluated with. */
export interface ClaudeProject {
  /** The canonical path of the project. */
  readonly root: string;
  /** Allow entries of a project that its user does not trust do not apply. */
  readonly isTrusted: boolean;
  /** The environment of the client. Default: that of this process. */
  readonly environment?: Environment;
}

/** The permission entries in Claude Code's settings, as rules. */
export interface ClaudeEntries {
  /** Deny and ask entries. */
  readonly narrowing: readonly Rule[];
  readonly allowing: readonly Rule[];
  /** Whether the client's own sandbox is on. */
  readonly hasSandbox: boolean;
  /** A settings file that cannot be read: what it denies is unknown. */
  readonly unread?: string;
}

interface SettingsFile {
  readonly file: string;
  /** Whether its allow entries apply. */
  readonly allows: boolean;
}

const MOST_BYTES = 4_000_000;

/** Reads all settings files of the client, each time: a person may change them at any moment. */
export async function claudeEntries(project: ClaudeProject): Promise<ClaudeEntries> {
  const read = await Promise.all(settingsFiles(project).map(readFile));
  const unread = read.find((one) => "unread" in one);
  const known = read.flatMap((one) => ("rules" in one ? [one] : []));
  const isManagedOnly = known.some((one) => one.isManagedOnly);
  return {
    narrowing: known.flatMap(({ rules }) => rules.filter(({ action }) => action !== "allow")),
    allowing: isManagedOnly
      ? []
      : known.flatMap(({ rules, allows }) =>
          allows ? rules.filter(({ action }) => action === "allow") : [],
        ),
    hasSandbox: known.some((one) => one.hasSandbox),
    ...(unread === undefined ? {} : { unread: unread.unread }),
  };
}

/** The settings files of the client: managed, of the user, of the project. */
export function settingsFiles({
  root,
  isTrusted,
  environment = process.env,
}: ClaudeProject): readonly SettingsFile[] {
  const own = environment["CLAUDE_CONFIG_DIR"] ?? join(homedir(), ".claude");
  return [
    ...managedFiles().map((file) => ({ file, allows: true })),
    { file: join(own, "settings.json"), allows: true },
    ...["settings.json", "settings.local.json"].map((name) => ({
      file: join(root, ".claude", name),
      allows: isTrusted,
    })),
  ];
}

interface ReadSettings {
  readonly rules: readonly Rule[];
  readonly allows: boolean;
  readonly isManagedOnly: boolean;
  readonly hasSandbox: boolean;
}

type Reading = { readonly unread: string } | ReadSettings;

async function readFile({ file, allows }: SettingsFile): Promise<Reading> {
  const nothing = { rules: [], allows, isManagedOnly: false, hasSandbox: false };
  try {
    if (statSync(file).size > MOST_BYTES) return { unread: file };
    const text = readFileSync(file, "utf8");
    const settings: unknown = JSON.parse(text);
    if (!isFields(settings)) return { unread: file };
    const { permissions, allowManagedPermissionRulesOnly, sandbox } = settings;
    const isManagedOnly = allowManagedPermissionRulesOnly === true;
    const hasSandbox = isFields(sandbox) && sandbox["enabled"] === true;
    if (permissions === undefined) return { ...nothing, isManagedOnly, hasSandbox };
    if (!isFields(permissions)) return { unread: file };
    const entries = { permissions: onlyEntries(permissions) };
    // Loaded only for settings with entries, because a hook runs before every call.
    const { importClaude } = await import("@toolkeep/policy");
    const { rules, diagnostics } = importClaude(JSON.stringify(entries), { file, home: homedir() });
    if (diagnostics.length > 0) return { unread: file };
    // The rules about reading that every import has are no entries of the file.
    const written = rules.filter(({ at }) => at !== `${file} (built in)`);
    return { rules: written.map((rule) => ({ ...rule, at: file })), allows, isManagedOnly, hasSandbox };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? nothing : { unread: file };
  }
}

/** Modes and folders are no entries: the payload of a hook names the mode. */
function onlyEntries({ deny, ask, allow }: Readonly<Record<string, unknown>>) {
  return { deny: deny ?? [], ask: ask ?? [], allow: allow ?? [] };
}

/** The settings of the administrator. */
export function managedFiles(): readonly string[] {
  const folder =
    process.platform === "darwin" ? "/Library/Application Support/ClaudeCode" : "/etc/claude-code";
  return [join(folder, "managed-settings.json"), ...jsonFilesIn(join(folder, "managed-settings.d"))];
}

function jsonFilesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}
