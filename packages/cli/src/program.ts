import type { Command, CommanderError } from "commander";
import {
  AFTER_ALL,
  AFTER_OVERVIEW,
  type CommandOverview,
  DESCRIPTION,
  OVERVIEW,
} from "./commands/overview.ts";
import { CommandError, EXIT } from "./terminal/command-error.ts";
import type { Done } from "./terminal/command-line.ts";
import { VERSION } from "./terminal/version.ts";

/** Runs one command line. Never throws: errors are written to standard error. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  let exit: number = EXIT.ok;
  try {
    const program = await buildProgram(argv, (code) => {
      exit = code;
    });
    await program.parseAsync(argv, { from: "user" });
    return exit;
  } catch (error) {
    return await reportError(error, argv.includes("--json"));
  }
}

/** The files of the commands, in the order of the help text, with the names of their commands. */
const COMMANDS: readonly {
  readonly names: readonly string[];
  load(): Promise<{ add(program: Command, done: Done): void }>;
}[] = [
  { names: ["scan"], load: () => import("./commands/scan.ts") },
  { names: ["init"], load: () => import("./commands/init.ts") },
  { names: ["install", "uninstall"], load: () => import("./commands/install.ts") },
  { names: ["doctor"], load: () => import("./commands/doctor.ts") },
  { names: ["trust"], load: () => import("./commands/trust.ts") },
  { names: ["approvals", "approve", "reject", "answer"], load: () => import("./commands/approvals.ts") },
  { names: ["allow", "ask", "deny"], load: () => import("./commands/allow.ts") },
  { names: ["policy"], load: () => import("./commands/policy.ts") },
  { names: ["catalog"], load: () => import("./commands/catalog.ts") },
  { names: ["call"], load: () => import("./commands/call.ts") },
  { names: ["pause"], load: () => import("./commands/pause.ts") },
  { names: ["log"], load: () => import("./commands/log.ts") },
  { names: ["sessions"], load: () => import("./commands/sessions.ts") },
  { names: ["tools"], load: () => import("./commands/tools.ts") },
  { names: ["config"], load: () => import("./commands/config.ts") },
  { names: ["servers"], load: () => import("./commands/servers.ts") },
  { names: ["completion"], load: () => import("./commands/completion.ts") },
  { names: ["gateway"], load: () => import("./commands/gateway.ts") },
  { names: ["hook"], load: () => import("./commands/hook.ts") },
  { names: ["exec"], load: () => import("./commands/exec.ts") },
];

/**
 * The program with the commands that a command line names: a hook runs before every call of a client. For the help,
 * the others are there by name and description only.
 */
export async function buildProgram(argv: readonly string[], done: Done): Promise<Command> {
  const { newProgram } = await import("./terminal/command-line.ts");
  const program = newProgram()
    .description(DESCRIPTION)
    .version(VERSION, "-V, --version", "show the version")
    .addHelpText("after", AFTER_OVERVIEW)
    .addHelpText("afterAll", AFTER_ALL);
  const isNamed = ({ names }: { readonly names: readonly string[] }) =>
    names.some((name) => argv.includes(name));
  const isWhole = argv.includes("completion");
  const isListed = (name: string) => OVERVIEW.some((one) => one.name === name);
  const wanted = COMMANDS.filter(
    (one) => isWhole || isNamed(one) || one.names.some((name) => !isListed(name)),
  );
  for (const { add } of await Promise.all(wanted.map(({ load }) => load()))) add(program, done);
  const isHelp = argv.some((arg) => arg === "-h" || arg === "--help" || arg === "help");
  if (isHelp || isWhole || !COMMANDS.some(isNamed)) await addOverview(program, OVERVIEW);
  return program
    .hook("preAction", (_, command) => refuseToAgents(command))
    .hook("postAction", (_, command) => noteRemovedHooks(command));
}

/** Started by clients, for their agents. */
const FOR_CLIENTS = ["hook", "exec", "gateway"];

