import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { unlessThrown } from "@toolkeep/core/internal";
import { clientFor, type InstallClientName } from "../install-client.ts";
import { parseClientFile, valueAt } from "../json-edit.ts";
import { isUserPath, userPath } from "../user-path.ts";
import { type InstallRecord, InstallRecords } from "./install-record.ts";
import { hashOf } from "./project-file.ts";

/** The files that say whether hooks are in place, by absolute paths: another process looks at them later. */
export interface InstalledHooks {
  readonly client: InstallClientName;
  readonly project: string;
  /** The record of the installation. */
  readonly record: string;
  /** The paths of the files that may have the hooks, by their names in the record. */
  readonly paths: ReadonlyMap<string, string>;
  /** Settings that can switch off all hooks. */
  readonly switches: readonly string[];
}

export function installedHooks(client: InstallClientName, project: string): InstalledHooks {
  const pathOf = (name: string) => (isUserPath(name) ? userPath(name) : join(project, name));
  const { file, formerFile } = clientFor(client, project).hooks ?? {};
  const names = [file, formerFile].filter((name) => name !== undefined);
  return {
    client,
    project,
    record: join(new InstallRecords(project).folder, `${client}.json`),
    paths: new Map(names.map((name) => [name, pathOf(name)])),
    switches: client === "claude-code" ? claudeSettings(project) : [],
  };
}

function claudeSettings(project: string): readonly string[] {
  const ofUser = process.env["CLAUDE_CONFIG_DIR"] || join(homedir(), ".claude");
  const own = ["settings.json", "settings.local.json"].map((name) => join(project, ".claude", name));
  return [...own, join(ofUser, "settings.json")];
}

/** The file in which installed hooks are missing or off. Nothing else of it is given away. */
export async function missingHooks(hooks: InstalledHooks): Promise<string | undefined> {
  const record = parsed(await textOf(hooks.record));
  if (record?.state !== "done" || record.project !== hooks.project || !Array.isArray(record.files))
    return undefined;
  // A folder that was moved or is not mounted is not one whose hooks were removed.
  if ((await stat(hooks.project).catch(() => undefined))?.isDirectory() !== true) return undefined;
  for (const file of record.files) {
    const path = hooks.paths.get(file.path);
    if (path !== undefined && !isInPlace(file, await textOf(path))) return path;
  }
  for (const path of hooks.switches) if (isSwitchedOff(await textOf(path))) return path;
  return undefined;
}

function isInPlace({ after, edits }: InstallRecord["files"][number], text: string | undefined): boolean {
  if (text === undefined) return false;
  if (edits.length === 0) return hashOf(Buffer.from(text)) === after.hash;
  try {
    parseClientFile(text, "");
  } catch {
    // A client ignores a file that it cannot read.
    return false;
  }
  // Other keys may change: the client reads our entries all the same.
  return edits
    .filter(({ kind }) => kind === "append")
    .every(({ path, value }) => {
      const now = valueAt(text, path);
      return Array.isArray(now) && now.some((one) => isDeepStrictEqual(one, value));
    });
}

function isSwitchedOff(text: string | undefined): boolean {
  return unlessThrown(() => text !== undefined && valueAt(text, ["disableAllHooks"]) === true) ?? false;
}

function parsed(text: string | undefined): Partial<InstallRecord> | undefined {
  return unlessThrown(() => (text === undefined ? undefined : (JSON.parse(text) as Partial<InstallRecord>)));
}

const MOST_BYTES = 4_000_000;

/** `undefined` if it cannot be read. The path may have become anything: a pipe must not hold us up. */
async function textOf(path: string): Promise<string | undefined> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > MOST_BYTES) return undefined;
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(stats.size), 0, stats.size, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
}
