import { lstat, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { isWithin } from "../files/path-within.ts";
import { ownershipError } from "../owned-files/ownership-error.ts";
import { codeOf, readOwnedFile } from "../owned-files/read-owned-file.ts";
import { sha256 } from "../trust/sha256.ts";
import { type ReadSkill, readSkill } from "./read-skill.ts";

/** A folder of skills, and who may have written it. */
export interface SkillLocation {
  readonly layer: "project" | "user";
  readonly folder: string;
  /** A canonical folder that nothing in it may lead out of. */
  readonly beneath?: string;
  readonly owners: readonly number[];
  /** Whether a file with this hash is what was trusted. Left out: every one is. */
  readonly covers?: ((path: string, hash: string) => boolean) | undefined;
}

/** Why a skill is not there, or what is wrong with one that is. */
export interface SkillDiagnostic {
  readonly layer: SkillLocation["layer"];
  /** The file or folder it is about. */
  readonly path: string;
  readonly message: string;
}

export interface FoundSkill extends NonNullable<ReadSkill["skill"]> {
  readonly place: SkillLocation;
  /** The canonical folder that holds its `SKILL.md`. */
  readonly folder: string;
}

export interface FoundSkills {
  readonly skills: readonly FoundSkill[];
  readonly errors: readonly SkillDiagnostic[];
}

const MOST_SKILLS = 200;
const MOST_BYTES = 512_000;

/** The skills in one place, in the order of their folders. A place that is not there is empty. */
export async function skillsIn(place: SkillLocation): Promise<FoundSkills> {
  const error = (path: string, message: string) => ({ layer: place.layer, path, message });
  const refused = await folderDiagnostic(place.folder, place);
  if (refused === "absent") return { skills: [], errors: [] };
  if (refused !== undefined) return { skills: [], errors: [error(place.folder, `Refused: ${refused}.`)] };
  const entries = await readdir(place.folder, { withFileTypes: true }).catch(() => []);
  const names = entries
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => name)
    .filter((name) => !name.startsWith("."))
    .toSorted();
  const skills: FoundSkill[] = [];
  const errors: SkillDiagnostic[] = [];
  if (names.length > MOST_SKILLS)
    errors.push(error(place.folder, `Only the first ${MOST_SKILLS} of ${names.length} are looked at.`));
  for (const name of names.slice(0, MOST_SKILLS)) {
    const path = join(place.folder, name, "SKILL.md");
    const read = await openSkill(path, place);
    if (read === undefined) continue;
    errors.push(...read.errors.map((message) => error(path, message)));
    if (read.skill !== undefined) skills.push(read.skill);
  }
  return { skills, errors };
}

/** Reads one `SKILL.md`, which may have changed since; `undefined` if there is none. */
export async function openSkill(
  path: string,
  place: SkillLocation,
): Promise<{ readonly skill?: FoundSkill; readonly errors: readonly string[] } | undefined> {
  const folder = await realpath(join(path, "..")).catch(() => undefined);
  if (folder === undefined) return undefined;
  const refused = await folderDiagnostic(folder, place);
  if (refused !== undefined) return { errors: [`Refused: ${refused}.`] };
  const { beneath, owners } = place;
  const limits = { mostBytes: MOST_BYTES, owners, ...(beneath === undefined ? {} : { beneath }) };
  const file = await readOwnedFile(path, limits);
  if (file === undefined) return undefined;
  if (file.error !== undefined) return { errors: [`Refused: ${file.error}.`] };
  if (place.covers?.(path, sha256(file.text)) === false)
    return { errors: ["Refused: it is not what was trusted."] };
  const { skill, errors } = readSkill(file.text, join(path, "..").split(/[\\/]/).at(-1) ?? "");
  return skill === undefined ? { errors } : { skill: { ...skill, place, folder }, errors };
}

/** Whoever can write to a folder can put a skill there. */
async function folderDiagnostic(
  folder: string,
  { beneath, owners }: SkillLocation,
): Promise<string | "absent" | undefined> {
  try {
    const real = await realpath(folder);
    if (beneath !== undefined && !isWithin(real, beneath))
      return "it is a link that leads out of the project";
    return ownershipError(await lstat(real), owners);
  } catch (error) {
    const code = codeOf(error);
    return code === "ENOENT" || code === "ENOTDIR" ? "absent" : `it cannot be read (${code})`;
  }
}
