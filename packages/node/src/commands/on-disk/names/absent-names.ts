import type { Effect } from "@toolkeep/core";
import { isOutside, joinCommand, namesSecret, placesIn, placesInLine } from "@toolkeep/core/internal";
import type { LineOnDisk, ProtectedPaths } from "@toolkeep/core/ports";
import { kindAt } from "../../../files/entries.ts";
import { foldersOf } from "./moved-folder.ts";

/**
 * Commands whose words look like paths outside of the roots where nothing is: a route, an expression, a path of another
 * machine. Each is the effect of the command, or of the line, again, with that said.
 */
export async function absentNames(
  { line, commands, folder = "/" }: LineOnDisk,
  { roots }: Pick<ProtectedPaths, "roots">,
): Promise<readonly Effect[]> {
  const folders = [folder, ...(await foldersOf(commands, folder))];
  const argvs = commands.map(({ argv }) => argv);
  const outside = (places: readonly string[]) =>
    places
      .flatMap((place) => (place.startsWith("/") ? [place] : folders.map((from) => `${from}/${place}`)))
      .filter((path) => isOutside(path, roots));
  const named = [
    ...argvs
      .filter((argv) => !namesSecret(argv))
      .map((argv) => ({
        capability: "shell.run",
        target: joinCommand(argv),
        paths: outside(placesIn(argv)),
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

/** A shell or a program may make another name of what has such letters. */
function isAbsent(path: string): boolean {
  return !/[*?[{$~%]/.test(path) && kindAt(path) === undefined;
}
