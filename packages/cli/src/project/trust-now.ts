import { hash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import { visible } from "@toolkeep/core/internal";
import { createProjectTrust, readConfig, type TrustRequest } from "@toolkeep/node";
import { surveyConfig } from "@toolkeep/node/internal";
import { isTrustedByInstall } from "../clients/installed/install-record.ts";
import { CommandError } from "../terminal/command-error.ts";
import { confirmed, type Terminal } from "../terminal/terminal.ts";
import { untrustedNames } from "./untrusted-names.ts";

/** Shows what is new or changed in a project, and trusts it once the user confirms. @throws CommandError */
export async function trustNow(project: string, yes: boolean | undefined, terminal: Terminal): Promise<void> {
  let refusal: unknown;
  // Asked while the trust is decided: what changes during the question is not trusted with it.
  const decide = async (request: TrustRequest) => {
    try {
      const shown = await questionOf(request);
      terminal.note(shown.note);
      const question = `Trust ${visible(project)} in its current state?`;
      await confirmed({ question, yes, refused: "The project is not trusted." }, terminal);
      if (!(await isAsShown(request, shown))) throw changedMeanwhile(project);
      return "trust" as const;
    } catch (error) {
      refusal = error;
      return "decline" as const;
    }
  };
  const untrusted = await whyUntrusted(project, decide);
  if (refusal !== undefined) throw refusal;
  if (untrusted !== undefined) throw new CommandError(`${project} is not trusted: ${untrusted}.`);
}

type Decide = (request: TrustRequest) => "trust" | "decline" | Promise<"trust" | "decline">;

/** Why a project is not trusted once `decide` has answered what is asked about it; `undefined` if it is. */
async function whyUntrusted(project: string, decide: Decide): Promise<string | undefined> {
  const trust = createProjectTrust({ decide, again: "changed" });
  return (await readConfig({ cwd: project, trust })).untrusted;
}

/** Whether a project has nothing that was not shown. Of a new one, `things` is empty: it is looked at again. */
async function isAsShown(
  { project, why, things }: TrustRequest,
  { names, contents }: Shown,
): Promise<boolean> {
  if (why !== "new") return things.every((name) => names.includes(name));
  const now = [...(await contentsOf(project))];
  return now.every(([name, hash]) =>
    contents.has(name) ? contents.get(name) === hash : names.includes(name),
  );
}

/** The files of a new project that would be run or applied, and the policies that its configuration names: their hashes. */
async function contentsOf(project: string): Promise<ReadonlyMap<string, string>> {
  const policies = await surveyConfig(project, project, { home: homedir(), owners: [] });
  const named = [...policies.keys()].map((path) => relative(project, path));
  const names = [...new Set([...(await untrustedNames(project)), ...named])];
  const hashes = names.map(async (name) => [name, await fileHash(join(project, name))] as const);
  return new Map(await Promise.all(hashes));
}

const MOST_BYTES = 10_000_000;

async function fileHash(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || !found.isFile() || found.size > MOST_BYTES)
    return `${found?.ino}:${found?.size}:${found?.mtimeMs}`;
  return hash("sha256", await readFile(path).catch(() => ""));
}

export function changedMeanwhile(project: string): CommandError {
  return new CommandError(`${project} has changed while you were asked, so it is not trusted.`, {
    hint: "Run the command again.",
  });
}

interface Shown {
  /** What is new or changed; of a new project, everything that it has. */
  readonly names: readonly string[];
  /** Of a new project: the hashes of what it has. */
  readonly contents: ReadonlyMap<string, string>;
}

/** What a user is shown before they trust a project. */
export interface TrustQuestion extends Shown {
  readonly note: string;
}

/** What the user would be asked now; `undefined` if the project is trusted as it is. `added`: what is about to be in it. */
export async function trustQuestion(
  project: string,
  added: readonly string[] = [],
): Promise<TrustQuestion | undefined> {
  let asked: TrustRequest | undefined;
  const decide = (request: TrustRequest) => {
    asked = request;
    return "decline" as const;
  };
  const untrusted = await whyUntrusted(project, decide);
  if (asked !== undefined) return questionOf(asked, added);
  if (untrusted !== undefined) throw new CommandError(`${project} is not trusted: ${untrusted}.`);
  return undefined;
}

/** Trusts a project in its current state. `own`: what the user asked for. @throws CommandError if more was not shown. */
export async function acceptProject(
  project: string,
  own: readonly string[],
  question?: TrustQuestion,
): Promise<void> {
  const contents = new Map(question?.contents);
  for (const name of own) contents.delete(name);
  const shown = { names: [...own, ...(question?.names ?? [])], contents };
  const decide = async (request: TrustRequest) =>
    request.why !== "unclear" && (await isAsShown(request, shown)) ? "trust" : "decline";
  const untrusted = await whyUntrusted(project, decide);
  if (untrusted === undefined) return;
  const hint = `Run \`toolkeep trust --project ${visible(project)}\` to review it.`;
  throw new CommandError(`${project} is not trusted: ${untrusted}.`, { hint });
}

const REASONS: Readonly<Record<TrustRequest["why"], string>> = {
  new: "is not trusted yet. If you trust it, its tools run with your rights, its configuration applies, and agents run its own tests, builds, git hooks, scripts and programs without asking",
  grown: "contains files that were not trusted",
  changed: "has changed since it was trusted",
  unclear: "contains more files than can be remembered, so every start asks again",
};

const MOST_LISTED = 100;

export function listed(things: readonly string[]): readonly string[] {
  if (things.length <= MOST_LISTED) return things;
  return [...things.slice(0, MOST_LISTED), `and ${things.length - MOST_LISTED} more`];
}

/** Of a new project, nothing is run or applied before it is trusted: its files are named. */
async function questionOf(
  { project, why, things }: TrustRequest,
  added: readonly string[] = [],
): Promise<TrustQuestion> {
  const contents = why === "new" ? await contentsOf(project) : new Map<string, string>();
  const names = why === "new" ? [...new Set([...contents.keys(), ...added])] : things;
  const already =
    why === "new" && (await isTrustedByInstall(project)) ? " (the installation lets them already)" : "";
  const lines = [
    `${project} ${REASONS[why]}${already}${names.length === 0 ? "." : ":"}`,
    ...listed(names).map((line) => `  ${line}`),
  ];
  return { names, contents, note: lines.map((line) => visible(line)).join("\n") };
}
