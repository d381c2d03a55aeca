import { ToolFailure } from "@toolkeep/core";
import { type ArgumentPath, each, type Reading } from "./mapped-target.ts";

const MOST_VALUES = 1_000;
const LONGEST = 4_096;

/**
 * The strings in the arguments at a path; `undefined` if there is nothing. `null` is nothing.
 * @throws ToolFailure `invalid_arguments` for anything but strings, and for a list that is empty or too long.
 */
export function argumentsAt(args: unknown, path: ArgumentPath): readonly string[] | undefined {
  let values: readonly unknown[] = [args];
  for (const step of path) {
    const next =
      step === each
        ? values.flatMap((value) => entries(value, path))
        : values.map((value) => field(value, step, path));
    if (next.every((value) => value === undefined || value === null)) return undefined;
    values = next;
  }
  return values.map((value) => text(value, path));
}

function entries(value: unknown, path: ArgumentPath): readonly unknown[] {
  if (!Array.isArray(value)) throw unreadable(path, "it is not a list");
  if (value.length === 0) throw unreadable(path, "the list is empty");
  if (value.length > MOST_VALUES) throw unreadable(path, `the list has more than ${MOST_VALUES} entries`);
  return value;
}

function field(value: unknown, name: string, path: ArgumentPath): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw unreadable(path, "its parent is not an object");
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

function text(value: unknown, path: ArgumentPath): string {
  if (typeof value !== "string") throw unreadable(path, "it is not a string");
  if (value === "") throw unreadable(path, "it is empty");
  if (value.length > LONGEST) throw unreadable(path, `it is longer than ${LONGEST} characters`);
  if (CONTROL.test(value) || !value.isWellFormed()) throw unreadable(path, "it contains control characters");
  return value;
}

const CONTROL = /\p{Cc}/u;

/** The values of any type in the arguments at a path that are neither `null` nor missing. */
export function valuesAt(args: unknown, path: ArgumentPath): readonly unknown[] {
  return path
    .reduce<readonly unknown[]>(
      (values, step) =>
        values.flatMap((value) => {
          if (step === each) return Array.isArray(value) ? value : [];
          return typeof value === "object" && value !== null && Object.hasOwn(value, step)
            ? [(value as Record<string, unknown>)[step]]
            : [];
        }),
      [args],
    )
    .filter((value) => value !== undefined && value !== null);
}

/** Refuses a text with a segment `..`: where it is joined to an address, it leads out of it. Escapes are decoded. */
export function inside(value: unknown, path: ArgumentPath): void {
  let text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  for (let round = 0; round < MOST_ESCAPES; round += 1) {
    const seen = text.normalize("NFKC").replaceAll(/[\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, "");
    if (seen.split(/[^\p{L}\p{N}\s._~-]/u).some((segment) => segment.trim() === ".."))
      throw unreadable(path, "it goes up with ..");
    // Also in two spellings that only some servers decode.
    text = text
      .replaceAll(/%(?:c0%a|u002)([ef])/gi, "%2$1")
      .replaceAll(/%([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
}

const MOST_ESCAPES = 4;

/** A value as its placeholder requires. @throws ToolFailure `invalid_arguments` if it cannot be read so. */
export function readAs(reading: Exclude<Reading, "any">, value: string, path: ArgumentPath): string {
  if (reading === "text") return value;
  if (reading === "host") return hostOf(value, path);
  if (reading === "word") return word(value, path);
  const name = plainName(value, path);
  return reading === "slug" ? name.toLowerCase() : name;
}

/** A text that no program treats as an option. */
export function word(value: string, path: ArgumentPath): string {
  // Some programs trim their input first.
  if (/^[\s-]/u.test(value)) throw unreadable(path, "it would be treated as an option");
  return value;
}

/** A word in which no program expands a variable. */
export function literal(value: string, path: ArgumentPath): string {
  if (value.includes("$")) throw unreadable(path, "it contains a $, which would be expanded");
  return word(value, path);
}

/** One segment of a path or an address, which cannot lead elsewhere. */
export function plainName(value: string, path: ArgumentPath): string {
  if (!/^[A-Za-z0-9_.-]+$/.test(value) || /^\.+$/.test(value) || value.startsWith("-"))
    throw unreadable(path, "it is not a plain name");
  return value;
}

/** Other programs parse a backslash, a space or a user in an address differently than `URL` does. */
const UNCLEAR = /[\s\\]/u;

function hostOf(value: string, path: ArgumentPath): string {
  const url = UNCLEAR.test(value) || !URL.canParse(value) ? undefined : new URL(value);
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  if (url === undefined || !isWeb || !/^https?:\/\/[^/]/i.test(value))
    throw unreadable(path, "it is not a complete http or https address");
  if (url.username !== "" || url.password !== "" || /^https?:\/\/[^/?#]*@/i.test(value))
    throw unreadable(path, "it contains a user name or a password");
  return url.hostname;
}

/** For a value that cannot be read; the value itself is not repeated. */
export function unreadable(path: ArgumentPath, why: string, hint?: string): ToolFailure {
  const name = path.reduce<string>(
    (text, step) => (step === each ? `${text}[]` : text === "" ? String(step) : `${text}.${String(step)}`),
    "",
  );
  return new ToolFailure(
    "invalid_arguments",
    `the effects of the call are unknown because of the argument ${JSON.stringify(name)}: ${why}`,
    hint === undefined ? {} : { hint },
  );
}
