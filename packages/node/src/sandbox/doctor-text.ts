import type { DoctorReport, ExaminedSandbox, FoundProgram } from "./doctor.ts";

/** A report for a person to read. */
export function doctorText(report: DoctorReport): string {
  const { platform, kernel, user, programs, sandboxes, isolation, advice } = report;
  return [
    `Platform   ${platform}, kernel ${kernel}${user === null ? "" : `, user ${user}${user === 0 ? " (root)" : ""}`}`,
    ...(user === 0 ? [ROOT] : []),
    `Programs   ${programs.map(programText).join(", ")}`,
    ...(report.namespaceError === undefined ? [] : [`Kernel     ${report.namespaceError}`]),
    ...sandboxes.flatMap(sandboxText),
    ...(sandboxes.length === 0 ? ["Walls      there are none for this platform"] : []),
    ...(sandboxes.length === 0 ? [] : [LIMITS]),
    `Grade      ${isolation}`,
    ...(isolation === "none" ? [`To do      ${advice}`] : []),
  ].join("\n");
}

const ROOT =
  "           commands run as the owner of the folder they change, or as `runAs` says, and never as root";

const LIMITS =
  "Limits     memory is limited for each process; memory and processes of a whole command are not limited together";

function programText({ name, path, version }: FoundProgram): string {
  return path === undefined ? `${name} missing` : `${name} ${version ?? "of unknown version"}`;
}

function sandboxText({ name, isolation, probes, error }: ExaminedSandbox): readonly string[] {
  if (error !== undefined) return [`Walls      ${name}: ${isolation}; ${error}`];
  return [
    `Walls      ${name}: ${isolation}`,
    ...probes.map(({ tries, result }) => `           ${result.padEnd(14)} ${tries}`),
  ];
}
