import { meetsAll } from "../files/meets-all.ts";

/**
 * A shell's pattern for one name, as an expression that matches at least all that the shell's does: a bracket class
 * that is not plain, and all that follows it, matches anything. Ranges, negations and named classes are not plain.
 * With `hidden`, as a shell does that finds names that begin with a dot by any pattern.
 */
export function namePattern(pattern: string, hidden = false): (name: string) => boolean {
  const units = unitsOf(pattern);
  return (name) => (hidden || pattern.startsWith(".") || !name.startsWith(".")) && meets(units, name);
}

/** The same where it must not match too much: `undefined` for an uncertain pattern. A star matches a leading dot. */
export function exactName(pattern: string): ((name: string) => boolean) | undefined {
  if (pattern === "" || pattern.includes("**") || !EXACT.test(pattern)) return undefined;
  const units = unitsOf(pattern);
  return (name) => meets(units, name);
}

const EXACT = /^(?:[^\\[\]{}]|\[[\w.@%+,~ ]+\])+$/;

/** One character that is meant, a set of them, any one, or any number. */
type Unit = string | ReadonlySet<string> | typeof ANY | typeof RUN;

const ANY = Symbol("any character");
const RUN = Symbol("any number of characters");

function unitsOf(pattern: string): readonly Unit[] {
  const units: Unit[] = [];
  const letters = [...pattern];
  for (let at = 0; at < letters.length; at += 1) {
    const letter = letters[at] as string;
    if (letter === "*") {
      if (units.at(-1) !== RUN) units.push(RUN);
    } else if (letter === "?") units.push(ANY);
    else if (letter === "[") {
      const end = letters.indexOf("]", at + 2);
      const inner = letters.slice(at + 1, end).join("");
      // Where a class ends that is not plain depends on the shell, so what follows may be anything.
      if (end !== -1 && !PLAIN_CLASS.test(inner)) return [...units, RUN];
      units.push(end === -1 ? letter : new Set(inner));
      if (end !== -1) at = end;
    } else units.push(letter);
  }
  return units;
}

const PLAIN_CLASS = /^[\w.@%+,~ ]+$/;

function meets(units: readonly Unit[], name: string): boolean {
  return meetsAll(units, [...name], { isRun: (unit) => unit === RUN, fits });
}

function fits(unit: Unit, letter: string): boolean {
  if (unit === ANY) return true;
  if (typeof unit === "string") return unit === letter;
  return unit instanceof Set && unit.has(letter);
}
