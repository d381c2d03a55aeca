import { PROGRAM_KINDS, wordsIn } from "@toolkeep/catalog/internal";
import type { SimpleCommand } from "../../contract/io/resolve-effects.ts";
import { bareName, systemName } from "../forms/command-forms.ts";
import { readFiles } from "./read-files.ts";

/**
 * Why the words of a plain line do not tell which files it writes or reads; `undefined` where they do. Links are
 * followed before the line runs: what it makes itself may lead what comes after it elsewhere.
 */
export function whyUnclear(commands: readonly SimpleCommand[]): string | undefined {
  if (commands.some(writesThroughPattern)) return "which files it writes depends on the files there are";
  return commands.some((command, index) => isUsedAfter(command, commands.slice(index + 1)))
    ? "what it moves or links to may lead the commands after it elsewhere"
    : undefined;
}

/** They write through a link that has the name of a file. Others put a new file in its place. */
const WRITING_THROUGH = wordsIn(PROGRAM_KINDS.writingThrough);

function writesThroughPattern(command: SimpleCommand): boolean {
  const { argv, expands = [] } = command;
  if (expands.length === 0 || !WRITING_THROUGH.has(bareName(argv[0] ?? ""))) return false;
  return writtenBy(command).some((path) => /[*?[]/.test(path));
}

function writtenBy(command: SimpleCommand): readonly string[] {
  const { writes = [], inside = [] } = readFiles(command) ?? {};
  return [...writes, ...inside];
}

/** Programs that take names of files and do not look through links for what is in them. */
const NAMING = wordsIn(PROGRAM_KINDS.namingLinks);

function isUsedAfter(command: SimpleCommand, after: readonly SimpleCommand[]): boolean {
  if (after.length === 0 || !placesFolders(command.argv)) return false;
  const places = writtenBy(command).map(normal);
  return after
    .filter((other) => !NAMING.has(bareName(other.argv[0] ?? "")))
    .flatMap(namesIn)
    .some((path) => places.some((place) => mayBeWithin(normal(path), place)));
}

/** What comes to another place with all that is in it, links included. */
function placesFolders(argv: readonly string[]): boolean {
  const name = bareName(argv[0] ?? "");
  if (name === "mv" || name === "ln" || name === "rsync") return true;
  return name === "cp" && argv.some((word) => /^-[a-zA-Z]*[rRaPd]|^--(?:rec|arc|no-der|pre)/.test(word));
}

function namesIn({ argv, redirects }: SimpleCommand): readonly string[] {
  const words = argv
    .slice(1)
    .map((word) => (word.startsWith("-") ? word.slice(word.indexOf("=") + 1) : word));
  // A wrapper names the program that it runs.
  const isNamed = (word: string) => !word.startsWith("-") && systemName(word) === word;
  return [...words.filter(isNamed), ...redirects.map(({ path }) => path)];
}

function normal(path: string): string {
  const segments = path
    .split("/")
    .filter((segment, index) => segment !== "." && (segment !== "" || index === 0));
  return segments.join("/");
}

/** A relative and an absolute path may be the same; so may whatever climbs or is a pattern. */
function mayBeWithin(path: string, place: string): boolean {
  if (place === "" || path.startsWith("/") !== place.startsWith("/")) return true;
  if (/(?:^|\/)\.\.(?:\/|$)|[*?[]/.test(path) || /(?:^|\/)\.\.(?:\/|$)|[*?[]/.test(place)) return true;
  return path === place || path.startsWith(`${place}/`);
}
