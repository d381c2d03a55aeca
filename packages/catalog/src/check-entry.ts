import { capabilityNamed } from "./capabilities.ts";
import { nameIn, readCommand } from "./catalog.ts";
import compiledSchema from "./compiled-schema.json" with { type: "json" };
import { isNameOf, type ProgramEntry } from "./entry.ts";
import { wordsOf } from "./plain-words.ts";
import { type EntryError, type EntrySchema, schemaErrors } from "./schema-errors.ts";

/** An entry, or what is wrong with it. */
export type CheckedEntry =
  | { readonly entry: ProgramEntry; readonly errors: readonly [] }
  | { readonly entry?: undefined; readonly errors: readonly EntryError[] };

/** Whether a value is an entry: as the schema says, with capabilities that are known, and examples that hold. */
export function checkEntry(value: unknown): CheckedEntry {
  const entry = value as ProgramEntry;
  for (const find of [formErrors, countErrors, exampleErrors]) {
    const errors = find(entry);
    if (errors.length > 0) return { errors };
  }
  return { entry, errors: [] };
}

/** The same for the text of a file, which has the name of its program. */
export function checkEntryText(text: string, file?: string): CheckedEntry {
  try {
    const checked = checkEntry(JSON.parse(text));
    const name = `${checked.entry?.program}.json`;
    if (checked.entry === undefined || file === undefined || file === name) return checked;
    return { errors: [{ at: "program", message: `The name of its file must be ${name}.` }] };
  } catch (error) {
    return { errors: [{ at: "", message: `It cannot be read: ${(error as Error).message}` }] };
  }
}

function formErrors(value: unknown): readonly EntryError[] {
  return schemaErrors(compiledSchema as EntrySchema, value, capabilityMessage);
}

const WITHOUT_CAPABILITY = new Set(["nothing", "statements"]);

function capabilityMessage(definition: string, text: string): string | undefined {
  if (definition !== "#/$defs/does") return undefined;
  const unknown = text
    .split(" ")
    .filter((name) => !WITHOUT_CAPABILITY.has(name) && capabilityNamed(name) === undefined);
  return unknown.length === 0 ? undefined : `There is no capability ${quoted(unknown)}.`;
}

/** More subcommands take too long to read. */
const MOST_COMMANDS = 10_000;

function countErrors({ commands = {} }: ProgramEntry): readonly EntryError[] {
  const alternatives = (words: string) =>
    words.split(" ").reduce((count, word) => count * word.split("|").length, 1);
  const count = Object.keys(commands).reduce((all, words) => all + alternatives(words), 0);
  return count > MOST_COMMANDS ? [{ at: "commands", message: `There are more than ${MOST_COMMANDS}.` }] : [];
}

function exampleErrors(entry: ProgramEntry): readonly EntryError[] {
  return entry.examples.flatMap((example, index) => {
    const message = exampleMessage(entry, example);
    return message === undefined ? [] : [{ at: `examples[${index}]`, message }];
  });
}

function exampleMessage(
  entry: ProgramEntry,
  [line, expected]: ProgramEntry["examples"][number],
): string | undefined {
  const argv = wordsOf(line);
  if (!isNameOf(entry, nameIn(argv))) return `\`${line}\` is not a command of ${entry.program}.`;
  const {
    does = [],
    isWhole = false,
    unknown = [],
  } = readCommand(argv, {}, [{ entry, rank: "first" }]) ?? {};
  const said = [...does, ...(isWhole ? [] : ["?"])].join(" ") || "nothing";
  if (said === expected) return undefined;
  const words = isWhole || unknown.length === 0 ? "" : ` Not known: ${quoted(unknown)}.`;
  return `\`${line}\` does \`${said}\`, and not \`${expected}\`.${words}`;
}

function quoted(names: readonly string[]): string {
  return [...new Set(names)].map((name) => `\`${name}\``).join(", ");
}
