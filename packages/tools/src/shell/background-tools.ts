import type { Tool } from "@toolkeep/core";
import { BackgroundCommands } from "./background-commands.ts";
import { bashOutputTool } from "./bash-output-tool.ts";
import { bashStartTool } from "./bash-start-tool.ts";
import { bashStopTool } from "./bash-stop-tool.ts";
import type { CommandLineOptions } from "./command-line.ts";

/**
 * The tools `bash_start`, `bash_output` and `bash_stop`. A session sees its own commands only. Create them anew for each
 * session: disposing of the tools kills all of their commands, and a session disposes of the tools it was given when it
 * closes. In a registry that sessions share, commands run until the tools are unregistered.
 */
export function backgroundTools(options: CommandLineOptions = {}): readonly Tool[] {
  const commands = new BackgroundCommands();
  return [bashStartTool(commands, options), bashOutputTool(commands), bashStopTool(commands)] as Tool[];
}
