import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { IN_HOME, writeAll } from "../../day/hook/shop.ts";
import type { ClientCall } from "../../day/step.ts";
import { makeProject } from "../../day/unseen/open-projects.ts";
import { type Day, HOME, projectOf } from "../day.ts";

export const ENVIRONMENT: Readonly<Record<string, string>> = {
  ...{ HOME, USER: "ada", LOGNAME: "ada", SHELL: "/bin/bash", LANG: "C.UTF-8", TERM: "dumb" },
  ...{ PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", GIT_EDITOR: "true" },
  PGURL: "postgres://ada@127.0.0.1:5432/shop",
};

const DATABASE = "/srv/postgres";

export function run(program: string, args: readonly string[], cwd = HOME): string {
  return execFileSync(program, args, {
    cwd,
    env: ENVIRONMENT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** What git, its remote and the database say, each in lines. */
export function stateOf(project: string, postgres: boolean): readonly string[] {
  const git = (folder: string, ...args: readonly string[]) =>
    tried("git", ["--no-optional-locks", "-C", folder, ...args]);
  return [
    ...git(project, "status", "--porcelain", "--branch"),
    ...git(project, "log", "--all", "--format=%T %an %s %D"),
    ...git(project, "stash", "list", "--format=%gs"),
    ...git(project, "ls-files", "--stage"),
    ...git(project, "config", "--list", "--local"),
    ...git(`${project}.git`, "for-each-ref", "--format=%(refname) %(tree)"),
    ...(postgres ? tried("pg_dump", ["-h", "127.0.0.1", "--restrict-key=x", "shop"]) : []),
  ];
}

function tried(program: string, args: readonly string[]): readonly string[] {
  try {
    const output = execFileSync(program, args, {
      cwd: "/",
      env: ENVIRONMENT,
      encoding: "utf8",
      stdio: "pipe",
    });
    return output.split("\n").filter((line) => line !== "");
  } catch (error) {
    return [`${program} ${args.at(-1)}: ${String((error as { readonly status?: number }).status)}`];
  }
}

/** Makes the home, once for all worlds of a day. */
export async function makeHome(day: Day): Promise<void> {
  const project = projectOf(day);
  writeAll(HOME, IN_HOME);
  for (const [path, lines] of Object.entries(day.home))
    writeAll(HOME, { [path]: lines.join("\n").concat("\n") });
  if (day.postgres)
    run("sh", [
      "-c",
      `$(ls -d /usr/lib/postgresql/*/bin | tail -1)/initdb -D ${DATABASE} -A trust -U ada >/dev/null`,
    ]);
  await startDatabase(day);
  if (day.postgres) run("createdb", ["-h", "127.0.0.1", "shop"]);
  makeProject(project, day.contents, (cwd, ...args) => run("git", args, cwd));
  for (const line of day.setup) run("bash", ["-c", line], project);
  if (day.postgres)
    run("sh", [
      "-c",
      `$(ls -d /usr/lib/postgresql/*/bin | tail -1)/pg_ctl -D ${DATABASE} -m fast stop >/dev/null`,
    ]);
}

/** Starts what the user has running, and leaves what a day says. */
export async function startDatabase({ postgres }: Pick<Day, "postgres">): Promise<void> {
  if (!postgres) return;
  const server = `exec $(ls -d /usr/lib/postgresql/*/bin | tail -1)/postgres -D ${DATABASE} -k /tmp -c listen_addresses=127.0.0.1 -c fsync=off`;
  spawn("sh", ["-c", server], { env: ENVIRONMENT, stdio: "ignore", detached: true }).unref();
  for (let tries = 0; tries < 100; tries++) {
    if (tried("pg_isready", ["-q", "-h", "127.0.0.1"]).length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("PostgreSQL does not start.");
}

/** `state` is what the database said. */
export function restoreDatabase(state: string): void {
  const dump = state.slice(state.indexOf("--\n"));
  const input = `drop schema public cascade; create schema public;\n${dump}\n`;
  const args = ["-q", "-h", "127.0.0.1", "shop"];
  execFileSync("psql", args, { cwd: HOME, env: ENVIRONMENT, input, stdio: ["pipe", "ignore", "ignore"] });
}

/** What a client does about a call that is not a command. */
export function applyEdit({ tool, input }: ClientCall): void {
  const path = String(input["file_path"]);
  if (tool === "Write") {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, String(input["content"]));
  }
  if (tool !== "Edit" || !existsSync(path)) return;
  const after = String(input["new_string"]);
  writeFileSync(
    path,
    readFileSync(path, "utf8").replace(String(input["old_string"]), () => after),
  );
}
