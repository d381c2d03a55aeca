import type { Command } from "commander";
import { type Done, optionsOf, projectOption, subcommand } from "../terminal/command-line.ts";
import { type CommonOptions, openTerminal } from "../terminal/terminal.ts";
import { CONFIG_HELP } from "./help-texts.ts";

interface ConfigOptions extends CommonOptions {
  readonly project?: string;
}

/** `toolkeep config` with `show`. */
export function add(program: Command, done: Done): void {
  const description = "show every setting, where it comes from and what it overrides";
  const show = async (_options: unknown, command: Command) => {
    const options = optionsOf<ConfigOptions>(command);
    const terminal = openTerminal(options);
    const { projectFolder } = await import("../project/project-folder.ts");
    const { showConfig } = await import("../project/show/show-config.ts");
    const folder =
      options.project === undefined ? terminal.cwd : await projectFolder({ ...options, cwd: terminal.cwd });
    done(await showConfig(folder, terminal));
  };
  const parent = subcommand({ parent: program, name: "config", description }).addHelpText(
    "after",
    CONFIG_HELP,
  );
  subcommand({ parent, name: "show", description }).addOption(projectOption()).action(show);
}
