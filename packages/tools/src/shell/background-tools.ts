import type { Tool } from "@toolkeep/core";
import { BackgroundCommands } from "./background-commands.ts";
import { bashOutputTool } from "./bash-output-tool.ts";
import { bashStartTool } from "./bash-start-tool.ts";
import { bashStopTool } from "./bash-stop-tool.ts";
import type { CommandLineOptions } from "./command-line.ts";

/**
 * `bash_start`, `bash_output` and `bash_stop` over the same commands. A session knows its own alone. All of
 * them are ended when the tools are put away, whoever started them: a session puts away the tools it was given
 * when it is closed, and the tools are not told which session that was. So they must be made anew for each
 * session; only in a registry that sessions have in common do they go on until they are taken out of it.
 */
export function backgroundTools(options: CommandLineOptions = {}): readonly Tool[] {
  const commands = new BackgroundCommands();
  return [bashStartTool(commands, options), bashOutputTool(commands), bashStopTool(commands)] as Tool[];
}
