import { accessSync, constants } from "node:fs";
import { relative, resolve } from "node:path";
import { isWithin } from "@toolkeep/core/internal";
import { kindAt, realOf, textAt } from "../../../files/entries.ts";
import { INSTALLED } from "./foreign-code.ts";
import type { Interpreter } from "./project-tools.ts";

export interface Look {
  readonly folder: string;
  readonly roots: readonly string[];
}

/** Of others, or of git itself. */
const NOT_OWN = /(?:^|\/)\.git(?:\/|$)/;

/**
 * The file of the project that a command starts, or gives to an interpreter: one that can be executed, or that ends as
 * files for the interpreter do. Links are followed, and what is installed is not the project's own.
 */
export function ownFile(given: string, { folder, roots }: Look, by?: Interpreter): string | undefined {
  const path = realOf(resolve(folder, given));
  const root = roots.find((one) => isWithin(path, one));
  const inside = root === undefined ? undefined : relative(root, path);
  if (inside === undefined || INSTALLED.test(inside) || NOT_OWN.test(inside)) return undefined;
  const kind = kindAt(path);
  // A package of Go is a folder.
  if (kind === "folder")
    return by?.name.test("go") === true && /^\.{1,2}(?:\/|$)/.test(given) ? path : undefined;
  if (kind !== "file") return undefined;
  const isMeant =
    by === undefined ? isExecutable(path) : by.files.test(path) || textAt(path)?.startsWith("#!");
  return isMeant === true ? path : undefined;
}

/** The file of a module of Python, as it is found from the folder. */
export function ownModule(module: string, look: Look): string | undefined {
  if (!/^\w+(?:\.\w+)*$/.test(module)) return undefined;
  const path = module.replaceAll(".", "/");
  return [`${path}.py`, `${path}/__main__.py`]
    .filter((file) => kindAt(resolve(look.folder, file)) === "file")
    .map((file) => resolve(look.folder, file))
    .find((file) => look.roots.some((root) => isWithin(realOf(file), root)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
