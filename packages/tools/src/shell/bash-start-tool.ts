import { defineTool } from "@toolkeep/core";
import type { BackgroundCommands } from "./background-commands.ts";
import {
  COMMAND_LINE,
  COMMAND_REQUIREMENTS,
  type CommandLineOptions,
  commandLineEffects,
} from "./command-line.ts";

const INPUT = {
  type: "object",
  properties: COMMAND_LINE,
  required: ["command"],
  additionalProperties: false,
} as const;

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
    inputSchema: INPUT,
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
