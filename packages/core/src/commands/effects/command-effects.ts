import { type Effect, joinCommand } from "../../contract/call/effect.ts";
import { ToolFailure } from "../../contract/call/result.ts";
import type { ParsedCommand, SimpleCommand } from "../../contract/io/resolve-effects.ts";
import { isWithin } from "../../contract/values/path-within.ts";
import { bareName, formsOf } from "../forms/command-forms.ts";
import { isControl, isPureFilter } from "../options/pure-filters.ts";
import { pushEffects } from "./push-effects.ts";
import { readsOf } from "./read-effects.ts";
import { whyUnclear } from "./unclear-writes.ts";
import { writesOf } from "./write-effects.ts";

const LONGEST_TARGET = 8_000;
const MOST_COMMANDS = 64;
const MOST_EFFECTS = 256;

/**
 * What a command line is about to do, as far as its words say: each command, what is redirected, and what
 * follows from commands that are well known. A line that is not plain is `shell.dynamic` besides, which no
 * rule on `shell.run` covers.
 */
export function commandEffects(parsed: ParsedCommand, line: string): readonly Effect[] {
  const commands = parsed.commands ?? [];
  if (commands.length > MOST_COMMANDS)
    throw new ToolFailure("effects_failed", `there are more than ${MOST_COMMANDS} commands in one line`);
  const effects = effectsInOrder(parsed, commands, line);
  const reason = parsed.plain ? whyUnclear(commands) : parsed.reason;
  if (reason !== undefined) effects.push({ ...inferred("shell.dynamic", line), note: reason });
  else if (effects.length === 0) effects.push(inferred("shell.dynamic", line));
  if (effects.length > MOST_EFFECTS)
    throw new ToolFailure("effects_failed", `one line does more than ${MOST_EFFECTS} things`);
  for (const { target } of effects)
    if (target.length > LONGEST_TARGET)
      throw new ToolFailure("effects_failed", `a command is longer than ${LONGEST_TARGET} characters`);
  return effects;
}

/** Where relative paths lead depends on where the commands before went, and on whether they got there. */
function effectsInOrder(
  { plain, home }: ParsedCommand,
  commands: readonly SimpleCommand[],
  line: string,
): Effect[] {
  const effects: Effect[] = [];
  const ways = plain ? undefined : waysDown(commands);
  const continuesAfterFailure = ways !== undefined || CONTINUES.test(line.replaceAll("&&", ""));
  let place = firstPlace(commands, plain || ways !== undefined);
  const before: Place[] = [...(ways ?? [])];
  for (const command of commands) {
    const { folder } = command;
    const here = folder === undefined ? place : { folder: folder === "" ? "" : `${folder}/` };
    // A subshell came to its end, and with it the way that it went.
    if (!isSamePlace(place, here)) effects.push(implied("shell.run", "cd -"));
    effects.push(...effectsOf(command, { place: here, isPlain: plain, home }));
    if (continuesAfterFailure)
      for (const earlier of before.filter((one) => !isSamePlace(one, here)))
        effects.push(...filesOf(command, { place: earlier, isPlain: plain, home }));
    if (moves(command) && !before.some((one) => isSamePlace(one, here))) before.push(here);
    if (ways === undefined) place = placeAfter(command, here);
  }
  return effects;
}

