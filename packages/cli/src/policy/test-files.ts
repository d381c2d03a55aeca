import type { Policy } from "@toolkeep/core/policy";
import { serverToolGovernance } from "@toolkeep/mcp/internal";
import { parseCommand } from "@toolkeep/node";
import { testPolicy } from "@toolkeep/policy";
import type { EffectMap } from "@toolkeep/policy/internal";
import { type NamedFile, parsedFile, policyFiles } from "../project/policy-files.ts";
import { readProject } from "../project/read-project.ts";
import { CommandError, EXIT, usageError } from "../terminal/command-error.ts";
import { type CommonOptions, openTerminal } from "../terminal/terminal.ts";
import { mappedTool } from "./mapped-tool.ts";
import { junitLines, reportRecord, type TestedFile, tapLines, textLines } from "./test-reports.ts";

const OBSERVED =
  "The mode is observe, so calls that these tests expect to ask or to be denied pass and are recorded. Only an administrator's denies and final rules hold.";

const FORMATS = { text: textLines, junit: junitLines, tap: tapLines, json: () => [] } as const;
type Format = keyof typeof FORMATS;

export interface TestOptions extends CommonOptions {
  readonly files: readonly string[];
  readonly format?: string;
  /** Decide by the policy that named files make together with those that apply. */
  readonly merged?: boolean;
}

/**
 * Runs the tests of policy files and shows the results. Nothing of the tests is executed. Without named files, the tests
 * of all files that apply are decided by the policy that these make together, as a hook decides.
 */
export async function testFiles({ files, format: typed, merged, ...options }: TestOptions): Promise<number> {
  const format = formatOf(typed ?? (options.json === true ? "json" : "text"));
  const terminal = openTerminal({ ...options, json: format === "json" });
  const tested: TestedFile[] = [];
  const effectsOf = effectMapIn(terminal.cwd);
  for (const file of await policyFiles(files, terminal)) {
    const together: { readonly merged?: Policy["definition"] } =
      files.length === 0 || merged === true
        ? { merged: await mergedPolicy(terminal.cwd, files.length === 0 ? undefined : file.path) }
        : {};
    const parsed = parsedFile(file);
    const report = await testPolicy(parsed, { parseCommand, effectsOf, ...together });
    const mode = together.merged?.mode ?? parsed.mode ?? "ask";
    if (mode === "observe") terminal.note(`${file.name}: ${OBSERVED}`);
    tested.push({ file: file.name, report, mode });
  }
  terminal.show(tested.map(reportRecord), FORMATS[format](tested));
  if (tested.some(({ report }) => !report.isPassed)) return EXIT.failure;
  if (tested.every(({ report }) => report.results.length === 0))
    throw new CommandError(`There are no tests in ${tested.map(({ file }) => file).join(", ")}.`, {
      hint: "Add some under `tests:`, e.g. - { bash: git push --force origin main, expect: deny }",
    });
  return EXIT.ok;
}

/** The rules of one file, and the results of its own tests. @throws CommandError */
export async function testedFile(file: NamedFile, cwd: string) {
  const parsed = parsedFile(file);
  const report = await testPolicy(parsed, { parseCommand, effectsOf: effectMapIn(cwd) });
  return { report, rules: parsed.ownRules.length };
}

/** The policy that applies in a directory, with a named file in the place of the user's. */
async function mergedPolicy(cwd: string, policyFile: string | undefined) {
  return (await readProject({ cwd, policyFile })).policy;
}

/** What the effect maps of the servers that are configured in a directory say. */
function effectMapIn(cwd: string): EffectMap {
  return async (address, args) => {
    const found = await mappedTool(address, cwd);
    if (found?.mapped === undefined) return undefined;
    return serverToolGovernance(address, found.mapped, found.files).effects(args);
  };
}

function formatOf(typed: string): Format {
  if (Object.hasOwn(FORMATS, typed)) return typed as Format;
  throw usageError(`--format ${JSON.stringify(typed)} is none of ${Object.keys(FORMATS).join(", ")}.`);
}
