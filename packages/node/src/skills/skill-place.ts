import { lstat, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { ownershipFault } from "../trust/ownership-fault.ts";
import { codeOf, isBeneath, readOwnedFile } from "../trust/read-owned-file.ts";
import { sha256 } from "../trust/sha256.ts";
import { type ReadSkill, readSkill } from "./read-skill.ts";

/** A folder of skills, and who may have written it. */
export interface SkillPlace {
  readonly layer: "project" | "user";
  readonly folder: string;
  /** A canonical folder that nothing in it may lead out of. */
  readonly beneath?: string;
  readonly owners: readonly number[];
  /** Whether a file with this hash is what was trusted. Left out: every one is. */
  readonly covers?: ((path: string, hash: string) => boolean) | undefined;
}

/** Why a skill is not there, or what is wrong with one that is. */
export interface SkillFault {
  readonly layer: SkillPlace["layer"];
  /** The file or folder it is about. */
  readonly path: string;
  readonly message: string;
}

export interface FoundSkill extends NonNullable<ReadSkill["skill"]> {
  readonly place: SkillPlace;
  /** The canonical folder that holds its `SKILL.md`. */
  readonly folder: string;
}

export interface FoundSkills {
  readonly skills: readonly FoundSkill[];
  readonly faults: readonly SkillFault[];
}

const MOST_SKILLS = 200;
const MOST_BYTES = 512_000;

/** The skills in one place, in the order of their folders. A place that is not there is empty. */
export async function skillsIn(place: SkillPlace): Promise<FoundSkills> {
  const fault = (path: string, message: string) => ({ layer: place.layer, path, message });
  const refused = await folderFault(place.folder, place);
  if (refused === "absent") return { skills: [], faults: [] };
  if (refused !== undefined) return { skills: [], faults: [fault(place.folder, `Refused: ${refused}.`)] };
  const entries = await readdir(place.folder, { withFileTypes: true }).catch(() => []);
  const names = entries
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => name)
    .filter((name) => !name.startsWith("."))
    .toSorted();
  const skills: FoundSkill[] = [];
  const faults: SkillFault[] = [];
  if (names.length > MOST_SKILLS)
    faults.push(fault(place.folder, `Only the first ${MOST_SKILLS} of ${names.length} are looked at.`));
  for (const name of names.slice(0, MOST_SKILLS)) {
    const path = join(place.folder, name, "SKILL.md");
    const read = await openSkill(path, place);
    if (read === undefined) continue;
    faults.push(...read.faults.map((message) => fault(path, message)));
    if (read.skill !== undefined) skills.push(read.skill);
  }
  return { skills, faults };
}

/** Reads one `SKILL.md`, which may have changed since; `undefined` if there is none. */
export async function openSkill(
  path: string,
  place: SkillPlace,
): Promise<{ readonly skill?: FoundSkill; readonly faults: readonly string[] } | undefined> {
  const folder = await realpath(join(path, "..")).catch(() => undefined);
  if (folder === undefined) return undefined;
  const refused = await folderFault(folder, place);
  if (refused !== undefined) return { faults: [`Refused: ${refused}.`] };
  const { beneath, owners } = place;
  const limits = { mostBytes: MOST_BYTES, owners, ...(beneath === undefined ? {} : { beneath }) };
  const file = await readOwnedFile(path, limits);
  if (file === undefined) return undefined;
  if (file.fault !== undefined) return { faults: [`Refused: ${file.fault}.`] };
  if (place.covers?.(path, sha256(file.text)) === false)
    return { faults: ["Refused: it is not what was trusted."] };
  const { skill, faults } = readSkill(file.text, join(path, "..").split(/[\\/]/).at(-1) ?? "");
  return skill === undefined ? { faults } : { skill: { ...skill, place, folder }, faults };
}

/** Whoever can write to a folder can put a skill there. */
async function folderFault(
  folder: string,
  { beneath, owners }: SkillPlace,
): Promise<string | "absent" | undefined> {
  try {
    const real = await realpath(folder);
    if (beneath !== undefined && !isBeneath(real, beneath))
      return "it is a link that leads out of the project";
    return ownershipFault(await lstat(real), owners);
  } catch (error) {
    const code = codeOf(error);
    return code === "ENOENT" || code === "ENOTDIR" ? "absent" : `it cannot be read (${code})`;
  }
}
