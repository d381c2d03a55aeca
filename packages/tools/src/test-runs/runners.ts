import { isRecord, unlessThrown } from "@toolkeep/core/internal";
import { lineOfWords } from "../shell/command-line.ts";
import { readCargo, readGo, readJest, readPytest } from "./read-reports.ts";
import { readTap } from "./read-tap.ts";
import type { TestReport } from "./test-report.ts";

/** Which tests to run: of these files or folders, and with this in their name. */
export interface WantedTests {
  readonly paths?: readonly string[];
  readonly name?: string;
}

interface Runner {
  readonly argv: (wanted: WantedTests) => readonly string[];
  /** `undefined` for an output that is no report. */
  readonly read: (output: string) => TestReport | undefined;
}

export const RUNNERS = {
  vitest: {
    argv: ({ paths = [], name }) => [
      ...["npx", "vitest", "run", "--reporter=tap-flat", "--includeTaskLocation"],
      ...named("-t", name),
      ...paths,
    ],
    read: readTap,
  },
  jest: {
    argv: ({ paths = [], name }) => [
      ...["npx", "jest", "--json", "--testLocationInResults", ...named("-t", name)],
      ...paths,
    ],
    read: readJest,
  },
  "node:test": {
    argv: ({ paths = [], name }) => [
      ...["node", "--test", "--test-reporter=tap"],
      ...(name === undefined ? [] : [`--test-name-pattern=${name}`]),
      ...paths,
    ],
    read: readTap,
  },
  pytest: {
    argv: ({ paths = [], name }) => [
      ...["python3", "-m", "pytest", "-q", "--tb=line", "-rfE", ...named("-k", name)],
      ...paths,
    ],
    read: readPytest,
  },
  go: {
    argv: ({ paths = ["./..."], name }) => ["go", "test", "-json", ...named("-run", name), ...paths],
    read: readGo,
  },
  cargo: {
    argv: ({ paths = [], name }) => [
      ...["cargo", "test", "--no-fail-fast", ...paths.flatMap((path) => ["--test", path])],
      ...(name === undefined ? [] : [name]),
    ],
    read: readCargo,
  },
} as const satisfies Record<string, Runner>;

export type RunnerName = keyof typeof RUNNERS;
export const RUNNER_NAMES = Object.keys(RUNNERS) as readonly RunnerName[];

function named(option: string, name: string | undefined): readonly string[] {
  return name === undefined ? [] : [option, name];
}

/** The command line that is decided about, and that runs. */
export function testLine(runner: RunnerName, wanted: WantedTests): string {
  return lineOfWords(RUNNERS[runner].argv(wanted));
}

/** Files that tell which runner a project has. */
export const PROJECT_FILES = [
  ...["package.json", "pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini", "conftest.py"],
  ...["go.mod", "Cargo.toml"],
] as const;

/** The runner of a project, by the text of those files that it has. */
export function runnerOf(files: ReadonlyMap<string, string>): RunnerName | undefined {
  const ofPackage = runnerOfPackage(files.get("package.json") ?? "");
  if (ofPackage !== undefined) return ofPackage;
  if (files.has("go.mod")) return "go";
  if (files.has("Cargo.toml")) return "cargo";
  const isPython = [...files.keys()].some((name) => /\.(?:toml|ini|cfg|py)$/.test(name));
  if (isPython) return "pytest";
  return files.has("package.json") ? "node:test" : undefined;
}

/** What `npm test` runs decides, and then what is installed. */
function runnerOfPackage(text: string): RunnerName | undefined {
  const { scripts, dependencies, devDependencies } = fieldsOf(text);
  const test = fieldsOf(scripts)["test"];
  const words = typeof test === "string" ? test.split(/[\s;&|()"']+/) : [];
  const programs = words.map((word) => word.slice(word.lastIndexOf("/") + 1));
  const installed = Object.keys({ ...fieldsOf(dependencies), ...fieldsOf(devDependencies) });
  const isNode = programs.includes("node") && words.includes("--test");
  const inScript = (["vitest", "jest"] as const).find((name) => programs.includes(name));
  return (
    inScript ??
    (isNode ? "node:test" : undefined) ??
    (["vitest", "jest"] as const).find((name) => installed.includes(name))
  );
}

/** The fields of an object, or of the JSON text of one; none of anything else. */
function fieldsOf(given: unknown): Readonly<Record<string, unknown>> {
  if (typeof given !== "string") return isRecord(given) ? given : {};
  return unlessThrown(() => fieldsOf(Object(JSON.parse(given)))) ?? {};
}
