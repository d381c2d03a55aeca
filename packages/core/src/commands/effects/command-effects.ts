import { type Reading, readCommand } from "@toolkeep/catalog";
import { expression, PROGRAM_KINDS, rowsByName, wordsIn } from "@toolkeep/catalog/internal";
import { type Effect, joinCommand } from "../../contract/call/effect.ts";
import { ToolFailure } from "../../contract/call/result.ts";
import type { ParsedCommand, SimpleCommand } from "../../contract/io/resolve-effects.ts";
import { isWithin } from "../../contract/values/path-within.ts";
import { isPublicAddress } from "../../contract/values/public-address.ts";
import { bareName, formsOf, systemName } from "../forms/command-forms.ts";
import { isControl } from "../options/pure-filters.ts";
import { firstPlace, isSamePlace, moves, type Place, placeAfter, placed, waysDown } from "./places.ts";
import { pushEffects } from "./push-effects.ts";
import { readsOf } from "./read-effects.ts";
import { readFiles } from "./read-files.ts";
import { whyUnclear } from "./unclear-writes.ts";

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

/** Between commands: what comes next runs whether or not the one before failed, or moved for itself alone. */
const CONTINUES = /[;\n|&(]/;

/** What the effects of a command depend on besides its args. */
interface Around {
  readonly place: Place;
  readonly isPlain: boolean;
  /** What `~` stands for. */
  readonly home: string | undefined;
}

/**
 * What a command does to files if the way to where it should run failed. Reading counts where it is forbidden. A file
 * that is not known is the same everywhere.
 */
function filesOf(command: SimpleCommand, around: Around): readonly Effect[] {
  return effectsOf(command, around)
    .filter(({ capability, note }) => capability.startsWith("fs.") && note === undefined)
    .map((effect) =>
      around.isPlain && effect.capability !== "fs.read" ? effect : implied(effect.capability, effect.target),
    );
}

function effectsOf(command: SimpleCommand, { place, isPlain, home }: Around): Effect[] {
  const { argv, redirects } = command;
  const known = command.reading ?? readCommand(argv, command);
  const effects = argv.length === 0 ? [] : [runEffect(command, known, isPlain), ...knownEffects(argv)];
  if (isPlain && argv[0] === "cd" && argv[1]?.startsWith("/")) effects.push(inferred("fs.read", argv[1]));
  const files = readFiles(command);
  const { inside, outside } = readsOf(argv, files);
  for (const path of outside) effects.push(inferred("fs.read", placed(path, place)));
  if (typeof place !== "string")
    for (const path of inside) effects.push(implied("fs.read", place.folder + path));
  const { writes = [], inside: inFolder = [], deletes = [], moves: moved = [] } = files ?? {};
  for (const path of new Set(writes))
    if (isLocal(path)) effects.push(inferred("fs.write", placed(path, place)));
  for (const path of inFolder) if (isLocal(path)) effects.push(implied("fs.write", placed(path, place)));
  for (const path of new Set(deletes))
    if (isLocal(path)) effects.push(deleteEffect(placed(folderOfAll(path), place), home));
  for (const path of moved) effects.push(...moveEffects(path, { place, home }, [...writes, ...inFolder]));
  for (const { access, path, note } of redirects) {
    const opened = inferred(access === "write" ? "fs.write" : "fs.read", placed(path, place));
    if (path !== "/dev/null") effects.push(note === undefined ? opened : { ...opened, note });
  }
  return effects.map(isPlain ? byShell : fromValue);
}

/** What leads upwards from a value that the shell fills in is not known. */
function fromValue(effect: Effect): Effect {
  const { capability, target } = effect;
  const isKnown = !capability.startsWith("fs.") || !/[$`].*\/\.\.(?:\/|$)/s.test(target);
  return isKnown ? effect : { ...effect, target: "/**", note: UNKNOWN_PATH };
}

const UNKNOWN_PATH = "Which files it is about is known only when it runs";

/** A line that is not plain may tell its shell to find names that begin with a dot. */
function byShell(effect: Effect): Effect {
  const isWild = effect.capability.startsWith("fs.") && /(?:^|\/)[*?]/.test(effect.target);
  return isWild ? Object.freeze({ ...effect, visible: true as const }) : effect;
}

/** What runs another command, or only reads what it is fed, follows from that command. */
function runEffect(
  { argv, expands = [] }: SimpleCommand,
  known: Reading | undefined,
  isPlain: boolean,
): Effect {
  const isShell = isPlain && isGivenText(isWrapper(argv) ? argv.slice(argv.findIndex(isShellName)) : argv);
  const target = joinCommand(isShell ? argv.slice(0, -1) : argv);
  const isFilter = expands.length === 0 && known?.isFilter === true;
  const follows = isPlain && (isShell || isWrapper(argv) || isControl(target) || isFilter);
  const run = follows ? implied("shell.run", target) : inferred("shell.run", target);
  return isShell ? run : withMeaning(run, known, isPlain);
}

/** What the catalogue says of a command. In a line that is not plain its words may be others when it runs. */
function withMeaning(run: Effect, known: Reading | undefined, isPlain: boolean): Effect {
  if (known === undefined) return run;
  const { program, words, does, feared, hosts } = known;
  // Other machines, and services of this one, may give away secrets.
  const isClear = !does.includes("net.read") || hosts.every(isPublicAddress);
  const isWhole = known.isWhole && isPlain && isClear;
  const atWorst = feared.length === 0 ? {} : { feared };
  const meaning = { program, words, does: does.length === 0 ? LOOKS : does, ...atWorst, isWhole };
  return Object.freeze({ ...run, meaning });
}

const LOOKS: readonly string[] = ["local.read"];

const SHELL = /^(?:ba|z|da|a|k|mk|fi)?sh$/;

/** In a plain line what a shell is given is followed by its commands. */
function isGivenText([name = "", ...args]: readonly string[]): boolean {
  return isShellName(name) && args.some((arg) => /^-[a-z]*c$/.test(arg));
}

function isShellName(name: string): boolean {
  return SHELL.test(systemName(name));
}

/** In a plain line these are followed by what they run, and change nothing but when and for how long. */
function isWrapper([name = "", ...args]: readonly string[]): boolean {
  return args.length > 0 && WRAPPERS.has(systemName(name));
}

const WRAPPERS = wordsIn(PROGRAM_KINDS.transparent);

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
    Object.freeze({ note: MOVES, ...removed, implied: true as const }),
    ...(typeof place === "string" ? [] : trees),
  ];
}

const MOVES = "It moves files away from their place.";
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

function wellKnown(name: string, subcommand: string, rest: readonly string[]): readonly Effect[] {
  if (name === "git" && subcommand === "push") return pushEffects(rest);
  if (name === "git" && (subcommand === "subtree" || subcommand === "lfs") && rest[0] === "push")
    return [inferred("git.push", "*")];
  if (name === "git" && (subcommand === "send-pack" || subcommand === "http-push"))
    return [inferred("git.push", "*")];
  if (name === "git" && subcommand === "commit") return [commitEffect(rest)];
  return isPublish(name, [subcommand, ...rest]) ? [inferred("package.publish", "*")] : [];
}

function commitEffect(rest: readonly string[]): Effect {
  const commit = inferred("git.commit", "*");
  return rest.some(isAmend) ? Object.freeze({ ...commit, forced: true as const }) : commit;
}

/** Git takes any beginning of an option that is clear enough. */
function isAmend(word: string): boolean {
  return word.length > 3 && "--amend".startsWith(word);
}

/** How the arguments of a command begin that publishes. Npm takes any beginning of a word that is clear enough. */
const PUBLISHING = new Map(Object.entries(rowsByName(PROGRAM_KINDS.publishing, expression)));

function isPublish(name: string, words: readonly string[]): boolean {
  const begins = PUBLISHING.get(name.replace(/^python[\d.]*$/, "python"));
  return begins?.test(words.join(" ")) === true;
}
