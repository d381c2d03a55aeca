import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { EffectMap } from "../effect-maps/effect-map.ts";
import { checkSettings, type WrittenSettings } from "./check-settings.ts";
import { narrowSettings } from "./narrow-settings.ts";
import { readJsonc } from "./read-jsonc.ts";
import { readPlainFile } from "./read-plain-file.ts";
import type { ServerDiagnostic } from "./server-diagnostic.ts";
import type { ServerSettings } from "./server-entry.ts";

export interface SettingsFiles {
  /** A project: `.toolkeep/mcp.jsonc` in it. What it says can only narrow. */
  readonly project?: string;
  /** The user's own file, wherever that is. */
  readonly user?: string;
  /** What `~` stands for; the home folder of whoever runs this, where it is left out. */
  readonly home?: string;
}

export interface ReadSettings {
  /** By server name: for the source. */
  readonly settings: Readonly<Record<string, ServerSettings>>;
  readonly maps: readonly EffectMap[];
  readonly diagnostics: readonly ServerDiagnostic[];
  /** Whether a file could not be understood: then nobody knows what it meant to forbid, and no server should start. */
  readonly isBroken: boolean;
}

const MOST_BYTES = 1_000_000;
/** Of the faults of one file: any of them is enough. */
const MOST_REPORTED = 20;

/**
 * Reads what is decided about servers. A file is taken as a whole or not at all. Of the project's file only what
 * narrows counts; the rest is passed over with a problem. Never throws for what is in a file.
 */
export async function readServerSettings(directories: SettingsFiles): Promise<ReadSettings> {
  const home = directories.home ?? homedir();
  const project =
    directories.project === undefined
      ? undefined
      : await realpath(directories.project).catch(() => directories.project);
  const user = directories.user === undefined ? NOTHING : await readOne({ file: directories.user, home });
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

interface SettingsFile {
  readonly file: string;
  readonly home: string;
  readonly project?: string;
}

interface ReadOne {
  readonly written: WrittenSettings;
  readonly diagnostics: readonly ServerDiagnostic[];
  readonly isBroken: boolean;
}

const NOTHING: ReadOne = { written: { servers: {}, maps: [] }, diagnostics: [], isBroken: false };

async function readOne({ file, home, project }: SettingsFile): Promise<ReadOne> {
  const found = await readPlainFile(file, {
    mostBytes: MOST_BYTES,
    ...(project === undefined ? { isOurs: true } : { beneath: project }),
  });
  if (found === undefined) return NOTHING;
  const broken = (diagnostics: readonly ServerDiagnostic[]): ReadOne => ({
    ...NOTHING,
    diagnostics,
    isBroken: true,
  });
  if (found.error !== undefined) return broken([{ file, message: `The file is refused: ${found.error}.` }]);
  const read = readJsonc(found.text);
  if ("error" in read) {
    return broken([
      { file, line: read.line, message: `The file is refused: ${read.error}.`, hint: "Mend it." },
    ]);
  }
  const { settings, errors } = checkSettings(read.value, {
    home,
    ...(project === undefined ? {} : { project }),
  });
  if (errors.length === 0) return { written: settings, diagnostics: [], isBroken: false };
  const reported = errors.slice(0, MOST_REPORTED);
  return broken(reported.map(({ path, message }) => ({ file, line: read.lineOf(path), message })));
}
