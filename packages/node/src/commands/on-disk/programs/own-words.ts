import { tmpdir } from "node:os";
import { dirname, resolve } from "node:path";
import { isLoopbackAddress, isWithin } from "@toolkeep/core/internal";
import { realOf } from "../../../files/entries.ts";
import type { Look } from "./foreign-code.ts";
import { CODE_OPTIONS, COMMAND_WORDS, FURTHER } from "./project-tools.ts";

/**
 * What a word names outside of the project: paths, in the word of an option too, an address of another machine, or one
 * at which other machines reach this one.
 */
export function outsideOf(word: string, { folder, roots }: Look): readonly string[] {
  if (ANY_ADDRESS.test(word)) return [word];
  if (word.includes("://")) return isLoopbackAddress(word.replace(/^--?[\w-]+=/, "")) ? [] : [word];
  const parts = word.replace(/^--?[\w.-]*?(?==|[/~]|\.\.\/)/, "").split(/[=@:,]/);
  return parts
    .filter((part) => /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(part))
    .map((part) => (part.startsWith("~") ? part : realOf(resolve(folder, part))))
    .filter((path) => path !== "/dev/null" && !roots.some((root) => isWithin(path, root)));
}

const ANY_ADDRESS = /(?:^|[=/@])(?:0\.0\.0\.0|\[?::\]?)(?::\d+)?$/;

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
