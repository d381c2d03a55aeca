import type { Command, CommanderError } from "commander";
import { AFTER_ALL, AFTER_OVERVIEW, OVERVIEW } from "./commands/overview.ts";
import { overviewHelp } from "./commands/overview-text.ts";
import { CommandError, EXIT, usageError } from "./terminal/command-error.ts";
import type { Done } from "./terminal/command-line.ts";
import { helpWidth } from "./terminal/help-layout.ts";
import { OLD_NAMES } from "./terminal/old-names.ts";
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
  { names: ["init", "install"], load: () => import("./commands/init.ts") },
  { names: ["uninstall"], load: () => import("./commands/uninstall.ts") },
  { names: ["status"], load: () => import("./commands/status.ts") },
  { names: ["doctor"], load: () => import("./commands/doctor.ts") },
  { names: ["trust"], load: () => import("./commands/trust.ts") },
  { names: ["approvals", "approve", "reject", "answer"], load: () => import("./commands/approvals.ts") },
  { names: ["allow", "ask", "deny"], load: () => import("./commands/allow.ts") },
  { names: ["policy"], load: () => import("./commands/policy.ts") },
  { names: ["catalog"], load: () => import("./commands/catalog.ts") },
  { names: ["call"], load: () => import("./commands/call.ts") },
  { names: ["contain"], load: () => import("./commands/contain.ts") },
  { names: ["pause"], load: () => import("./commands/pause.ts") },
  { names: ["changes", "keep", "undo"], load: () => import("./commands/changes.ts") },
  { names: ["log"], load: () => import("./commands/log.ts") },
  { names: ["sessions"], load: () => import("./commands/sessions.ts") },
  { names: ["audit"], load: () => import("./commands/audit.ts") },
  { names: ["tools"], load: () => import("./commands/tools.ts") },
  { names: ["config"], load: () => import("./commands/config.ts") },
  { names: ["servers"], load: () => import("./commands/servers.ts") },
  { names: ["completion"], load: () => import("./commands/completion.ts") },
  { names: ["gateway"], load: () => import("./commands/gateway.ts") },
  { names: ["hook"], load: () => import("./commands/hook.ts") },
  { names: ["exec"], load: () => import("./commands/exec.ts") },
];

/** The program with the commands that a line names, as a hook runs before every call. Others have only a description. */
export async function buildProgram(argv: readonly string[], done: Done): Promise<Command> {
  const { newProgram } = await import("./terminal/command-line.ts");
  const program = newProgram()
    .version(VERSION, "-V, --version", "show the version")
    .addHelpText("after", AFTER_OVERVIEW)
    .addHelpText("afterAll", AFTER_ALL);
  program.helpInformation = () => overviewHelp(program.configureOutput().getOutHelpWidth?.() ?? helpWidth());
  const isNamed = ({ names }: { readonly names: readonly string[] }) =>
    names.some((name) => argv.includes(name));
  const isWhole = argv.includes("completion");
  const wanted = COMMANDS.filter((one) => isWhole || isNamed(one));
  for (const { add } of await Promise.all(wanted.map(({ load }) => load()))) add(program, done);
  const isHelp = argv.some((arg) => arg === "-h" || arg === "--help" || arg === "help");
  await describe(program, { isWhole: isHelp || isWhole || !COMMANDS.some(isNamed) });
  return program
    .hook("preAction", (_, command) => refuseToAgents(command))
    .hook("preAction", (_, command) => noteOldName(command))
    .hook("postAction", (_, command) => noteRemovedHooks(command));
}

/** Started by clients, for their agents. */
const FOR_CLIENTS = ["hook", "exec", "gateway"];

async function refuseToAgents(command: Command): Promise<void> {
  const { namesOf } = await import("./terminal/command-line.ts");
  const names = namesOf(command);
  if (FOR_CLIENTS.includes(names[0] ?? "")) return;
  const { refuseBeneathAgent } = await import("./terminal/beneath-agent.ts");
  refuseBeneathAgent(names, { options: command.opts(), args: command.args });
}

/** Says the new name of a command to a person, and never to a program. */
async function noteOldName(command: Command): Promise<void> {
  const isOld = command.parent?.parent === null && Object.hasOwn(OLD_NAMES, command.name());
  if (!isOld || process.stderr.isTTY !== true || process.stdout.isTTY !== true) return;
  const { terminalOf } = await import("./terminal/command-line.ts");
  const terminal = await terminalOf(command);
  if (!terminal.json)
    terminal.note(`\`toolkeep ${command.name()}\` is now \`toolkeep ${OLD_NAMES[command.name()]}\`.`);
}

/** Describes the commands; as a whole also those that are not loaded, in the order of the help. */
async function describe(program: Command, { isWhole }: { readonly isWhole: boolean }): Promise<void> {
  const { subcommand } = await import("./terminal/command-line.ts");
  for (const { name, description } of OVERVIEW) {
    const loaded = program.commands.find((one) => one.name() === name);
    const command = loaded ?? (isWhole ? subcommand(program, name) : undefined);
    command?.description(description);
  }
  const position = (command: Command) => OVERVIEW.findIndex(({ name }) => name === command.name());
  const sorted = program.commands.toSorted((one, other) => position(one) - position(other));
  (program.commands as Command[]).splice(0, sorted.length, ...sorted);
}

/** Their output is for a program, or has its own words about it. */
const WITHOUT_NOTES = ["hook", "exec", "gateway", "uninstall", "doctor", "status", "init", "completion"];

async function noteRemovedHooks(command: Command): Promise<void> {
  const { namesOf, terminalOf } = await import("./terminal/command-line.ts");
  if (WITHOUT_NOTES.includes(namesOf(command)[0] ?? "")) return;
  const { removedHooksNote } = await import("./clients/installed/removed-hooks.ts");
  const note = await removedHooksNote().catch(() => undefined);
  if (note !== undefined) (await terminalOf(command)).note(note);
}

async function reportError(error: unknown, json: boolean): Promise<number> {
  if (isOfCommander(error)) {
    if (error.exitCode === 0) return EXIT.ok;
    // Commander has written the help already.
    if (error.code === "commander.help") return EXIT.usage;
    return reportError(parsingError(error), json);
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
function parsingError({ message }: CommanderError): CommandError {
  const [what = "", suggestion = ""] = message.replace(/^error: /, "").split("\n");
  const sentence = `${what.charAt(0).toUpperCase()}${what.slice(1)}`.replace(/\.?$/, ".");
  const nearby = suggestion.replace(/^\((.*)\)$/, "$1 ");
  return usageError(sentence, `${nearby}Add --help to a command to see its options.`);
}
