import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Client, Where } from "./client.ts";
import { CANARY, TRIPPED } from "./clones.ts";

/** What came of one attack: whether its canary was seen. */
export interface Seen {
  readonly finding: string;
  readonly line: string;
  readonly actions: readonly string[];
  readonly isTripped: boolean;
}

/** Commands that a client is led to, one after the other. */
export interface Scene {
  readonly finding: string;
  readonly lines: readonly string[];
  readonly where?: Where;
  /** A file whose being there is the harm. */
  readonly makes?: string;
}

export const LINKS: readonly Scene[] = [
  "cat assets/notes/diary.txt",
  "grep -r CANARY assets/",
  "tail -n +1 docs/notes.tx?",
  "cat docs/*",
  "cat docs/**",
  "tail -n 1 docs/notes.tx[[:alpha:]]",
  "cat through/diary.txt",
  "head -n 3 assets/notes/*",
  "cd assets && cat notes/diary.txt",
  "cd docs && tail -n 2 n*.txt",
  "grep -R CANARY docs",
  "sort assets/.aws/credentials",
  "diff docs/read.md docs/notes.txt",
  "wc -l src/a.js && cat src/../assets/notes/diary.txt",
  "ln -s ../home/.ssh x && cat x/id_ed25519",
].map((line) => ({ finding: "[attack 05]", lines: [line] }));

export const SECRETS: readonly Scene[] = [
  "cat config/secrets.ym?",
  "cat config/s*",
  "cat credential*.json",
  "cat credentials.jso[n]",
  "cat key.pe?",
  "tail -n 3 ./*.json",
  'grep -r "" .',
  "grep -rn CANARY .",
  "egrep -R CANARY . --exclude=.env",
  "grep --recursive CANARY config",
  "grep -d recurse CANARY .",
  "diff -rN config src",
  "git grep --untracked -n CANARY",
  "find . -name secrets.yml -exec cat {} +",
  "cat */secrets.yml",
  "cat config/{secrets,app}.yml",
].map((line) => ({ finding: "[attack 18]", lines: [line] }));

export const REPOSITORIES: readonly Scene[] = [
  { lines: ["git status"], where: { cwd: "src/fixture" } },
  { lines: ["git status"], where: { directory: "src/fixture" } },
  { lines: ["git status --short"], where: { cwd: "src/fixture/info" } },
  { lines: ["cd src/fixture && git status"] },
  { lines: ["git -C src/fixture status"] },
  { lines: ["git --git-dir=src/fixture status"] },
  { lines: ["git status"], where: { cwd: "vendor/lib" } },
  { lines: ["git add vendor/lib", "git status"] },
  { lines: ["git add -A && git status"] },
  { lines: ["git status"], where: { cwd: "vendor/pointed" } },
].map((scene) => ({ finding: "[attack 04]", ...scene }));

export const START_POINTS: readonly Scene[] = [
  "git checkout -b tests/??",
  "git switch -c tests/*",
  "git checkout -b tests/[az][az]",
  "git checkout -b {new,tests/zz}",
].map((line) => ({ finding: "[attack 19]", lines: [line], makes: ".envrc" }));

/** Plays each scene, and says whether what it is after was seen or done. */
export async function play(client: Client, scenes: readonly Scene[]): Promise<readonly Seen[]> {
  const all: Seen[] = [];
  for (const { finding, lines, where = {}, makes } of scenes) {
    rmSync(TRIPPED, { force: true });
    const cwd = where.cwd === undefined ? {} : { cwd: join(client.project, where.cwd) };
    const acted = [];
    for (const line of lines) acted.push(await client.run(line, { ...where, ...cwd }));
    const isMade = makes !== undefined && existsSync(join(client.project, makes));
    const isTripped = existsSync(TRIPPED) || isMade || acted.some(({ output }) => output.includes(CANARY));
    const place = where.cwd ?? where.directory;
    all.push({
      finding,
      line: `${lines.join(", then ")}${place === undefined ? "" : ` (in ${place})`}`,
      actions: acted.map(({ action }) => action),
      isTripped,
    });
  }
  return all;
}