async function refuseToAgents(command: Command): Promise<void> {
  const names: string[] = [];
  for (let at: Command | null = command; at?.parent; at = at.parent) names.unshift(at.name());
  if (FOR_CLIENTS.includes(names[0] ?? "")) return;
  const { refuseBeneathAgent } = await import("./terminal/beneath-agent.ts");
  refuseBeneathAgent(names, { options: command.opts(), args: command.args });
}

/** Groups the commands, with an example each, and adds those that are not loaded, in the order of the help. */
async function addOverview(program: Command, overview: readonly CommandOverview[]): Promise<void> {
  const { subcommand } = await import("./terminal/command-line.ts");
  for (const { name, description, group, example } of overview) {
    const loaded = program.commands.find((one) => one.name() === name);
    const command = loaded ?? subcommand({ parent: program, name, description });
    command.helpGroup(group);
    if (example !== undefined) command.addHelpText("after", `\nExample:\n  ${example}`);
  }
  const position = (command: Command) => overview.findIndex(({ name }) => name === command.name());
  const sorted = program.commands.toSorted((one, other) => position(one) - position(other));
  (program.commands as Command[]).splice(0, sorted.length, ...sorted);
}

/** Their output is for a program, or has its own words about it. */
const WITHOUT_NOTES = ["hook", "exec", "gateway", "install", "uninstall", "doctor", "init", "completion"];

async function noteRemovedHooks(command: Command): Promise<void> {
  if (WITHOUT_NOTES.includes(command.name())) return;
  const { removedHooksNote } = await import("./clients/installed/removed-hooks.ts");
  const { optionsOf } = await import("./terminal/command-line.ts");
  const { openTerminal } = await import("./terminal/terminal.ts");
  const note = await removedHooksNote().catch(() => undefined);
  if (note !== undefined) openTerminal(optionsOf(command)).note(note);
}

async function reportError(error: unknown, json: boolean): Promise<number> {
  if (isOfCommander(error)) {
    if (error.exitCode === 0) return EXIT.ok;
    // Commander has written the help already.
    if (error.code === "commander.help") return EXIT.usage;
    return reportError(usageError(error), json);
  }
  const { ToolFailure, ToolkeepError } = await import("@toolkeep/core");
  const { terminalText } = await import("@toolkeep/core/internal");
  const hint = error instanceof CommandError || ToolFailure.isInstance(error) ? error.hint : undefined;
  const isExpected =
    error instanceof CommandError || ToolkeepError.isInstance(error) || ToolFailure.isInstance(error);
  const message = isExpected
    ? (error as Error).message
    : `Internal error (${error instanceof Error ? `${error.name}: ${error.message}` : "unknown"}).`;
  const text = json
    ? JSON.stringify({ error: { message, ...(hint === undefined ? {} : { hint }) } })
    : terminalText(hint === undefined ? `toolkeep: ${message}` : `toolkeep: ${message}\n${hint}`);
  process.stderr.write(`${text}\n`);
  return error instanceof CommandError ? error.exit : EXIT.failure;
}

/** The library is loaded with the commands: a hook that decides in process needs none of them. */
function isOfCommander(error: unknown): error is CommanderError {
  return error instanceof Error && "code" in error && String(error.code).startsWith("commander.");
}

/** `error: unknown command 'aprove'\n(Did you mean approve?)` as sentences. */
function usageError({ message }: CommanderError): CommandError {
  const [what = "", suggestion = ""] = message.replace(/^error: /, "").split("\n");
  const sentence = `${what.charAt(0).toUpperCase()}${what.slice(1)}`.replace(/\.?$/, ".");
  const nearby = suggestion.replace(/^\((.*)\)$/, "$1 ");
  return new CommandError(sentence, {
    exit: EXIT.usage,
    hint: `${nearby}Add --help to a command to see its options.`,
  });
}
