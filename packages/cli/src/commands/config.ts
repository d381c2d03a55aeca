import type { Command } from "commander";
import { commandsOf, type Done, optionsOf } from "../terminal/command-line.ts";
import { type CommonOptions, openTerminal } from "../terminal/terminal.ts";

interface ConfigOptions extends CommonOptions {
  readonly project?: string;
}

/** `toolkeep config` with `show`. */
export function add(program: Command, done: Done): void {
  commandsOf(commandsOf(program, done)("config"), done)("show", async (command) => {
    const options = optionsOf<ConfigOptions>(command);
    const terminal = openTerminal(options);
    const { projectFolder } = await import("../project/project-folder.ts");
    const { showConfig } = await import("../project/show/show-config.ts");
    const folder =
      options.project === undefined ? terminal.cwd : await projectFolder({ ...options, cwd: terminal.cwd });
    return showConfig(folder, terminal);
  });
}
