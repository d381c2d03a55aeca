import { readOwnedFile } from "../owned-files/read-owned-file.ts";
import { sha256 } from "../trust/sha256.ts";
import type { ConfigDiagnostic } from "./config.ts";
import { ConfigDiagnostics } from "./config-diagnostics.ts";
import type { ConfigFile } from "./config-files.ts";
import { readConfigText, type Statement } from "./read-config-text.ts";

export interface ReadingOptions {
  readonly home: string;
  readonly owners: readonly number[];
  /** Whether a project's file with this hash is what was trusted. Left out: it is. */
  readonly covers?: ((path: string, hash: string) => boolean) | undefined;
}

/** What one file says, and what is wrong with it. */
export interface ReadConfigFile {
  readonly statements: readonly Statement[];
  readonly diagnostics: readonly ConfigDiagnostic[];
  /** Of what is in it; missing where there is nothing, or nothing to be read. */
  readonly hash?: string;
  readonly text?: string;
}

export const MOST_CONFIG_BYTES = 1_000_000;
const START = { line: 1, column: 1 };

/** Reads one configuration file, if it is there. Never throws for what is in the way. */
export async function readConfigFile(config: ConfigFile, options: ReadingOptions): Promise<ReadConfigFile> {
  const { layer, file, beneath, isNeeded = false } = config;
  const { home, owners, covers } = options;
  const diagnostics = new ConfigDiagnostics(file);
  const within = beneath === undefined ? {} : { beneath };
  const found = await readOwnedFile(file, { mostBytes: MOST_CONFIG_BYTES, owners, ...within });
  if (found === undefined) {
    if (isNeeded) diagnostics.error(START, "There is no such file.", "Change TOOLKEEP_CONFIG.");
    // A project's files are read only where there is something of that name.
    else if (beneath !== undefined) diagnostics.error(START, "The file is refused: it is a link to nothing.");
    return { statements: [], diagnostics: diagnostics.all };
  }
  if (found.error !== undefined) {
    diagnostics.error(START, `The file is refused: ${found.error}.`);
    return { statements: [], diagnostics: diagnostics.all };
  }
  const hash = sha256(found.text);
  const isProjects = layer === "project" || layer === "local";
  if (isProjects && covers?.(file, hash) === false) {
    diagnostics.error(
      START,
      "The file is refused: it is not what was trusted.",
      "Read the configuration again.",
    );
    return { statements: [], diagnostics: diagnostics.all };
  }
  const statements = readConfigText(found.text, { layer, file, home, diagnostics, ...within });
  return { statements, diagnostics: diagnostics.all, hash, text: found.text };
}
