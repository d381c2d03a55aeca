import { accessSync, constants } from "node:fs";
import { basename, delimiter, join, relative } from "node:path";
import { isWithin } from "@toolkeep/core/internal";
import type { LineOnDisk, SimpleCommand } from "@toolkeep/core/ports";
import { kindAt, newBudget, realOf } from "../../files/entries.ts";
import { expandedArgs } from "./names/expand-args.ts";
import { foldersOf } from "./names/moved-folder.ts";
import { treeReadOf } from "./trees/tree-reads.ts";

const MOST_LEFT_OUT = 8;
const MOST_LISTED = 40;
const PLAIN_ARG = /^[\w@%+=:,./-]+$/;

/** Lines that do the same without these files, by another search, exclusion or file names. Policy decides on them. */
export async function safeForms(
  { line, commands, folder = "/" }: LineOnDisk,
  files: readonly string[],
): Promise<readonly string[]> {
  const parts = partsOf(line);
  const isComputed = /[$`\\]/.test(line);
  const writes = commands.some(({ redirects }) => redirects.some(({ path }) => path !== "/dev/null"));
  if (isComputed || writes || parts.length !== 2 * commands.length - 1) return [];
  const folders = await foldersOf(commands, folder);
  const forms = commands.map((command, index) =>
    formsOf(command, folders[index] ?? folder, files).flatMap((argv) => lineOf(argv) ?? []),
  );
  const most = Math.max(...forms.map(({ length }) => length));
  const lines = Array.from({ length: most }, (_, choice) =>
    parts.map((part, index) =>
      index % 2 === 1 ? part : (forms[index / 2]?.[choice] ?? forms[index / 2]?.[0] ?? part),
    ),
  );
  return [...new Set(lines.map((one) => one.join(" ")))].filter((one) => one !== line);
}

const PART = /'[^']*'|"[^"]*"|&&|\|\||[;|\n]|[^'"&;|\n]+|./gs;

/** Commands and their separators, alternating. */
function partsOf(line: string): readonly string[] {
  const parts = [""];
  for (const [text] of line.matchAll(PART)) {
    if (/^(?:&&|\|\||[;|\n])$/.test(text)) parts.push(text, "");
    else parts.push(`${parts.pop()}${text}`);
  }
  return parts.map((part) => part.trim());
}

function lineOf(argv: readonly string[]): string | undefined {
  if (argv.some((arg) => arg.includes("'"))) return undefined;
  return argv.map((arg) => (PLAIN_ARG.test(arg) ? arg : `'${arg}'`)).join(" ");
}

function formsOf(
  command: SimpleCommand,
  folder: string,
  files: readonly string[],
): readonly (readonly string[])[] {
  const { argv } = command;
  const name = basename(argv[0] ?? "");
  const left = files
    .filter((file) => isWithin(file, folder) && kindAt(file) !== "folder")
    .map((file) => relative(folder, file));
  if (name === "git") return gitForms(argv, left);
  if (treeReadOf(argv) === undefined) return listedFiles(command, folder, files);
  if (/^[ef]?grep$/.test(name))
    return [...(hasProgram("rg") ? searchByRg(argv) : []), ...withoutNames(argv, left)];
  return name === "rg" ? rgForms(argv, left) : [];
}

function hasProgram(name: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return folder.startsWith("/");
    } catch {
      return false;
    }
  });
}

const UNRESTRICTED = /^(?:-u+|-\.|-L|--(?:unrestricted|hidden|follow|no-ignore.*))$/;

function rgForms(argv: readonly string[], left: readonly string[]): readonly (readonly string[])[] {
  const plain = argv.filter((arg) => !UNRESTRICTED.test(arg));
  const globs = left
    .filter((path) => !path.startsWith(".") && !path.includes("/."))
    .flatMap((path) => ["-g", `!/${path}`]);
  const isFew = left.length <= MOST_LEFT_OUT;
  return [...(plain.length < argv.length ? [plain] : []), ...(isFew ? [[...plain, ...globs]] : [])];
}

/** Excluded paths; and submodules, which it need not enter. */
function gitForms(argv: readonly string[], left: readonly string[]): readonly (readonly string[])[] {
  const subcommand = argv[1] ?? "";
  if (/^(?:status|diff)$/.test(subcommand) && left.length === 0)
    return [[...argv.slice(0, 2), "--ignore-submodules=all", ...argv.slice(2)]];
  if (!/^(?:grep|diff|log|show)$/.test(subcommand) || left.length === 0 || left.length > MOST_LEFT_OUT)
    return [];
  const pathspec = argv.includes("--") ? [] : ["--", "."];
  return [[...argv, ...pathspec, ...left.map((path) => `:!${path}`)]];
}

/** A pattern becomes the files that it matches, but for these. */
function listedFiles(
  command: SimpleCommand,
  folder: string,
  files: readonly string[],
): readonly (readonly string[])[] {
  if (command.expands === undefined) return [];
  const isLeftOut = (arg: string) => {
    const path = join(folder, arg);
    const real = realOf(path);
    const leadsNowhere = real === path && kindAt(path) === "link";
    return leadsNowhere || files.includes(path) || files.includes(real);
  };
  const argv = expandedArgs(command, folder, newBudget());
  const kept = argv.filter((arg, index) => index === 0 || !isLeftOut(arg));
  const isSome = kept.some((arg, index) => index > 0 && !command.argv.includes(arg));
  return kept.length < argv.length && isSome && kept.length <= MOST_LISTED ? [kept] : [];
}

/** Letters of grep that mean the same to ripgrep; those in capitals after a slash take a value. */
const SAME = /^-[nilwFcovxHrRE]+$|^-[ABCm]\d+$/;
const DROPPED = /[rRE]/g;
/** Means the same in every kind of expression. */
const PLAIN_PATTERN = /^[\w\s"=:,/@#%&~<>-]+$/;

/** The same search by ripgrep, which passes over what is hidden or ignored; none where an arg may mean another thing. */
function searchByRg([, ...args]: readonly string[]): readonly (readonly string[])[] {
  const kept: string[] = [];
  const operands: string[] = [];
  for (const arg of args) {
    const included = /^--include=(.+)$/.exec(arg)?.[1];
    if (included !== undefined) kept.push("-g", included);
    else if (SAME.test(arg)) kept.push(arg.replaceAll(DROPPED, ""));
    else if (arg.startsWith("-")) return [];
    else operands.push(arg);
  }
  const [pattern = "", ...paths] = operands;
  if (!PLAIN_PATTERN.test(pattern)) return [];
  const named = paths.length === 1 && /^\.\/?$/.test(paths[0] ?? "") ? [] : paths;
  return [["rg", ...kept.filter((one) => one !== "-"), pattern, ...named]];
}

/** The same search by grep, without files of these names and without following links. */
function withoutNames(argv: readonly string[], left: readonly string[]): readonly (readonly string[])[] {
  const names = [...new Set(left.map((path) => basename(path)))].filter((name) => name !== "");
  if (names.length > MOST_LEFT_OUT) return [];
  const [program = "", ...args] = argv.map((arg) =>
    /^-[A-Za-z]*R/.test(arg) ? arg.replace("R", "r") : arg.replace("--dereference-recursive", "--recursive"),
  );
  return [[program, ...names.map((name) => `--exclude=${name}`), ...args]];
}
