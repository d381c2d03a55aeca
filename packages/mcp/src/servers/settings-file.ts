import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { Diagnostic } from "@toolkeep/core";
import { plainValue, positionOf, readJsonc, readOwnedFile } from "@toolkeep/node/internal";
import { loadBuiltInMaps } from "../effect-maps/built-in-maps.ts";
import type { EffectMap } from "../effect-maps/effect-map.ts";
import { mapSources } from "../effect-maps/map-sources.ts";
import { checkSettings, type WrittenSettings } from "./check-settings.ts";
import { narrowSettings } from "./narrow-settings.ts";
import type { ServerSettings } from "./server-entry.ts";

export interface SettingsFiles {
  /** A project, with its settings in `.toolkeep/mcp.jsonc`. They can only narrow. */
  readonly project?: string;
  /** The path of the user's own settings file. */
  readonly user?: string;
  /** The path of the administrator's settings file. What it says of a server or a map replaces what the user says. */
  readonly managed?: string;
  /** What `~` means. Default: the home directory of the current user. */
  readonly home?: string;
}

export interface ReadSettings {
  /** By server name. */
  readonly settings: Readonly<Record<string, ServerSettings>>;
  readonly maps: readonly EffectMap[];
  readonly diagnostics: readonly Diagnostic[];
  /** Whether a file is invalid: then what it forbids is unknown, and no server should start. */
  readonly isBroken: boolean;
  /** Whether an administrator configures this machine: then no user takes an effect map away. */
  readonly isMandated: boolean;
}

const MOST_BYTES = 1_000_000;
/** The most errors reported for one file. */
const MOST_REPORTED = 20;

/**
 * Reads the settings of servers. A file is applied as a whole or not at all. Of the project's file only what narrows
 * is applied; the rest is ignored with a diagnostic. Never throws for the contents of a file.
 */
export async function readServerSettings(files: SettingsFiles): Promise<ReadSettings> {
  const home = files.home ?? homedir();
  const project =
    files.project === undefined ? undefined : await realpath(files.project).catch(() => files.project);
  const own = files.user === undefined ? NOTHING : await readOne({ file: files.user, home });
  const managed =
    files.managed === undefined ? NOTHING : await readOne({ file: files.managed, home, isManaged: true });
  const isMandated = hasAdministrator(files.managed);
  const user = overridden(isMandated ? await withKnownMaps(own, files.user ?? "") : own, managed);
  const ofProject =
    project === undefined
      ? NOTHING
      : await readOne({ file: join(project, ".toolkeep", "mcp.jsonc"), home, project });
  const narrowed = narrowSettings(
    user.written,
    ofProject.written,
    join(project ?? "", ".toolkeep", "mcp.jsonc"),
  );
  return {
    settings: narrowed.servers,
    maps: user.written.maps,
    diagnostics: [...user.diagnostics, ...ofProject.diagnostics, ...narrowed.diagnostics],
    isBroken: user.isBroken || ofProject.isBroken,
    isMandated,
  };
}

/** Whether the folder of the administrator's settings has any. */
function hasAdministrator(managed: string | undefined): boolean {
  if (managed === undefined) return false;
  return ["config.jsonc", "config.json", basename(managed)].some((name) =>
    existsSync(join(dirname(managed), name)),
  );
}

/** Rules of an administrator are about effects, and only an effect map tells those of a server. */
async function withKnownMaps({ written, diagnostics, isBroken }: ReadOne, file: string): Promise<ReadOne> {
  const ignored: Diagnostic[] = [];
  const ignore = (what: string, server?: string) =>
    ignored.push({
      file,
      ...(server === undefined ? {} : { subject: server }),
      code: "setting_ignored",
      message: `${what} is ignored: on this machine only the administrator decides which effect map a server has.`,
      hint: "Remove it. For a server without a map, write a map of your own with its `packages`.",
    });
  const servers = Object.entries(written.servers).map(([name, { map, ...settings }]) => {
    if (map !== undefined) ignore("`map`", name);
    return [name, settings] as const;
  });
  const builtIn = await loadBuiltInMaps();
  const isKnown = (map: EffectMap) =>
    builtIn.names.includes(map.name) || mapSources(map).some((source) => builtIn.from(source) !== undefined);
  const maps = written.maps.filter((map) => !isKnown(map));
  if (maps.length < written.maps.length) ignore("A map with the name or a package of a built-in one");
  return {
    written: { servers: Object.fromEntries(servers), maps },
    diagnostics: [...diagnostics, ...ignored],
    isBroken,
  };
}

/** By server and by map: settings of a server are not mixed. */
function overridden(own: ReadOne, managed: ReadOne): ReadOne {
  const names = new Set(managed.written.maps.map(({ name }) => name));
  return {
    written: {
      servers: { ...own.written.servers, ...managed.written.servers },
      maps: [...managed.written.maps, ...own.written.maps.filter(({ name }) => !names.has(name))],
    },
    diagnostics: [...managed.diagnostics, ...own.diagnostics],
    isBroken: own.isBroken || managed.isBroken,
  };
}

interface SettingsFile {
  readonly isManaged?: true;
  readonly file: string;
  readonly home: string;
  readonly project?: string;
}

interface ReadOne {
  readonly written: WrittenSettings;
  readonly diagnostics: readonly Diagnostic[];
  readonly isBroken: boolean;
}

const NOTHING: ReadOne = { written: { servers: {}, maps: [] }, diagnostics: [], isBroken: false };

async function readOne({ file, home, project, isManaged }: SettingsFile): Promise<ReadOne> {
  const ofUser = isManaged === true ? {} : { owners: "us" as const };
  const found = await readOwnedFile(file, {
    mostBytes: MOST_BYTES,
    ...(project === undefined ? ofUser : { owners: "anyone", beneath: project }),
  });
  if (found === undefined) return NOTHING;
  const broken = (diagnostics: readonly Diagnostic[]): ReadOne => ({
    ...NOTHING,
    diagnostics,
    isBroken: true,
  });
  if (found.error !== undefined)
    return broken([{ code: "invalid_settings", file, message: `The file is refused: ${found.error}.` }]);
  const { root, errors: jsonErrors } = readJsonc(found.text);
  if (root === undefined) {
    const [{ message, position }] = jsonErrors;
    return broken([
      {
        code: "invalid_settings",
        file,
        line: position.line,
        message: `The file is refused: it is invalid. ${message}`,
        hint: "Fix the file.",
      },
    ]);
  }
  const { settings, errors } = checkSettings(plainValue(root), {
    home,
    ...(project === undefined ? {} : { project }),
  });
  if (errors.length === 0) return { written: settings, diagnostics: [], isBroken: false };
  const reported = errors.slice(0, MOST_REPORTED);
  return broken(
    reported.map(({ path, message }) => ({
      code: "invalid_settings",
      file,
      line: positionOf(root, path).line,
      message,
    })),
  );
}
