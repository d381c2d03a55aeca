import { dirname, join, relative, resolve } from "node:path";
import { expression, GIT_COMMANDS, wordsIn } from "@toolkeep/catalog/internal";
import type { Effect } from "@toolkeep/core";
import { isWithin, quotedWord } from "@toolkeep/core/internal";
import { type Budget, entriesOf, kindAt } from "../../../files/entries.ts";
import { gitCall } from "../../../git/git-calls.ts";
import { hooksRun, type Repository, repositoryAt, trackedFiles } from "../../../git/git-repository.ts";
import { ignoreRulesFor, ruleFor, rulesBeneath } from "../../../git/ignore-rules.ts";
import { hasOption, takeArgs } from "../names/take-args.ts";
import { scriptsOfHook } from "../programs/scripts-run.ts";
import { WHOLE_TREE } from "../trees/tree-reads.ts";
import { findsBeneath, isGuarded, oddNames, type TreeLook } from "../trees/walk-tree.ts";

export interface GitLook extends TreeLook {
  readonly home: string;
}

/** What a git command does on this disk beyond what its args say. */
export function gitOnDisk(args: readonly string[], look: GitLook): readonly Effect[] {
  const { folder, stores, subcommand, rest } = gitCall(args, look.folder);
  const repository = repositoryAt(folder, look.roots);
  const effects = stores.map((store) => takesRepository(resolve(folder, store)));
  if (subcommand === "" || repository === undefined) return effects;
  if (!repository.isOwn) return [...effects, takesRepository(repository.top)];
  const tracked = trackedFiles(join(repository.store, "index"));
  const command: GitCommand = { subcommand, rest, folder, repository };
  return [
    ...effects,
    ...(tracked === undefined
      ? [takesRepository(repository.store)]
      : [...entered(command, tracked.repositories, look), ...shown(command, tracked.files, look)]),
    ...added(command, look),
    ...hooksRun(subcommand, repository, look).map((path) => runsHook(path, look)),
  ];
}

interface GitCommand {
  readonly subcommand: string;
  readonly rest: readonly string[];
  readonly folder: string;
  readonly repository: Repository;
}

const NOTE =
  "Git runs what the configuration of a repository names, and this one may have come with the files. " +
  "`git config --global safe.bareRepository explicit` keeps git from taking plain folders for repositories.";

function takesRepository(target: string): Effect {
  return { capability: "git.read", target, known: "inferred", note: NOTE };
}

/** A program that git starts is a command of its own, as that of any wrapper. */
function runsHook(path: string, { roots }: GitLook): Effect {
  const root = roots.find((one) => isWithin(path, one));
  const note = "A hook of the project: it runs the project's own code.";
  const scripts = scriptsOfHook(path, roots);
  return {
    capability: "shell.run",
    target: quoted(root === undefined ? path : relative(root, path)),
    known: "inferred",
    ...(scripts === undefined ? {} : { scripts }),
    note,
  };
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quotedWord(word);
}

/** Commands that start git in each repository that the index names as a part of this one. */
const ENTERING = wordsIn(GIT_COMMANDS.entering);

function entered(
  { subcommand, rest, repository: { top } }: GitCommand,
  repositories: readonly string[],
  { roots }: GitLook,
): readonly Effect[] {
  if (!ENTERING.has(subcommand) || rest.includes("--ignore-submodules=all")) return [];
  return repositories
    .map((path) => join(top, path))
    .filter((path) => kindAt(join(path, ".git")) !== undefined && repositoryAt(path, roots)?.isOwn !== true)
    .map(takesRepository);
}

/** What is added that is a repository itself becomes a part of this one, which later commands enter. */
function added({ subcommand, rest, folder }: GitCommand, look: GitLook): readonly Effect[] {
  if (subcommand !== "add") return [];
  const { operands, ...taken } = takeArgs(rest, { letters: "", names: "chmod pathspec-from-file" });
  const isAll = hasOption({ operands, ...taken }, "A", "all") && operands.length === 0;
  const paths = isAll ? [look.roots.find((root) => isWithin(folder, root)) ?? folder] : operands;
  return paths.flatMap((path) => repositoriesBeneath(resolve(folder, path), look)).map(takesRepository);
}

