import { ToolFailure, ToolkeepError } from "@toolkeep/core";
import { terminalText } from "@toolkeep/core/internal";
import type { Command, CommanderError } from "commander";
import { CommandError, EXIT } from "./terminal/command-error.ts";
import type { Done } from "./terminal/command-line.ts";
import { VERSION } from "./version.ts";

const EXIT_CODES = `
Exit codes: 0 success, 1 failure, 2 invalid usage (from \`hook\`: the call is blocked), 3 denied, 4 confirmation
required, 130 and 143 ended by SIGINT or SIGTERM, 141 standard output was closed early.`;

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
    return reportError(error, argv.includes("--json"));
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
  { names: ["allow"], load: () => import("./commands/allow.ts") },
  { names: ["policy"], load: () => import("./commands/policy.ts") },
  { names: ["call"], load: () => import("./commands/call.ts") },
  { names: ["pause"], load: () => import("./commands/pause.ts") },
  { names: ["log"], load: () => import("./commands/log.ts") },
  { names: ["tools"], load: () => import("./commands/tools.ts") },
  { names: ["config"], load: () => import("./commands/config.ts") },
  { names: ["servers"], load: () => import("./commands/servers.ts") },
  { names: ["gateway"], load: () => import("./commands/gateway.ts") },
  { names: ["hook"], load: () => import("./commands/hook.ts") },
  { names: ["exec"], load: () => import("./commands/exec.ts") },
];

async function buildProgram(argv: readonly string[], done: Done): Promise<Command> {
  const { newProgram } = await import("./terminal/command-line.ts");
  const program = newProgram()
    .description("Permissions, approvals and an audit log for the tool calls of AI agents.")
    .version(VERSION, "-V, --version", "show the version")
    .addHelpText("after", EXIT_CODES);
  // A hook runs before every call of a client, so only the files of the named commands are loaded.
  const named = COMMANDS.filter(({ names }) => names.some((name) => argv.includes(name)));
  const isHelp = argv.some((arg) => arg === "-h" || arg === "--help" || arg === "help");
  const wanted = isHelp || named.length === 0 ? COMMANDS : named;
  for (const { add } of await Promise.all(wanted.map(({ load }) => load()))) add(program, done);
  return program.hook("postAction", (_, command) => noteRemovedHooks(command));
}

/** Their output is for a program, or has its own words about it. */
const WITHOUT_NOTES = ["hook", "exec", "gateway", "install", "uninstall", "doctor", "init"];

async function noteRemovedHooks(command: Command): Promise<void> {
  if (WITHOUT_NOTES.includes(command.name())) return;
  const { removedHooksNote } = await import("./install/removed-hooks.ts");
  const { optionsOf } = await import("./terminal/command-line.ts");
  const { openTerminal } = await import("./terminal/terminal.ts");
  const note = await removedHooksNote().catch(() => undefined);
  if (note !== undefined) openTerminal(optionsOf(command)).note(note);
}

function reportError(error: unknown, json: boolean): number {
  if (isOfCommander(error)) {
    if (error.exitCode === 0) return EXIT.ok;
    // Commander has written the help already.
    if (error.code === "commander.help") return EXIT.usage;
    return reportError(usageError(error), json);
  }
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
