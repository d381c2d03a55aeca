import { parseCommand } from "@toolkeep/node";
import { testPolicy } from "@toolkeep/policy";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { type CommonOptions, openTerminal } from "../terminal/terminal.ts";
import { parsedFile, policyFiles } from "./policy-files.ts";
import { junitLines, reportRecord, type TestedFile, tapLines, textLines } from "./test-reports.ts";

const FORMATS = { text: textLines, junit: junitLines, tap: tapLines, json: () => [] } as const;
type Format = keyof typeof FORMATS;

export interface TestOptions extends CommonOptions {
  readonly files: readonly string[];
  readonly format?: string;
}

/** Runs the tests of policy files and shows the results. Nothing of the tests is executed. */
export async function testFiles({ files, format: typed, ...options }: TestOptions): Promise<number> {
  const format = formatOf(typed ?? (options.json === true ? "json" : "text"));
  const terminal = openTerminal({ ...options, json: format === "json" });
  const tested: TestedFile[] = [];
  for (const file of await policyFiles(files, terminal.cwd))
    tested.push({ file: file.name, report: await testPolicy(parsedFile(file), { parseCommand }) });
  terminal.show(tested.map(reportRecord), FORMATS[format](tested));
  if (tested.some(({ report }) => !report.isPassed)) return EXIT.failure;
  if (tested.every(({ report }) => report.results.length === 0))
    throw new CommandError(`There are no tests in ${tested.map(({ file }) => file).join(", ")}.`, {
      hint: "Add some under `tests:`, e.g. - { bash: git push --force origin main, expect: deny }",
    });
  return EXIT.ok;
}

function formatOf(typed: string): Format {
  if (Object.hasOwn(FORMATS, typed)) return typed as Format;
  throw new CommandError(`--format ${JSON.stringify(typed)} is none of ${Object.keys(FORMATS).join(", ")}.`, {
    exit: EXIT.usage,
  });
}
