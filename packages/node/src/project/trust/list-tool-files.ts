import type { Stats } from "node:fs";
import { lstat, readdir, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isToolFile, isWithin, type Layer } from "@toolkeep/core/internal";
import { ownershipError } from "../../owned-files/ownership-error.ts";
import { codeOf } from "../../owned-files/read-owned-file.ts";
import { type FolderDiagnostic, folderDiagnosticOf } from "./folder-diagnostic.ts";

/** A folder of tools, and who may have written it. */
export interface ToolAddress {
  readonly layer: Layer;
  /** The folder `tools` itself. */
  readonly folder: string;
  /** A canonical folder that `folder` must not lead out of. */
  readonly beneath?: string;
  readonly owners?: readonly number[];
}

export interface ToolFile {
  /** As in diagnostics and origins: `tools/lint.ts`. */
  readonly id: string;
  readonly path: string;
}

export interface ToolFiles {
  /** The canonical folder that files must not lead out of. */
  readonly folder: string;
  readonly files: readonly ToolFile[];
  readonly errors: readonly FolderDiagnostic[];
}

/** The files that may bring tools by the discovery rules, ordered by name. Reads none. None for a missing folder. */
export async function listToolFiles(address: ToolAddress, mostFiles: number): Promise<ToolFiles> {
  const { layer } = address;
  const id = basename(address.folder);
  try {
    const folder = await realpath(address.folder);
    const error = await folderDiagnostic(folder, address);
    if (error !== undefined)
      return { folder, files: [], errors: [folderDiagnosticOf({ layer, file: id, ...refused(error) })] };
    const entries = await readdir(folder, { withFileTypes: true });
    const named = entries
      .filter((entry) => !entry.isDirectory() && isToolFile(entry.name))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
    const files = named.map(({ name }) => ({ id: `${id}/${name}`, path: join(folder, name) }));
    const tooMany = folderDiagnosticOf({
      layer,
      file: id,
      message: `There are ${files.length} files; only the first ${mostFiles} are looked at.`,
    });
    return {
      folder,
      files: files.slice(0, mostFiles),
      errors: files.length > mostFiles ? [tooMany] : [],
    };
  } catch (error) {
    const code = codeOf(error);
    const isAbsent = code === "ENOENT" || code === "ENOTDIR";
    const errors = isAbsent
      ? []
      : [folderDiagnosticOf({ layer, file: id, message: `The folder cannot be read (${code}).` })];
    return { folder: address.folder, files: [], errors };
  }
}

/** The message for a file or folder that was not opened. */
export function refused(error: string): Pick<FolderDiagnostic, "code" | "message"> {
  return { code: "tool_not_trusted", message: `Refused: ${error}.` };
}

/** Everyone who can write to the folder, or to one above it up to the project, can put a tool there. */
async function folderDiagnostic(
  folder: string,
  { beneath, owners }: ToolAddress,
): Promise<string | undefined> {
  if (beneath !== undefined && !isWithin(folder, beneath))
    return "it is a link that leads out of the project";
  const top = beneath ?? dirname(folder);
  for (let at = folder; isWithin(at, top) && dirname(at) !== at; at = dirname(at)) {
    const stats: Stats = await lstat(at);
    const error = ownershipError(stats, owners);
    if (error !== undefined) return at === folder ? error : `of the folder ${JSON.stringify(at)}: ${error}`;
  }
  return undefined;
}
