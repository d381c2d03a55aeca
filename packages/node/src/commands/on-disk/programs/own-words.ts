import { tmpdir } from "node:os";
import { dirname, resolve } from "node:path";
import { isWithin } from "@toolkeep/core/internal";
import { realOf } from "../../../files/entries.ts";
import type { Look } from "./own-files.ts";
import { CODE_OPTIONS, COMMAND_WORDS, FURTHER } from "./project-tools.ts";

/**
 * Whether a word names something outside of the project: a path, the home, an address of another
 * machine, or one at which other machines reach this one.
 */
export function leadsOut(word: string, { folder, roots }: Look): boolean {
  if (ANY_ADDRESS.test(word)) return true;
  if (/^[A-Za-z][\w+.-]*:\/\//.test(word)) return !LOOPBACK.test(word);
  if (!/^[/~]|(?:^|[/:,])\.\.(?:\/|$)|[:,]\//.test(word)) return false;
  if (word.startsWith("~") || !/^[^:,]*$/.test(word)) return true;
  const path = realOf(resolve(folder, word));
  return path !== "/dev/null" && !roots.some((root) => isWithin(path, root));
}

const ANY_ADDRESS = /(?:^|[=/@])(?:0\.0\.0\.0|\[?::\]?)(?::\d+)?$/;
const LOOPBACK = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:[/?#]|$)/;

/** A text directly among the temporary files, which no program loads by itself. Rules decide about it. */
export function isTemporaryText(word: string): boolean {
  return dirname(word) === tmpdir() && /\.(?:log|txt|out|err|csv|tsv|json|diff|html)$/.test(word);
}

/** Whether one of the names in a word says that more than the project is changed: `db:reset`, `scripts/deploy.sh`. */
export function reachesFurther(word: string): boolean {
  const name = word.slice(word.replace(/\/+$/, "").lastIndexOf("/") + 1);
  return name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).some((part) => FURTHER.test(part));
}

/** Whether a program of the project may be given these words: names and numbers, no code, no command, no other host. */
export function handedOn(words: readonly string[]): boolean {
  return words.every(
    (word) =>
      PLAIN.test(word) &&
      !CODE_OPTIONS.test(word) &&
      !COMMAND_WORDS.has(word) &&
      (word.includes("/") || !reachesFurther(word)),
  );
}

/** Nothing that a shell or an interpreter would read as code, and nothing that may become an option. */
const PLAIN = /^(?![*?[])[\w@%+=:,./#?*[\]-]*$/;
