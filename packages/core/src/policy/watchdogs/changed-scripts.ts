import { PROGRAM_KINDS, wordsIn } from "@toolkeep/catalog/internal";
import { formsOf } from "../../commands/forms/command-forms.ts";
import { programOf } from "../../commands/meaning/command-args.ts";
import { splitCommand } from "../../contract/call/effect.ts";
import type { Objection, Watchdog } from "../../contract/policy/decision.ts";
import type { CanonicalEffect } from "../../contract/policy/policy-call.ts";
import { changedScriptsOf, isSource, runnersOf } from "../../file-names/script-files.ts";
import { INSTALLS_BY_NAME, PACKAGE_MANAGERS } from "../../file-names/script-runners.ts";
import { quoted, watchdog } from "./verdict.ts";

/** Objects to commands that run what this session changed: a rule for `npm test` did not allow what it has become. */
export function changedScripts(objection: Objection = "ask"): Watchdog {
  return watchdog("changed-scripts", objection, ({ effects }, context) => {
    if (!effects.some(isCommand)) return undefined;
    // A line may change a script first, and run it then.
    const all = new Set([...context.changedScripts, ...changedScriptsOf(effects)]);
    const [changed] = all.size === 0 ? [] : changedBehind(effects, all);
    return changed === undefined ? undefined : reasonFor(changed, effects);
  });
}

function isCommand({ capability }: CanonicalEffect): boolean {
  return capability === "shell.run";
}

function reasonFor(changed: string, effects: readonly CanonicalEffect[]): string {
  const [path = "", name] = changed.split("#");
  if (name === undefined)
    return `It ${SETTINGS.test(path) ? "follows" : "runs code from"} ${quoted(path)}, which this session changed.`;
  const what = `the script ${quoted(name)} of ${quoted(path)}`;
  const isNamed = effects.some(
    ({ target, scripts }) => scripts?.includes(changed) === true || splitCommand(target).includes(name),
  );
  return isNamed
    ? `It runs code from ${what}, which this session changed.`
    : `Toolkeep cannot tell which scripts it runs, and this session changed ${what}.`;
}

const SETTINGS = /\.(?:toml|cfg|ini|json|jsonc|ya?ml|properties)$/i;

/** What was changed among what the commands of a call run. */
export function changedBehind(
  effects: readonly CanonicalEffect[],
  changed: ReadonlySet<string>,
): readonly string[] {
  const commands = effects.filter(isCommand);
  // The same command may be there twice: by its words, and with what it runs as far as the disk tells.
  const known = new Map(
    commands.flatMap(({ target, scripts }) => (scripts === undefined ? [] : [[target, scripts]])),
  );
  const runs = commands.map(({ target }) => runBy(target, known.get(target)));
  return [...changed].filter((one) => runs.some((isRun) => isRun(one)));
}

/** Whether a command runs what was changed. Without knowledge of the disk, a runner may run all of its file. */
function runBy(command: string, scripts: readonly string[] | undefined): (changed: string) => boolean {
  const argv = splitCommand(command);
  const programs = new Set([...formsOf(argv).map(programOf), ...launchedBy(argv)]);
  if (INSTALLS_BY_NAME.test(argv.join(" "))) programs.delete("pip");
  const isManaged = PACKAGE_MANAGERS.some((name) => programs.has(name));
  if (scripts !== undefined) {
    for (const name of PACKAGE_MANAGERS) programs.delete(name);
    for (const name of scripts) programs.add(name);
  }
  return (changed) => {
    const [path = "", name] = changed.split("#");
    if (isSource(path)) return !isManaged && (scripts?.includes(path) === true || namesFile(argv, path));
    if (scripts?.includes(changed) === true) return true;
    if (name !== undefined) return scripts === undefined && meets(path, programs);
    if (scripts?.some((one) => one.startsWith(`${path}#`)) === true) return true;
    return meets(path, programs) || namesFile(argv, path);
  };
}

/** `python -m pytest`, `uv run pytest`, `bundle exec rspec`. */
function launchedBy([, first = "", second]: readonly string[]): readonly string[] {
  return second !== undefined && /^(?:-m|run|exec)$/.test(first) ? [second] : [];
}

function meets(path: string, programs: ReadonlySet<string>): boolean {
  return runnersOf(path)?.some((runner) => programs.has(runner)) === true;
}

const INTERPRETERS = wordsIn(PROGRAM_KINDS.fileInterpreters);

/** Whether a command executes a file by its path: as the program, or as what an interpreter is given. */
function namesFile(argv: readonly string[], path: string): boolean {
  const isGiven = INTERPRETERS.has(programOf(argv)) && !/^(?:-m|--test|test)$/.test(argv[1] ?? "");
  const words = isGiven ? argv : argv.slice(0, 1);
  return words.some((word) => (word.includes(".") || word.includes("/") ? isPathOf(word, path) : false));
}

function isPathOf(word: string, path: string): boolean {
  const plain = word.replace(/^(?:\.\/)+/, "");
  return path === plain || path.endsWith(`/${plain}`);
}
