import { expression, PROGRAM_KINDS, rowsByName, wordsIn } from "@toolkeep/catalog/internal";
import {
  BEFORE_PATTERN,
  IN_CODE,
  MESSAGES,
  MESSAGES_OF,
  NAMING,
  PROPERTY,
  SEARCHING,
  VALUED_BEFORE_PATTERN,
} from "./argument-words.ts";

const BREAKS = /[\s=@:,;|&<>()[\]{}"'`$]+/;
const QUOTES = /["'\\]/g;
const CLASSES = /\[[^[\]/]*\]/g;
/** An address of any kind, except for those that name files of this machine. */
const ADDRESS = /\b(?!file:|php:|phar:|zip:|glob:)[a-z][a-z0-9+.-]{0,30}:\/\/(?!\/)[^\s"'`;|&<>()]*/gi;
const PROSE = /[\s;|&<>()"'`$]/;

/** The name of a program, without its folder. */
export function programOf(argv: readonly string[]): string {
  const name = (argv[0] ?? "").split(/[/\\]/).at(-1) ?? "";
  return name.toLowerCase().replace(/\.exe$/, "");
}

/** Whether the program looks into what it is given. */
export function opensFiles(argv: readonly string[]): boolean {
  return !NAMING.has(programOf(argv));
}

/** Every part of the arguments of a command that could be a path, without messages and search patterns. */
export function pathsInCommand(argv: readonly string[]): readonly string[] {
  return meantWords(argv).flatMap((word) => pathsInWord(word));
}

/** The same for a line that could not be taken apart: quotes that join words are tried both ways. */
export function pathsInLine(line: string): readonly string[] {
  return [...new Set([...pathsInWord(line), ...pathsInWord(line.replaceAll(QUOTES, ""))])];
}

/** What a line has that could be a path, besides the words of the commands that can be seen in it and their redirects. */
export function pathsBesides(line: string, commands: readonly (readonly string[])[]): readonly string[] {
  const seen = new Map<string, number>();
  for (const path of commands.flat().flatMap((word) => [...new Set(pathsInWord(word))]))
    seen.set(path, (seen.get(path) ?? 0) + 1);
  const rest = pathsInWord(line.replaceAll(REDIRECT, " "));
  return rest.filter((path) => {
    const times = seen.get(path) ?? 0;
    seen.set(path, times - 1);
    return times <= 0;
  });
}

const REDIRECT = /[<>]{1,2}\s?[\w./+-]+/g;

function pathsInWord(text: string): readonly string[] {
  const word = text.replaceAll(ADDRESS, (address) => (address.includes("/..") ? address : ""));
  const pieces = word.split(BREAKS).filter((piece) => piece !== "" && !IN_CODE.has(piece));
  if (PROSE.test(word)) return pieces.filter((piece) => !PROPERTY.test(piece));
  if (/^-[a-zA-Z]./.test(word)) pieces.push(word.slice(2));
  return word === "" || IN_CODE.has(word) ? pieces : [...pieces, word.replaceAll(CLASSES, "?")];
}

/** What a search or a command of git is told to leave out. */
const LEFT_OUT = rowsByName(PROGRAM_KINDS.leftOut, expression);

function meantWords(argv: readonly string[]): readonly string[] {
  const program = programOf(argv);
  const leftOut = Object.hasOwn(LEFT_OUT, program) ? LEFT_OUT[program] : undefined;
  const words = argv.slice(1).filter((word) => leftOut?.test(word) !== true);
  if (SEARCHING.has(program)) return withoutPattern(words, program);
  if (CONTAINERS.has(program) && IN_CONTAINER.test(words[0] ?? "")) return ofThisMachine(words);
  const messages = Object.hasOwn(MESSAGES, program) ? MESSAGES[program] : undefined;
  const isMessage = MESSAGES_OF[program]?.has(words[0] ?? "") === true;
  return messages !== undefined && isMessage ? withoutMessages(words, messages) : words;
}

const CONTAINERS = wordsIn(PROGRAM_KINDS.containers);
const IN_CONTAINER = /^(?:run|create|exec)$/;
/** Options that name files of this machine, in the next word or in the same. */
const FROM_HERE = /^(?:-v|--volume|--mount|--env-file|--cidfile|--secret)(?:=|$)/;

/** What a container gets of this machine: other paths are its own. */
function ofThisMachine(words: readonly string[]): readonly string[] {
  return words.flatMap((word, index) => {
    const isGiven = FROM_HERE.test(words[index - 1] ?? "") && !(words[index - 1] ?? "").includes("=");
    const value = FROM_HERE.test(word) && word.includes("=") ? word.slice(word.indexOf("=") + 1) : word;
    if (!isGiven && value === word && !/^-v./.test(word)) return [];
    const spec = value.replace(/^-v/, "");
    const source = /(?:^|,)(?:src|source)=([^,]*)/.exec(spec)?.[1];
    return [source ?? spec.split(":")[0] ?? ""];
  });
}

function withoutPattern(words: readonly string[], program: string): readonly string[] {
  const valued = Object.hasOwn(VALUED_BEFORE_PATTERN, program) ? VALUED_BEFORE_PATTERN[program] : undefined;
  const isValue = (index: number) =>
    index > 0 && valued?.exec(words[index - 1] ?? "")?.[0] === words[index - 1];
  const pattern = words.findIndex(
    (word, index) => !isValue(index) && valued?.test(word) !== true && !BEFORE_PATTERN.test(word),
  );
  return words[pattern]?.startsWith("-") ? words : words.filter((_word, index) => index !== pattern);
}

function withoutMessages(
  words: readonly string[],
  { option, joined }: Readonly<Record<"option" | "joined", RegExp>>,
): readonly string[] {
  return words.filter((word, index) => !joined.test(word) && !option.test(words[index - 1] ?? ""));
}
