import { join } from "node:path";
import type { Diagnostic } from "@toolkeep/core";
import { assertKnownKeys } from "@toolkeep/core/internal";
import type { Kit, ToolGuide } from "@toolkeep/core/ports";
import { namesInFolder, type OwnedFolder, textInFolder } from "../../owned-files/owned-folder.ts";
import { FIND_OPTIONS, type FindOptions, foldersOf } from "../trust/trusted-folders.ts";
import type { ReadGuide } from "./read-guide.ts";

/** Options of `findGuides`. */
export type FindGuidesOptions = FindOptions;

/** Tool guides and kits from files. */
export interface FoundGuides {
  readonly guides: readonly ToolGuide[];
  readonly kits: readonly Kit[];
  /** Which files are not used, and why. */
  readonly errors: readonly Diagnostic[];
  /** Why nothing of the project is there, if one was given. */
  readonly untrusted?: string;
}

const MOST_FILES = 200;
const MOST_BYTES = 64_000;
const YAML = /^[^.].*\.ya?ml$/;

/**
 * Finds tool guides (`.toolkeep/guides/*.yaml`) and kits (`.toolkeep/kits/*.yaml`) of a project and of the user. Of
 * several for one tool, or with one name, that of the project is used.
 *
 * @example
 * const { guides, kits } = await findGuides({ project: root, trust });
 * const agent = await createAgent({ model, tools, policy, prompt: promptParts({ guides, kits }) });
 */
export async function findGuides(options: FindGuidesOptions): Promise<FoundGuides> {
  assertKnownKeys(options, FIND_OPTIONS, "option of findGuides");
  const { folders, ...untrusted } = await foldersOf(options);
  const errors: Diagnostic[] = [];
  const guides = new Map<string, ToolGuide>();
  const kits = new Map<string, Kit>();
  for (const location of folders) {
    const { readGuide, readKit } = await import("./read-guide.ts");
    for (const guide of await valuesIn("guides", location, readGuide, errors))
      if (!guides.has(guide.tool)) guides.set(guide.tool, guide);
    for (const kit of await valuesIn("kits", location, readKit, errors))
      if (!kits.has(kit.name)) kits.set(kit.name, kit);
  }
  return Object.freeze<FoundGuides>({
    ...{ guides: [...guides.values()], kits: [...kits.values()], errors },
    ...untrusted,
  });
}

async function valuesIn<Value>(
  kind: "guides" | "kits",
  location: OwnedFolder,
  read: (text: string, file: string) => ReadGuide<Value>,
  errors: Diagnostic[],
): Promise<readonly Value[]> {
  const folder = join(location.folder, ".toolkeep", kind);
  const values: Value[] = [];
  const found = await namesInFolder({ ...location, folder }, { is: YAML, most: MOST_FILES });
  if (found.error !== undefined) errors.push(notRead(folder, found.error));
  for (const name of found.names) {
    const file = join(folder, name);
    const { text, error } = await textInFolder(file, location, MOST_BYTES);
    if (error !== undefined) errors.push(notRead(file, error));
    if (text === undefined) continue;
    const { value, errors: wrong } = read(text, file);
    errors.push(...wrong);
    if (value !== undefined) values.push(value);
  }
  return values;
}

function notRead(file: string, message: string): Diagnostic {
  return { code: "guide_not_read", file, message };
}
