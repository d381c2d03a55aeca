import { containFolder, endPlace, projectPast } from "@toolkeep/node/internal";
import type { Command } from "commander";
import { grant, revoke, showGrants } from "../contain/grants.ts";
import { counted, heldText } from "../contain/past-lines.ts";
import { switchOff, switchOn } from "../contain/switch.ts";
import { isContaining } from "../project/contain/contained-projects.ts";
import { standingGrants } from "../project/contain/standing-grants.ts";
import { type Project, readProject } from "../project/read-project.ts";
import { EXIT, usageError } from "../terminal/command-error.ts";
import { choice, commandsOf, type Done, optionsOf } from "../terminal/command-line.ts";
import { type CommonOptions, openTerminal, type Terminal } from "../terminal/terminal.ts";

const DOES = ["on", "off", "stop", "grant", "grants", "revoke"] as const;

/** `toolkeep contain`. */
export function add(program: Command, done: Done): void {
  commandsOf(program, done)("contain", (command) => contain(optionsOf(command)))
    .addArgument(
      choice("does", DOES, "switch it, end what commands left running, or decide what they reach: "),
    )
    .argument(
      "[what...]",
      "what is granted: a host with its port, and a command; or the number that is revoked",
    );
}

interface ContainOptions extends CommonOptions {
  readonly does?: string;
  readonly what?: readonly string[];
  readonly project?: string;
  readonly yes?: boolean;
}

async function contain({ does, what = [], ...options }: ContainOptions): Promise<number> {
  if (does !== undefined && !DOES.some((one) => one === does))
    throw usageError(`${JSON.stringify(does)} is not one of ${DOES.join(", ")}.`);
  const terminal = openTerminal(options);
  const project = await readProject({ cwd: terminal.cwd, folder: options.project });
  if (does === "stop") return stop(project, terminal);
  if (does === "grant") return grant({ project, what, yes: options.yes }, terminal);
  if (does === "grants") return showGrants(project, terminal);
  if (does === "revoke") return revoke(project, what[0], terminal);
  if (does === "on") await switchOn(project, terminal);
  if (does === "off") await switchOff(project);
  return show(project, terminal);
}

async function stop({ root }: Project, terminal: Terminal): Promise<number> {
  const isEnded = await endPlace(containFolder(), root);
  terminal.show({ project: root, ended: isEnded }, [
    isEnded
      ? `Ended the processes that contained commands of ${root} left running.`
      : `No contained process is running for ${root}.`,
  ]);
  return EXIT.ok;
}

async function show(project: Project, terminal: Terminal): Promise<number> {
  const { root, config } = project;
  const isOn = await isContaining(project);
  const { commands } = await projectPast(containFolder(), root);
  const held = commands.filter((one) => one.held.length > 0).map(({ number }) => number);
  const by = config.contain === undefined ? "user" : "administrator";
  const { length: grants } = await standingGrants(root);
  terminal.show({ project: root, contain: isOn, by, held, grants }, [
    isOn
      ? `Containment is on for ${root}. Commands that match no rule run contained.`
      : `Containment is off for ${root}. Commands that match no rule ask.`,
    ...(by === "administrator" ? [`Your administrator ${isOn ? "requires" : "forbids"} containment.`] : []),
    ...(held.length === 0 ? [] : [heldText(held.length)]),
    ...(grants === 0
      ? []
      : [`They may reach ${counted(grants, "host")} without asking. Run \`toolkeep contain grants\`.`]),
  ]);
  return EXIT.ok;
}
