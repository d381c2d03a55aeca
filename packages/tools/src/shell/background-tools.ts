import type { Tool } from "@toolkeep/core";
import { BackgroundCommands } from "./background-commands.ts";
import { bashOutputTool } from "./bash-output-tool.ts";
import { bashStartTool } from "./bash-start-tool.ts";
import { bashStopTool } from "./bash-stop-tool.ts";
import type { CommandLineOptions } from "./command-line.ts";

/**
 * `bash_start`, `bash_output` and `bash_stop` over the same commands. A session knows its own alone. All of
 * them are ended when the tools are put away, so make them anew for each session.
 */
export function backgroundTools(options: CommandLineOptions = {}): readonly Tool[] {
  const commands = new BackgroundCommands();
  return [bashStartTool(commands, options), bashOutputTool(commands), bashStopTool(commands)] as Tool[];
}
