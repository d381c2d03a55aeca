import { PROGRAM_KINDS, wordsIn } from "@toolkeep/catalog/internal";
import type { Effect } from "@toolkeep/core";
import {
  isLocalCommand,
  isOutside,
  isSecretFile,
  joinCommand,
  placesIn,
  placesInLine,
  secretsIn,
  systemName,
} from "@toolkeep/core/internal";
import { commandEffects, type LineOnDisk, type ProtectedPaths } from "@toolkeep/core/ports";
import { kindAt } from "../../../files/entries.ts";
import { shellText, transparentlyRun } from "../../plain/wrapped-commands.ts";
import { foldersOf } from "./moved-folder.ts";

/**
 * Commands whose words look like paths outside of the roots where nothing is: a route, an expression, a path of another
 * machine. And commands of a line that makes a file with the name of a secret, from files whose names say whether they
 * hold some. Each is the effect of the command, or of the line, again, with that said.
 */
export async function absentNames(
  { line, commands, folder = "/" }: LineOnDisk,
  { roots }: Pick<ProtectedPaths, "roots">,
): Promise<readonly Effect[]> {
  const folders = [folder, ...(await foldersOf(commands, folder))];
  const argvs = commands.map(({ argv }) => argv);
  const paths = (named: readonly string[]) =>
    named.flatMap((one) => folders.map((from) => (one.startsWith("/") ? one : `${from}/${one}`)));
  const outside = (places: readonly string[]) => paths(places).filter((path) => isOutside(path, roots));
  const makesAll = argvs.every(makes);
  const read = (makesAll ? commandEffects({ plain: true, commands }, line) : []).flatMap(
    ({ capability, target }) => (capability === "fs.read" && isSecretFile(target) ? [target] : []),
  );
  const named = [
    ...argvs
      .filter((argv) =>
        secretsIn(argv).every((name) => makesAll && argv.includes(name) && outside([name]).length === 0),
      )
      .map((argv) => ({
        capability: "shell.run",
        target: joinCommand(argv),
        paths: [...outside(placesIn(argv)), ...paths(secretsIn(argv))],
      })),
    ...paths(read.filter((one) => outside([one]).length === 0)).map((path) => ({
      capability: "fs.read",
      target: path,
      paths: [path],
    })),
    { capability: "shell.dynamic", target: line, paths: outside(placesInLine(line, argvs)) },
  ];
  return named
    .filter(({ paths }) => paths.length > 0 && paths.every(isAbsent))
    .map(({ capability, target }) => ({
      ...{ capability, target, known: "inferred" },
      ...{ implied: true, withoutSecrets: true },
    }));
}

const MAKING = wordsIn(PROGRAM_KINDS.makingFiles);

/** Whether what a command writes can come from nothing but files that it names. A wrapper is followed by what it runs. */
function makes(argv: readonly string[]): boolean {
  const name = systemName(argv[0] ?? "");
  if (name !== "xargs" && (transparentlyRun(argv) ?? shellText(argv)) !== undefined) return true;
  if (!MAKING.has(name) || !isLocalCommand(argv)) return false;
  return name !== "cp" || !argv.some((word) => /^-[a-zA-Z]*[rRa]|^--[ar]/.test(word));
}

/** A shell or a program may make another name of what has such letters. */
function isAbsent(path: string): boolean {
  return !/[*?[{$~%]/.test(path) && kindAt(path) === undefined;
}
