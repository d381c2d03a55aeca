import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { plainValue, positionOf, readJsonc, readOwnedFile } from "@toolkeep/node/internal";
import type { EffectMap } from "../effect-maps/effect-map.ts";
import { checkSettings, type WrittenSettings } from "./check-settings.ts";
import { narrowSettings } from "./narrow-settings.ts";
import type { McpDiagnostic } from "./server-diagnostic.ts";
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
  readonly diagnostics: readonly McpDiagnostic[];
  /** Whether a file is invalid: then what it forbids is unknown, and no server should start. */
  readonly isBroken: boolean;
}

const MOST_BYTES = 1_000_000;
/** The most errors reported for one file. */
const MOST_REPORTED = 20;

/**
 * Reads the settings of servers. A file is applied as a whole or not at all. Of the project's file only what narrows
 * is applied; the rest is ignored with a diagnostic. Never throws for the contents of a file.
 */
export async function readServerSettings(directories: SettingsFiles): Promise<ReadSettings> {
  const home = directories.home ?? homedir();
  const project =
    directories.project === undefined
      ? undefined
      : await realpath(directories.project).catch(() => directories.project);
  const own = directories.user === undefined ? NOTHING : await readOne({ file: directories.user, home });
  const managed =
    directories.managed === undefined
      ? NOTHING
      : await readOne({ file: directories.managed, home, isManaged: true });
  const user = overridden(own, managed);
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
  readonly diagnostics: readonly McpDiagnostic[];
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
  const broken = (diagnostics: readonly McpDiagnostic[]): ReadOne => ({
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
