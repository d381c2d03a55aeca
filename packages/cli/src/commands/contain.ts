import { containFolder, endPlace } from "@toolkeep/node/internal";
import type { Command } from "commander";
import { isContaining, setContaining } from "../project/contain/contained-projects.ts";
import { readProject } from "../project/read-project.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { choice, commandsOf, type Done, optionsOf } from "../terminal/command-line.ts";
import { type CommonOptions, openTerminal } from "../terminal/terminal.ts";

/** `toolkeep contain`. */
export function add(program: Command, done: Done): void {
  commandsOf(program, done)("contain", (command) => contain(optionsOf(command))).addArgument(
    choice(
      "does",
      ["on", "off", "stop"],
      "switch it on or off, or end what runs in the place of the project: ",
    ),
  );
}

interface ContainOptions extends CommonOptions {
  readonly does?: "on" | "off" | "stop";
  readonly project?: string;
}

async function contain({ does, ...options }: ContainOptions): Promise<number> {
  const terminal = openTerminal(options);
  const project = await readProject({ cwd: terminal.cwd, folder: options.project });
  const { root, config } = project;
  if (does === "stop") {
    const isEnded = await endPlace(containFolder(), root);
    terminal.show({ project: root, ended: isEnded }, [
      isEnded ? "Everything in it was ended." : "Nothing runs there.",
    ]);
    return EXIT.ok;
  }
  if (does !== undefined) {
    if (config.contain !== undefined)
      throw new CommandError(
        `Your administrator ${config.contain === "require" ? "requires" : "forbids"} containment.`,
        {
          exit: EXIT.denied,
        },
      );
    await setContaining(root, does === "on");
  }
  const isOn = await isContaining(project);
  terminal.show({ project: root, contain: isOn }, [
    isOn
      ? `On for ${root}: commands that no rule knows run contained, from the next one on.`
      : `Off for ${root}: commands that no rule knows ask.`,
  ]);
  return EXIT.ok;
}