function repositoriesBeneath(top: string, { roots, budget }: { roots: readonly string[]; budget: Budget }) {
  const found: string[] = [];
  const open = kindAt(top) === "folder" ? [{ folder: top, above: ignoreRulesFor(dirname(top)) }] : [];
  for (const { folder, above } of open) {
    const entries = entriesOf(folder, budget);
    if (entries.some(({ name }) => name === ".git") && !roots.includes(folder)) {
      if (repositoryAt(folder, roots)?.isOwn !== true) found.push(folder);
      continue;
    }
    const has = (name: string) => entries.some((entry) => entry.name === name);
    const rules = { ...rulesBeneath(folder, above, has), own: [] };
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && entry.name !== ".git" && ruleFor(path, true, rules) !== "ignored")
        open.push({ folder: path, above: rules });
    }
  }
  return found;
}

const NAMES_ONLY = expression(GIT_COMMANDS.namesOnly);
const SHOWS_PATCHES = expression(GIT_COMMANDS.showsPatches);
const MAY_SHOW_PATCHES = expression(GIT_COMMANDS.mayShowPatches);
const PATCH = expression(GIT_COMMANDS.patch);

/**
 * Files that the rules protect and whose contents are shown because they are tracked. A search is treated like one of
 * the tree, with the names of secrets; what was changed and is shown is the repository's own, unless a rule says
 * otherwise.
 */
function shown(command: GitCommand, files: readonly string[], look: GitLook): readonly Effect[] {
  const { subcommand, rest, repository, folder } = command;
  const isSearch = subcommand === "grep";
  const showsPatches =
    (SHOWS_PATCHES.test(subcommand) && !rest.some((arg) => NAMES_ONLY.test(arg))) ||
    (MAY_SHOW_PATCHES.test(subcommand) && rest.some((arg) => PATCH.test(arg)));
  const names = /^(?:blame|annotate|cat-file)$/.test(subcommand)
    ? rest.map((arg) => arg.replace(/^[^:]*:/, ""))
    : [];
  if (!isSearch && !showsPatches && names.length === 0) return [];
  const from = relative(repository.top, folder);
  const isMeant = pathspecs(rest, from, isSearch);
  const untracked =
    isSearch && rest.some((arg) => /^--(?:untracked|no-index)$/.test(arg)) ? untrackedIn(command, look) : [];
  const meant = [...files, ...untracked]
    .filter((file) =>
      names.length === 0 ? isMeant(file) : names.some((name) => join(from, name) === file || name === file),
    )
    .map((file) => join(repository.top, file));
  const guarded = meant.filter((path) => (isSearch ? isGuarded(path, look) : look.isProtected(path)));
  const reads = guarded.slice(0, MOST_SHOWN).map((target): Effect => {
    return { capability: "fs.read", target, known: "inferred", implied: true };
  });
  return [...reads, ...oddNames(meant, look)];
}

/** Files that are searched although nothing tracks them; what is ignored surely is not. */
function untrackedIn({ rest, repository: { top }, folder }: GitCommand, look: GitLook): readonly string[] {
  const skipsIgnored = !rest.some((arg) => /^--no-(?:index|exclude-standard)$/.test(arg));
  return findsBeneath(folder, { ...WHOLE_TREE, folders: ["."], skipsIgnored, isGit: true }, look).files.map(
    (path) => relative(top, path),
  );
}

const MOST_SHOWN = 24;
const EXCLUDED = /^:(?:!|\^|\(exclude\))(?:\.\/)?([\w.@+/-]+)$/;
const PLAIN_PLACE = /^[\w.@+/-]+$/;

/** Whether a file is meant by the paths after `--`; without such, and in doubt, it is. */
function pathspecs(rest: readonly string[], from: string, isSearch: boolean): (file: string) => boolean {
  const end = rest.indexOf("--");
  const after = end === -1 ? [] : rest.slice(end + 1);
  const excluded = after.flatMap((one) => EXCLUDED.exec(one)?.[1] ?? []).map((path) => join(from, path));
  const chosen = after.filter((one) => !one.startsWith(":"));
  const isClear = chosen.length > 0 && chosen.every((one) => PLAIN_PLACE.test(one) && !one.includes(".."));
  const paths = isClear
    ? chosen.map((path) => join(from, path))
    : isSearch
      ? [from === "" ? "." : from]
      : ["."];
  return (file) =>
    paths.some((path) => path === "." || isWithin(file, path.replace(/\/$/, ""))) &&
    !excluded.some((path) => isWithin(file, path));
}
