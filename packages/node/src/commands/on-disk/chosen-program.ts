import { dirname, join } from "node:path";
import { isWithin } from "../../files/path-within.ts";
import { textAt } from "./entries.ts";

/** Files by which a project says which program a name stands for, where a version manager obeys them. */
const CHOOSING: readonly { readonly file: string; readonly names: RegExp }[] = [
  // `path:` is a folder that may lie in the project.
  { file: ".tool-versions", names: /\bpath:/ },
  { file: "mise.toml", names: /\bpath:|_\.(?:file|path|source)/ },
  { file: ".mise.toml", names: /\bpath:|_\.(?:file|path|source)/ },
  // A version is no path; pyenv before 2.3.3 took one.
  { file: ".python-version", names: /\// },
];

const MANAGED: ReadonlySet<string> = new Set(["node", "python", "python3"]);

/** The file of the project that names another program for this one; `undefined` where none does. */
export function chosenBy(name: string, folder: string, roots: readonly string[]): string | undefined {
  if (!MANAGED.has(name)) return undefined;
  for (let at = folder; roots.some((root) => isWithin(at, root)); at = dirname(at))
    for (const { file, names } of CHOOSING) {
      const path = join(at, file);
      if (names.test(textAt(path) ?? "")) return path;
    }
  return undefined;
}
