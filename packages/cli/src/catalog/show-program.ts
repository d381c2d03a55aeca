import {
  type Capability,
  type CommandEntry,
  capabilityNamed,
  entryOf,
  isNameOf,
  type ProgramEntry,
  programNames,
} from "@toolkeep/catalog";
import { closestName, visible } from "@toolkeep/core/internal";
import { type Config, createProjectTrust, directories, readConfig } from "@toolkeep/node/internal";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import type { StyledLine } from "../terminal/styled-lines.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** The entries that users, administrators and projects add here. An invalid configuration adds none. */
async function entriesHere({ cwd }: Terminal): Promise<Config["catalog"]> {
  const { config } = await readConfig({ cwd, trust: createProjectTrust({ again: "changed" }) });
  return config?.catalog ?? [];
}

/** Lists the programs that have an entry. */
export async function listPrograms(terminal: Terminal): Promise<number> {
  const own = programNames().flatMap((name) => entryOf(name) ?? []);
  const added = await entriesHere(terminal);
  const programs = [
    ...own.map((entry) => ({ program: entry.program, aliases: aliasesOf(entry) })),
    ...added.map(({ entry, file }) => ({ program: entry.program, aliases: aliasesOf(entry), file })),
  ];
  terminal.show(
    programs,
    programs.map(({ program, aliases, ...more }) => {
      const about = [...aliases, ...("file" in more ? [`in ${more.file}`] : [])];
      return visible(about.length === 0 ? program : `${program}  (${about.join(", ")})`);
    }),
  );
  return EXIT.ok;
}

/** Shows what is known of a program: its subcommands and options by what they do. */
export async function showProgram(name: string, terminal: Terminal): Promise<number> {
  const added = (await entriesHere(terminal)).filter(({ entry }) => isNameOf(entry, name));
  const entry = entryOf(name, added);
  if (entry === undefined) throw unknownProgram(name, added);
  const files = added.map(({ rank, file }) => visible(`${RANKS[rank]} in ${file}`));
  terminal.show(entry, [
    { text: visible([entry.program, ...aliasesOf(entry)].join(", ")), style: "bold" },
    ...files,
    ...groupLines(entry),
  ]);
  return EXIT.ok;
}

const RANKS = { first: "Described", last: "Described or narrowed", narrowing: "Narrowed" } as const;

function unknownProgram(name: string, [narrowing]: Config["catalog"]): CommandError {
  const near = closestName(name, programNames());
  const hint =
    narrowing === undefined
      ? `${near === undefined ? "" : `Did you mean ${near}? `}Run \`toolkeep catalog\` to list those that it knows.`
      : `A project's entry only narrows. To use ${narrowing.file}, copy it to ${directories().config}/catalog.`;
  return new CommandError(`Toolkeep does not know the program ${JSON.stringify(name)}.`, { hint });
}

function aliasesOf({ aliases }: ProgramEntry): readonly string[] {
  return aliases?.split(" ") ?? [];
}

function groupLines(entry: ProgramEntry): readonly (string | StyledLine)[] {
  const { program, commands = {}, otherwise } = entry;
  const rows = [
    ...rowsOf(entry, program),
    ...Object.entries(commands).flatMap(([words, said]) => rowsOf(said, `${program} ${words}`)),
    [otherwise, "… (whatever is not known)"] as const,
  ];
  return [...Map.groupBy(rows, ([does]) => does)]
    .map(([does, same]) => ({
      does,
      same,
      known: does.split(" ").flatMap((one) => capabilityNamed(one) ?? []),
    }))
    .toSorted((one, other) => worstOf(one.known) - worstOf(other.known))
    .flatMap(({ does, same, known }) => [
      "",
      {
        text: `${known.map(({ says }) => says).join(" ") || "It tells about itself."} (${does})`,
        style: "cyan",
      },
      ...same.map(([, words]) => visible(`  ${words}`)),
    ]);
}

const KINDS: readonly Capability["kind"][] = ["read", "change", "secret", "destroy"];

function worstOf(known: readonly Capability[]): number {
  return Math.max(0, ...known.map(({ kind }) => KINDS.indexOf(kind)));
}

/** How a command is written, after what it does then. */
type Row = readonly [does: string, words: string];

function rowsOf(said: string | CommandEntry, words: string): readonly Row[] {
  const {
    does,
    alone,
    naming = {},
    options = {},
    with: modes = {},
  } = typeof said === "string" ? { does: said } : said;
  const { makes = {}, adds = {} } = options;
  return [
    ...(does === undefined ? [] : [[does, words] as const]),
    ...(alone === undefined ? [] : [[alone, `${words}  (without operands)`] as const]),
    ...Object.entries(makes).map(([spellings, done]) => [done, `${words} ${spellings}`] as const),
    ...Object.entries({ ...naming, ...adds }).map(
      ([key, done]) => [done, `${words} ${key}  (besides)`] as const,
    ),
    ...Object.entries(modes).flatMap(([spellings, mode]) => rowsOf(mode, `${words} ${spellings}`)),
  ];
}
