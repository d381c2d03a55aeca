import { basename, dirname } from "node:path";
import { isProtectedName, isSecretFile } from "@toolkeep/core/internal";
import type { FindKind } from "./find.ts";

const REPOSITORY = /^\.git$/i;
const HEAD = /^head$/i;

/** Files with secrets that also decide what is run or who may log in, as the settings of a package manager do. */
const AUTO_EXECUTED_SECRET = new RegExp(
  `(?:^|/)(?:${[
    "\\.(?:env|npmrc)[^/]*",
    "\\.terraformrc",
    "\\.my\\.cnf",
    "\\.docker/config\\.json",
    "\\.aws/(?:config|credentials|cli/alias)",
    "\\.azure/(?:config|cliextensions)",
    "\\.kube/(?:config|kuberc)",
    "\\.gnupg/[^/]+\\.conf",
    "\\.ssh/(?:config|rc|environment|authorized_keys2?)",
    "\\.config/gh/config\\.yml",
  ].join("|")})$`,
  "i",
);

/** What a name means in the folder it stands in, read as the most forgiving file system does; mostly nothing. */
export function kindOfName(folder: string, name: string): FindKind | undefined {
  const here = basename(folder);
  const around = `${basename(dirname(folder))}/${here}`;
  const kind = kindOfPath(`${around}/${name}`, name);
  if (kind === undefined) return undefined;
  // Of what lies deeper in a protected folder, only what is protected by itself counts.
  return kindOfPath(`${here}/${name}`, name) ?? (isProtectedName(around) ? undefined : kind);
}

function kindOfPath(path: string, name: string): FindKind | undefined {
  if (REPOSITORY.test(name)) return "repository";
  if (isSecretFile(path)) return AUTO_EXECUTED_SECRET.test(path) ? "obeyed secret" : "secret";
  // A file of this name makes a repository only beside others, which are looked for on their own.
  return !HEAD.test(name) && isProtectedName(path) ? "protected" : undefined;
}

/** The name of the file that makes a folder with these names into a repository without a `.git`. */
export function headAmong(names: readonly string[]): string | undefined {
  const head = names.find((name) => HEAD.test(name));
  if (head === undefined) return undefined;
  const folded = new Set(names.map((name) => name.toLowerCase()));
  // Git looks for the rest where a `commondir` says.
  return (folded.has("objects") && folded.has("refs")) || folded.has("commondir") ? head : undefined;
}
