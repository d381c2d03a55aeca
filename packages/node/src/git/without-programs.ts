import { join, resolve } from "node:path";
import { GIT_SWITCHES } from "@toolkeep/catalog/internal";
import { ToolFailure } from "@toolkeep/core";
import { quotedWord } from "@toolkeep/core/internal";
import type { GitPurpose } from "@toolkeep/core/ports";
import { kindAt, textAt } from "../files/entries.ts";
import { repositoryAt } from "./git-repository.ts";

/**
 * The environment in which git starts no program that the repository of a folder names. What the environment sets
 * comes before what the repository sets.
 * @throws ToolFailure `unavailable` for a repository whose settings cannot be read as a whole.
 */
export function gitWithoutPrograms(folder: string, purpose: GitPurpose): Readonly<Record<string, string>> {
  const filters = filtersOf(folder).flatMap((name) =>
    [...GIT_SWITCHES.filter, `required=${purpose === "writing"}`].map((setting) => {
      const [key = "", value = ""] = setting.split("=");
      // A name may have any sign in it.
      return `${quotedWord(`filter.${name}.${key}`)}=${quotedWord(value)}`;
    }),
  );
  const isOnline = purpose === "sending" || purpose === "making";
  const settings = [...GIT_SWITCHES.always, ...(isOnline ? [] : GIT_SWITCHES.offline)];
  return { GIT_CONFIG_PARAMETERS: [...settings.map(quotedWord), ...filters].join(" ") };
}

/** Git takes several sections on one line. */
const FILTER = /\[\s*filter(?:\s+"((?:[^"\\\n]|\\.)*)"|\.([^\]\s"]+))\s*\]/gi;
const INCLUDE = /\[\s*include(?:if)?\b/i;
/** What stands for bytes that are no text, or would end a word of the environment. */
const UNREADABLE = /[\uFFFD\0]/;

/** The names of the filters that a repository sets up. */
function filtersOf(folder: string): readonly string[] {
  const repository = repositoryAt(folder, []);
  if (repository === undefined) return [];
  const { store } = repository;
  const common = textAt(join(store, "commondir"));
  const shared = common === undefined ? store : resolve(store, common.trim());
  const names = [join(shared, "config"), join(store, "config.worktree")].flatMap((file) => {
    if (kindAt(file) === undefined) return [];
    const text = textAt(file);
    if (text === undefined) throw unreadable(file, "cannot be read");
    if (INCLUDE.test(text)) throw unreadable(file, "includes other files");
    return [...text.matchAll(FILTER)].map(([, quoted, dotted]) =>
      quoted === undefined ? (dotted ?? "").toLowerCase() : quoted.replaceAll(/\\(.)/g, "$1"),
    );
  });
  if (names.some((name) => UNREADABLE.test(name))) throw unreadable(store, "names filters that are no text");
  return [...new Set(names)];
}

function unreadable(path: string, why: string): ToolFailure {
  return new ToolFailure(
    "unavailable",
    `${JSON.stringify(path)} ${why}, so it is not known which programs git would start.`,
    { hint: "Use `bash`, where the policy decides about the command." },
  );
}
