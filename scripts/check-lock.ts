import { existsSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

/**
 * Whether one lock file has what another has, and nothing else but optional packages for other machines: registries do
 * not offer those of every machine at every time, and `npm install` adds the ones that it finds, but installs none of
 * them. To be run where the packages are installed.
 */
const [before = "", after = ""] = process.argv.slice(2).map((path) => readFileSync(path, "utf8"));
const { packages: known, ...rest } = read(before);
const { packages: found, ...restFound } = read(after);
const changed = Object.keys(known).filter((name) => !isDeepStrictEqual(known[name], found[name]));
const added = Object.keys(found).filter((name) => !(name in known) && !isForOthers(name));
const isSame = isDeepStrictEqual(rest, restFound) && changed.length + added.length === 0;
if (!isSame) console.error(`The lock file is not the same: ${[...changed, ...added].join(", ")}`);
process.exitCode = isSame ? 0 : 1;

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly optional?: boolean }>>;
}

function read(text: string): LockFile {
  return JSON.parse(text);
}

function isForOthers(name: string): boolean {
  return found[name]?.optional === true && !existsSync(name);
}
