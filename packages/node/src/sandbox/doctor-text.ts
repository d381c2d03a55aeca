import type { DoctorReport, ExaminedSandbox, FoundProgram } from "./doctor.ts";

/** A report for a person to read. */
export function doctorText(report: DoctorReport): string {
  const { platform, kernel, user, programs, sandboxes, grade, advice } = report;
  return [
    `Platform   ${platform}, kernel ${kernel}${user === null ? "" : `, user ${user}${user === 0 ? " (root)" : ""}`}`,
    ...(user === 0 ? [ROOT] : []),
    `Programs   ${programs.map(programText).join(", ")}`,
    ...(report.namespaceFault === undefined ? [] : [`Kernel     ${report.namespaceFault}`]),
    ...sandboxes.flatMap(sandboxText),
    ...(sandboxes.length === 0 ? ["Walls      there are none for this platform"] : []),
    ...(sandboxes.length === 0 ? [] : [LIMITS]),
    `Grade      ${grade}`,
    ...(grade === "none" ? [`To do      ${advice}`] : []),
  ].join("\n");
}

const ROOT =
  "           commands run as the owner of the folder they change, or as `runAs` says, and never as root";

const LIMITS =
  "Limits     memory is limited for each process; memory and processes of a whole command are not limited together";

function programText({ name, path, version }: FoundProgram): string {
  return path === undefined ? `${name} missing` : `${name} ${version ?? "of unknown version"}`;
}

function sandboxText({ name, grade, probes, fault }: ExaminedSandbox): readonly string[] {
  if (fault !== undefined) return [`Walls      ${name}: ${grade}; ${fault}`];
  return [
    `Walls      ${name}: ${grade}`,
    ...probes.map(({ tries, result }) => `           ${result.padEnd(14)} ${tries}`),
  ];
}
