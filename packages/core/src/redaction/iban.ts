import type { FoundSecret } from "./named-values.ts";

const IBAN = /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])/y;

/** The first letters of countries whose banks have such numbers. */
export const IBAN_COUNTRIES = { before: "ABCDEFGHIJKLMNPQRSTUVX" };

/** The number of a bank account (ISO 13616). `at` is its first digit. */
export function iban(text: string, at: number): FoundSecret | undefined {
  IBAN.lastIndex = at - 2;
  const found = IBAN.exec(text)?.[0];
  if (found === undefined || !isIban(found.replaceAll(" ", ""))) return undefined;
  return { start: at - 2, end: at - 2 + found.length, name: "iban" };
}

const SHORTEST = 15;
const LONGEST = 34;

/** The remainder of a valid one, with letters as numbers and its start at its end, is 1 by 97. */
function isIban(text: string): boolean {
  if (text.length < SHORTEST || text.length > LONGEST) return false;
  let remainder = 0;
  for (const char of text.slice(4) + text.slice(0, 4))
    for (const digit of String(Number.parseInt(char, 36))) remainder = (remainder * 10 + Number(digit)) % 97;
  return remainder === 1;
}
