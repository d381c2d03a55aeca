import type { McpSource, ServerReport, ToolInReview } from "@toolkeep/mcp/internal";
import type { Command } from "commander";
import { outsideGateway } from "../install/outside-gateway.ts";
import { userServerNotes } from "../install/user-servers.ts";
import { projectFolder } from "../project/project-folder.ts";
import { acceptedServers } from "../project/user-files.ts";
import { CommandError, EXIT, usageError } from "../terminal/command-error.ts";
import { commandsOf, type Done, optionsOf } from "../terminal/command-line.ts";
import { type CommonOptions, confirmed, openTerminal, type Terminal } from "../terminal/terminal.ts";
import { chooseServers } from "../tools/servers/choose-servers.ts";
import { listedServers } from "../tools/servers/managed-servers.ts";
import { mistypedServers } from "../tools/servers/mistyped-servers.ts";
import {
  effectsStatus,
  entryLines,
  isReadable,
  reportLines,
  reportRecord,
  reviewLines,
} from "../tools/servers/server-lines.ts";
import { withSource } from "../tools/servers/with-source.ts";
import { addLogins } from "./login.ts";

/** `toolkeep servers` with `list`, `accept`, `forget`, `login` and `logout`. */
export function add(program: Command, done: Done): void {
  const list = (command: Command) => listServers(optionsOf(command));
  const parent = commandsOf(program, done)("servers", list);
  const below = commandsOf(parent, done);
  below("list", list);
  below("accept", (command) => accept(optionsOf(command)));
  below("forget", (command) => forget(optionsOf(command)));
  addLogins(parent, done);
}

interface ServersOptions extends CommonOptions {
  readonly project?: string;
}

/** For all servers together: they start at the same time. */
const PATIENCE_MS = 10_000;

/** Starts the accepted servers to list their tools. */
async function listServers(options: ServersOptions): Promise<number> {
  const terminal = openTerminal(options);
  const project = await projectFolder({ project: options.project, cwd: terminal.cwd });
  const chosen = await chooseServers(project);
  for (const note of [
    ...chosen.diagnostics,
    ...(await outsideGateway(project)),
    ...(await userServerNotes(project)),
    ...(await mistypedServers(
      project,
      chosen.servers.map(({ name }) => name),
    )),
  ])
    terminal.note(note);
  const { servers, refused } = await listedServers(project, chosen.servers);
  for (const reason of refused.values()) terminal.note(reason);
  if (servers.length > 0)
    terminal.note(`Starting ${servers.map(({ name }) => name).join(", ")} to list the tools…`);
  const sources = { project, chosen, patienceMs: PATIENCE_MS };
  const reports = await withSource(sources, async (source) => source.servers);
  const shown = await Promise.all(
    reports.map(async (report) => [report, await effectsStatus(report.entry, chosen)] as const),
  );
  terminal.show(
    shown.map((one) => reportRecord(...one)),
    shown.flatMap((one) => reportLines(...one)),
  );
  const late = reports.filter(({ status }) => status.state === "connecting").map(({ entry }) => entry.name);
  if (late.length > 0)
    terminal.note(
      `Not started within ${PATIENCE_MS / 1_000} seconds: ${late.join(", ")}. The gateway waits longer.`,
    );
  if (chosen.servers.length === 0) terminal.note("No servers are configured for this project.");
  return EXIT.ok;
}

interface AcceptOptions extends ServersOptions {
  readonly name: string;
  /** Empty: the server itself. */
  readonly tools: readonly string[];
  readonly yes?: boolean;
}

async function accept(options: AcceptOptions): Promise<number> {
  const { name, tools, yes } = options;
  const terminal = openTerminal(options);
  const project = await projectFolder({ project: options.project, cwd: terminal.cwd });
  const chosen = await chooseServers(project, [name], "project");
  return withSource({ project, chosen }, async (source, refused) => {
    const report = source.servers[0];
    const refusal = refused.get(name);
    if (refusal !== undefined) throw new CommandError(refusal, { exit: EXIT.denied });
    if (report === undefined) throw new CommandError(`The server ${name} is no longer configured.`);
    const acceptance = { report, source, yes };
    if (tools.length === 0) await acceptServer(acceptance, terminal);
    else await acceptTools({ ...acceptance, tools }, terminal);
    const after = source.servers[0] ?? report;
    const effects = await effectsStatus(after.entry, chosen);
    terminal.show(reportRecord(after, effects), reportLines(after, effects));
    return EXIT.ok;
  });
}

interface Acceptance {
  readonly report: ServerReport;
  readonly source: McpSource;
  readonly yes: boolean | undefined;
}

const REFUSED = "Nothing was accepted.";

async function acceptServer({ report, source, yes }: Acceptance, terminal: Terminal): Promise<void> {
  const { entry } = report;
  if (!isReadable(entry))
    throw new CommandError(`The command of ${entry.name} is too long to show, so it cannot be accepted.`, {
      exit: EXIT.denied,
      hint: `Move it to a script, and use the script as \`command\` in ${entry.file ?? "the configuration"}.`,
    });
  terminal.note([`${entry.name} is started as follows:`, ...entryLines(entry)].join("\n"));
  await confirmed({ question: `Accept the server ${entry.name}?`, yes, refused: REFUSED }, terminal);
  await source.accept(entry.name);
}

interface ToolAcceptance extends Acceptance {
  readonly tools: readonly string[];
}

/** Accepts the definitions that were shown, even if the server has changed them since. */
async function acceptTools({ report, source, yes, tools }: ToolAcceptance, terminal: Terminal) {
  const { name } = report.entry;
  const reviewed = tools.map((tool) => toolInReview(tool, report));
  terminal.note(reviewed.flatMap((one) => reviewLines(one)).join("\n"));
  const refused = reviewed.find(({ why }) => why === "refused");
  if (refused !== undefined)
    throw new CommandError(`The tool ${refused.tool} is refused and cannot be accepted.`, {
      exit: EXIT.denied,
    });
  await confirmed({ question: `Accept ${tools.join(", ")} of ${name}?`, yes, refused: REFUSED }, terminal);
  await source.accept(name, reviewed);
}

function toolInReview(tool: string, { entry, inReview }: ServerReport): ToolInReview {
  const found = inReview.find((one) => one.tool === tool);
  if (found !== undefined) return found;
  throw usageError(
    `${entry.name} has no tool ${JSON.stringify(tool)} that awaits review.`,
    "Run `toolkeep servers` to list the tools that await review. Accept the server first to see its tools.",
  );
}

interface ForgetOptions extends ServersOptions {
  readonly name: string;
}

async function forget(options: ForgetOptions): Promise<number> {
  const { name } = options;
  const terminal = openTerminal(options);
  const accepted = acceptedServers();
  const owners = [await projectFolder({ project: options.project, cwd: terminal.cwd }), ""];
  const found = await Promise.all(owners.map((owner) => accepted.get(owner, name)));
  if (found.every((one) => one === undefined)) {
    throw new CommandError(`The server ${JSON.stringify(name)} is not accepted here.`, {
      hint: "Run `toolkeep servers` to list the servers.",
    });
  }
  for (const [index, owner] of owners.entries())
    if (found[index] !== undefined) await accepted.delete(owner, name);
  terminal.show({ name, status: "forgotten" }, [
    `${name} is no longer accepted. The next start asks for a review again.`,
  ]);
  return EXIT.ok;
}
