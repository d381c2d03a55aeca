import { basename } from "node:path";
import { ELSEWHERE, FETCHED, MOST_OPTIONS, PYTHON, RUNNERS } from "./runner-names.ts";
import type { StdioServer } from "./server-entry.ts";

/**
 * Whether a server is started by a program that looks for its code: a package runner, or `python -m`. They prefer code
 * and settings in the directory where they are started, so that must not be a project. Any program may start another
 * one, by its arguments or by a text for a shell, so a runner is looked for in every place.
 */
export function isRunner({ command, args }: Pick<StdioServer, "command" | "args">): boolean {
  const words = [command, ...args].flatMap((word) => (/[\s;&|<>{}]/.test(word) ? wordsOf(word) : [word]));
  return !ELSEWHERE.test(nameOf(command)) && words.some((word, at) => startsOther(word, words.slice(at + 1)));
}

function startsOther(program: string, args: readonly string[]): boolean {
  const name = nameOf(program);
  if (PYTHON.test(name)) return isModule(args);
  if (name === "deno") return args.some((word) => FETCHED.test(word));
  if (!Object.hasOwn(RUNNERS, name)) return false;
  const subcommands = RUNNERS[name] ?? [];
  return subcommands[0] === "" || args.slice(0, MOST_OPTIONS).some((word) => subcommands.includes(word));
}

/** The words of a text for a shell, in any quotes, also behind the letter of an option (`-S`, `-c`). */
function wordsOf(text: string): readonly string[] {
  const plain = text.replaceAll(/\\\n|["'\\]/g, "").replace(/^-[a-z]*[Sc]/, "");
  return plain.split(/[\s;&|()<>=`${},]+/);
}

/** `-m`, alone or after other letters, before the first word that is no option. */
function isModule(args: readonly string[]): boolean {
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] as string;
    if (/^-[A-Za-z]*m/.test(word)) return true;
    if (word === "-c" || !word.startsWith("-")) return false;
    if (word === "-W" || word === "-X") at += 1;
  }
  return false;
}

function nameOf(program: string): string {
  return basename(program.replaceAll("\\", "/"))
    .toLowerCase()
    .replace(/(?:\.(?:cmd|exe|ps1|bat)|-cli\.[cm]?js|@.*)$/, "");
}
