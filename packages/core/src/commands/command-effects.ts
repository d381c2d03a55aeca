import { type Effect, joinCommand } from "../contract/effect.ts";
import { ToolFailure } from "../contract/failure.ts";
import type { ParsedCommand, SimpleCommand } from "../contract/resolve-effects.ts";
import { firstPlace, type Place, placeAfter, placed } from "./command-directory.ts";
import { bareName, formsOf } from "./command-forms.ts";
import { pushEffects } from "./push-effects.ts";
import { readsOf } from "./read-effects.ts";
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
  const effects = effectsInOrder(commands, parsed.plain, line);
  if (!parsed.plain) effects.push({ ...inferred("shell.dynamic", line), note: parsed.reason });
  else if (effects.length === 0) effects.push(inferred("shell.dynamic", line));
  if (effects.length > MOST_EFFECTS)
    throw new ToolFailure("effects_failed", `one line does more than ${MOST_EFFECTS} things`);
  for (const { target } of effects)
    if (target.length > LONGEST_TARGET)
      throw new ToolFailure("effects_failed", `a command is longer than ${LONGEST_TARGET} characters`);
  return effects;
}

/** Where relative paths lead depends on where the commands before went, and on whether they got there. */
function effectsInOrder(commands: readonly SimpleCommand[], isPlain: boolean, line: string): Effect[] {
  const effects: Effect[] = [];
  const continuesAfterFailure = CONTINUES.test(line.replaceAll("&&", ""));
  let place = firstPlace(commands, isPlain);
  const before: Place[] = [];
  for (const command of commands) {
    effects.push(...effectsOf(command, place));
    if (continuesAfterFailure) for (const earlier of before) effects.push(...filesOf(command, earlier));
    const next = placeAfter(command, place);
    if (next !== place) before.push(place);
    place = next;
  }
  return effects;
}

/** Between commands: what comes next runs whether or not the one before failed. */
const CONTINUES = /[;\n|&]/;

/** What a command does to files if the way to where it should run failed. What forbids that counts. */
function filesOf(command: SimpleCommand, place: Place): readonly Effect[] {
  return effectsOf(command, place)
    .filter(({ capability }) => capability.startsWith("fs."))
    .map(({ capability, target }) => implied(capability, target));
}

function effectsOf({ argv, redirects }: SimpleCommand, place: Place): Effect[] {
  const effects = argv.length === 0 ? [] : [inferred("shell.run", joinCommand(argv)), ...knownEffects(argv)];
  const { inside, outside } = readsOf(argv);
  for (const path of outside) effects.push(inferred("fs.read", placed(path, place)));
  if (typeof place !== "string")
    for (const path of inside) effects.push(implied("fs.read", place.folder + path));
  const { written, deleted } = writesOf(argv);
  for (const path of written) if (isLocal(path)) effects.push(inferred("fs.write", placed(path, place)));
  for (const path of deleted) if (isLocal(path)) effects.push(inferred("fs.delete", placed(path, place)));
  for (const { access, path } of redirects)
    if (path !== "/dev/null")
      effects.push(inferred(access === "write" ? "fs.write" : "fs.read", placed(path, place)));
  return effects;
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
