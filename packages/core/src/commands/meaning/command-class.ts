import { joinCommand, splitCommand } from "../../contract/call/effect.ts";
import type { CanonicalEffect, PolicyCall } from "../../contract/policy/policy-call.ts";
import { isOwn } from "../../contract/values/origin.ts";
import { classOfName, isSecretFile } from "../../file-names/name-class.ts";
import { remembered } from "../../file-names/remembered.ts";
import { opensFiles, pathsBesides, pathsInCommand, pathsInLine, programOf } from "./command-args.ts";
import { changesConfiguration } from "./configuring-commands.ts";
import { CHANGING, HOST_PATH, PLACE, PRINTS_CREDENTIALS, SWEEPING } from "./named-places.ts";
import { leavesFilesAlone } from "./reading-commands.ts";

/** What the arguments of a command name. */
export interface CommandClass {
  /** A file with secrets that it may look into. */
  readonly secret: string | undefined;
  /** Configuration, or a place of the operating system, that it may change. */
  readonly changed: string | undefined;
  /** Why it changes configuration that it does not name. */
  readonly configures: string | undefined;
  readonly printsEnvironment: boolean;
  /** Whatever may lie outside the workspace. */
  readonly places: readonly string[];
}

/** Of a command line that `splitCommand` takes apart. */
export const classOfCommand: (target: string) => CommandClass = remembered((target) => {
  const argv = splitCommand(target);
  const paths = pathsInCommand(argv);
  return Object.freeze({
    secret: secretsIn(argv)[0],
    changed: leavesFilesAlone(argv) ? undefined : paths.find((path) => isProtectedFrom(argv, path)),
    configures: changesConfiguration(argv),
    printsEnvironment: printsEnvironment(argv),
    places: opensFiles(argv) ? placesOf(argv, paths) : [],
  });
});

/** The files that a command may look into and that have names of secrets. */
export function secretsIn(argv: readonly string[]): readonly string[] {
  return opensFiles(argv) ? pathsInCommand(argv).filter(isSecretFile) : [];
}

/** What a command names that may lie outside of the folder that it runs in. */
export function placesIn(argv: readonly string[]): readonly string[] {
  return classOfCommand(joinCommand(argv)).places;
}

/** The same for the rest of a line that is not plain, unless it names a secret, which says more. */
export function placesInLine(line: string, commands: readonly (readonly string[])[]): readonly string[] {
  if (classOfLine(line).secret !== undefined) return [];
  return pathsBesides(line, commands).filter((path) => PLACE.test(path));
}

/** Whether the disk tells that a command, or a file that it reads, holds no secret. Only tools of our own look there. */
export function isWithoutSecrets(effect: CanonicalEffect, { found, effects }: PolicyCall): boolean {
  return (
    isOwn(found.origin) &&
    effects.some(
      ({ capability, target, known, withoutSecrets }) =>
        withoutSecrets === true &&
        known === "inferred" &&
        capability === effect.capability &&
        target === effect.target,
    )
  );
}

function placesOf(argv: readonly string[], paths: readonly string[]): readonly string[] {
  const program = programOf(argv);
  if (program !== "docker" && program !== "podman")
    return [...paths.filter((path) => PLACE.test(path)), ...wholeDisk(argv)];
  return argv.flatMap((word, index) => {
    const [named, ...values] = HOST_PATH.exec(word) ?? [];
    if (named === undefined) return [];
    const value = values.find((one) => one !== undefined) ?? argv[index + 1] ?? "";
    const [host = ""] = value.split(":");
    return PLACE.test(host) ? [host] : [];
  });
}

/** `/` as an operand. Behind an option, and for these programs, it divides something. */
function wholeDisk(argv: readonly string[]): readonly string[] {
  const divides = /^(?:tr|expr)$/.test(programOf(argv));
  const isNamed = argv.some(
    (word, index) => index > 0 && /^\/+$/.test(word) && !argv[index - 1]?.startsWith("-"),
  );
  return isNamed && !divides ? ["/"] : [];
}

/** For a line whose commands cannot be determined. */
export const classOfLine: (line: string) => CommandClass = remembered((line) => {
  const paths = pathsInLine(line);
  return Object.freeze({
    secret: paths.find((path) => classOfName(path).isSecret),
    changed: paths.find((path) => classOfName(path).isConfiguration),
    configures: undefined,
    printsEnvironment: /\b(?:printenv|environ)\b|(?:^|[;|&(`]\s*)(?:env|set|export)\s*(?:$|[;|&)`>])/.test(
      line,
    ),
    places: [],
  });
});

/** Programs of the system are named all the time: their folders count for commands that change files alone. */
function isProtectedFrom(argv: readonly string[], path: string): boolean {
  const found = classOfName(path);
  if (found.isConfiguration) return true;
  const program = programOf(argv);
  if (found.isTopFolder && SWEEPING.has(program)) return true;
  return found.isSystem && (CHANGING.has(program) || program.startsWith("mkfs"));
}

function printsEnvironment(argv: readonly string[]): boolean {
  const program = programOf(argv);
  const words = argv.slice(1);
  if (program === "printenv" || PRINTS_CREDENTIALS.test([program, ...words].join(" "))) return true;
  if (program === "set" || program === "export" || program === "declare") {
    return words.every((word) => word.startsWith("-")) && !words.some((word) => /^-[a-z]*[eou]/.test(word));
  }
  return program === "env" && words.every((word) => word.startsWith("-") || word.includes("="));
}
