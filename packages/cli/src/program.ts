import { ToolFailure, ToolkeepError, terminalText } from "@toolkeep/core";
import { Command, CommanderError, Option } from "commander";
import { HOOK_CLIENTS } from "./hooks/hook-call.ts";
import { INSTALL_CLIENTS } from "./install/install-client.ts";
import { CommandFault, EXIT } from "./terminal/command-fault.ts";
import { VERSION } from "./version.ts";

const EXIT_CODES = `
Exit codes: 0 done, 1 failed, 2 wrong usage (and a hook that blocks), 3 denied, 4 needs approval, 130 and 143 ended
by a signal.`;

/** Runs one command line. Never throws: what goes wrong is said on standard error. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  let exit: number = EXIT.ok;
  const program = buildProgram((code) => {
    exit = code;
  });
  try {
    await program.parseAsync(argv, { from: "user" });
    return exit;
  } catch (error) {
    return reportError(error, argv.includes("--json"));
  }
}

type Done = (exit: number) => void;

function buildProgram(done: Done): Command {
  const program = common(new Command("toolkeep"))
    .description("The gate between agents and the machine: gateway, hooks, approvals.")
    .version(VERSION, "-V, --version")
    .addHelpText("after", EXIT_CODES)
    .exitOverride();
  addGateway(program, done);
  addServers(program, done);
  addApprovals(program, done);
  addHook(program, done);
  addInstall(program, done);
  return program;
}

/** What every command takes, before or after its name. */
function common(command: Command): Command {
  return command
    .option("--json", "data as JSON")
    .option("-q, --quiet", "nothing but data and errors")
    .option("--no-color", "no colours")
    .option("--cwd <dir>", "as if started in this folder")
    .helpOption("-h, --help");
}

function sub(parent: Command, name: string, description: string): Command {
  return common(parent.command(name)).description(description).exitOverride();
}

function addGateway(program: Command, done: Done): void {
  sub(program, "gateway", "put MCP servers behind one governed endpoint")
    .option("--server <names...>", "only these servers")
    .option("--wrap <name>", "one server, under its own tool names")
    .option("--http [port]", "on loopback over HTTP instead of standard streams")
    .option("--policy <file>", "a policy file instead of those that are configured")
    .option("--allow <patterns...>", "tools that need no question: a name, or mcp:server:tool")
    .option("--project <dir>", "the folder to work in")
    .option("--no-search", "list every tool, however many there are")
    .action(async (_options, command: Command) => {
      const { gatewayCommand } = await import("./commands/gateway.ts");
      done(await gatewayCommand(optionsOf(command)));
    });
}

function addServers(program: Command, done: Done): void {
  const servers = sub(program, "servers", "MCP servers: what there is and what is held back");
  const project = () => new Option("--project <dir>", "the project");
  const load = () => import("./commands/servers.ts");
  servers.addOption(project()).action(async (_options, command: Command) => {
    done(await (await load()).listServersCommand(optionsOf(command)));
  });
  sub(servers, "list", "the same")
    .addOption(project())
    .action(async (_options, command: Command) => {
      done(await (await load()).listServersCommand(optionsOf(command)));
    });
  sub(servers, "accept", "let in a server, or tools of it that are held back")
    .argument("<name>")
    .argument("[tools...]")
    .addOption(project())
    .option("-y, --yes", "without asking")
    .action(async (name: string, tools: string[], _options, command: Command) => {
      done(await (await load()).acceptServerCommand(name, tools, optionsOf(command)));
    });
  sub(servers, "forget", "forget that a server was accepted")
    .argument("<name>")
    .addOption(project())
    .action(async (name: string, _options, command: Command) => {
      done(await (await load()).forgetServerCommand(name, optionsOf(command)));
    });
}

function addApprovals(program: Command, done: Done): void {
  const load = () => import("./commands/approvals.ts");
  const approvals = sub(program, "approvals", "what waits for a person");
  const list = async (_options: unknown, command: Command) => {
    done(await (await load()).approvalsCommand(optionsOf(command)));
  };
  approvals.action(list);
  sub(approvals, "list", "the same").action(list);
  sub(program, "approve", "let something pass that waits")
    .argument("<id>", "may be shortened")
    .option("--always", "and from now on the very same without asking")
    .option("--by <name>", "who answers")
    .action(async (id: string, _options, command: Command) => {
      done(await (await load()).approveCommand(id, optionsOf(command)));
    });
  sub(program, "reject", "refuse something that waits")
    .argument("<id>", "may be shortened")
    .argument("[words...]", "what the model is told")
    .option("--by <name>", "who answers")
    .action(async (id: string, words: string[], _options, command: Command) => {
      done(await (await load()).rejectCommand(id, words, optionsOf(command)));
    });
}

function addHook(program: Command, done: Done): void {
  sub(
    program,
    "hook",
    "answer a client's hook: its question on standard input, the answer on standard output",
  )
    .argument("<client>", HOOK_CLIENTS.join(", "))
    .option("--project <dir>", "the project, whatever the client says")
    .option("--policy <file>", "a policy file instead of those that are configured")
    .action(async (client: string, _options, command: Command) => {
      const { hookCommand } = await import("./commands/hook.ts");
      done(await hookCommand(client, optionsOf(command)));
    });
}

function addInstall(program: Command, done: Done): void {
  const load = () => import("./commands/install.ts");
  const clients = INSTALL_CLIENTS.join(", ");
  sub(program, "install", "put the gateway and the hooks into a client's configuration")
    .argument("<client>", clients)
    .option("--single", "one entry for all servers, instead of a wrapper for each")
    .option("--local", "start this very program, instead of the published package")
    .option("-y, --yes", "without asking")
    .option("--dry-run", "only show what would change")
    .option("--project <dir>", "the project")
    .action(async (client: string, _options, command: Command) => {
      done(await (await load()).installCommand(client, optionsOf(command)));
    });
  sub(program, "uninstall", "put a client's configuration back as it was")
    .argument("<client>", clients)
    .option("-y, --yes", "without asking")
    .option("--dry-run", "only show what would change")
    .option("--project <dir>", "the project")
    .action(async (client: string, _options, command: Command) => {
      done(await (await load()).uninstallCommand(client, optionsOf(command)));
    });
}

/** Options of the command and of those above it; one that says no more than its default gives way. */
function optionsOf<Options extends object>(command: Command): Options {
  const all: Record<string, unknown> = {};
  for (let at: Command | null = command; at !== null; at = at.parent) {
    for (const [name, value] of Object.entries(at.opts())) {
      if (!(name in all) || at.getOptionValueSource(name) !== "default") all[name] = value;
    }
  }
  return all as Options;
}

function reportError(error: unknown, json: boolean): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const hint = error instanceof CommandFault || ToolFailure.isInstance(error) ? error.hint : undefined;
  const isExpected =
    error instanceof CommandFault || ToolkeepError.isInstance(error) || ToolFailure.isInstance(error);
  const message = isExpected
    ? (error as Error).message
    : `Something went wrong inside (${error instanceof Error ? `${error.name}: ${error.message}` : "unknown"}).`;
  const text = json
    ? JSON.stringify({ error: { message, ...(hint === undefined ? {} : { hint }) } })
    : terminalText(hint === undefined ? `toolkeep: ${message}` : `toolkeep: ${message}\n${hint}`);
  process.stderr.write(`${text}\n`);
  return error instanceof CommandFault ? error.exit : EXIT.failure;
}
