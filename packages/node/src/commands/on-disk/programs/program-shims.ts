import { expressionsIn, listIn, PROGRAM_KINDS, VERSION_MANAGERS, wordsIn } from "@toolkeep/catalog/internal";
import { CHOOSING_FILES, type ChoosingFile } from "./choosing-files.ts";

/** A version manager that puts itself in place of programs, and asks the project which one to start. */
export interface Shim {
  /** Where a link of the program ends. */
  readonly end?: RegExp;
  /** What the script says that is in place of the program. */
  readonly script?: RegExp;
  /** Folders of its data by the variable that names it, by its usual place in the home, and the shims in there. */
  readonly folders?: readonly (readonly string[])[];
  readonly follows: readonly ChoosingFile[];
  /** It starts a program of the same name that the project has installed, except for these. */
  readonly localExcept?: RegExp;
}

/** Sources: the documentation of each; mise 2026.9.15 was run. Those of languages have one design, and one kind of script. */
export const SHIMS: readonly Shim[] = VERSION_MANAGERS.map(({ folders = [], follows, ...shim }) => ({
  ...expressionsIn(shim),
  folders: folders.map(listIn),
  follows: listIn(follows).map((name) => CHOOSING_FILES[name as keyof typeof CHOOSING_FILES]),
}));

/** One of a kind that is not known may follow any of these files. */
export const UNKNOWN_SHIM: Shim = { follows: Object.values(CHOOSING_FILES) };

/** Programs that are no scripts: a script of that name stands for one. */
export const NEVER_SCRIPTS = wordsIn(PROGRAM_KINDS.neverScripts);
