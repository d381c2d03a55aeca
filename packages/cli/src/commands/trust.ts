import { resolve } from "node:path";
import { joinCommand, visible } from "@toolkeep/core/internal";
import { createProjectTrust, readConfig } from "@toolkeep/node/internal";
import type { Command } from "commander";
import { projectFolder } from "../project/project-folder.ts";
import { listed, trustNow } from "../project/trust-now.ts";
import { ignoredNote, trustState, trustText } from "../project/trust-state.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { commandsOf, type Done, optionsOf } from "../terminal/command-line.ts";
import { type CommonOptions, openTerminal } from "../terminal/terminal.ts";

/** `toolkeep trust` with `list` and `revoke`. */
export function add(program: Command, done: Done): void {
  const parent = commandsOf(program, done)("trust", (command) => trustCommand(optionsOf(command)));
  const below = commandsOf(parent, done);
  below("list", (command) => listTrust(optionsOf(command)));
  below("revoke", (command) => revokeTrust(optionsOf(command)));
}

export interface TrustOptions extends CommonOptions {
  readonly project?: string;
  readonly yes?: boolean;
}

/** Shows what is new or changed, and trusts it once the user confirms. */
export async function trustCommand(options: TrustOptions): Promise<number> {
  const terminal = openTerminal(options);
  const project = await projectFolder({ project: options.project, cwd: terminal.cwd });
  await trustNow(project, options.yes, terminal);
  await assertDecides(project);
  const reading = await readConfig({ cwd: project, trust: createProjectTrust({ again: "changed" }) });
  const trust = await trustState(project, project, reading);
  const note = ignoredNote(trust);
  if (note !== undefined) terminal.note(note);
  terminal.show({ project, trusted: true, trust }, [
    `${project} is now trusted in its current state: ${trustText(trust)}.`,
  ]);
  return EXIT.ok;
}

/** What is trusted may be invalid, and then every call is blocked. @throws CommandError */
async function assertDecides(project: string): Promise<void> {
  const { readProject } = await import("../project/read-project.ts");
  await readProject({ cwd: project }).catch((error: Error) => {
    throw new CommandError(`${project} is trusted now, but every call is blocked: ${error.message}`, {
      hint: `Fix the file, or run \`${joinCommand(["toolkeep", "trust", "revoke", "--project", project])}\`.`,
    });
  });
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
