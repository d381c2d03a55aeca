import { chooseServers } from "../gateway/choose-servers.ts";
import { loginAddress } from "../gateway/login-address.ts";
import { logins } from "../project/logins.ts";
import { projectFolder } from "../project/project-folder.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { type CommonOptions, openTerminal } from "../terminal/terminal.ts";

export interface LogoutOptions extends CommonOptions {
  /** A server, or its address. */
  readonly name: string;
  readonly project?: string;
}

/** `toolkeep servers logout NAME`: forgets the login here. The server is not told. */
export async function logoutCommand(options: LogoutOptions): Promise<number> {
  const { name } = options;
  const terminal = openTerminal(options);
  const address = /^https?:\/\//.test(name) ? URL.parse(name) : await addressOf(options, terminal.cwd);
  if (address === null)
    throw new CommandError(`${JSON.stringify(name)} is no address.`, { exit: EXIT.usage });
  const kept = logins();
  if ((await kept.get(address.href)) === undefined)
    throw new CommandError(`There is no login for ${address.host} that could be forgotten.`);
  await kept.delete(address.href);
  terminal.show({ name, host: address.host, status: "logged out" }, [
    `${name}: the login is forgotten here. What the server gave stays good until it ends or is taken back there.`,
  ]);
  return EXIT.ok;
}

async function addressOf({ name, project }: LogoutOptions, cwd: string): Promise<URL> {
  const folder = await projectFolder({ project, cwd });
  const [entry] = (await chooseServers(folder, [name])).servers;
  if (entry === undefined) throw new CommandError(`The server ${name} is gone.`);
  return loginAddress(entry, folder);
}
