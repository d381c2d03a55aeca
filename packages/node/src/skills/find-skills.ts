import { homedir } from "node:os";
import { join } from "node:path";
import type { SkillEntry, Skills } from "@toolkeep/core/ports";
import type { ProjectTrust } from "../trust/project-trust.ts";
import { listedFiles } from "./listed-files.ts";
import {
  type FoundSkill,
  openSkill,
  type SkillDiagnostic,
  type SkillLocation,
  skillsIn,
} from "./skill-location.ts";

export interface FindSkillsOptions {
  /** The project whose skills are wanted. They are looked for once it is trusted, and not before. */
  readonly project?: string;
  /** Decides about the project. */
  readonly trust: Pick<ProjectTrust, "of">;
  /** The user's own folder, where it is not the home folder; none of the user's skills with `false`. */
  readonly user?: string | false;
  /** Users beside us and root whose files count. */
  readonly owners?: readonly number[];
}

/** Skills from the places where agents look for them. */
export interface FolderSkills extends Skills {
  /** What is wrong with skills that were found, and why others are not there. */
  readonly errors: readonly SkillDiagnostic[];
  /** Why nothing of the project is there, if one was given. */
  readonly untrusted?: string;
  /** The canonical folders of the skills: to be readable, those outside the workspace must be `adHoc`. */
  readonly folders: readonly string[];
}

/** The strongest first. */
const PLACES = [".toolkeep/skills", ".agents/skills", ".claude/skills"] as const;

/**
 * Finds skills (`<place>/<name>/SKILL.md`) of a project and of the user. Those of the project come first; of
 * several with one name the first stays. The list does not change; texts are read when they are wanted.
 */
export async function findSkills(options: FindSkillsOptions): Promise<FolderSkills> {
  const { trust, project, owners = [], user = homedir() } = options;
  const verdict = project === undefined ? undefined : await trust.of(project);
  const directories: SkillLocation[] = [];
  if (verdict?.isTrusted === true)
    for (const name of PLACES)
      directories.push({
        layer: "project",
        folder: join(verdict.project, name),
        beneath: verdict.project,
        owners,
        // The others are not among what trust looks at.
        covers: name.startsWith(".toolkeep/") ? verdict.covers : undefined,
      });
  if (user !== false)
    for (const name of PLACES) directories.push({ layer: "user", folder: join(user, name), owners });

  const found = new Map<string, FoundSkill>();
  const errors: SkillDiagnostic[] = [];
  for (const place of directories) {
    const here = await skillsIn(place);
    errors.push(...here.errors);
    for (const skill of here.skills) {
      const first = found.get(skill.name);
      if (first === undefined) found.set(skill.name, skill);
      // The same folder by two ways, as links between places make it, is one skill.
      else if (first.folder !== skill.folder) errors.push(hidden(skill, first));
    }
  }
  return Object.freeze<FolderSkills>({
    ...portOver(found),
    errors,
    folders: [...found.values()].map(({ folder }) => folder),
    ...(verdict?.isTrusted === false ? { untrusted: verdict.reason } : {}),
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
      const now = await openSkill(join(known.folder, "SKILL.md"), known.place);
      if (now?.skill === undefined) return undefined;
      return `${now.skill.body}${await listedFiles(known.folder)}`;
    },
  };
}

function hidden({ name, place, folder }: FoundSkill, first: FoundSkill): SkillDiagnostic {
  const message = `The name ${JSON.stringify(name)} is taken by ${first.folder}.`;
  return { layer: place.layer, path: folder, message };
}
