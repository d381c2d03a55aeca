import { capabilityNamed, readCommand } from "@toolkeep/catalog";
import { expression, rowsByName, OVERREACHING_COMMANDS as table, wordsIn } from "@toolkeep/catalog/internal";
import { classOfName, foldedSegments } from "../../file-names/name-class.ts";
import { formsOf } from "../forms/command-forms.ts";
import { programOf } from "./command-args.ts";

type Check = (words: readonly string[], program: string) => string | undefined;

/** Why a command reaches for the whole machine; `undefined` where it does not. */
export function overreachOf(argv: readonly string[]): string | undefined {
  if (onlyLooks(argv)) return undefined;
  const program = programOf(argv);
  if (program.startsWith("mkfs")) return WRITES_DISK;
  for (const form of formsOf(argv)) {
    const check = Object.hasOwn(CHECKS, program) ? CHECKS[program] : undefined;
    const reason = check?.(form.slice(1), program);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Whether the catalogue knows every word of a command, and all of it only reads. */
function onlyLooks(argv: readonly string[]): boolean {
  const reading = readCommand(argv);
  return reading?.isWhole === true && reading.does.every((one) => capabilityNamed(one)?.kind === "read");
}

const WRITES_DISK = "It writes over a whole disk.";
const STOPS_MACHINE = "It stops or changes what the machine itself runs.";
const BREAKS_OUT = "It gives a container the machine that it runs on.";

const becomes: Check = (words, program) =>
  words.every(isQuestion) && words.length > 0 ? undefined : `${program} runs it as another user.`;
const stops: Check = () => STOPS_MACHINE;
const writesDisk: Check = () => WRITES_DISK;

/** Help and version: nothing is run. */
function isQuestion(word: string): boolean {
  return /^(?:--version|--help|-V)$/.test(word);
}

const deletes: Check = (words) =>
  hasLetter(words, /[rR]/, /^--(?:rec|no-preserve)/) ? sweeping(words, "deletes") : undefined;
const opensUp: Check = (words) =>
  hasLetter(words, /R/, /^--rec/) ? sweeping(operandsOf(words), "changes") : undefined;

/** `find -L place… -delete`: what stands before the first test are places. */
const finds: Check = (words) => {
  const start = words.findIndex((word) => !/^-(?:[HLPEsx]|O\d)$/.test(word));
  const afterOptions = words.slice(start);
  const end = afterOptions.findIndex((word) => /^[-(!]/.test(word));
  const isDeleting = words.some(
    (word, index) =>
      word === "-delete" ||
      (/^-(?:exec|ok)/.test(word) && /^(?:rm|shred|unlink)$/.test(words[index + 1] ?? "")),
  );
  return isDeleting ? sweeping(afterOptions.slice(0, end), "deletes") : undefined;
};

const copiesBytes: Check = (words) =>
  words.some((word) => word.startsWith("of=") && isDisk(word.slice(3))) ? WRITES_DISK : undefined;
const writesGivenDisk: Check = (words) => (words.some(isDisk) ? WRITES_DISK : undefined);

function isDisk(path: string): boolean {
  return /^\/dev\/(?!null$|zero$|full$|std|tty|fd|shm)/.test(path);
}

const SERVICE_QUESTIONS = expression(table.serviceQuestions);
/** What to do comes first, and after the name of what for `service`. */
const asksServices: Check = (words, program) => {
  const plain = words.filter((word) => !word.startsWith("-"));
  const verb = program === "service" ? plain.at(-1) : plain[0];
  return verb === undefined || SERVICE_QUESTIONS.test(verb) ? undefined : STOPS_MACHINE;
};

const schedules: Check = (words) =>
  words.some((word) => /^-[a-z]*l/.test(word)) || words.some(isQuestion)
    ? undefined
    : "It changes what is run at set times.";

const SHELL_FOR_OTHERS = "It hands a shell of this machine to another one.";
const listens: Check = (words) =>
  words.some((word) => /^(?:-[a-zA-Z]*[ec]|--(?:sh-|lua-)?exec)/.test(word)) ? SHELL_FOR_OTHERS : undefined;
const relays: Check = (words) =>
  words.some((word) => /^(?:exec|system|shell):/i.test(word)) ? SHELL_FOR_OTHERS : undefined;

const BY_NAME = {
  ...{ becomes, stops, writesDisk, writesGivenDisk, opensUp, listens, mounts, relays },
  ...{ deletes, finds, copiesBytes, asksServices, schedules },
} satisfies Readonly<Record<string, Check>>;

const CHECKS = rowsByName(
  table.checks as Readonly<Record<string, keyof typeof BY_NAME>>,
  (check): Check => BY_NAME[check],
);

function hasLetter(words: readonly string[], letter: RegExp, long: RegExp): boolean {
  return words.some((word) =>
    word.startsWith("--") ? long.test(word) : word.startsWith("-") && letter.test(word),
  );
}

/** The first word of these says how, and not what. */
function operandsOf(words: readonly string[]): readonly string[] {
  const mode = words.findIndex((word) => !word.startsWith("-"));
  return words.slice(mode + 1);
}

function sweeping(words: readonly string[], does: string): string | undefined {
  return words.some(isSweeping) ? reaches(does) : undefined;
}

function reaches(does: string): string {
  return `It ${does} a folder that everything is beneath, or what lies above the workspace.`;
}

export const DELETES_ABOVE = reaches("deletes");

/** A top folder or the system's own, all that is in one, or what lies above where the command runs. */
function isSweeping(word: string): boolean {
  if (word.startsWith("-")) return false;
  const path = withoutTail(word.replace(/^\$\{?HOME\}?(?=\/|$)/, "~").replace(/^\$\{?PWD\}?(?=\/|$)/, "."));
  const found = classOfName(path === "" ? "/" : path);
  return found.isTopFolder || (found.isSystem && foldedSegments(path).length <= 2) || isAbove(path);
}

/** Without what stands for the folder itself or all that is in it: `/`, `/.`, `/*`, `/.*`, one after the other. */
function withoutTail(word: string): string {
  let end = word.length;
  for (let at = end; at > 0; ) {
    while (at > 0 && "*?".includes(word.charAt(at - 1))) at -= 1;
    if (word[at - 1] === ".") at -= 1;
    if (word[at - 1] !== "/") break;
    while (word[at - 1] === "/") at -= 1;
    end = at;
  }
  return end === 0 && word !== "" ? "/" : word.slice(0, end);
}

/** `..`, `a/../..`: nothing but a way up. */
function isAbove(path: string): boolean {
  let depth = 0;
  for (const segment of path.split("/")) {
    if (segment === "..") depth -= 1;
    else if (segment !== "" && segment !== ".") depth += 1;
  }
  return !path.startsWith("/") && depth < 0 && /(?:^|\/)\.\.\/*$/.test(path);
}

const RUNS = wordsIn(table.containerRuns);
const HOST_OPTION = expression(table.hostOption);

function mounts(words: readonly string[]): string | undefined {
  const [first = "", second = ""] = words;
  if (!RUNS.has(first) && !(first === "container" && RUNS.has(second))) return undefined;
  const isHost = words.some((word, index) => {
    const before = words[index - 1] ?? "";
    if (HOST_OPTION.test(word) || HOST_OPTION.test(`${before}=${word}`)) return true;
    if (before === "-v" || before === "--volume") return isHostPath(word.split(":")[0] ?? "");
    if (/^(?:-v.|--volume=)/.test(word))
      return isHostPath(word.replace(/^(?:-v|--volume=)/, "").split(":")[0] ?? "");
    const source =
      before === "--mount" || word.startsWith("--mount=")
        ? /(?:^|[=,])(?:src|source)=([^,]*)/.exec(word)
        : null;
    return source !== null && isHostPath(source[1] ?? "");
  });
  return isHost ? BREAKS_OUT : undefined;
}

function isHostPath(path: string): boolean {
  const segments = foldedSegments(path);
  if (!path.startsWith("/")) return false;
  return (
    segments.length === 0 ||
    /^(?:root|home|users|var|run)$/.test(segments.join("/")) ||
    classOfName(path).isSystem
  );
}
