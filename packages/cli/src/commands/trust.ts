import { visible } from "@toolkeep/core/internal";
import { createProjectTrust, readConfig, type TrustRequest } from "@toolkeep/node";
import { projectFolder } from "../project/project-folder.ts";
import { agreed } from "../terminal/agreed.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { type CommonOptions, openTerminal, type Terminal } from "../terminal/terminal.ts";

export interface TrustOptions extends CommonOptions {
  readonly project?: string;
  readonly yes?: boolean;
}

/** `toolkeep trust`. Tells what is new or different, and trusts it once a person said yes. */
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
  terminal.show({ project, trusted: true }, [`${project} is trusted as it is now.`]);
  return EXIT.ok;
}

const WORDS: Readonly<Record<TrustRequest["why"], string>> = {
  new: "was not trusted before. Its tools would run with your rights, and its configuration would count.",
  grown: "has more in it than was trusted:",
  changed: "has changed since it was trusted:",
  unclear: "has more in it than can be remembered, so it is asked about each time.",
};

async function ask(
  { project, why, things }: TrustRequest,
  yes: boolean | undefined,
  terminal: Terminal,
): Promise<void> {
  terminal.note(
    [`${project} ${WORDS[why]}`, ...things.map((name) => `  ${name}`)]
      .map((line) => visible(line))
      .join("\n"),
  );
  const question = `Trust ${visible(project)} as it is now?`;
  const words = { refused: "Nothing was trusted.", hint: "Look at it, then say --yes." };
  await agreed({ question, yes, ...words }, terminal);
}
