import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Done, newProgram } from "../../packages/cli/src/terminal/command-line.ts";
import { PAGES, ROOT } from "./pages.ts";

type Command = ReturnType<typeof newProgram>;

const COMMANDS = join(ROOT, "packages/cli/src/commands");
/** A command line in code, at the beginning of a line or of a piece of code. */
const LINE = /(?:^|`)[ \t]*(?:\$ |sudo |npx )?toolkeep(?:@[\d.]+)? ([a-z][^\n`]*)/gm;

async function wholeProgram(): Promise<Command> {
  const whole = newProgram();
  for (const file of globSync("*.ts", { cwd: COMMANDS, exclude: ["*.test.ts"] }).toSorted()) {
    const loaded: { add?: (parent: Command, done: Done) => void } = await import(join(COMMANDS, file));
    loaded.add?.(whole, () => {});
  }
  return whole;
}

/** What a line has in the place of a command, and is none. */
function unknownIn(args: readonly string[], command: Command): string | undefined {
  const [word = "", ...rest] = args;
  const below = command.commands.find((one) => [one.name(), ...one.aliases()].includes(word));
  if (below !== undefined) return unknownIn(rest, below);
  if (word === "help") return undefined;
  const needsOne =
    command === program || (command.commands.length > 0 && command.registeredArguments.length === 0);
  return needsOne && /^[a-z]+$/.test(word) ? word : undefined;
}

const program = await wholeProgram();
const pages = [...PAGES].filter(
  ([page]) => !page.startsWith("docs/decisions/") && page !== "docs/old-names.md",
);

test("every command line in the documentation names commands that exist", () => {
  const lines = pages.flatMap(([page, text]) =>
    Array.from(text.matchAll(LINE), ([, line = ""]) => ({ page, line })),
  );
  expect(lines.length).toBeGreaterThan(1);
  const unknown = lines.filter(({ line }) => unknownIn(line.trim().split(/\s+/), program) !== undefined);
  expect(unknown).toEqual([]);
});
