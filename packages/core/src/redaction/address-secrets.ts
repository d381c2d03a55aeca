import { isPassword, isRandom, isWordForPassword } from "./likely-secret.ts";
import type { FoundSecret } from "./named-values.ts";

const LONGEST_USER = 100;
const LONGEST_PASSWORD = 200;

/** The password before `@` in an address. Who is where is no secret. */
export function addressPassword(text: string, at: number, isLoose: boolean): FoundSecret | undefined {
  const least = Math.max(3, at - LONGEST_USER - LONGEST_PASSWORD - 1);
  let start = at;
  while (start > least && !/[\s/@]/.test(text.charAt(start - 1))) start -= 1;
  if (!text.startsWith("://", start - 3)) return undefined;
  const part = text.slice(start, at);
  const colon = part.indexOf(":");
  const password = beforeCode(part.slice(colon + 1));
  const from = start + colon + 1;
  if (colon === -1 || colon > LONGEST_USER || password.length < 3 || password.length > LONGEST_PASSWORD)
    return undefined;
  if (!isLoose && (/["'\\]/.test(part) || isWordForPassword(password))) return undefined;
  return { start: from, end: from + password.length, name: "url-password" };
}

/** A command or a variable in the place of a password is shown. */
function beforeCode(password: string): string {
  return password.split(/[`;|&<>()]|\$(?:[({]|[A-Z_]{3})/, 1).join("");
}

const IN_ENCODED_ADDRESS = /%3A%2F%2F[^\s%]{0,100}%3A([^\s%]{3,200})%4$/;

export function encodedPassword(text: string, at: number): FoundSecret | undefined {
  if (text.charAt(at + 1) !== "0") return undefined;
  const found = IN_ENCODED_ADDRESS.exec(text.slice(Math.max(0, at - 320), at + 1))?.[1];
  const password = beforeCode(found ?? "");
  if (found === undefined || password.length < 3 || isWordForPassword(password)) return undefined;
  const start = at - 1 - found.length;
  return { start, end: start + password.length, name: "url-password" };
}

const BEARER = /[Bb]earer(?:[ +]|%20)([A-Za-z0-9_.~+/%-]{16,4096}={0,2})/y;

export function bearer(text: string, at: number): FoundSecret | undefined {
  if (!text.startsWith("earer", at)) return undefined;
  BEARER.lastIndex = at - 1;
  const value = BEARER.exec(text)?.[1];
  if (value === undefined || !isRandom(value)) return undefined;
  return { start: BEARER.lastIndex - value.length, end: BEARER.lastIndex, name: "authorization" };
}

const BEFORE_PORT = /(?:^|[\s"'])[A-Za-z0-9_.*-]{1,128}:\d{4,5}$/;
const AFTER_PORT = /:(?!\d+:)[^:\s\\]{1,64}:[^:\s\\]{1,64}:([^\s:"'`;|&<>()]{4,128})(?=[\s"'`;|&<>()]|$)/y;

/** `host:port:database:user:password`, as in .pgpass. `at` is the colon after the port. */
export function pgpassPassword(text: string, at: number): FoundSecret | undefined {
  AFTER_PORT.lastIndex = at;
  const value = AFTER_PORT.exec(text)?.[1];
  if (value === undefined || !isPassword(value)) return undefined;
  if (!BEFORE_PORT.test(text.slice(Math.max(0, at - 140), at))) return undefined;
  return { start: AFTER_PORT.lastIndex - value.length, end: AFTER_PORT.lastIndex, name: "password" };
}
