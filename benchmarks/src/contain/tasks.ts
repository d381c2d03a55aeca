import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { BUILD_PROJECTS, layOut as layOutBuild } from "../confined/build-projects.ts";

/** A command, and the project that it is run in. */
export interface Task {
  readonly name: string;
  readonly line: string;
  readonly rounds: { readonly quick: number; readonly full: number };
  /** The program without which it is skipped. */
  readonly needs?: string;
  /** Nothing is changed, so that all ways use one folder. */
  readonly isReading?: boolean;
  /** Measured only where there is time. */
  readonly isLong?: boolean;
  /** Beyond the limits of today's sandbox. */
  readonly isBareOrContained?: boolean;
  /** More than what is kept without a question. */
  readonly mayHold?: boolean;
  layOut(folder: string): void;
  /** Before each round, outside of what is measured. */
  before?(folder: string): void;
  readonly goals?: readonly Limit[];
}

/** At most this many times as long as another way. */
interface Limit {
  readonly over: "bare" | "sandboxed";
  readonly most: number;
}

const NEW_FILES = 20_000;
const CHANGED_FILES = 2_000;
const LARGE = 50_000;
const MANY = 100_000;
const DEEP = 1_000;

const TEST = `import test from "node:test";
import assert from "node:assert";
test("adds", () => assert.equal(1 + 1, 2));
`;

const [goVet] = BUILD_PROJECTS;

export const TASKS: readonly Task[] = [
  {
    ...{ name: "true", line: "true", isReading: true, rounds: { quick: 15, full: 61 } },
    layOut: (folder) => files(folder, 20),
    goals: [{ over: "sandboxed", most: 1.4 }],
  },
  {
    ...{ name: "a script that does nothing", line: "sh ./script.sh", isReading: true },
    rounds: { quick: 15, full: 61 },
    layOut(folder) {
      files(folder, 20);
      write(folder, "script.sh", "exit 0\n");
    },
  },
  {
    ...{ name: "git status, small", line: "git status", isReading: true, rounds: { quick: 9, full: 41 } },
    layOut: (folder) => repository(folder, 20),
  },
  {
    ...{
      name: `git status, ${LARGE} files`,
      line: "git status",
      isReading: true,
      rounds: { quick: 7, full: 25 },
    },
    layOut: (folder) => repository(folder, LARGE),
    goals: [{ over: "bare", most: 2 }],
  },
  {
    ...{ name: `a script with git status, ${LARGE} files`, line: "sh ./script.sh", isReading: true },
    rounds: { quick: 5, full: 25 },
    layOut(folder) {
      repository(folder, LARGE);
      write(folder, "script.sh", "git status\n");
    },
  },
  {
    ...{ name: "npm test", line: "npm test", needs: "npm", rounds: { quick: 3, full: 15 } },
    // It asks for a new version of itself, and continues without.
    mayHold: true,
    layOut(folder) {
      write(
        folder,
        "package.json",
        '{ "name": "app", "type": "module", "scripts": { "test": "node --test" } }\n',
      );
      write(folder, "sum.test.js", TEST);
    },
  },
  {
    ...{ name: "go vet", line: "go vet ./...", needs: "go", rounds: { quick: 3, full: 15 } },
    layOut(folder) {
      if (goVet !== undefined) layOutBuild(goVet, folder);
    },
  },
  {
    ...{ name: `${NEW_FILES} new files`, rounds: { quick: 2, full: 7 } },
    line: `mkdir made && cd made && seq ${NEW_FILES} | split -l 1 -a 5 -d - f`,
    layOut: (folder) => files(folder, 20),
    before: (folder) => rmSync(join(folder, "made"), { recursive: true, force: true }),
  },
  {
    ...{ name: `${CHANGED_FILES} changed files`, rounds: { quick: 3, full: 11 } },
    line: 'for file in d*/f*; do echo more >> "$file"; done',
    layOut: (folder) => repository(folder, CHANGED_FILES),
    // Content that git has is replaced without a question.
    before: commitAll,
  },
  {
    ...{ name: `${MANY} changed files`, rounds: { quick: 1, full: 2 }, isLong: true, mayHold: true },
    line: 'for file in d*/f*; do echo more >> "$file"; done',
    layOut: (folder) => repository(folder, MANY),
    before: commitAll,
  },
  {
    ...{
      name: "a new file of 5 GB, sparse",
      rounds: { quick: 1, full: 5 },
      isLong: true,
      isBareOrContained: true,
    },
    line: "truncate -s 5G large",
    layOut: (folder) => files(folder, 20),
    before: (folder) => rmSync(join(folder, "large"), { force: true }),
  },
  {
    ...{
      name: "one byte of a file of 5 GB, sparse",
      rounds: { quick: 1, full: 5 },
      isLong: true,
      mayHold: true,
      isBareOrContained: true,
    },
    line: "printf %s $RANDOM | dd of=large bs=1 seek=4G conv=notrunc status=none",
    layOut: (folder) => execFileSync("truncate", ["-s", "5G", join(folder, "large")]),
  },
  {
    ...{ name: `${DEEP} new folders in each other`, rounds: { quick: 1, full: 5 }, isLong: true },
    line: `mkdir -p deep/$(printf 'd/%.0s' $(seq ${DEEP})) && echo a > deep/a`,
    layOut: (folder) => files(folder, 20),
    before: (folder) => rmSync(join(folder, "deep"), { recursive: true, force: true }),
  },
];

function commitAll(folder: string): void {
  git(folder, "commit", "--quiet", "--all", "--allow-empty", "--message", "two");
}

function write(folder: string, name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

/** A hundred in each folder. */
function files(folder: string, count: number): void {
  for (let at = 0; at < count; at += 1)
    write(folder, `d${Math.floor(at / 100)}/f${at}`, `line ${at}\n`.repeat(1 + (at % 40)));
}

function repository(folder: string, count: number): void {
  files(folder, count);
  git(folder, "init", "--quiet");
  git(folder, "add", ".");
  git(folder, "commit", "--quiet", "--message", "one");
}

function git(folder: string, ...args: readonly string[]): void {
  const settings = ["-c", "gc.auto=0", "-c", "user.name=Ada", "-c", "user.email=ada@example.test"];
  execFileSync("/usr/bin/git", [...settings, ...args], { cwd: folder });
}
