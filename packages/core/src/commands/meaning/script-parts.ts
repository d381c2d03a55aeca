import { unlessThrown } from "../../contract/values/unless-thrown.ts";
import { HARMLESS_KEYS } from "./harmless-keys.ts";

/** The scripts of a package.json that differ between two texts of it; `undefined` if anything else may run differently. */
export function changedScriptNames(before: string, after: string): readonly string[] | undefined {
  const [one, other] = [objectIn(before), objectIn(after)];
  if (one === undefined || other === undefined) return undefined;
  const isSame = (key: string) => JSON.stringify(one[key]) === JSON.stringify(other[key]);
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  if (keys.some((key) => key !== "scripts" && !HARMLESS_KEYS.has(key) && !isSame(key))) return undefined;
  const [old, fresh] = [scriptsIn(one), scriptsIn(other)];
  if (old === undefined || fresh === undefined) return undefined;
  return [...new Set([...Object.keys(old), ...Object.keys(fresh)])].filter(
    (name) => old[name] !== fresh[name],
  );
}

/**
 * The same by an edit alone, where the file is not known: `undefined` unless every line that differs is a property
 * with a plain value. A line may be any script of that name, or a version, which is no command.
 */
export function editedScriptNames(before: string, after: string): readonly string[] | undefined {
  const names = changedLines(before, after).map(scriptInLine);
  if (names.some((name) => name === undefined)) return undefined;
  return [...new Set(names.filter((name): name is string => name !== undefined && name !== ""))];
}

const RANGE = /^(?:[\^~<>=]{0,2}\d+(?:\.(?:\d+|[x*])){0,2}(?:-[\w.-]+)?|workspace:[\^~*]|-|\|\|)$/;
const MAPS: ReadonlySet<string> = new Set(["dependencies", "devDependencies", "peerDependencies"]);

/**
 * Whether an edit of a package.json changes nothing but versions of packages from the registry, as installing one of
 * them would. No such text is a command, so it does not matter which property has it.
 */
export function changesVersionsOnly(before: string, after: string): boolean {
  return changedLines(before, after).every((line) => {
    if (line.trim() === "") return true;
    const entries = Object.entries(objectIn(`{${line.trim().replace(/,$/, "")}}`) ?? {});
    return entries.length > 0 && entries.every(([name, value]) => isRange(value) || isMap(name, value));
  });
}

function isMap(name: string, value: unknown): boolean {
  return MAPS.has(name) && typeof value === "object" && Object.values(value ?? {}).every(isRange);
}

function isRange(value: unknown): boolean {
  return (
    typeof value === "string" &&
    value.length <= 200 &&
    /\d|^workspace:/.test(value) &&
    value.split(" ").every((word) => RANGE.test(word))
  );
}

function changedLines(before: string, after: string): readonly string[] {
  const [one, other] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start += 1;
  let end = 0;
  const most = Math.min(one.length, other.length) - start;
  while (end < most && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return [...one.slice(start, one.length - end), ...other.slice(start, other.length - end)];
}

const VERSION =
  /^(?:[\^~<>=v]*\d+(?:\.[\dx*]+){0,2}(?:[-+][\w.+-]+)?|workspace:[\w.*^~-]+|\*|latest|next|-|\|\|)$/;

function isVersion(text: string): boolean {
  return (
    text.length <= 200 &&
    text
      .trim()
      .split(/\s+/)
      .every((word) => VERSION.test(word))
  );
}

/** The name of what may be a script; empty for what is none, `undefined` for what is no whole property. */
function scriptInLine(line: string): string | undefined {
  if (line.trim() === "") return "";
  const property = objectIn(`{${line.trim().replace(/,$/, "")}}`);
  const [entry, ...more] = Object.entries(property ?? {});
  if (entry === undefined || more.length > 0) return undefined;
  const [name, value] = entry;
  // Scripts are texts: an object under a name that decides nothing is none.
  if (typeof value === "object" && value !== null) return HARMLESS_KEYS.has(name) ? "" : undefined;
  return typeof value === "string" && !isVersion(value) ? name : "";
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  const value: unknown = unlessThrown(() => JSON.parse(text));
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

function scriptsIn({
  scripts = {},
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  const isObject = typeof scripts === "object" && scripts !== null && !Array.isArray(scripts);
  return isObject ? (scripts as Readonly<Record<string, unknown>>) : undefined;
}