function isSamePlace(one: Place, other: Place): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Between commands: what comes next runs whether or not the one before failed, or moved for itself alone. */
const CONTINUES = /[;\n|&(]/;

/** What the effects of a command depend on besides its args. */
interface Around {
  readonly place: Place;
  readonly isPlain: boolean;
  /** What `~` stands for. */
  readonly home: string | undefined;
}

/** What a command does to files if the way to where it should run failed. Reading counts where it is forbidden. */
function filesOf(command: SimpleCommand, around: Around): readonly Effect[] {
  return effectsOf(command, around)
    .filter(({ capability }) => capability.startsWith("fs."))
    .map((effect) =>
      around.isPlain && effect.capability !== "fs.read" ? effect : implied(effect.capability, effect.target),
    );
}

function effectsOf(command: SimpleCommand, { place, isPlain, home }: Around): Effect[] {
  const { argv, redirects } = command;
  const effects = argv.length === 0 ? [] : [runEffect(command, isPlain), ...knownEffects(argv)];
  if (isPlain && argv[0] === "cd" && argv[1]?.startsWith("/")) effects.push(inferred("fs.read", argv[1]));
  const { inside, outside } = readsOf(argv);
  for (const path of outside) effects.push(inferred("fs.read", placed(path, place)));
  if (typeof place !== "string")
    for (const path of inside) effects.push(implied("fs.read", place.folder + path));
  const { written, inFolder, deleted, moved } = writesOf(argv);
  for (const path of written) if (isLocal(path)) effects.push(inferred("fs.write", placed(path, place)));
  for (const path of inFolder) if (isLocal(path)) effects.push(implied("fs.write", placed(path, place)));
  for (const path of deleted)
    if (isLocal(path)) effects.push(deleteEffect(placed(folderOfAll(path), place), home));
  for (const path of moved) effects.push(...moveEffects(path, { place, home }, [...written, ...inFolder]));
  for (const { access, path } of redirects)
    if (path !== "/dev/null")
      effects.push(inferred(access === "write" ? "fs.write" : "fs.read", placed(path, place)));
  return isPlain ? effects.map(byShell) : effects;
}

/** A line that is not plain may tell its shell to find names that begin with a dot. */
function byShell(effect: Effect): Effect {
  const isWild = effect.capability.startsWith("fs.") && /(?:^|\/)[*?]/.test(effect.target);
  return isWild ? Object.freeze({ ...effect, visible: true as const }) : effect;
}

/** What runs another command, or only reads what it is fed, follows from that command. */
function runEffect({ argv, expands = [] }: SimpleCommand, isPlain: boolean): Effect {
  const isShell = isPlain && isGivenText(isWrapper(argv) ? argv.slice(argv.findIndex(isShellName)) : argv);
  const target = joinCommand(isShell ? argv.slice(0, -1) : argv);
  const isFilter = expands.length === 0 && isPureFilter(argv);
  const follows = isPlain && (isShell || isWrapper(argv) || isControl(target) || isFilter);
  return follows ? implied("shell.run", target) : inferred("shell.run", target);
}

const SYSTEM_FOLDER = /^\/(?:usr\/)?bin\//;
const SHELL = /^(?:ba|z|da|a|k|mk|fi)?sh$/;

/** In a plain line what a shell is given is followed by its commands. */
function isGivenText([name = "", ...args]: readonly string[]): boolean {
  return isShellName(name) && args.some((arg) => /^-[a-z]*c$/.test(arg));
}

function isShellName(name: string): boolean {
  return SHELL.test(name.replace(SYSTEM_FOLDER, ""));
}

/** In a plain line these are followed by what they run, and change nothing but when and for how long. */
function isWrapper([name = "", ...args]: readonly string[]): boolean {
  return args.length > 0 && WRAPPERS.has(name.replace(SYSTEM_FOLDER, ""));
}

const WRAPPERS: ReadonlySet<string> = new Set("timeout nice xargs env nohup command stdbuf".split(" "));

/**
 * What is moved is written where it was and where it goes, and nothing is lost. So a rule that asks about deleting in
 * general does not apply, and one that forbids it, or names the file, does. A folder brings what is in it.
 */
function moveEffects(
  path: string,
  { place, home }: Pick<Around, "place" | "home">,
  targets: readonly string[],
): readonly Effect[] {
  if (!isLocal(path)) return [];
  const source = placed(path, place);
  const removed = deleteEffect(source, home);
  const trees = targets
    .filter((target) => isLocal(target) && !WILD.test(`${path}${target}`))
    .map((target) => ({
      ...implied("fs.write", `${placed(target, place).replace(/(?<!\/)\/+$/, "")}/**`),
      entriesOf: source,
    }));
  return [
    inferred("fs.write", source),
    Object.freeze({ ...removed, implied: true as const }),
    ...(typeof place === "string" ? [] : trees),
  ];
}

const WILD = /[*?[{]/;

/** All that is in a folder is the folder: a shell's `*` does not mean what begins with a dot. */
function folderOfAll(path: string): string {
  return /^\*+$/.test(path) ? "." : path.replace(/(?<!\/)\/+\*+$/, "") || "/";
}

/** Deleting the home folder, or a folder above it, deletes everything of a user. */
function deleteEffect(target: string, home: string | undefined): Effect {
  const effect = inferred("fs.delete", target);
  const isHome = home !== undefined && home !== "/" && isWithin(home, target.replace(/(?<=[^/])\/+$/, ""));
  return isHome ? Object.freeze({ ...effect, forced: true as const }) : effect;
}

/** Of what is copied: a remote path is no file here, and nothing is written into nothing. */
function isLocal(path: string): boolean {
  return path !== "" && path !== "-" && path !== "/dev/null" && !/^[\w.@-]+:/.test(path);
}

/** It follows from the command: a rule can forbid it, and none has to allow it. */
function implied(capability: string, target: string): Effect {
  return Object.freeze({ capability, target, known: "inferred" as const, implied: true as const });
}

function inferred(capability: string, target: string): Effect {
  return Object.freeze({ capability, target, known: "inferred" as const });
}

/** The first form that is known counts, so that `git -C x push` is a push. */
function knownEffects(argv: readonly string[]): readonly Effect[] {
  // Under another name it may be any command of git.
  if (bareName(argv[0] ?? "") === "git" && argv.some((word) => /^(?:-c)?alias\./.test(word)))
    return [inferred("git.push", "*")];
  for (const [name = "", subcommand = "", ...rest] of formsOf(argv)) {
    const effects = wellKnown(name, subcommand, rest);
    if (effects.length > 0) return effects;
  }
  return [];
}

const PUBLISHERS: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "bun", "cargo", "poetry"]);

function wellKnown(name: string, subcommand: string, rest: readonly string[]): readonly Effect[] {
  if (name === "git" && subcommand === "push") return pushEffects(rest);
  if (name === "git" && (subcommand === "subtree" || subcommand === "lfs") && rest[0] === "push")
    return [inferred("git.push", "*")];
  if (name === "git" && (subcommand === "send-pack" || subcommand === "http-push"))
    return [inferred("git.push", "*")];
  if (name === "git" && subcommand === "commit") return [commitEffect(rest)];
  return isPublish(name, subcommand, rest) ? [inferred("package.publish", "*")] : [];
}

function commitEffect(rest: readonly string[]): Effect {
  const commit = inferred("git.commit", "*");
  return rest.some(isAmend) ? Object.freeze({ ...commit, forced: true as const }) : commit;
}

/** Git takes any beginning of an option that is clear enough. */
function isAmend(word: string): boolean {
  return word.length > 3 && "--amend".startsWith(word);
}

/** Npm takes any beginning of a command that is clear enough. */
function isPublish(name: string, subcommand: string, rest: readonly string[]): boolean {
  if (name === "twine") return subcommand === "upload";
  if (/^python[\d.]*$/.test(name)) return /^-m twine upload\b/.test([subcommand, ...rest].join(" "));
  if (name === "gem") return subcommand === "push";
  if (!PUBLISHERS.has(name)) return false;
  if (name === "npm") return subcommand.length > 1 && "publish".startsWith(subcommand);
  return subcommand === "publish" || (subcommand === "npm" && rest[0] === "publish");
}

/** The folder that relative paths begin in: one that is known, one beneath where the line began, or any. */
type Place = { readonly folder: string } | "beneath" | "anywhere";

/** In a line that is not plain a command that moves may fail, or be somewhere on its own. */
function firstPlace(commands: readonly SimpleCommand[], isPlain: boolean): Place {
  const moving = commands.filter(moves);
  if (isPlain || moving.length === 0) return { folder: "" };
  return moving.every(goesDown) ? "beneath" : "anywhere";
}

const MOST_WAYS = 3;

/** The folders that a line which only goes down may come to, whichever of its ways it takes; `undefined` for others. */
function waysDown(commands: readonly SimpleCommand[]): readonly Place[] | undefined {
  const moving = commands.filter(moves);
  if (moving.length > MOST_WAYS || !moving.every(goesDown)) return undefined;
  if (moving.some(({ argv }) => !/^[\w@+,./-]+$/.test(argv[1] ?? ""))) return undefined;
  const folders = [""];
  for (const { argv } of moving)
    folders.push(...folders.map((folder) => `${folder}${argv[1]?.replace(/\/+$/, "")}/`));
  return folders.map((folder) => ({ folder }));
}

/** To go where it already is changes nothing. */
function moves({ argv: [name = "", to = "", ...more] }: SimpleCommand): boolean {
  if (name === "cd" && more.length === 0 && /^\.\/*$/.test(to)) return false;
  return name === "cd" || name === "pushd" || name === "popd";
}

function goesDown({ argv: [name = "", to, ...more] }: SimpleCommand): boolean {
  return name === "cd" && to !== undefined && more.length === 0 && isFolderBelow(to);
}

/** Where the next command runs if this one succeeds. */
function placeAfter(command: SimpleCommand, place: Place): Place {
  const { argv } = command;
  const [name, to = "", ...more] = argv;
  if (!moves(command)) return place;
  if (name !== "cd" || more.length > 0) return "anywhere";
  if (ABSOLUTE_FOLDER.test(to))
    return typeof place === "string" ? "anywhere" : { folder: `${to.replace(/(?<!\/)\/+$/, "")}/` };
  if (typeof place === "string") return goesDown(command) ? place : "anywhere";
  if (goesDown(command) || (UPWARDS.test(to) && ONLY_UP.test(place.folder)))
    return { folder: `${place.folder}${to.replace(/(?<!\/)\/+$/, "")}/` };
  return "anywhere";
}

const ABSOLUTE_FOLDER = /^\/(?!.*(?:^|\/)\.\.(?:\/|$))[^*?[{]*$/;
/** First up, then down. After a way down, up leads elsewhere than the words where there are links. */
const UPWARDS = /^(?:\.\.\/)*\.\.(?:\/+(?!(?:.*\/)?\.\.(?:\/|$))[^*?[{]*)?$/;
const ONLY_UP = /^(?:\.\.\/)*$/;

/** A file that cannot be determined may be any file. */
function placed(path: string, place: Place): string {
  if (path.startsWith("/")) return path;
  if (typeof place !== "string") return place.folder + path;
  return place === "beneath" && !/(?:^|\/)\.\.(?:\/|$)/.test(path) ? "**" : "/**";
}

/** Whether a path names a folder below: no way up, no other root, nothing that a shell would expand. */
function isFolderBelow(path: string): boolean {
  return /^(?![/~-])(?!(?:.*\/)?\.\.(?:\/|$))[^*?[{]+$/.test(path);
}
