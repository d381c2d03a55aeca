import { visible } from "@toolkeep/core/internal";
import { createProjectTrust, readConfig, type TrustRequest } from "@toolkeep/node";
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
      const shown = await questionOf(request, []);
      terminal.note(shown.note);
      const question = `Trust ${visible(project)} in its current state?`;
      await confirmed({ question, yes, refused: "The project is not trusted." }, terminal);
      if (!(await isWithinShown(request, shown.names))) throw changedMeanwhile(project);
      return "trust" as const;
    } catch (error) {
      refusal = error;
      return "decline" as const;
    }
  };
  const { untrusted } = await readConfig({
    cwd: project,
    trust: createProjectTrust({ decide, again: "changed" }),
  });
  if (refusal !== undefined) throw refusal;
  if (untrusted !== undefined) throw new CommandError(`${project} is not trusted: ${untrusted}.`);
}

/** Of a new project, `things` is empty: its files are looked up again. */
async function isWithinShown({ project, why, things }: TrustRequest, shown: readonly string[]) {
  const now = why === "new" ? await untrustedNames(project) : things;
  return now.every((name) => shown.includes(name));
}

export function changedMeanwhile(project: string): CommandError {
  return new CommandError(`${project} has changed while you were asked, so it is not trusted.`, {
    hint: "Run the command again.",
  });
}

/** What a user is shown before they trust a project. */
export interface TrustQuestion {
  readonly note: string;
  /** What is new or changed; of a new project, everything that it has. */
  readonly names: readonly string[];
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
  const { untrusted } = await readConfig({
    cwd: project,
    trust: createProjectTrust({ decide, again: "changed" }),
  });
  if (asked !== undefined) return questionOf(asked, added);
  if (untrusted !== undefined) throw new CommandError(`${project} is not trusted: ${untrusted}.`);
  return undefined;
}

/** Trusts a project in its current state. @throws CommandError if something is new or changed that was not shown. */
export async function acceptProject(project: string, shown: readonly string[]): Promise<void> {
  const decide = async (request: TrustRequest) =>
    request.why !== "unclear" && (await isWithinShown(request, shown)) ? "trust" : "decline";
  const { untrusted } = await readConfig({
    cwd: project,
    trust: createProjectTrust({ decide, again: "changed" }),
  });
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

/** Nothing of a new project is read before it is trusted: its files are named. */
async function questionOf(
  { project, why, things }: TrustRequest,
  added: readonly string[],
): Promise<TrustQuestion> {
  const names = why === "new" ? [...new Set([...(await untrustedNames(project)), ...added])] : things;
  const already =
    why === "new" && (await isTrustedByInstall(project)) ? " (the installation lets them already)" : "";
  const lines = [
    `${project} ${REASONS[why]}${already}${names.length === 0 ? "." : ":"}`,
    ...listed(names).map((line) => `  ${line}`),
  ];
  return { names, note: lines.map((line) => visible(line)).join("\n") };
}
