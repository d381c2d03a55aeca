import { createHash } from "node:crypto";
import { isAbsolute } from "node:path";

/** The payload of a client is invalid, so its call cannot be decided. */
export class PayloadError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PayloadError";
  }
}

export type Fields = Readonly<Record<string, unknown>>;

/** @throws PayloadError */
export function parsePayload(text: string): Fields {
  const fields = fieldsInText(text.replace(/^\uFEFF/, ""));
  // The error does not repeat the payload.
  if (fields === undefined) throw new PayloadError("The input of the hook is not a JSON object.");
  return fields;
}

/** JSON that is an object; `undefined` for any other text. */
export function fieldsInText(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The first non-empty text under these names. */
export function textIn(fields: Fields, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

const PLAIN_ID = /^[\w.-]{1,100}$/;

/** An id that a client made, as the log has it. What else it may hold is replaced by a digest, the same each time. */
export function plainId(id: string): string {
  return PLAIN_ID.test(id) ? id : createHash("sha256").update(id).digest("hex");
}

/**
 * All texts and lists of texts under these names, because the client may use any of them. A text with spaces around it
 * is included trimmed too. `undefined` if another type of value is there.
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

/** @throws PayloadError if it is missing. */
export function neededText(fields: Fields, name: string): string {
  const value = textIn(fields, name);
  if (value === undefined) throw new PayloadError(`The input of the hook has no \`${name}\`.`);
  return value;
}

/** An object, or one in JSON; empty if there is none. @throws PayloadError */
export function fieldsIn(fields: Fields, name: string): Fields {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (value === undefined || value === null || value === "") return {};
  if (isFields(value)) return value;
  if (typeof value === "string") return parsePayload(value);
  throw new PayloadError(`\`${name}\` in the input of the hook is not an object.`);
}

/** The client's working directory; by default its project. @throws PayloadError for a relative path. */
export function workingFolder(cwd: unknown, folder: string): string {
  if (cwd === undefined || cwd === null || cwd === "") return folder;
  if (typeof cwd === "string" && isAbsolute(cwd)) return cwd;
  throw new PayloadError("`cwd` in the input of the hook is not an absolute path.");
}

/** The first absolute path of these. @throws PayloadError */
export function folderFrom(...candidates: readonly unknown[]): string {
  const found = candidates.find((one): one is string => typeof one === "string" && isAbsolute(one));
  if (found === undefined)
    throw new PayloadError("The input of the hook does not name the project directory.");
  return found;
}
