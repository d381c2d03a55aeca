import { containFolder, endPlace, projectPast } from "@toolkeep/node/internal";
import type { Command } from "commander";
import { counted } from "../contain/past-lines.ts";
import { switchOff, switchOn } from "../contain/switch.ts";
import { isContaining } from "../project/contain/contained-projects.ts";
import { type Project, readProject } from "../project/read-project.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { choice, commandsOf, type Done, optionsOf } from "../terminal/command-line.ts";
import { type CommonOptions, openTerminal, type Terminal } from "../terminal/terminal.ts";

const DOES = ["on", "off", "stop"] as const;

/** `toolkeep contain`. */
export function add(program: Command, done: Done): void {
  commandsOf(program, done)("contain", (command) => contain(optionsOf(command))).addArgument(
    choice("does", DOES, "switch it on or off, or end what contained commands left running: "),
  );
}

interface ContainOptions extends CommonOptions {
  readonly does?: string;
  readonly project?: string;
}

async function contain({ does, ...options }: ContainOptions): Promise<number> {
  if (does !== undefined && !DOES.some((one) => one === does))
    throw new CommandError(`${JSON.stringify(does)} is not one of ${DOES.join(", ")}.`, { exit: EXIT.usage });
  const terminal = openTerminal(options);
  const project = await readProject({ cwd: terminal.cwd, folder: options.project });
  if (does === "stop") return stop(project, terminal);
  if (does === "on") await switchOn(project, terminal);
  if (does === "off") await switchOff(project);
  return show(project, terminal);
}

async function stop({ root }: Project, terminal: Terminal): Promise<number> {
  const isEnded = await endPlace(containFolder(), root);
  terminal.show({ project: root, ended: isEnded }, [
    isEnded
      ? `Ended everything that contained commands of ${root} left running.`
      : `Nothing of a contained command runs for ${root}.`,
  ]);
  return EXIT.ok;
}

async function show(project: Project, terminal: Terminal): Promise<number> {
  const { root, config } = project;
  const isOn = await isContaining(project);
  const { commands } = await projectPast(containFolder(), root);
  const held = commands.filter((one) => one.held.length > 0).map(({ number }) => number);
  const by = config.contain === undefined ? "user" : "administrator";
  terminal.show({ project: root, contain: isOn, by, held }, [
    isOn
      ? `On for ${root}: commands that no rule knows run contained.`
      : `Off for ${root}: commands that no rule knows ask.`,
    ...(by === "administrator" ? [`Your administrator ${isOn ? "requires" : "forbids"} containment.`] : []),
    ...(held.length === 0
      ? []
      : [`Held changes of ${counted(held.length, "command")} wait: \`toolkeep changes\`.`]),
  ]);
  return EXIT.ok;
}
