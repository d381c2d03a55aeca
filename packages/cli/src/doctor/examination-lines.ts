import { visible } from "@toolkeep/core/internal";
import type { Examination } from "./examine.ts";
import type { Fixer } from "./finding.ts";

const FIXERS: Readonly<Record<Fixer, string>> = {
  you: "You can fix:",
  project: "The project can fix:",
  administrator: "An administrator can fix:",
  client: "The client would have to change:",
};

/** The examination as text for a person: what is known, then one fix for each finding, by who can fix it. */
export function examinationLines({
  project,
  version,
  isLive,
  facts,
  findings,
}: Examination): readonly string[] {
  const gaps = findings.filter(({ severity }) => severity === "gap").length;
  const state = isLive ? "live" : `NOT LIVE, ${gaps} ${gaps === 1 ? "gap" : "gaps"}`;
  const width = Math.max(0, ...[...facts, ...findings].map(({ about }) => about.length)) + 2;
  const groups = (Object.keys(FIXERS) as Fixer[]).flatMap((who) => {
    const own = findings.filter((one) => one.who === who);
    if (own.length === 0) return [];
    const sorted = own.toSorted((a, b) => a.severity.localeCompare(b.severity));
    const lines = sorted.flatMap(({ severity, about, message, fix }) => [
      `  ${severity.padEnd(5)} ${about.padEnd(width)}${visible(message)}`,
      `${" ".repeat(8 + width)}> ${visible(fix)}`,
    ]);
    return ["", FIXERS[who], ...lines];
  });
  return [
    `Toolkeep ${version} in ${visible(project)}: ${state}`,
    "",
    ...facts.map(({ about, text }) => `  ${about.padEnd(width)}${visible(text)}`),
    ...groups,
  ];
}
