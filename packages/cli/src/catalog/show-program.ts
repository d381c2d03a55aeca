import {
  type Capability,
  type CommandEntry,
  capabilityNamed,
  entryOf,
  type ProgramEntry,
  programNames,
} from "@toolkeep/catalog";
import { closestName, visible } from "@toolkeep/core/internal";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import type { StyledLine } from "../terminal/styled-lines.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Lists the programs that have an entry. */
export function listPrograms(terminal: Terminal): number {
  const programs = programNames().map((name) => ({ program: name, aliases: aliasesOf(entryOf(name)) }));
  terminal.show(
    programs,
    programs.map(({ program, aliases }) =>
      visible(aliases.length === 0 ? program : `${program}  (${aliases.join(", ")})`),
    ),
  );
  return EXIT.ok;
}

/** Shows what is known of a program: its subcommands and options by what they do. */
export function showProgram(name: string, terminal: Terminal): number {
  const entry = entryOf(name);
  if (entry === undefined) {
    const near = closestName(name, programNames());
    throw new CommandError(`Toolkeep does not know the program ${JSON.stringify(name)}.`, {
      hint:
        near === undefined ? "Run `toolkeep catalog` to list those that it knows." : `Did you mean ${near}?`,
    });
  }
  terminal.show(entry, entryLines(entry));
  return EXIT.ok;
}

function aliasesOf(entry: ProgramEntry | undefined): readonly string[] {
  return entry?.aliases?.split(" ") ?? [];
}

function entryLines(entry: ProgramEntry): readonly StyledLine[] {
  const aliases = aliasesOf(entry);
  const rows = [...rowsOf(entry, entry.program), ...commandRows(entry), otherwiseRow(entry)];
  const groups = [...Map.groupBy(rows, ({ does }) => does)].toSorted(
    ([one], [other]) => rankOf(one) - rankOf(other),
  );
  return [
    { text: visible([entry.program, ...aliases].join(", ")), style: "bold" },
    ...groups.flatMap(([does, same]): readonly StyledLine[] => [
      { text: "" },
      { text: `${saidBy(does)} (${does})`, style: STYLES[rankOf(does)] ?? "cyan" },
      ...same.map(({ words }) => ({ text: visible(`  ${words}`) })),
    ]),
  ];
}

const KINDS: readonly Capability["kind"][] = ["read", "change", "secret", "destroy"];
const STYLES = ["green", "yellow", "yellow", "red"] as const;

function capabilitiesOf(does: string): readonly Capability[] {
  return does.split(" ").flatMap((name) => capabilityNamed(name) ?? []);
}

/** By the worst of what it does. */
function rankOf(does: string): number {
  return Math.max(0, ...capabilitiesOf(does).map(({ kind }) => KINDS.indexOf(kind)));
}

function saidBy(does: string): string {
  return (
    capabilitiesOf(does)
      .map(({ says }) => says)
      .join(" ") || "It says something about itself."
  );
}

/** How a command is written, and what it does then. */
interface Row {
  readonly does: string;
  readonly words: string;
}

function otherwiseRow({ otherwise }: ProgramEntry): Row {
  return { does: otherwise, words: "… (anything that is not known)" };
}

function commandRows({ program, commands = {} }: ProgramEntry): readonly Row[] {
  return Object.entries(commands).flatMap(([words, said]) => rowsOf(commandOf(said), `${program} ${words}`));
}

function commandOf(said: string | CommandEntry): CommandEntry {
  return typeof said === "string" ? { does: said } : said;
}

function rowsOf(
  { does, alone, naming, options = {}, with: modes = {} }: CommandEntry,
  words: string,
): readonly Row[] {
  const rows = (table: Readonly<Record<string, string>> = {}, text: (key: string) => string) =>
    Object.entries(table).map(([key, done]) => ({ does: done, words: text(key) }));
  return [
    ...(does === undefined ? [] : [{ does, words }]),
    ...(alone === undefined ? [] : [{ does: alone, words: `${words}  (without operands)` }]),
    ...rows(naming, (names) => `${words} ${names}  (besides)`),
    ...rows(options.makes, (spellings) => `${words} ${spellings}`),
    ...rows(options.adds, (spellings) => `${words} ${spellings}  (besides)`),
    ...Object.entries(modes).flatMap(([spellings, said]) => rowsOf(commandOf(said), `${words} ${spellings}`)),
  ];
}
