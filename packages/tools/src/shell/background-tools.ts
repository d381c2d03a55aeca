import { defineTool, type Tool, textContent, toolOutput } from "@toolkeep/core";
import type { BackgroundCommand } from "./background-command.ts";
import { BackgroundCommands } from "./background-commands.ts";
import { OUTPUT_INPUT, START_INPUT, STOP_INPUT } from "./command-inputs.ts";
import { COMMAND_REQUIREMENTS, type CommandLineOptions, commandLineEffects } from "./command-line.ts";

/**
 * The tools `bash_start`, `bash_output` and `bash_stop`. A session sees its own commands only. Create them anew for each
 * session: disposing of the tools kills all of their commands, and a session disposes of the tools it was given when it
 * closes. In a registry that sessions share, commands run until the tools are unregistered.
 */
export function backgroundTools(options: CommandLineOptions = {}): readonly Tool[] {
  const commands = new BackgroundCommands();
  return [bashStartTool(commands, options), bashOutputTool(commands), bashStopTool(commands)] as Tool[];
}

/** The tool `bash_start`: starts a command that runs until it ends, is stopped, or the session closes. */
export function bashStartTool(commands: BackgroundCommands, options: CommandLineOptions = {}) {
  return defineTool({
    name: "bash_start",
    label: "Start a command in the background",
    description:
      "Starts one bash command line in the background, such as a watcher, and returns its id at once. " +
      "Read its output with bash_output and stop it with bash_stop. It gets no input and ends with the session. " +
      "In a sandbox each command has a network of its own: another command cannot reach a server that is started here, so " +
      "start the server and send the requests in one bash command line.",
    mode: "local",
    inputSchema: START_INPUT,
    requires: COMMAND_REQUIREMENTS,
    effects: commandLineEffects(options),
    dispose: () => commands.close(),
    async execute({ command, workdir }, ctx) {
      const cwd = workdir === undefined ? {} : { cwd: workdir };
      const start = () => ctx.io.commands.start({ line: command, ...cwd });
      const { id } = await commands.start(ctx.sessionId, start);
      return { id };
    },
  });
}

const MOST_SHOWN = 100_000;
/** The largest size as escaped JSON. */
const MOST_JSON_BYTES = 8 * MOST_SHOWN + 4_096;

/** The tool `bash_output`: returns new output of a background command, and whether it still runs. */
function bashOutputTool(commands: BackgroundCommands) {
  return defineTool({
    name: "bash_output",
    label: "Read output of a background command",
    description:
      "Returns the output of a background command since the last read, and whether it still runs. " +
      "Prefer `wait` to repeated calls.",
    mode: "read",
    kind: "execute",
    gated: false,
    // Output is returned once only.
    idempotent: false,
    inputSchema: OUTPUT_INPUT,
    requires: {},
    maxOutput: { bytes: MOST_JSON_BYTES },
    dispose: () => commands.close(),
    async execute({ id, wait = 0 }, ctx) {
      const command = commands.find(ctx.sessionId, id);
      if (wait > 0) await command.wait(wait, ctx.abortSignal);
      // If the call was cancelled, the output stays for the next read.
      if (ctx.abortSignal.aborted) return undefined;
      return lookAt(command);
    },
  });
}

function lookAt(command: BackgroundCommand) {
  const { text: written, lost, hasMore } = command.read(MOST_SHOWN);
  const { outcome } = command;
  const data = {
    id: command.id,
    status: outcome === undefined ? "running" : "ended",
    ...(outcome ?? {}),
    output: written,
    ...(lost === 0 ? {} : { lost }),
    ...(hasMore ? { hasMore } : {}),
  };
  const notes = [
    ...(lost === 0 ? [] : [`${lost} earlier characters were dropped because they were not read in time`]),
    ...(hasMore ? ["there is more to read"] : []),
    outcome === undefined ? "still running" : endOf(outcome),
  ];
  const body = written === "" ? "(no new output)" : written;
  return toolOutput({
    data,
    content: [textContent(`${body}${body.endsWith("\n") ? "" : "\n"}[${notes.join("; ")}]`)],
  });
}

function endOf({ exitCode, signal, stopped, note }: NonNullable<BackgroundCommand["outcome"]>): string {
  const how = signal === undefined ? `ended with exit code ${exitCode}` : `ended by ${signal}`;
  return [how, stopped, note].filter((one) => one !== undefined).join("; ");
}

/** The tool `bash_stop`: kills a background command and everything it started. Its output can still be read. */
function bashStopTool(commands: BackgroundCommands) {
  return defineTool({
    name: "bash_stop",
    label: "Stop a background command",
    description: "Stops a background command and everything it started. Its output can still be read.",
    mode: "safe_write",
    kind: "execute",
    gated: false,
    // Stopping twice is the same as stopping once.
    idempotent: true,
    inputSchema: STOP_INPUT,
    requires: {},
    dispose: () => commands.close(),
    async execute({ id }, ctx) {
      const command = commands.find(ctx.sessionId, id);
      const wasOver = command.outcome !== undefined;
      await command.stop();
      return { id, status: "ended", ...(wasOver ? { wasOver } : {}), ...command.outcome };
    },
  });
}
