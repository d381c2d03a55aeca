import { GLOBAL_OPTIONS, rowsByName, wordsIn } from "@toolkeep/catalog/internal";
import { scriptForms } from "./script-name.ts";

/**
 * The ways in which a rule that forbids may know a command: as it stands, by its bare name, without the
 * options before its subcommand, both, and without those before the name of a script. Never for rules that allow: what
 * is taken out may matter.
 */
export function formsOf(argv: readonly string[]): readonly (readonly string[])[] {
  const forms = plainForms(argv);
  const scripts = forms.flatMap(scriptForms);
  return scripts.length === 0 ? forms : [...forms, ...scripts];
}

function plainForms(argv: readonly string[]): readonly (readonly string[])[] {
  const name = argv[0];
  if (name === undefined) return [argv];
  const bare = bareName(name);
  const forms: (readonly string[])[] = [argv];
  if (bare !== name) forms.push([bare, ...argv.slice(1)]);
  if (argv[1] === undefined || !startsGlobal(bare, argv[1])) return forms;
  for (const rest of withoutGlobals(bare, argv)) {
    forms.push([name, ...rest]);
    if (bare !== name) forms.push([bare, ...rest]);
  }
  return forms;
}

/** `/usr/bin/git` is `git`, and so is `Git` where the file system does not care. */
export function bareName(name: string): string {
  const slash = name.lastIndexOf("/");
  const base = slash < 0 || slash === name.length - 1 ? name : name.slice(slash + 1);
  return /[A-Z]/.test(base) ? base.toLowerCase() : base;
}

const SYSTEM_FOLDER = /^\/(?:usr\/)?bin\/(?=[^/]+$)/;

/** `/usr/bin/git` is `git`. A program in any other folder may be another one of that name. */
export function systemName(name: string): string {
  return name.replace(SYSTEM_FOLDER, "");
}

/** A command with the name of its program alone, where the program is one of the system. */
export function bySystemName(argv: readonly string[]): readonly string[] {
  const [path = "", ...words] = argv;
  const name = systemName(path);
  return name === path ? argv : [name, ...words];
}

/** Commands with subcommands, and which of the options before these take the next word as their value. */
const valued = new Map(Object.entries(rowsByName(GLOBAL_OPTIONS, wordsIn)));

function startsGlobal(name: string, word: string): boolean {
  return valued.has(name) && isGlobal(name, word);
}

function isGlobal(name: string, word: string): boolean {
  return word.startsWith("-") || (name === "cargo" && word.startsWith("+"));
}

/** What is left after the options: once as if those that are unknown took no value, and once as if they did. */
function withoutGlobals(name: string, argv: readonly string[]): readonly (readonly string[])[] {
  const flags = skipGlobals(name, argv, false);
  const values = skipGlobals(name, argv, true);
  return flags === values ? [argv.slice(flags)] : [argv.slice(flags), argv.slice(values)];
}

function skipGlobals(name: string, argv: readonly string[], unknownTakeValues: boolean): number {
  let at = 1;
  while (at < argv.length && isGlobal(name, argv[at] ?? "")) {
    const word = argv[at] ?? "";
    const next = argv[at + 1] ?? "-";
    const isValued = valued.get(name)?.has(word) === true;
    const mayBeValued = unknownTakeValues && !word.includes("=") && word.startsWith("-");
    at += isValued || (mayBeValued && !next.startsWith("-")) ? 2 : 1;
  }
  return Math.min(at, argv.length);
}
