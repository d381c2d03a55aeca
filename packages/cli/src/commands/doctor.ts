import { visible } from "@toolkeep/core/internal";
import type { Command } from "commander";
import { type Examination, examine } from "../install/doctor/examine.ts";
import type { Fixer } from "../install/doctor/finding.ts";
import { projectFolder } from "../project/project-folder.ts";
import { EXIT } from "../terminal/command-error.ts";
import { commandsOf, type Done, optionsOf } from "../terminal/command-line.ts";
import type { StyledLine } from "../terminal/styled-lines.ts";
import { type CommonOptions, openTerminal } from "../terminal/terminal.ts";

/** `toolkeep doctor`. */
export function add(program: Command, done: Done): void {
  commandsOf(program, done)("doctor", (command) => runDoctor(optionsOf(command)));
}

interface DoctorOptions extends CommonOptions {
  readonly project?: string;
  readonly contain?: boolean;
}

async function runDoctor(options: DoctorOptions): Promise<number> {
  const terminal = openTerminal(options);
  const project = await projectFolder({ project: options.project, cwd: terminal.cwd });
  const examination = await examine(project, {
    contain: options.contain,
    progress: (text) => terminal.note(text),
  });
  terminal.show(examination, examinationLines(examination));
  return examination.isLive ? EXIT.ok : EXIT.failure;
}

const FIXERS: Readonly<Record<Fixer, string>> = {
  you: "You can fix:",
  project: "The project can fix:",
  administrator: "An administrator can fix:",
  client: "The client would have to change:",
};

/** The examination as text for a person: what is known, then one fix for each finding, by who can fix it. */
function examinationLines({ project, version, isLive, facts, findings }: Examination): readonly StyledLine[] {
  const gaps = findings.filter(({ severity }) => severity === "gap").length;
  const state = isLive ? "live" : `NOT LIVE, ${gaps} ${gaps === 1 ? "gap" : "gaps"}`;
  const width = Math.max(0, ...[...facts, ...findings].map(({ about }) => about.length)) + 2;
  const groups = (Object.keys(FIXERS) as Fixer[]).flatMap((who) => {
    const own = findings.filter((one) => one.who === who);
    if (own.length === 0) return [];
    const sorted = own.toSorted((a, b) => a.severity.localeCompare(b.severity));
    const lines = sorted.flatMap(({ severity, about, message, fix }): readonly StyledLine[] => [
      {
        text: `  ${severity.padEnd(5)} ${about.padEnd(width)}${visible(message)}`,
        style: severity === "gap" ? "red" : "yellow",
      },
      { text: `${" ".repeat(8 + width)}> ${visible(fix)}` },
    ]);
    return [{ text: "" }, { text: FIXERS[who], style: "bold" } as const, ...lines];
  });
  return [
    { text: `Toolkeep ${version} in ${visible(project)}: ${state}`, style: isLive ? "green" : "red" },
    { text: "" },
    ...facts.map(({ about, text }) => ({ text: `  ${about.padEnd(width)}${visible(text)}` })),
    ...groups,
  ];
}
