import type { ServerReport } from "@toolkeep/mcp";
import { chooseServers } from "../gateway/choose-servers.ts";
import { loginAddress } from "../gateway/login-address.ts";
import { type AskedPerson, loginPerson } from "../gateway/login-person.ts";
import { withSource } from "../gateway/with-source.ts";
import { logins } from "../project/logins.ts";
import { projectFolder } from "../project/project-folder.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { type CommonOptions, openTerminal } from "../terminal/terminal.ts";

export interface LoginOptions extends CommonOptions {
  readonly name: string;
  readonly project?: string;
  readonly yes?: boolean;
}

/** `toolkeep servers login NAME`: through the person's browser, once somebody has accepted the server. */
export async function loginCommand(options: LoginOptions): Promise<number> {
  const { name, yes = false } = options;
  const terminal = openTerminal(options);
  if (!yes && !terminal.isInteractive) {
    throw new CommandError("Nobody is there to log in.", {
      exit: EXIT.needsApproval,
      hint: "Run it in a terminal, or say --yes where somebody can open a browser.",
    });
  }
  const project = await projectFolder({ project: options.project, cwd: terminal.cwd });
  const chosen = await chooseServers(project, [name]);
  const [entry] = chosen.servers;
  if (entry === undefined) throw new CommandError(`The server ${name} is gone.`);
  const address = loginAddress(entry, project);
  const person = loginPerson({ address, yes }, terminal);
  const report = await withSource({ project, chosen, person }, async ({ servers }) => servers[0]);
  if (report?.status.state !== "ready") throw notIn(report, person);
  const isKept = (await logins().get(address.href))?.tokens !== undefined;
  const status = person.said === "yes" ? "logged in" : isKept ? "was logged in" : "needs no login";
  terminal.show({ name, host: address.host, status }, [`${name}: ${LINES[status]}`]);
  return EXIT.ok;
}

const LINES = {
  "logged in": "logged in. A gateway that runs already takes it when it is started again.",
  "was logged in": "you are logged in already.",
  "needs no login": "it lets us in without a login.",
};

function notIn(report: ServerReport | undefined, person: AskedPerson): CommandError {
  if (report === undefined) return new CommandError("The server is gone.");
  const { entry, status } = report;
  const reason = status.reason ?? `It is ${status.state}.`;
  if (status.state === "awaiting_review") {
    return new CommandError(`${entry.name} is held back. ${reason}`, {
      exit: EXIT.needsApproval,
      hint: `Look at it with \`toolkeep servers accept ${entry.name}\` first.`,
    });
  }
  const exit = person.said === "no" ? EXIT.denied : EXIT.failure;
  return new CommandError(`There is no login to ${entry.name}. ${reason}`, { exit });
}
