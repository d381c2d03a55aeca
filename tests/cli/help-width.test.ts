import { expect, test } from "vitest";
import { overviewText } from "../../packages/cli/src/commands/overview-text.ts";
import { buildProgram } from "../../packages/cli/src/program.ts";

type Command = Awaited<ReturnType<typeof buildProgram>>;

const program = await buildProgram(["completion"], () => {});

/** A command and all below it, those with old names too. */
function allOf(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(allOf)];
}

function helpOf(command: Command, columns: number): string {
  let text = "";
  const writeOut = (part: string) => {
    text += part;
  };
  command.configureOutput({ writeOut, getOutHelpWidth: () => columns }).outputHelp();
  return text;
}

/** A line that cannot be broken: one word, or an example to copy. */
const isWhole = (line: string) => !line.trim().includes(" ") || /^ {2}(npx |echo )?(toolkeep|'\{)/.test(line);
const wordsOf = (text: string) => text.split(/\s+/);

test.each([60, 80, 100, 120, 200])("every help fits %i columns, and no word is broken", (columns) => {
  const all = allOf(program);
  expect(all.length).toBeGreaterThan(50);
  const texts = [...all.map((one) => [one, columns] as const).map(([one, width]) => helpOf(one, width))];
  texts.push(overviewText(columns), overviewText(columns, true));
  const whole = all.map((one) => helpOf(one, 100_000));
  whole.push(overviewText(100_000), overviewText(100_000, true));
  for (const [index, text] of texts.entries()) {
    const wide = text.split("\n").filter((line) => line.length > columns && !isWhole(line));
    expect.soft(wide).toEqual([]);
    expect.soft(wordsOf(text)).toEqual(wordsOf(whole[index] ?? ""));
  }
});
