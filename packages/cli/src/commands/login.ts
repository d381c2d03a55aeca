import type { ServerReport } from "@toolkeep/mcp/internal";
import type { Command } from "commander";
import { projectFolder } from "../project/project-folder.ts";
import { logins } from "../project/user-files.ts";
import { CommandError, EXIT, usageError } from "../terminal/command-error.ts";
import { commandsOf, type Done, optionsOf } from "../terminal/command-line.ts";
import { type CommonOptions, openTerminal } from "../terminal/terminal.ts";
import { chooseServer } from "../tools/servers/choose-servers.ts";
import { loginAddress, type TerminalLoginUser, terminalLoginUser } from "../tools/servers/login.ts";
import { withSource } from "../tools/servers/with-source.ts";

/** `toolkeep servers login` and `logout`. */
export function addLogins(parent: Command, done: Done): void {
  const below = commandsOf(parent, done);
  below("login", (command) => login(optionsOf(command)));
  below("logout", (command) => logout(optionsOf(command)));
}

interface LoginOptions extends CommonOptions {
  readonly name: string;
  readonly project?: string;
  readonly yes?: boolean;
}

async function login(options: LoginOptions): Promise<number> {
  const { name, yes = false } = options;
  const terminal = openTerminal(options);
  if (!yes && !terminal.isInteractive) {
    throw new CommandError("A login needs an interactive terminal.", {
      exit: EXIT.needsApproval,
      hint: "Run the command in a terminal, or add --yes if a browser can open on this machine.",
    });
  }
  const project = await projectFolder({ project: options.project, cwd: terminal.cwd });
  const { entry, chosen } = await chooseServer(project, name);
  const address = loginAddress(entry, project);
  const user = terminalLoginUser({ address, yes }, terminal);
  const report = await withSource({ project, chosen, user }, async ({ servers }, refused) => {
    const reason = refused.get(name);
    if (reason !== undefined) throw new CommandError(reason, { exit: EXIT.denied });
    return servers[0];
  });
  if (report?.status.state !== "ready") throw loginError(report, user);
  const isStored = (await logins().get(address.href))?.tokens !== undefined;
  const status = user.answer === "yes" ? "logged in" : isStored ? "was logged in" : "needs no login";
  terminal.show({ name, host: address.host, status }, [`${name}: ${LINES[status]}`]);
  return EXIT.ok;
}

const LINES = {
  "logged in": "Logged in. Restart a gateway that is running already to use the login.",
  "was logged in": "You are logged in already.",
  "needs no login": "The server needs no login.",
};

function loginError(report: ServerReport | undefined, user: TerminalLoginUser): CommandError {
  if (report === undefined) return new CommandError("The server is no longer configured.");
  const { entry, status } = report;
  const reason = status.reason ?? `Its state is ${status.state}.`;
  if (status.state === "awaiting_review") {
    return new CommandError(`${entry.name} is awaiting review. ${reason}`, {
      exit: EXIT.needsApproval,
      hint: `Run \`toolkeep servers accept ${entry.name}\` first.`,
    });
  }
  const exit = user.answer === "no" ? EXIT.denied : EXIT.failure;
  return new CommandError(`The login to ${entry.name} failed. ${reason}`, { exit });
}

interface LogoutOptions extends CommonOptions {
  /** A server or its URL. */
  readonly name: string;
  readonly project?: string;
}

async function logout(options: LogoutOptions): Promise<number> {
  const { name } = options;
  const terminal = openTerminal(options);
  const address = /^https?:\/\//.test(name) ? URL.parse(name) : await addressOf(options, terminal.cwd);
  if (address === null) throw usageError(`${JSON.stringify(name)} is not a valid URL.`);
  const stored = logins();
  if ((await stored.get(address.href)) === undefined)
    throw new CommandError(`There is no stored login for ${address.host}.`);
  await stored.delete(address.href);
  terminal.show({ name, host: address.host, status: "logged out" }, [
    `${name}: The login is removed from this machine. The tokens stay valid until they expire or you revoke them at the server.`,
  ]);
  return EXIT.ok;
}

async function addressOf({ name, project }: LogoutOptions, cwd: string): Promise<URL> {
  const folder = await projectFolder({ project, cwd });
  const { entry } = await chooseServer(folder, name);
  return loginAddress(entry, folder);
}
