import { bySystemName } from "@toolkeep/core/internal";
import type { SimpleCommand } from "@toolkeep/core/ports";
import { FOUND_OTHERWISE, SEARCH_FLAGS, SEARCH_OPTIONS, SELECTING, TRACKED } from "./listing-forms.ts";
import type { PlainCommand } from "./plain-line.ts";
import { simpleCommand } from "./resolve-words.ts";
import { unwrapped } from "./wrapped-commands.ts";

/** What reads all files whose names a command is fed by pipes; `undefined` where these are not known. */
export function readByNames({ source }: PlainCommand): readonly SimpleCommand[] | undefined {
  if (source === undefined) return undefined;
  const { words, redirects } = source;
  const isWritten = words.every(({ parts }) => parts.every((part) => typeof part === "string"));
  if (!isWritten || redirects.some(({ operator }) => operator.startsWith("<"))) return undefined;
  const argv = bySystemName(unwrapped(words.map(({ raw }) => raw)));
  if (SELECTING.test(argv.join(" "))) return readByNames(source);
  const [program = "", ...args] = argv;
  if (program === "git" && args[0] === "ls-files") return readByGit(args.slice(1));
  if (program === "find") return readByFind(args);
  return /^(?:rg|[ef]?grep)$/.test(program) && isListing(program, args) ? [] : undefined;
}

function readByGit(args: readonly string[]): readonly SimpleCommand[] | undefined {
  if (args.some((arg) => arg.startsWith("-") && !TRACKED.test(arg))) return undefined;
  const paths = args.filter((arg) => !arg.startsWith("-"));
  return [simpleCommand(["git", "grep", "-l", "-e", "", ...(paths.length === 0 ? [] : ["--", ...paths])])];
}

function readByFind(args: readonly string[]): readonly SimpleCommand[] | undefined {
  if (args.some((arg) => FOUND_OTHERWISE.test(arg))) return undefined;
  const tests = args.findIndex((arg) => /^[-(!]/.test(arg));
  const name = args.some((arg) => /^(?:!|-not|-o|-or|,|\()$/.test(arg)) ? -1 : args.indexOf("-name");
  const included = name === -1 ? [] : [`--include=${args[name + 1]}`];
  return [
    simpleCommand([
      "grep",
      "-rl",
      "-e",
      "",
      ...included,
      ...args.slice(0, tests === -1 ? args.length : tests),
    ]),
  ];
}

/** Whether a search of a tree prints the names of files that it reads. */
function isListing(program: string, args: readonly string[]): boolean {
  const end = args.findIndex((arg) => !SEARCH_FLAGS.test(arg));
  const flags = args.slice(0, Math.max(end, 0)).join("");
  const isTree = program === "rg" || /[rR]/.test(flags);
  const options = args.filter((arg) => arg.startsWith("-"));
  return (
    isTree &&
    flags.includes("l") &&
    options.every((arg) => SEARCH_FLAGS.test(arg) || SEARCH_OPTIONS.test(arg))
  );
}
