import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { mustRun } from "../../../scripts/run-program.ts";
import { OWN_COMMAND } from "../../cli/cli-bench.ts";
import { dayFolder, IN_HOME, type Shop, writeAll } from "../hook/shop.ts";

type Lines = Readonly<Record<string, readonly string[]>>;

/** The files of a project, by their lines. `{project}` is replaced. */
export interface Contents {
  readonly files: Lines;
  /** Files that git does not have. */
  readonly untracked?: Lines;
  readonly executable?: readonly string[];
  /** Symbolic links that git does not have, with their targets. */
  readonly links?: Readonly<Record<string, string>>;
  /** SQLite databases, with the statements that make them. */
  readonly databases?: Readonly<Record<string, string>>;
}

/** The projects of the days in one home, by their names. */
export interface Projects {
  of(day: string): Shop;
  /** Removes the edits of a client. */
  restore(): void;
  remove(): void;
}

/** Not the user's own: a version manager there would decide which program a name starts. */
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Makes a project for each day, with git and a remote next to it, and installs Toolkeep there for the clients. */
export async function openProjects(days: readonly string[], clients: readonly string[]): Promise<Projects> {
  const base = dayFolder();
  const home = join(base, "ada");
  writeAll(home, IN_HOME);
  const environment = { PATH, HOME: home, LANG: "C.UTF-8" };
  const git = (cwd: string, ...args: readonly string[]) =>
    execFileSync("git", args, { cwd, env: environment, stdio: "ignore" });
  const folderOf = (day: string) => join(home, day);
  for (const day of days) makeProject(folderOf(day), contentsOf(day, folderOf(day)), git);
  for (const client of clients)
    for (const day of days)
      await mustRun([...OWN_COMMAND, "init", client, "--yes"], { cwd: folderOf(day), env: environment });
  return {
    of: (day) => ({ home, project: folderOf(day), environment, remove: () => undefined }),
    restore: () => {
      for (const day of days) {
        git(folderOf(day), "reset", "-q", "--hard");
        git(folderOf(day), "clean", "-q", "-f", "-d");
      }
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** Makes a project with git and a remote next to it, to which a colleague has pushed since. */
export function makeProject(
  project: string,
  contents: Contents,
  git: (cwd: string, ...args: readonly string[]) => void,
): void {
  const remote = `${project}.git`;
  makeTracked(project, contents);
  git(dirname(project), "init", "-q", "--bare", remote);
  git(project, "init", "-q", ".");
  git(project, "add", "-A");
  git(project, "commit", "-q", "-m", "first");
  git(project, "remote", "add", "origin", `../${basename(remote)}`);
  git(project, "push", "-q", "-u", "origin", "main");
  git(dirname(project), "clone", "-q", remote, `${project}-of-another`);
  writeAll(`${project}-of-another`, { "CHANGES.md": "A first version.\n" });
  for (const args of [
    ["add", "-A"],
    ["commit", "-q", "-m", "second"],
    ["push", "-q"],
  ])
    git(`${project}-of-another`, ...args);
  rmSync(`${project}-of-another`, { recursive: true });
  makeUntracked(project, contents);
}

export function contentsOf(day: string, project: string): Contents {
  const text = readFileSync(join(import.meta.dirname, "projects", `${day}.json`), "utf8");
  return JSON.parse(text.replaceAll("{project}", project)) as Contents;
}

function makeTracked(project: string, { files, executable = [], databases = {} }: Contents): void {
  writeLines(project, files);
  for (const path of executable) if (path in files) chmodSync(join(project, path), 0o755);
  for (const [path, statements] of Object.entries(databases)) {
    const database = new DatabaseSync(join(project, path));
    database.exec(statements);
    database.close();
  }
}

function makeUntracked(project: string, { untracked = {}, executable = [], links = {} }: Contents): void {
  writeLines(project, untracked);
  for (const path of executable) if (path in untracked) chmodSync(join(project, path), 0o755);
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    symlinkSync(target, join(project, path));
  }
}

function writeLines(project: string, files: Lines): void {
  const texts = Object.entries(files).map(([path, lines]) => [
    path,
    lines.map((line) => `${line}\n`).join(""),
  ]);
  writeAll(project, Object.fromEntries(texts));
}
