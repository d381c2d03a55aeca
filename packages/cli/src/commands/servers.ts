import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { findProject } from "@toolkeep/node";
import { chooseServers } from "../gateway/choose-servers.ts";
import { entryLines, heldLines, reportLines, reportRecord } from "../gateway/server-lines.ts";
import { withSource } from "../gateway/with-source.ts";
import { knownServers } from "../project/known-servers.ts";
import { CommandFault, EXIT } from "../terminal/command-fault.ts";
import { type CommonOptions, openTerminal, type Terminal } from "../terminal/terminal.ts";

export interface ServersOptions extends CommonOptions {
  readonly project?: string;
  readonly yes?: boolean;
}

/** `toolkeep servers`: what there is, in which state, and what is held back. Starts what was accepted. */
export async function listServersCommand(options: ServersOptions): Promise<number> {
  const terminal = openTerminal(options);
  const project = await projectOf(options, terminal);
  const chosen = await chooseServers(project);
  for (const problem of chosen.problems) terminal.note(problem);
  const reports = await withSource(project, chosen, async (source) => source.servers);
  terminal.show(
    reports.map(reportRecord),
    reports.flatMap((report) => reportLines(report)),
  );
  if (reports.length === 0) terminal.note("No servers are configured for this project.");
  return EXIT.ok;
}

/** `toolkeep servers accept NAME [TOOL…]`. */
export async function acceptServerCommand(
  name: string,
  tools: readonly string[],
  options: ServersOptions,
): Promise<number> {
  const terminal = openTerminal(options);
  const project = await projectOf(options, terminal);
  const chosen = await chooseServers(project, [name]);
  return withSource(project, chosen, async (source) => {
    const report = source.servers[0];
    if (report === undefined) throw new CommandFault(`The server ${name} is gone.`);
    if (tools.length === 0) {
      terminal.note([`${name} would be started like this:`, ...entryLines(report.entry)].join("\n"));
      await agreed(`Accept the server ${name}?`, options, terminal);
      await source.accept(name);
    } else {
      const held = tools.map((tool) => {
        const found = report.held.find((one) => one.tool === tool);
        if (found === undefined) throw notHeld(name, tool);
        return found;
      });
      terminal.note(held.flatMap((one) => heldLines(one)).join("\n"));
      const refused = held.find(({ why }) => why === "refused");
      if (refused !== undefined)
        throw new CommandFault(`The tool ${refused.tool} is refused for good.`, { exit: EXIT.denied });
      await agreed(`Accept ${tools.join(", ")} of ${name}?`, options, terminal);
      await source.accept(name, tools);
    }
    const after = source.servers[0] ?? report;
    terminal.show(reportRecord(after), reportLines(after));
    return EXIT.ok;
  });
}

/** `toolkeep servers forget NAME`. */
export async function forgetServerCommand(name: string, options: ServersOptions): Promise<number> {
  const terminal = openTerminal(options);
  const project = await projectOf(options, terminal);
  const known = knownServers();
  const owners = [project, ""];
  const found = await Promise.all(owners.map((owner) => known.get(owner, name)));
  if (found.every((one) => one === undefined)) {
    throw new CommandFault(`Nobody accepted a server ${JSON.stringify(name)} here.`, {
      hint: "`toolkeep servers` lists what there is.",
    });
  }
  for (const [index, owner] of owners.entries())
    if (found[index] !== undefined) await known.delete(owner, name);
  terminal.show({ name, status: "forgotten" }, [`${name} is forgotten; it is asked about again.`]);
  return EXIT.ok;
}

function notHeld(server: string, tool: string): CommandFault {
  return new CommandFault(`${server} has no tool ${JSON.stringify(tool)} that is held back.`, {
    exit: EXIT.usage,
    hint: "`toolkeep servers` lists what is held back. A server must be accepted before its tools are seen.",
  });
}

async function agreed(question: string, { yes }: ServersOptions, terminal: Terminal): Promise<void> {
  if (yes === true || (await terminal.confirm(question))) return;
  if (terminal.isInteractive) throw new CommandFault("Nothing was accepted.", { exit: EXIT.denied });
  throw new CommandFault("Nobody is there to be asked.", {
    exit: EXIT.needsApproval,
    hint: "Look at it, then say --yes.",
  });
}

async function projectOf({ project }: ServersOptions, { cwd }: Terminal): Promise<string> {
  return project === undefined ? findProject(cwd) : realpath(resolve(cwd, project));
}
