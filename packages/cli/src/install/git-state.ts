import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** What git says about the files of a project. Without a repository, all answers are no. */
export interface GitState {
  /** Whether others get the file with the repository. */
  isTracked(path: string): Promise<boolean>;
  /** Whether git would show the file as new. */
  isShown(path: string): Promise<boolean>;
}

const run = promisify(execFile);

/** The configuration of a repository can name programs. None of them is started. */
const SAFE = ["--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
const LONGEST_MS = 10_000;

export function gitState(project: string): GitState {
  const answers = (args: readonly string[]) => exitOf([...SAFE, "-C", project, ...args]);
  return {
    isTracked: async (path) => (await answers(["ls-files", "--error-unmatch", "--", path])) === 0,
    isShown: async (path) => (await answers(["check-ignore", "--quiet", "--", path])) === 1,
  };
}

/** `undefined` if git cannot be started or does not end. */
async function exitOf(args: readonly string[]): Promise<number | undefined> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")));
  try {
    await run("git", args, { timeout: LONGEST_MS, env });
    return 0;
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    return typeof code === "number" ? code : undefined;
  }
}
