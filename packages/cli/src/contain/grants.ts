import { joinCommand, visible } from "@toolkeep/core/internal";
import { reachOf, type StandingGrant } from "@toolkeep/node/internal";
import { explainedCall } from "../policy/explained-call.ts";
import { forgetSeen } from "../project/contain/seen-commands.ts";
import { hostAndPort, setGranted, standingGrants } from "../project/contain/standing-grants.ts";
import type { Project } from "../project/read-project.ts";
import { CommandError, EXIT, usageError } from "../terminal/command-error.ts";
import { confirmed, type Terminal } from "../terminal/terminal.ts";

const EXAMPLE = "toolkeep contain grant db.example:5432 'psql -h db.example -c \"select 1\"'";

interface GrantRequest {
  readonly project: Project;
  /** Host and port, then a command with its arguments. */
  readonly what: readonly string[];
  readonly yes: boolean | undefined;
}

/** Lets contained commands like a given one reach a host unasked. @throws CommandError if it does more than look. */
export async function grant({ project, what, yes }: GrantRequest, terminal: Terminal): Promise<number> {
  const [where = "", ...words] = what;
  const command = words.join(" ");
  const at = hostAndPort(where);
  if (command === "" || at === undefined)
    throw usageError("A grant needs a host with its port, and a command.", EXAMPLE);
  const { cwd } = terminal;
  const call = { tool: "bash", arguments: { command } } as const;
  const parts = await explainedCall(call, { project, cwd, isSandboxed: true });
  const reach = reachOf(parts.flatMap(({ explained }) => explained.explanation?.effects ?? []));
  if (reach === undefined)
    throw new CommandError(
      "Nothing was granted: grants are for commands of one program that Toolkeep knows to only look.",
      { exit: EXIT.denied, hint: `toolkeep policy explain ${joinCommand([command])}` },
    );
  const granted = { ...reach, ...at };
  terminal.note(`  ${grantLine(granted)}\n${NOT_COVERED}`);
  const question = `Let contained commands of ${project.root} reach this without a question?`;
  await confirmed({ question, yes, refused: "Nothing was granted." }, terminal);
  await setGranted(project.root, granted, true);
  await forgetSeen(project.root, { command, cwd });
  terminal.show({ project: project.root, ...granted }, [`Granted: ${grantLine(granted)}.`]);
  return EXIT.ok;
}

const NOT_COVERED =
  "Toolkeep does not see what these commands send there. Credentials in your home stay hidden from them: a command that needs one still asks.";

export async function showGrants({ root }: Project, terminal: Terminal): Promise<number> {
  const grants = await standingGrants(root);
  terminal.show(
    grants.map((one, index) => ({ number: index + 1, ...one })),
    grants.map((one, index) => `${index + 1}  ${grantLine(one)}`),
  );
  if (grants.length === 0) terminal.note(`No host is granted to contained commands of ${root}.`);
  return EXIT.ok;
}

/** @throws CommandError for a number that no grant has. */
export async function revoke(
  { root }: Project,
  number: string | undefined,
  terminal: Terminal,
): Promise<number> {
  const found = (await standingGrants(root))[Number(number) - 1];
  if (found === undefined)
    throw usageError(`There is no grant ${JSON.stringify(number ?? "")}.`, "toolkeep contain grants");
  await setGranted(root, found, false);
  terminal.show({ project: root, revoked: found }, [`Revoked: ${grantLine(found)}.`]);
  return EXIT.ok;
}

function grantLine({ program, does, host, port }: StandingGrant): string {
  return visible(`${program} (${does.join(", ")}) at ${host}:${port}`);
}
