import { isAbsolute } from "node:path";

/** What a client sent cannot be understood, so nobody could say what it is about to do. */
export class PayloadError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PayloadError";
  }
}

export type Fields = Readonly<Record<string, unknown>>;

/** @throws PayloadFault */
export function parsePayload(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    if (isFields(value)) return value;
  } catch {
    // Said below, without what was in it.
  }
  throw new PayloadError("The hook was given something that is not a JSON object.");
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The first of these names that holds a text; `undefined` if none does. */
export function textIn(fields: Fields, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

/**
 * Everything that stands under these names, texts and lists of texts alike: which of them a client takes, nobody
 * knows. What has spaces around it is there without them as well. `undefined` where something else stands there.
 */
export function textsIn(fields: Fields, names: readonly string[]): readonly string[] | undefined {
  const all = new Set<string>();
  for (const name of new Set(names)) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (value === undefined || value === null || value === "") continue;
    for (const text of Array.isArray(value) ? value : [value]) {
      if (typeof text !== "string" || text.trim() === "") return undefined;
      all.add(text).add(text.trim());
    }
  }
  return [...all];
}

/** @throws PayloadFault where it is missing. */
export function neededText(fields: Fields, name: string): string {
  const value = textIn(fields, name);
  if (value === undefined) throw new PayloadError(`The hook was given no \`${name}\`.`);
  return value;
}

/** An object, or a text that holds one in JSON; an empty one where there is none. @throws PayloadFault */
export function fieldsIn(fields: Fields, name: string): Fields {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (value === undefined || value === null || value === "") return {};
  if (isFields(value)) return value;
  if (typeof value === "string") return parsePayload(value);
  throw new PayloadError(`The hook was given \`${name}\` in a form that cannot be read.`);
}

/** Where the client says it is; its project where it does not. @throws PayloadFault for a place that is not clear. */
export function workingFolder(cwd: unknown, folder: string): string {
  if (cwd === undefined || cwd === null || cwd === "") return folder;
  if (typeof cwd === "string" && isAbsolute(cwd)) return cwd;
  throw new PayloadError("The hook was given a `cwd` that is no absolute path.");
}

/** A folder by its absolute path, from the first of these that is one. @throws PayloadFault */
export function folderFrom(...candidates: readonly unknown[]): string {
  const found = candidates.find((one): one is string => typeof one === "string" && isAbsolute(one));
  if (found === undefined) throw new PayloadError("The hook was not told which folder the project is in.");
  return found;
}
