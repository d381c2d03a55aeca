import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { unlessThrown } from "@toolkeep/core/internal";
import { isPlainRepository } from "../../../git/plain-repository.ts";
import { isRecord, recordErrors } from "../../scan/git-records.ts";
import { TEXT } from "../../scan/record-shapes.ts";
import type { Change } from "./change-set.ts";
import { type IsPacked, packedObjects } from "./packed-objects.ts";
import { statsAt } from "./stamp.ts";

/** A path in the folder of a repository: that folder, and the rest. `undefined` for every other path. */
export function inRepository(path: string): { readonly store: string; readonly rest: string } | undefined {
  const found = /^((?:.*\/)?\.git)(?:\/(.*))?$/is.exec(path);
  return found === null ? undefined : { store: found[1] ?? "", rest: found[2] ?? "" };
}

interface Trees {
  readonly upper: string;
  readonly below: string;
  /** What new packs have, by the folder of their repository. */
  readonly packed: Map<string, IsPacked>;
}

/**
 * Why a change in the folder of a repository is held: it decides what git runs, or what it takes for the past, or takes
 * away what git has recorded. What git records of the work itself is not.
 */
export function gitObjection(path: string, { does, was }: Change, trees: Trees): string | undefined {
  const { store, rest } = inRepository(path) ?? { store: "", rest: path };
  if (statsAt(join(trees.upper, path))?.isSymbolicLink() === true) return "a link, which leads git elsewhere";
  const strange = strangeIn(join(trees.upper, path), rest);
  if (strange.length > 0) {
    const known = new Set(strangeIn(join(trees.below, path), rest));
    if (!strange.every((one) => known.has(one))) return "is not as git would write it";
  }
  if (statsAt(join(trees.below, store)) === undefined)
    return isPlainRepository(join(trees.upper, store)) ? undefined : "a repository that names programs";
  if (rest === "") return "the folder of the repository itself";
  if (rest === "config") return settingsObjection(path, trees);
  if (!RECORDS.test(rest) || DECIDING.test(rest)) return "decides what git runs or believes";
  if (OBJECT.test(rest) ? was === undefined || does === "touch" : does !== "remove" || TAKEN_AWAY.test(rest))
    return undefined;
  const isPacked = does === "remove" && OBJECT.test(rest) && packedIn(store, trees)(rest);
  return isPacked ? undefined : "takes away what git has recorded";
}

function packedIn(store: string, { upper, below, packed }: Trees): IsPacked {
  const known = packed.get(store) ?? packedObjects({ upper: join(upper, store), below: join(below, store) });
  packed.set(store, known);
  return known;
}

const OBJECT = /^objects\/(?:[0-9a-f]{2}(?:\/|$)|pack\/.*\.(?:pack|idx)$)/;
/** What git itself takes away: what is over, and names that a user can give again. */
const TAKEN_AWAY =
  /^(?:[A-Z]+_[A-Z_]+|AUTO_MERGE|gc\.(?:log|pid)|shallow|objects\/(?:info|pack)\/.*|(?:rebase-merge|rebase-apply|sequencer|rr-cache)(?:\/.*)?|(?:logs\/)?refs\/(?:stash|(?:bisect|rewritten)(?:\/.*)?|(?:heads|tags|remotes|notes)\/.+))$/;

const UNFINISHED = /^(?:rebase-merge|rebase-apply|sequencer)\/[^/]+$/;

/** What a file of git has in it that makes git run, read or believe something else, or that is not all of it. */
function strangeIn(path: string, rest: string): readonly string[] {
  const name = basename(rest).toLowerCase();
  const isRead = UNFINISHED.test(rest) ? !TEXT.test(name) : isRecord(rest.toLowerCase());
  const isName = NAME.test(rest);
  if ((!isRead && !isName && rest !== "packed-refs") || statsAt(path)?.isFile() !== true) return [];
  const bytes = readFileSync(path);
  const text = bytes.toString("latin1");
  if (isName) return LEADS.test(text) ? [] : [text];
  if (bytes.length === 0 && /^(?:index|packed-refs)$/.test(rest)) return ["nothing"];
  return isRead ? recordErrors(path, bytes) : (text.match(/^.* refs\/replace\/.*$/gm) ?? []);
}

/** Of a commit. */
const NAME = /^(?:HEAD|refs\/.+)$/;
const LEADS = /^(?:ref: refs\/\S+|[0-9a-f]{40}(?:[0-9a-f]{24})?)\n?$/;

/** What git writes while it works, and nothing that it runs. */
const RECORDS =
  /^(?:objects(?:\/[0-9a-f]{2}(?:\/[0-9a-f]{38,62})?|\/pack(?:\/[\w.-]+)?|\/info(?:\/(?:packs|commit-graphs?(?:\/[\w.-]+)?))?)?|refs(?:\/(?:heads|tags|remotes|stash|notes|bisect|rewritten)(?:\/.*)?)?|logs(?:\/.*)?|index|HEAD|packed-refs|shallow|branches|[A-Z]+_(?:HEAD|MSG|EDITMSG|MODE|RR|LOG|START|NAMES|TERMS|EXPECTED_REV|ANCESTORS_OK|RUN|AUTOSTASH)|AUTO_MERGE|gc\.log|gc\.pid|description|(?:rebase-merge|rebase-apply|sequencer|rr-cache)(?:\/.*)?|info(?:\/refs)?)$/;
const DECIDING = /^(?:refs\/replace|info\/(?!refs$))/;

/** What `git switch` and `git push -u` write about branches; anything else may name a program or another place. */
const OF_BRANCHES =
  /^\[branch "[^"\\\n]*"\]\n(?:\t(?:remote = (?:\.|[\w-][\w.-]*)|(?:merge|rebase) = [^\\\n]*))?$/;

function settingsObjection(
  path: string,
  { upper, below }: Pick<Trees, "upper" | "below">,
): string | undefined {
  const textIn = (folder: string) => unlessThrown(() => readFileSync(join(folder, path), "utf8"));
  const [fresh, old] = [textIn(upper), textIn(below)];
  if (fresh === undefined) return "removes the settings of git";
  const [now, before] = [new Set(linesOf(fresh)), new Set(linesOf(old ?? ""))];
  const others = [...now.symmetricDifference(before)].filter((line) => !OF_BRANCHES.test(line));
  return others.length === 0 ? undefined : `settings of git: ${others.map((line) => line.trim()).join(", ")}`;
}

/** Each line with the section it is in. */
function linesOf(text: string): readonly string[] {
  let section = "";
  return text.split("\n").flatMap((line) => {
    if (line === "") return [];
    if (!line.startsWith("[")) return [`${section}\n${line}`];
    section = line;
    return [`${section}\n`];
  });
}
