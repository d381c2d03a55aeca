import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { visible } from "@toolkeep/core/internal";
import { createProjectTrust, readConfig, type TrustRequest } from "@toolkeep/node";
import type { Command } from "commander";
import { projectFolder } from "../project/project-folder.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { type Done, optionsOf, projectOption, subcommand, yesOption } from "../terminal/command-line.ts";
import { type CommonOptions, confirmed, openTerminal, type Terminal } from "../terminal/terminal.ts";

/** `toolkeep trust`. */
export function add(parent: Command, done: Done): void {
  subcommand({
    parent,
    name: "trust",
    description: "review the tools, configuration and policy of a project, and trust them",
  })
    .addOption(projectOption())
    .addOption(yesOption())
    .action(async (_options, command: Command) => done(await trustCommand(optionsOf(command))));
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

const REASONS: Readonly<Record<TrustRequest["why"], string>> = {
  new: "is not trusted yet. If you trust it, its tools run with your rights, its configuration applies, and agents run its own tests, builds and git hooks without asking:",
  grown: "contains files that were not trusted:",
  changed: "has changed since it was trusted:",
  unclear: "contains more files than can be remembered, so every start asks again.",
};

const MOST_LISTED = 100;

/** What a project has that would be run or applied, by name alone: none of it is read before it is trusted. */
async function namesIn(project: string): Promise<readonly string[]> {
  const entries = await readdir(join(project, ".toolkeep"), { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  const names = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(project, join(entry.parentPath, entry.name)));
  return [...names.toSorted(), ...[".mcp.json"].filter((name) => existsSync(join(project, name)))];
}

function listed(things: readonly string[]): readonly string[] {
  if (things.length <= MOST_LISTED) return things;
  return [...things.slice(0, MOST_LISTED), `and ${things.length - MOST_LISTED} more`];
}

async function ask(
  { project, why, things }: TrustRequest,
  yes: boolean | undefined,
  terminal: Terminal,
): Promise<void> {
  const names = why === "new" ? await namesIn(project) : things;
  terminal.note(
    [`${project} ${REASONS[why]}`, ...listed(names).map((line) => `  ${line}`)]
      .map((line) => visible(line))
      .join("\n"),
  );
  const question = `Trust ${visible(project)} in its current state?`;
  await confirmed({ question, yes, refused: "The project is not trusted." }, terminal);
}
