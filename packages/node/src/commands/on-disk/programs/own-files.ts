import { relative, resolve } from "node:path";
import { isCode, isWithin } from "@toolkeep/core/internal";
import { isProgram, kindAt, realOf, textAt } from "../../../files/entries.ts";
import { isOwn, type Look } from "./foreign-code.ts";
import { BUILT, type Interpreter } from "./project-tools.ts";

/**
 * The file of the project that a command starts, or gives to an interpreter: one that can be executed, or that ends as
 * files for the interpreter do. Links are followed. A change of the file must be one that is kept.
 */
export function ownFile(given: string, look: Look, by?: Interpreter): string | undefined {
  const path = realOf(resolve(look.folder, given));
  if (!isOwn(path, look) || path.includes("/.git/")) return undefined;
  // A package of Go is a folder.
  if (kindAt(path) === "folder")
    return by?.name.test("go") && /^\.{1,2}(?:\/|$)/.test(given) ? path : undefined;
  return isCode(path) && (by === undefined ? isStarted(path, look) : isTaken(path, by)) ? path : undefined;
}

/** What is not there runs nothing, or what a build puts there first. */
function isStarted(path: string, { roots }: Look): boolean {
  if (kindAt(path) !== undefined) return isProgram(path);
  return roots.some((root) => isWithin(path, root) && BUILT.test(relative(root, path)));
}

function isTaken(path: string, { files }: Interpreter): boolean {
  return kindAt(path) === "file" && (files.test(path) || textAt(path)?.startsWith("#!") === true);
}
