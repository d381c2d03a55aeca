import { homedir } from "node:os";
import { join } from "node:path";
import type { Diagnostic } from "@toolkeep/core";
import { assertKnownKeys } from "@toolkeep/core/internal";
import type { Kit, ToolGuide } from "@toolkeep/core/ports";
import { namesInFolder, type OwnedFolder, textInFolder } from "../../owned-files/owned-folder.ts";
import type { ProjectTrust } from "../trust/project-trust.ts";
import type { ReadGuide } from "./read-guide.ts";

/** Options of `findGuides`. */
export interface FindGuidesOptions {
  /** The project whose guides are wanted. Nothing of it is read before it is trusted. */
  readonly project?: string;
  /** Decides about the project. */
  readonly trust: Pick<ProjectTrust, "of">;
  /** The user's own folder, where it is not the home folder; none of the user's guides with `false`. */
  readonly user?: string | false;
  /** Users whose files are accepted in addition to this user's and root's. */
  readonly owners?: readonly number[];
}

/** Tool guides and kits from files. */
export interface FoundGuides {
  readonly guides: readonly ToolGuide[];
  readonly kits: readonly Kit[];
  /** Which files are not used, and why. */
  readonly errors: readonly Diagnostic[];
  /** Why nothing of the project is there, if one was given. */
  readonly untrusted?: string;
}

const OPTIONS = ["project", "trust", "user", "owners"] as const satisfies (keyof FindGuidesOptions)[];
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
  assertKnownKeys(options, OPTIONS, "option of findGuides");
  const { project, trust, user = homedir(), owners = [] } = options;
  const verdict = project === undefined ? undefined : await trust.of(project);
  const locations: OwnedFolder[] = [];
  if (verdict?.isTrusted === true)
    locations.push({ folder: verdict.project, beneath: verdict.project, owners, covers: verdict.covers });
  if (user !== false) locations.push({ folder: user, owners });
  const errors: Diagnostic[] = [];
  const guides = new Map<string, ToolGuide>();
  const kits = new Map<string, Kit>();
  for (const location of locations) {
    const { readGuide, readKit } = await import("./read-guide.ts");
    for (const guide of await valuesIn("guides", location, readGuide, errors))
      if (!guides.has(guide.tool)) guides.set(guide.tool, guide);
    for (const kit of await valuesIn("kits", location, readKit, errors))
      if (!kits.has(kit.name)) kits.set(kit.name, kit);
  }
  return Object.freeze<FoundGuides>({
    ...{ guides: [...guides.values()], kits: [...kits.values()], errors },
    ...(verdict?.isTrusted === false ? { untrusted: verdict.reason } : {}),
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
