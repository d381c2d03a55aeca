import { isAbsolute, posix } from "node:path";
import { expression, VARIABLE_NAMES, wordsIn } from "@toolkeep/catalog/internal";
import { ToolFailure } from "@toolkeep/core";
import { effect, envRead, isWithin, joinCommand, shellRun } from "@toolkeep/core/internal";
import {
  type Command,
  commandEffects,
  type Grant,
  type ParsedCommand,
  type SandboxedCommand,
  type SandboxProfile,
} from "@toolkeep/core/ports";
import { TEMPORARY_NAMES } from "../environment/temporary-folders.ts";
import { isProgram, realFolder } from "../files/entries.ts";
import { gitWithoutPrograms } from "../git/without-programs.ts";
import type { CommandParts } from "./command-parts.ts";
import { refusedHosts } from "./refused-hosts.ts";

/** Checks a command against the grant and sandboxes it. @throws ToolFailure if that is not allowed or fails. */
export async function prepareCommand(
  command: Command,
  grant: Grant,
  parts: CommandParts,
): Promise<PreparedCommand> {
  refuseStopped(grant.abortSignal);
  const argv = await checkedArgs(command, grant, parts.parse);
  const added = checkedEnvironment(command.env ?? {}, grant);
  const { note, ...profile } = await parts.sandboxProfileFor(command);
  const cwd = checkedFolder(command.cwd, profile);
  const settings = command.git === undefined ? {} : gitWithoutPrograms(cwd, command.git);
  const environment = { ...profile.environment, ...added, ...settings };
  if (command.outside === true) return { argv, environment, cwd };
  // If nothing is proven to be masked, no note says so.
  const masked = parts.sandbox.isolation === "none" ? undefined : note;
  const makesRepository = command.git === "making";
  return sandboxedCommand(argv, { ...profile, environment, cwd, makesRepository }, { grant, parts, masked });
}

export interface PreparedCommand extends SandboxedCommand {
  /** What was kept from it so far: what is masked because of policy or its name, and hosts that it may not reach. */
  note?(): string | undefined;
  /** No host can be reached from its sandbox. */
  readonly isOffline?: boolean;
}

interface Sandboxing {
  readonly grant: Grant;
  readonly parts: CommandParts;
  readonly masked: string | undefined;
}

/** With a proxy of its own for the hosts that it may reach, which ends with the command. */
async function sandboxedCommand(
  argv: readonly [string, ...string[]],
  profile: SandboxProfile,
  { grant, parts, masked }: Sandboxing,
): Promise<PreparedCommand> {
  const { hosts } = profile;
  if (hosts === "any" || hosts.length === 0 || parts.proxyFor === undefined) {
    const sandboxed = await parts.sandbox.wrap(argv, profile);
    return {
      ...sandboxed,
      note: () => joined([masked, sandboxed.hiddenNote?.()]),
      isOffline:
        hosts.length === 0 &&
        profile.contained === undefined &&
        parts.sandbox.isolation === "files-and-network",
    };
  }
  const refusals = refusedHosts(grant);
  const proxy = await parts.proxyFor({ hosts, cwd: profile.cwd, onRefused: refusals.add });
  try {
    const sandboxed = await parts.sandbox.wrap(argv, { ...profile, proxy });
    return {
      ...sandboxed,
      note: () => joined([masked, sandboxed.hiddenNote?.(), refusals.note()]),
      done: (end) => proxy.close().then(() => sandboxed.done?.(end)),
    };
  } catch (error) {
    await proxy.close();
    throw error;
  }
}

function joined(notes: readonly (string | undefined)[]): string | undefined {
  return notes.filter((one) => one !== undefined).join(" ") || undefined;
}

/** @throws ToolFailure if the call was stopped. */
export function refuseStopped({ aborted, reason }: AbortSignal): void {
  if (!aborted) return;
  if (reason === "timed_out") throw new ToolFailure("timed_out", "The command was ended: its time is up.");
  throw new ToolFailure("cancelled", "The command was ended: the call was cancelled.");
}

/**
 * A working directory reads nothing, so it needs no effect of its own. But it decides what relative names mean, so it
 * must be within what the command may see, outside of a sandbox as well as inside.
 */
function checkedFolder(given: string | undefined, profile: SandboxProfile): string {
  const wanted = given ?? profile.cwd;
  if (!isAbsolute(wanted) || wanted.includes("\0"))
    throw new ToolFailure("out_of_scope", "The folder of a command must be an absolute path.");
  if (isOwnTemporary(posix.normalize(wanted), profile)) return posix.normalize(wanted);
  const folder = realFolder(wanted);
  if (folder === undefined)
    throw new ToolFailure("not_found", `There is no folder ${wanted} to run the command in.`);
  if (given === undefined) return folder;
  const isSeen = [...profile.read, ...profile.write].some((granted) => isWithin(folder, granted));
  if (isSeen && !profile.hidden.some((granted) => isWithin(folder, granted))) return folder;
  throw new ToolFailure("out_of_scope", `The command may not run in ${wanted}, which it may not read.`);
}

