import { execFile } from "node:child_process";
import { existsSync, lstatSync, statSync } from "node:fs";
import { mkdtemp, open, readFile, rm, truncate } from "node:fs/promises";
import { devNull, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { CommandError, usageError } from "../../terminal/command-error.ts";
import { checkpointHash, keptIn, readCheckpoints } from "./checkpoint.ts";

/** Where checkpoints are kept. */
export interface CheckpointTarget {
  /** The hash of the last checkpoint there, where it can be read back. */
  last(): Promise<string | undefined>;
  write(line: string): Promise<void>;
}

/** The file in a git repository. */
const GIT_FILE = "toolkeep-checkpoints.jsonl";

/** A URL, a folder with a git repository, or a file. @throws CommandError */
export function checkpointTarget(to: string, cwd: string): CheckpointTarget {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(to)) return httpTarget(addressOf(to));
  const path = resolve(cwd, to);
  if (!(statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false)) return fileTarget(path);
  if (existsSync(join(path, ".git"))) return gitTarget(path);
  throw usageError(
    `${path} is a folder without a git repository.`,
    "Name a file in it, or run `git init` there first.",
  );
}

/** Only where others cannot read or change it on the way. @throws CommandError */
export function addressOf(text: string): URL {
  const url = URL.parse(text);
  const isLocal = ["127.0.0.1", "[::1]", "localhost"].includes(url?.hostname ?? "");
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLocal)) return url;
  throw usageError(`${JSON.stringify(text)} is not an https URL, or an http URL of this machine.`);
}

function fileTarget(path: string): CheckpointTarget {
  return {
    last: () => lastIn(path),
    write: (line) => append(path, line),
  };
}

async function lastIn(path: string): Promise<string | undefined> {
  if (!existsSync(path)) return undefined;
  const text = await withoutHalfLine(path);
  const last = text === undefined ? undefined : (await readCheckpoints(text)).at(-1);
  return last === undefined ? undefined : checkpointHash(last);
}

/**
 * The text of the file, without a line that was half written when the machine stopped: no command has said that it is
 * kept. One that lacks only its end is whole. `undefined` if nothing is left.
 */
async function withoutHalfLine(path: string): Promise<string | undefined> {
  const text = await readFile(path, "utf8");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  const rest = text.slice(whole.length);
  if (rest === "") return text;
  if (keptIn(rest) !== undefined) {
    await append(path, "\n");
    return `${text}\n`;
  }
  await truncate(path, Buffer.byteLength(whole));
  return whole === "" ? undefined : whole;
}

async function append(path: string, line: string): Promise<void> {
  const file = await open(path, "a", 0o600);
  try {
    await file.writeFile(line);
    await file.sync();
  } finally {
    await file.close();
  }
}

const LONGEST_MS = 30_000;

function httpTarget(url: URL): CheckpointTarget {
  return {
    last: async () => undefined,
    write: (line) => post(url, line, "application/json"),
  };
}

/** A token of the environment: no command line and no file has it. */
function authorization(): Record<string, string> {
  const token = process.env["TOOLKEEP_AUDIT_TOKEN"];
  return token === undefined || token === "" ? {} : { authorization: `Bearer ${token}` };
}

/** @throws CommandError unless the server accepts it. */
export async function post(url: URL, body: string, type: string): Promise<void> {
  let answer: Response;
  try {
    answer = await fetch(url, {
      ...{ method: "POST", body, redirect: "error" },
      headers: { "content-type": type, ...authorization() },
      signal: AbortSignal.timeout(LONGEST_MS),
    });
    await answer.body?.cancel();
  } catch (error) {
    const { cause, message } = error as Error;
    throw new CommandError(
      `${url.origin} cannot be reached: ${cause instanceof Error ? cause.message : message}.`,
    );
  }
  if (!answer.ok) throw new CommandError(`${url.origin} refused it with the status ${answer.status}.`);
}

const run = promisify(execFile);

/**
 * Commits the line with commands that apply no filter and run no hook: what the repository configures runs nothing.
 * The index and the files of the repository stay as they are, but for this one.
 */
function gitTarget(folder: string): CheckpointTarget {
  const file = join(folder, GIT_FILE);
  return {
    last: () => lastIn(file),
    async write(line) {
      if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === false)
        throw new CommandError(`${file} is not a file.`);
      await append(file, line);
      const own = await mkdtemp(join(tmpdir(), "toolkeep-checkpoint-"));
      try {
        await commit(folder, file, join(own, "index"));
      } finally {
        await rm(own, { recursive: true, force: true });
      }
    },
  };
}

/** With an index of its own, so that what is staged is not committed. */
async function commit(folder: string, file: string, index: string): Promise<void> {
  const git = (...args: readonly string[]) => gitIn(folder, index, args);
  const parent = await git("rev-parse", "--verify", "--quiet", "HEAD").catch(() => "");
  if (parent !== "") await git("read-tree", parent);
  const blob = await git("hash-object", "-w", "--no-filters", "--", file);
  const entry = ["update-index", "--add", "--cacheinfo", `100644,${blob},${GIT_FILE}`];
  await git(...entry);
  const tree = await git("write-tree");
  const parents = parent === "" ? [] : ["-p", parent];
  const made = await git("commit-tree", tree, ...parents, "-m", "toolkeep: checkpoint of the audit log");
  await git("update-ref", "HEAD", made, ...(parent === "" ? [] : [parent]));
  await gitIn(folder, undefined, entry);
}

async function gitIn(folder: string, index: string | undefined, args: readonly string[]): Promise<string> {
  const off = ["core.hooksPath", "core.fsmonitor", "core.attributesFile"].flatMap((key) => [
    "-c",
    `${key}=${key === "core.fsmonitor" ? "false" : devNull}`,
  ]);
  const { PATH = "" } = process.env;
  const who = { NAME: "toolkeep", EMAIL: "toolkeep@localhost" };
  try {
    const { stdout } = await run("git", [...off, "-c", "commit.gpgSign=false", ...args], {
      cwd: folder,
      timeout: LONGEST_MS,
      env: {
        ...{ PATH, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: devNull, GIT_TERMINAL_PROMPT: "0" },
        ...{ GIT_AUTHOR_NAME: who.NAME, GIT_AUTHOR_EMAIL: who.EMAIL },
        ...{ GIT_COMMITTER_NAME: who.NAME, GIT_COMMITTER_EMAIL: who.EMAIL },
        ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
      },
    });
    return stdout.trim();
  } catch (error) {
    const { stderr, message } = error as Error & { readonly stderr?: string };
    throw new CommandError(`git could not commit the checkpoint: ${(stderr ?? message).trim()}`);
  }
}
