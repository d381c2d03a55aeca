import { resolve } from "node:path";
import { visible } from "@toolkeep/core/internal";
import { createProjectTrust, readConfig, type TrustRequest } from "@toolkeep/node";
import type { Command } from "commander";
import { projectFolder } from "../project/project-folder.ts";
import { untrustedNames } from "../project/untrusted-names.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { type Done, optionsOf, projectOption, subcommand, yesOption } from "../terminal/command-line.ts";
import { type CommonOptions, confirmed, openTerminal, type Terminal } from "../terminal/terminal.ts";
import { TRUST_HELP } from "./help-texts.ts";

/** `toolkeep trust` with `list` and `revoke`. */
export function add(program: Command, done: Done): void {
  const parent = subcommand({
    parent: program,
    name: "trust",
    description: "review the tools, configuration and policy of a project, and trust them",
  })
    .addOption(projectOption())
    .addOption(yesOption())
    .addHelpText("after", TRUST_HELP)
    .action(async (_options, command: Command) => done(await trustCommand(optionsOf(command))));
  subcommand({
    parent,
    name: "list",
    description: "list the projects that you trust, and their state",
  }).action(async (_options, command: Command) => done(await listTrust(optionsOf(command))));
  subcommand({ parent, name: "revoke", description: "no longer trust a project" })
    .addOption(projectOption())
    .action(async (_options, command: Command) => done(await revokeTrust(optionsOf(command))));
}

export interface TrustOptions extends CommonOptions {
  readonly project?: string;
  readonly yes?: boolean;
}

/** Shows what is new or changed, and trusts it once the user confirms. */
export async function trustCommand(options: TrustOptions): Promise<number> {
  const terminal = openTerminal(options);
  const project = await projectFolder({ project: options.project, cwd: terminal.cwd });
  let refusal: unknown;
  const decide = async (request: TrustRequest) => {
    try {
      await ask(request, options.yes, terminal);
      return "trust";
    } catch (error) {
      refusal = error;
      return "decline";
    }
  };
  const { untrusted } = await readConfig({
    cwd: project,
    trust: createProjectTrust({ decide, again: "changed" }),
  });
  if (refusal !== undefined) throw refusal;
  if (untrusted !== undefined) throw new CommandError(`${project} is not trusted: ${untrusted}.`);
  terminal.show({ project, trusted: true }, [`${project} is now trusted in its current state.`]);
  return EXIT.ok;
}

async function listTrust(options: TrustOptions): Promise<number> {
  const terminal = openTerminal(options);
  const { trustedProjects } = await import("../project/show/trusted-projects.ts");
  const projects = await trustedProjects();
  terminal.show(
    projects,
    projects.flatMap(({ project, by, at, state, changed = [] }) => [
      visible(`${project}  ${state}  (by ${by}${at === undefined ? "" : `, ${at.slice(0, 10)}`})`),
      ...listed(changed).map((name) => `  changed: ${visible(name)}`),
      ...(state === "changed"
        ? [`  Run \`toolkeep trust --project ${visible(project)}\` to review it.`]
        : []),
      ...(state === "gone"
        ? [`  Run \`toolkeep trust revoke --project ${visible(project)}\` to forget it.`]
        : []),
    ]),
  );
  if (projects.length === 0) terminal.note("You trust no project.");
  return EXIT.ok;
}

async function revokeTrust(options: TrustOptions): Promise<number> {
  const terminal = openTerminal(options);
  const { revokedTrust } = await import("../project/show/trusted-projects.ts");
  const { isTrustedByInstall } = await import("../clients/installed/install-record.ts");
  const { cwd } = terminal;
  // The folder may be gone.
  const project = await projectFolder({ project: options.project, cwd }).catch(() =>
    resolve(cwd, options.project ?? ""),
  );
  if (!(await revokedTrust(project)))
    throw new CommandError(`${project} is not among the projects that you trust.`, {
      hint: "Run `toolkeep trust list` to list them.",
    });
  const byInstall = await isTrustedByInstall(project);
  terminal.show({ project, trusted: false, byInstall }, [`${project} is no longer trusted.`]);
  if (byInstall)
    terminal.note("Its own scripts still run without asking: run `toolkeep uninstall` to end that too.");
  return EXIT.ok;
}

const REASONS: Readonly<Record<TrustRequest["why"], string>> = {
  new: "is not trusted yet. If you trust it, its tools run with your rights, its configuration applies, and agents run its own tests, builds, git hooks, scripts and programs without asking:",
  grown: "contains files that were not trusted:",
  changed: "has changed since it was trusted:",
  unclear: "contains more files than can be remembered, so every start asks again.",
};

const MOST_LISTED = 100;

function listed(things: readonly string[]): readonly string[] {
  if (things.length <= MOST_LISTED) return things;
  return [...things.slice(0, MOST_LISTED), `and ${things.length - MOST_LISTED} more`];
}

async function ask(
  { project, why, things }: TrustRequest,
  yes: boolean | undefined,
  terminal: Terminal,
): Promise<void> {
  const names = why === "new" ? await untrustedNames(project) : things;
  terminal.note(
    [`${project} ${REASONS[why]}`, ...listed(names).map((line) => `  ${line}`)]
      .map((line) => visible(line))
      .join("\n"),
  );
  const question = `Trust ${visible(project)} in its current state?`;
  await confirmed({ question, yes, refused: "The project is not trusted." }, terminal);
}
