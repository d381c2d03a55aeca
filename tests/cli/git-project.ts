import { execFileSync } from "node:child_process";
import type { CliBench } from "./cli-bench.ts";

type GitBench = Pick<CliBench, "project" | "environment">;

const USER = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];

/** Runs git in the project of a bench, without the settings of this machine's user. Returns what it prints. */
export function git({ project, environment }: GitBench, ...args: readonly string[]): string {
  return execFileSync("git", ["--no-optional-locks", ...USER, ...args], {
    ...{ cwd: project, env: { PATH: environment.PATH, HOME: environment.HOME } },
    ...{ encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  });
}

/** Makes the project of a bench a repository of git. */
export function initGit(bench: GitBench): void {
  git(bench, "init", "-q", "-b", "main", ".");
}

export function commitAll(bench: GitBench, message = "x"): void {
  git(bench, "add", "-A");
  git(bench, "commit", "-q", "-m", message);
}
