import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { Diagnostic } from "@toolkeep/core";
import type { SkillEntry, Skills } from "@toolkeep/core/ports";
import { namesInFolder, type OwnedFolder, openFolder, textInFolder } from "../../owned-files/owned-folder.ts";
import { type FindOptions, foldersOf } from "../trust/trusted-folders.ts";
import type { ReadSkill } from "./read-skill.ts";

/** Skills from the directories where agents look for them. */
export interface FolderSkills extends Skills {
  /** What is wrong with skills that were found, and why others are not there. */
  readonly errors: readonly SkillDiagnostic[];
  /** Why nothing of the project is there, if one was given. */
  readonly untrusted?: string;
  /** The canonical folders of the skills: to be readable, those outside the workspace must be `adHoc`. */
  readonly folders: readonly string[];
}

/** The strongest first. */
const DIRECTORIES = [".toolkeep/skills", ".agents/skills", ".claude/skills"] as const;

/**
 * Finds skills (`<directory>/<name>/SKILL.md`) of a project and of the user. Those of the project come first; of
 * several with one name the first is used. The list does not change; texts are read when a skill is loaded.
 */
export async function findSkills(options: FindOptions): Promise<FolderSkills> {
  const { folders, ...untrusted } = await foldersOf(options);
  const directories = folders.flatMap((one) =>
    DIRECTORIES.map(
      (name): SkillLocation => ({
        ...one,
        layer: one.beneath === undefined ? "user" : "project",
        folder: join(one.folder, name),
        // The others are not among what trust looks at.
        covers: name.startsWith(".toolkeep/") ? one.covers : undefined,
      }),
    ),
  );
  const found = new Map<string, FoundSkill>();
  const errors: SkillDiagnostic[] = [];
  for (const location of directories) {
    const here = await skillsIn(location);
    errors.push(...here.errors);
    for (const skill of here.skills) {
      const first = found.get(skill.name);
      if (first === undefined) found.set(skill.name, skill);
      // The same folder by two paths, as links between directories make it, is one skill.
      else if (first.folder !== skill.folder) errors.push(hidden(skill, first));
    }
  }
  return Object.freeze<FolderSkills>({
    ...portOver(found),
    errors,
    folders: [...found.values()].map(({ folder }) => folder),
    ...untrusted,
  });
}

function portOver(found: ReadonlyMap<string, FoundSkill>): Skills {
  const entries: readonly SkillEntry[] = Object.freeze(
    [...found.values()].map(({ name, description }) => Object.freeze({ name, description })),
  );
  return {
    index: () => entries,
    async load(name) {
      const known = found.get(name);
      if (known === undefined) return undefined;
      const now = await openSkill(join(known.folder, "SKILL.md"), known.location);
      if (now?.skill === undefined) return undefined;
      return `${now.skill.body}${await listedFiles(known.folder)}`;
    },
  };
}

function hidden({ name, location, folder }: FoundSkill, first: FoundSkill): SkillDiagnostic {
  const message = `The name ${JSON.stringify(name)} is taken by ${first.folder}.`;
  return { code: "skill_not_loaded", layer: location.layer, file: folder, message };
}

/** A directory of skills, and who may have written it. */
interface SkillLocation extends OwnedFolder {
  readonly layer: "project" | "user";
}

/** Why a skill is not there, or what is wrong with one that is. */
interface SkillDiagnostic extends Diagnostic {
  readonly code: "skill_not_loaded" | "invalid_skill";
  readonly layer: SkillLocation["layer"];
  /** The file or folder it is about. */
  readonly file: string;
}

interface FoundSkill extends NonNullable<ReadSkill["skill"]> {
  readonly location: SkillLocation;
  /** The canonical folder of its `SKILL.md`. */
  readonly folder: string;
}

const MOST_SKILLS = 200;
const MOST_BYTES = 512_000;

/** The skills in one directory, in the order of their folders. A missing directory is empty. */
async function skillsIn(location: SkillLocation) {
  const error = (file: string, message: string): SkillDiagnostic => ({
    ...{ code: "skill_not_loaded", layer: location.layer, file, message },
  });
  const { names, error: refused } = await namesInFolder(location, {
    is: /^[^.]/,
    most: MOST_SKILLS,
    areFolders: true,
  });
  const skills: FoundSkill[] = [];
  const errors: SkillDiagnostic[] = refused === undefined ? [] : [error(location.folder, refused)];
  for (const name of names) {
    const path = join(location.folder, name, "SKILL.md");
    const read = await openSkill(path, location);
    if (read === undefined) continue;
    errors.push(...read.errors.map((message) => error(path, message)));
    if (read.skill !== undefined) skills.push(read.skill);
  }
  return { skills, errors };
}

/** Reads one `SKILL.md`, which may have changed since; `undefined` if there is none. */
async function openSkill(
  path: string,
  location: SkillLocation,
): Promise<{ readonly skill?: FoundSkill; readonly errors: readonly string[] } | undefined> {
  const folder = await realpath(join(path, "..")).catch(() => undefined);
  if (folder === undefined) return undefined;
  const { error: refused } = await openFolder({ ...location, folder });
  if (refused !== undefined) return { errors: [refused] };
  const { text, error } = await textInFolder(path, location, MOST_BYTES);
  if (error !== undefined) return { errors: [error] };
  if (text === undefined) return undefined;
  // With its parser, which most processes do not need.
  const { readSkill } = await import("./read-skill.ts");
  const { skill, errors } = readSkill(text, join(path, "..").split(/[\\/]/).at(-1) ?? "");
  return skill === undefined ? { errors } : { skill: { ...skill, location, folder }, errors };
}

const MOST_FILES = 100;
const DEEPEST = 3;

/** A paragraph that lists the files of a skill, so that they can be read; empty if there are none. */
async function listedFiles(folder: string): Promise<string> {
  const files: string[] = [];
  await collect(folder, "", files);
  if (files.length === 0) return "";
  const listed = files.slice(0, MOST_FILES).map((path) => `- ${JSON.stringify(path).slice(1, -1)}`);
  if (files.length > MOST_FILES) listed.push("- and more");
  return `\n\nFiles of this skill, in ${folder}:\n${listed.join("\n")}`;
}

/** Links are not followed and not listed. */
async function collect(folder: string, beneath: string, files: string[]): Promise<void> {
  const entries = await readdir(join(folder, beneath), { withFileTypes: true }).catch(() => []);
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    if (files.length > MOST_FILES) return;
    const path = beneath === "" ? entry.name : `${beneath}/${entry.name}`;
    if (entry.name.startsWith(".") || entry.name === "node_modules" || path === "SKILL.md") continue;
    if (entry.isFile()) files.push(path);
    if (entry.isDirectory() && path.split("/").length < DEEPEST) await collect(folder, path, files);
  }
}
