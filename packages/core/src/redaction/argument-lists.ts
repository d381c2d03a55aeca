import { isPassword, isWordForPassword, stands } from "./likely-secret.ts";
import { type FoundSecret, isSecret } from "./named-values.ts";
import type { SecretName } from "./secret-name-kinds.ts";
import { secretName } from "./secret-names.ts";
import {
  hasPairOption,
  isShortPassword,
  PAIR_OPTION,
  PASSWORD_LETTERS,
  pairStart,
  passwordForms,
} from "./short-options.ts";

/** What an argument of a list follows. */
export interface ArgumentPosition {
  /** The argument before it. */
  readonly before: string | undefined;
  /** Those before it, in a line. */
  readonly command: string;
}

const ASSIGNED = /^(--[A-Za-z][\w-]{0,60})=/;
const SHORTEST_SHORT = 3;

/** The secret in an argument of a list: the value of an option, which is never taken for one where it begins with a hyphen. */
export function argumentSecret(argument: string, position: ArgumentPosition): FoundSecret | undefined {
  const { before, command } = position;
  const assigned = ASSIGNED.exec(argument);
  if (assigned !== null) {
    const [{ length }, option = ""] = assigned;
    return optionSecret(option, argument.slice(length), command, length);
  }
  if (argument.startsWith("-")) return attached(argument, command);
  if (before === undefined || !before.startsWith("-")) return undefined;
  return before.startsWith("--")
    ? optionSecret(before, argument, command, 0)
    : next(argument, before, command);
}

/** The value of an option that is written out. */
function optionSecret(
  option: string,
  value: string,
  command: string,
  start: number,
): FoundSecret | undefined {
  const end = start + value.length;
  if (PAIR_OPTION.test(option)) {
    const at = hasPairOption(command) ? pairStart(value) : -1;
    return at === -1 ? undefined : { start: start + at, end, name: "password" };
  }
  const known = secretName(option.slice(2));
  return known !== undefined && isValue(value, known) ? { start, end, name: known.mark } : undefined;
}

/** Signs that end a value where a shell reads it: what stands behind them must be seen. */
const ENDS_VALUE = /[\s;|&<>]/;
const SHORTEST_PASSWORD = 3;

/** In a list it is certain where a value begins and ends: passwords and tokens may look like words there. */
function isValue(value: string, known: SecretName): boolean {
  if (/\s/.test(value)) return false;
  if (isSecret(value, known, true)) return true;
  if (value.length < SHORTEST_PASSWORD || ENDS_VALUE.test(value)) return false;
  if (known.mark === "token") return isPassword(value);
  return known.mark === "password" && !stands(value) && !isWordForPassword(value);
}

/** `-pVALUE`, `-uNAME:VALUE`. */
function attached(argument: string, command: string): FoundSecret | undefined {
  const letter = argument.charAt(1);
  const value = argument.slice(2);
  if (value.length < SHORTEST_SHORT || !PASSWORD_LETTERS.includes(letter)) return undefined;
  return shortSecret(value, { forms: passwordForms(command, letter), form: "attached", start: 2 });
}

/** The argument after `-p` or `-u`. */
function next(argument: string, before: string, command: string): FoundSecret | undefined {
  const letter = before.charAt(1);
  if (before.length !== 2 || argument.length < SHORTEST_SHORT || !PASSWORD_LETTERS.includes(letter))
    return undefined;
  return shortSecret(argument, { forms: passwordForms(command, letter), form: "next", start: 0 });
}

interface ShortValue {
  readonly forms: ReturnType<typeof passwordForms>;
  readonly form: "attached" | "next";
  readonly start: number;
}

function shortSecret(value: string, { forms, form, start }: ShortValue): FoundSecret | undefined {
  if (/\s/.test(value)) return undefined;
  const end = start + value.length;
  const pair = forms.includes("pair") ? pairStart(value) : -1;
  if (pair !== -1) return { start: start + pair, end, name: "password" };
  return forms.includes(form) && isShortPassword(value) ? { start, end, name: "password" } : undefined;
}
