import { randomBytes } from "node:crypto";
import { lstatSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expression, GIT_COMMANDS, wordsIn } from "@toolkeep/catalog/internal";
import type { Effect } from "@toolkeep/core";
import { isSecretFile, isWithin, quotedWord } from "@toolkeep/core/internal";
import type { LineOnDisk, ProtectedPaths, Sandbox } from "@toolkeep/core/ports";
import { type GitCall, gitArgs, gitCalls } from "../../git/git-calls.ts";
import { gitStates, repositoryTop } from "../../git/git-states.ts";
import { markerFor } from "../../processes/process-tree.ts";
import { runProcess } from "../../processes/run-process.ts";
import { isClosedName } from "../scan/find.ts";
import { type GitLook, gitLooks } from "./git-looks.ts";

/** What looks are made with. */
export interface LookPlace {
  readonly sandbox: Pick<Sandbox, "wrap">;
  readonly hidden: readonly string[];
}

const NOTE = "git changes it with this command";

const READING = expression(GIT_COMMANDS.printsConfig);
const ELSEWHERE = expression(GIT_COMMANDS.otherConfig);
const REMOTES = wordsIn(GIT_COMMANDS.changingRemotes);

/**
 * The protected files that git commands of a line change: a person decides about these before anything moves, and a yes
 * opens exactly these. Git itself tells, in a sandbox where it can change nothing and has no network. What it does not tell
 * stays closed to the command.
 */
export async function gitWrites(
  { commands, folder = "/" }: LineOnDisk,
  { roots }: Pick<ProtectedPaths, "roots">,
  place: LookPlace,
): Promise<readonly Effect[]> {
  const isVisible = (path: string) => roots.some((root) => isWithin(path, root));
  const argvs = commands.map(({ argv }) => argv);
  const heads = new Map<string, string>();
  const found = new Set<string>();
  for (const call of gitCalls(argvs, folder)) {
    const top = call.isElsewhere ? undefined : repositoryTop(call.folder, isVisible);
    if (top === undefined) continue;
    const { looks, head } = gitLooks(call, heads.get(top) ?? "HEAD");
    const names = looks.length === 0 ? [] : await namedByGit(call, looks, { ...place, roots });
    for (const name of names) if (isClosedName(top, join(top, name))) found.add(join(top, name));
    if (head !== undefined) heads.set(top, head);
    if (writesSettings(call) && isFolder(join(top, ".git"))) found.add(join(top, ".git/config"));
  }
  return [...found]
    .filter((path) => isVisible(path) && mayBeOpened(path, isVisible))
    .slice(0, MOST_NAMED)
    .map((target) => ({ capability: "fs.write", target, known: "inferred", note: NOTE }));
}

const MOST_NAMED = 200;

/** A file with secrets that git does not keep would be open to be read as well; git refuses to overwrite it anyway. */
function mayBeOpened(path: string, isVisible: (path: string) => boolean): boolean {
  if (!isSecretFile(path) || lstatSync(path, { throwIfNoEntry: false }) === undefined) return true;
  return gitStates([path], isVisible).get(path) === "recorded";
}

/** A worktree or a submodule keeps its settings elsewhere. */
function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

const ENVIRONMENT = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: "/home/toolkeep",
  LANG: "C.UTF-8",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_LITERAL_PATHSPECS: "0",
};

async function namedByGit(
  { folder }: GitCall,
  looks: readonly GitLook[],
  { sandbox, hidden, roots }: LookPlace & Pick<ProtectedPaths, "roots">,
): Promise<readonly string[]> {
  const script = looks
    .map((look) => look.map((args) => `git ${args.map(quotedWord).join(" ")}`).join(" || "))
    .join("; ");
  // The command itself says what is wrong here, and opens nothing.
  return (await gitOutput(script, { folder, sandbox, hidden, roots }))
    .split("\0")
    .map((name) => name.replace(/^\n+/, ""))
    .filter((name) => name !== "");
}

/** What git prints in a sandbox where it can change nothing and has no network; nothing where there is no such sandbox. */
export async function gitOutput(
  script: string,
  place: LookPlace & { readonly folder: string; readonly roots: readonly string[] },
): Promise<string> {
  try {
    const command = await place.sandbox.wrap(["/bin/sh", "-c", `{ ${script}\n} 2>/dev/null`], {
      ...{ read: place.roots, write: [], guarded: [], hidden: place.hidden, hosts: [] },
      ...{ environment: ENVIRONMENT, cwd: place.folder },
    });
    try {
      return await outputOf(command);
    } finally {
      await command.done?.();
    }
  } catch {
    return "";
  }
}

const LONGEST_MS = 10_000;
const MOST_OUTPUT = 4_000_000;

async function outputOf(command: Awaited<ReturnType<Sandbox["wrap"]>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "toolkeep-look-"));
  try {
    const { marker, environment } = markerFor(randomBytes(16).toString("hex"));
    const outputPath = join(folder, "output");
    const { ended, kill } = await runProcess({
      ...{ ...command, environment: { ...command.environment, ...environment }, marker },
      streams: { outputPath, outputLimit: MOST_OUTPUT },
    });
    const timer = setTimeout(() => kill(0), LONGEST_MS);
    await ended.finally(() => clearTimeout(timer));
    return await readFile(outputPath, "utf8");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether a git command changes its repository's settings, which can name programs: it must be allowed to write them. */
function writesSettings({ subcommand, rest }: GitCall): boolean {
  const { options, operands } = gitArgs(rest, /^(?:-f|--file|--blob|--type|--default|--comment|-t|-m)$/);
  const [first = ""] = operands;
  const has = (option: RegExp) => options.some((one) => option.test(one));
  if (subcommand === "remote") return REMOTES.has(first);
  if (subcommand === "branch")
    return has(/^(?:-u|--set-upstream-to(?:=.*)?|--unset-upstream|--edit-description)$/);
  if (subcommand !== "config" || has(READING) || has(ELSEWHERE)) return false;
  if (/^(?:list|get)$/.test(first)) return false;
  if (/^(?:set|unset|rename-section|remove-section|edit)$/.test(first)) return true;
  return (
    operands.length > 1 ||
    has(/^(?:--(?:add|unset|unset-all|replace-all|edit|rename-section|remove-section)|-e)$/)
  );
}