/** In the session's own `/tmp` links mean something in the sandbox alone, where a command cannot leave it by them. */
function isOwnTemporary(folder: string, { temporary, read, write }: SandboxProfile): boolean {
  const isOpened = [...read, ...write].some((granted) => isWithin(folder, granted));
  return temporary !== undefined && !isOpened && TEMPORARY_NAMES.some((name) => isWithin(folder, name));
}

/** What the kernel accepts in one argument. */
const LONGEST_WORD = 128 * 1_024 - 1;
const LONGEST_COMMAND = 1_024 * 1_024;

/**
 * The argv that is run for a command. A line is parsed again, so that what runs is what was evaluated.
 * @throws ToolFailure `out_of_scope` for a command that this call was not allowed, or may not run outside the sandbox.
 */
async function checkedArgs(
  command: Command,
  grant: Grant,
  parse: (line: string) => Promise<ParsedCommand>,
): Promise<readonly [string, ...string[]]> {
  const said = "argv" in command ? joinCommand(command.argv) : command.line;
  refuseUnfit("argv" in command ? command.argv : [command.line]);
  if ("argv" in command) grant.check(shellRun(command.argv));
  else for (const access of await effectsOfLine(command.line, parse)) grant.check(access);
  if (command.outside === true) grant.check(effect("sandbox.leave", said));
  if ("argv" in command) return [...command.argv];
  return [findShell(), "--noprofile", "--norc", "-c", "--", command.line];
}

/** Files are not checked here: the sandbox checks them, by their real paths. */
async function effectsOfLine(line: string, parse: (line: string) => Promise<ParsedCommand>) {
  const effects = commandEffects(await parse(line), line);
  return effects.filter(({ capability }) => !capability.startsWith("fs."));
}

function refuseUnfit(words: readonly string[]): void {
  const [program = ""] = words;
  if (program.trim() === "") throw new ToolFailure("not_found", "There is no command to run.");
  if (words.some((word) => typeof word !== "string" || word.includes("\0") || !word.isWellFormed()))
    throw new ToolFailure("out_of_scope", "An argument of the command is not valid text.");
  const lengths = words.map((word) => Buffer.byteLength(word) + 1);
  const isTooLong = lengths.some((length) => length > LONGEST_WORD);
  if (isTooLong || lengths.reduce((sum, length) => sum + length, 0) > LONGEST_COMMAND)
    throw new ToolFailure("too_large", "The command is too long.", {
      hint: "Write what is long to a file, or hand it over as input.",
    });
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const LONGEST_VALUE = 64 * 1_024;
const MOST_NAMES = 128;

/**
 * Every program has variables of its own that make it load, run or believe something else than what was evaluated, and
 * no list of them is complete. So only variables that are known to be harmless are accepted.
 */
const HARMLESS = wordsIn(VARIABLE_NAMES.setByTools);

/**
 * By their shape: the user's language, the author of a commit, and values that are only shown to some server. Some
 * programs treat every variable that begins with their name as a setting.
 */
const HARMLESS_SHAPES = VARIABLE_NAMES.shapesSetByTools.map(expression);

/** What a tool adds to the environment. @throws ToolFailure `out_of_scope` for a name that it may not set. */
export function checkedEnvironment(
  given: Readonly<Record<string, string>>,
  grant: Grant,
): Readonly<Record<string, string>> {
  const entries = Object.entries(given);
  if (entries.length > MOST_NAMES)
    throw new ToolFailure("too_large", `A command may be given ${MOST_NAMES} environment values at most.`);
  for (const [name, value] of entries) {
    if (!NAME.test(name))
      throw new ToolFailure("out_of_scope", `${JSON.stringify(name)} is no name of an environment value.`);
    if (!isHarmless(name))
      throw new ToolFailure(
        "out_of_scope",
        `${name} might change what the command runs or loads, so no tool may set it.`,
        { hint: "Hand the value on as an argument or as input." },
      );
    if (typeof value !== "string" || value.includes("\0"))
      throw new ToolFailure("out_of_scope", `The environment value ${name} is not text.`);
    if (value.length > LONGEST_VALUE)
      throw new ToolFailure(
        "too_large",
        `The environment value ${name} is longer than ${LONGEST_VALUE} characters.`,
      );
    grant.check(envRead(name));
  }
  return Object.fromEntries(entries);
}

function isHarmless(name: string): boolean {
  return HARMLESS.has(name) || HARMLESS_SHAPES.some((shape) => shape.test(name));
}

const PLACES = ["/usr/bin/bash", "/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash"];

let found: string | undefined;

/** Bash, as lines are evaluated as bash. Never looked up in a PATH. @throws ToolFailure `unavailable` if there is none. */
function findShell(): string {
  found ??= PLACES.find(isProgram);
  if (found !== undefined) return found;
  throw new ToolFailure("unavailable", `There is no bash to run command lines: ${PLACES.join(", ")}.`, {
    hint: "Give the command as a list of arguments.",
  });
}
