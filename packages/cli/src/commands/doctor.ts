import type { Command } from "commander";
import { examinationLines } from "../install/doctor/examination-lines.ts";
import { examine } from "../install/doctor/examine.ts";
import { projectFolder } from "../project/project-folder.ts";
import { EXIT } from "../terminal/command-error.ts";
import { type Done, optionsOf, projectOption, subcommand } from "../terminal/command-line.ts";
import { type CommonOptions, openTerminal } from "../terminal/terminal.ts";

const HELP = `
Plays a forbidden call through each installed hook, exactly as its client starts it: the call reads a key that does not
exist, and is never run. Probes the sandbox, and looks at policy, trust, launcher, servers and settings.
Exits with 0 if everything guards, and with 1 if something does not.

Examples:
  toolkeep doctor                  Is this project guarded?
  toolkeep doctor --json | jq .findings`;

/** `toolkeep doctor`. */
export function add(parent: Command, done: Done): void {
  subcommand({
    parent,
    name: "doctor",
    description: "check that every hook, the policy and the sandbox work",
  })
    .addOption(projectOption())
    .addHelpText("after", HELP)
    .action(async (_options, command: Command) => done(await runDoctor(optionsOf(command))));
}

interface DoctorOptions extends CommonOptions {
  readonly project?: string;
}

async function runDoctor(options: DoctorOptions): Promise<number> {
  const terminal = openTerminal(options);
  const project = await projectFolder({ project: options.project, cwd: terminal.cwd });
  const examination = await examine(project, { progress: (text) => terminal.note(text) });
  terminal.show(examination, examinationLines(examination));
  return examination.isLive ? EXIT.ok : EXIT.failure;
}
