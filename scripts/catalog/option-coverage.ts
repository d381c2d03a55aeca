import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { entryOf } from "../../packages/catalog/src/catalog.ts";
import { type CommandNode, subcommandsOf, treeOf } from "../../packages/catalog/src/command-tree.ts";
import type { ProgramEntry } from "../../packages/catalog/src/entry.ts";
import { optionsIn } from "../../packages/catalog/src/spellings.ts";
import type { ComparedProgram } from "./compared-programs.ts";
import { optionsInHelp } from "./help-options.ts";

/** The options of a program on this machine, and which of them its entry knows. */
export interface Coverage {
  readonly program: string;
  readonly version: string;
  readonly options: number;
  readonly known: number;
  /** The options that the entry lacks, after the words of their subcommand. */
  readonly lacks: readonly string[];
}

/** Compares an entry with what the program says about itself; `undefined` where either is missing. */
export function coverageOf(
  { name, help, ofCommand }: ComparedProgram,
  mostCommands: number,
): Coverage | undefined {
  const entry = entryOf(name);
  if (entry === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "catalog-"));
  try {
    const general = said(name, help, folder);
    if (general === undefined) return undefined;
    const pages = new Map([[general, ""]]);
    for (const words of ofCommand === undefined ? [] : commandsOf(entry).slice(0, mostCommands)) {
      const page = said(name, ofCommand?.replace("{}", words) ?? "", folder) ?? "";
      if (!pages.has(page)) pages.set(page, words);
    }
    return compared(entry, pages, versionOf(name, folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function compared(entry: ProgramEntry, pages: ReadonlyMap<string, string>, version: string): Coverage {
  const all = [...pages].flatMap(([page, words]) =>
    optionsInHelp(page).map((option) => ({ words, option, isKnown: isKnown(entry, words, option) })),
  );
  const lacking = all.filter((one) => !one.isKnown);
  return {
    program: entry.program,
    version,
    options: all.length,
    known: all.length - lacking.length,
    lacks: lacking.map(({ words, option }) => `${words} ${option}`.trim()),
  };
}

/** Whether an entry says something about an option, whatever that is. */
function isKnown(entry: ProgramEntry, words: string, option: string): boolean {
  if (/^--?(?:help|version)$/.test(option)) return true;
  let nodes: readonly CommandNode[] = [treeOf(entry)];
  const tables = [...(words === "" ? [treeOf(entry).before] : []), ...tablesOf(nodes)];
  for (const word of words === "" ? [] : words.split(" ")) {
    nodes = subcommandsOf(nodes, word);
    tables.unshift(...tablesOf(nodes));
  }
  return optionsIn(option, undefined, tables, entry.style ?? "gnu").every(
    ({ name, isBegun }) => name !== undefined && isBegun !== true,
  );
}

function tablesOf(nodes: readonly CommandNode[]) {
  return nodes.flatMap(({ options, modes }) => [
    options,
    ...modes.flatMap(([chosen, mode]) => [chosen, mode.options]),
  ]);
}

/** The subcommands of an entry that can be written out, the short ones first. */
function commandsOf({ commands = {} }: ProgramEntry): readonly string[] {
  const written = Object.keys(commands).flatMap((key) =>
    key
      .split(" ")
      .map((word) => word.split("|"))
      .reduce<readonly string[]>(
        (before, words) =>
          before.flatMap((one) => words.map((word) => (one === "" ? word : `${one} ${word}`))),
        [""],
      ),
  );
  return [...new Set(written)]
    .filter((words) => /^[a-z][\w -]*$/.test(words))
    .toSorted((one, other) => one.split(" ").length - other.split(" ").length);
}

function versionOf(name: string, folder: string): string {
  const texts = ["--version", "version", "-version", "-V"].map((word) => said(name, word, folder) ?? "");
  return texts.map((text) => /\d+(?:\.\d+)+/.exec(text)?.[0]).find((one) => one !== undefined) ?? "";
}

/** What a program prints when it is asked about itself; `undefined` if it is not installed. */
function said(name: string, words: string, folder: string): string | undefined {
  const { error, stdout, stderr } = spawnSync(name, words.split(" "), {
    cwd: folder,
    encoding: "utf8",
    timeout: 20_000,
    input: "",
    env: {
      ...process.env,
      PAGER: "cat",
      GIT_PAGER: "cat",
      NO_COLOR: "1",
      TERM: "dumb",
      LC_ALL: "C",
      COLUMNS: "200",
    },
  });
  return error === undefined ? `${stdout}\n${stderr}` : undefined;
}
