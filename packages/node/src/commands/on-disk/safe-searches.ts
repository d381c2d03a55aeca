import { basename } from "node:path";

const MOST_LEFT_OUT = 8;
/** Letters of grep that mean the same to ripgrep; those in capitals after a slash take a value. */
const SAME = /^-[nilwFcovxHrRE]+$|^-[ABCm]\d+$/;
const DROPPED = /[rRE]/g;
/** Means the same in every kind of expression. */
const PLAIN_PATTERN = /^[\w\s"=:,/@#%&~<>-]+$/;

/** The same search by ripgrep, which passes over what is hidden or ignored; none where an arg may mean another thing. */
export function searchByRg([, ...args]: readonly string[]): readonly (readonly string[])[] {
  const words: string[] = [];
  const operands: string[] = [];
  for (const arg of args) {
    const included = /^--include=(.+)$/.exec(arg)?.[1];
    if (included !== undefined) words.push("-g", included);
    else if (SAME.test(arg)) words.push(arg.replaceAll(DROPPED, ""));
    else if (arg.startsWith("-")) return [];
    else operands.push(arg);
  }
  const [pattern = "", ...directories] = operands;
  if (!PLAIN_PATTERN.test(pattern)) return [];
  const named = directories.length === 1 && /^\.\/?$/.test(directories[0] ?? "") ? [] : directories;
  return [["rg", ...words.filter((word) => word !== "-"), pattern, ...named]];
}

/** The same search by grep, without files of these names and without following links. */
export function withoutNames(
  argv: readonly string[],
  left: readonly string[],
): readonly (readonly string[])[] {
  const names = [...new Set(left.map((path) => basename(path)))].filter((name) => name !== "");
  if (names.length > MOST_LEFT_OUT) return [];
  const [program = "", ...args] = argv.map((arg) =>
    /^-[A-Za-z]*R/.test(arg) ? arg.replace("R", "r") : arg.replace("--dereference-recursive", "--recursive"),
  );
  return [[program, ...names.map((name) => `--exclude=${name}`), ...args]];
}
