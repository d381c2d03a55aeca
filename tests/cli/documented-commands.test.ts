import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Done, newProgram } from "../../packages/cli/src/terminal/command-line.ts";
import { OLD_NAMES } from "../../packages/cli/src/terminal/old-names.ts";

type Command = ReturnType<typeof newProgram>;

const ROOT = join(import.meta.dirname, "../..");
const COMMANDS = join(ROOT, "packages/cli/src/commands");
const PAGE = readFileSync(join(ROOT, "docs/reference/command-line.md"), "utf8");
const README = readFileSync(join(ROOT, "packages/cli/README.md"), "utf8");

const program = await wholeProgram();
/** Those at the top of the page: what they mean is the same everywhere. */
const common = new Set(optionNames(PAGE.split(/^## /m, 1)[0] ?? ""));

/** The program with all of its commands. */
async function wholeProgram(): Promise<Command> {
  const whole = newProgram();
  for (const file of globSync("*.ts", { cwd: COMMANDS, exclude: ["*.test.ts"] }).toSorted()) {
    const loaded: { add?: (parent: Command, done: Done) => void } = await import(join(COMMANDS, file));
    loaded.add?.(whole, () => {});
  }
  return whole;
}

function namesOf({ commands, parent }: Command): readonly string[] {
  const isOld = (name: string) => parent === null && Object.hasOwn(OLD_NAMES, name);
  return commands.map((command) => command.name()).filter((name) => !isOld(name));
}

/** The long options of a command and of the commands below it. */
function optionsOf(command: Command): readonly string[] {
  const own = command.options.flatMap(({ long, hidden }) => (long == null || hidden ? [] : [long]));
  return [...own, ...command.commands.flatMap(optionsOf)];
}

/** The sections of the page, by the commands in their headings. */
function sectionsOf(page: string): ReadonlyMap<string, string> {
  const sections = page.split(/^## /m).slice(1);
  return new Map(
    sections.flatMap((section) =>
      Array.from(section.split("\n", 1)[0]?.matchAll(/`toolkeep (\w+)/g) ?? [], ([, name = ""]) => [
        name,
        section,
      ]),
    ),
  );
}

function optionNames(text: string): readonly string[] {
  return Array.from(text.matchAll(/(?<![\w-])--[a-z][\w-]*/g), ([option]) => option);
}

const sections = sectionsOf(PAGE);
const described = program.commands.filter((one) => !Object.hasOwn(OLD_NAMES, one.name()));

test("the reference page has a section for every command, and for no other", () => {
  expect([...sections.keys()].toSorted()).toEqual(described.map((one) => one.name()).toSorted());
});

test.each(described.map((command) => [command.name(), command] as const))(
  "the section of %s names its commands and options, and no others",
  (name, command) => {
    const section = sections.get(name) ?? "";
    const own = new Set(optionsOf(command).filter((option) => !common.has(option)));
    const named = new Set(optionNames(section));
    expect([...own].filter((option) => !named.has(option))).toEqual([]);
    const together = [...sections].filter(([, text]) => text === section).map(([other]) => other);
    const owners = program.commands.filter((one) => together.includes(one.name()));
    const known = new Set([...owners.flatMap(optionsOf), ...common]);
    expect([...named].filter((option) => !known.has(option))).toEqual([]);
    for (const sub of namesOf(command)) expect(section).toContain(sub);
  },
);

test("the table of the package's page has every command, and no other", () => {
  const table = /\| command .*\n\|[-| ]*\n((?:\|.*\n)*)/.exec(README)?.[1] ?? "";
  const firsts = table.split("\n").map((row) => row.split("|")[1] ?? "");
  const named = firsts.flatMap((cell) => Array.from(cell.matchAll(/`(\w+)/g), ([, name = ""]) => name));
  const subcommands = program.commands.flatMap(namesOf);
  expect(namesOf(program).filter((name) => !named.includes(name))).toEqual([]);
  expect(named.filter((name) => ![...namesOf(program), ...subcommands].includes(name))).toEqual([]);
});
