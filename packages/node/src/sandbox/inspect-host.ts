import { execFile } from "node:child_process";
import { release } from "node:os";
import { promisify } from "node:util";
import type { IsolationLevel, Sandbox } from "@toolkeep/core/ports";
import { findProgram, installationAdvice, namespaceError } from "./host/installation.ts";
import type { SandboxUser } from "./host/sandbox-user.ts";
import { sandboxFallbacks } from "./open-sandbox.ts";
import { type ProbeResult, probeSandbox } from "./probe/probe-sandbox.ts";
import { closeSandboxRuntime, isSandboxRuntimeOpen } from "./sandbox-runtime.ts";

export interface InspectHostOptions {
  /** The sandboxes to probe. Default: those for this platform. */
  readonly sandboxes?: readonly Sandbox[];
  /** The user that probes run as if this process runs as root. */
  readonly runAs?: SandboxUser;
}

/** Which sandboxes this machine has, and what was proven of them. */
export interface HostReport {
  readonly platform: string;
  readonly kernel: string;
  /** The id of the user; `null` where users have none. */
  readonly user: number | null;
  readonly programs: readonly FoundProgram[];
  /** Why an ordinary user cannot create namespaces here, as far as the kernel's settings say. */
  readonly namespaceError?: string;
  readonly sandboxes: readonly ExaminedSandbox[];
  /** The strongest isolation level that was proven. */
  readonly isolation: IsolationLevel;
  /** What to install or to change. */
  readonly advice: string;
  /** The whole report as text for a person. */
  readonly text: string;
}

interface FoundProgram {
  readonly name: string;
  readonly path?: string;
  readonly version?: string;
}

interface ExaminedSandbox {
  readonly name: string;
  readonly isolation: IsolationLevel;
  readonly probes: readonly ProbeResult[];
  readonly error?: string;
}

const PROGRAMS = ["bwrap", "prlimit", "socat", "rg", "git", "docker", "podman"];

/**
 * Examines this machine and probes its sandboxes. Changes nothing and takes about a second.
 *
 * @example
 * console.log((await inspectHost()).text);
 */
export async function inspectHost(options: InspectHostOptions = {}): Promise<HostReport> {
  const { sandboxes = sandboxFallbacks(options.runAs), runAs } = options;
  const [programs, error, advice] = await Promise.all([
    Promise.all(PROGRAMS.map(foundProgram)),
    process.platform === "linux" ? namespaceError() : undefined,
    installationAdvice(),
  ]);
  const isInUse = isSandboxRuntimeOpen();
  const examined: ExaminedSandbox[] = [];
  for (const sandbox of sandboxes)
    examined.push({ name: sandbox.name, ...(await probeSandbox(sandbox, runAs)) });
  if (!isInUse) await closeSandboxRuntime();
  const report = {
    platform: `${process.platform} ${process.arch}`,
    kernel: release(),
    user: process.getuid?.() ?? null,
    programs,
    ...(error === undefined ? {} : { namespaceError: error }),
    sandboxes: examined,
    isolation: strongestOf(examined.map(({ isolation }) => isolation)),
    advice,
  };
  return { ...report, text: hostReportText(report) };
}

const ISOLATION_LEVELS: readonly IsolationLevel[] = ["files-and-network", "files", "none"];

function strongestOf(levels: readonly IsolationLevel[]): IsolationLevel {
  return ISOLATION_LEVELS.find((isolation) => levels.includes(isolation)) ?? "none";
}

const run = promisify(execFile);

async function foundProgram(name: string): Promise<FoundProgram> {
  const path = await findProgram(name);
  if (path === undefined) return { name };
  const version = await versionOf(path, name === "socat" ? "-V" : "--version");
  return version === undefined ? { name, path } : { name, path, version };
}

async function versionOf(path: string, option: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(path, [option], { timeout: 5_000, env: {}, maxBuffer: 65_536 });
    return /\d+(?:\.\d+)+/.exec(stdout)?.[0];
  } catch {
    return undefined;
  }
}

/** The report as text for a person. */
export function hostReportText(report: Omit<HostReport, "text">): string {
  const { platform, kernel, user, programs, sandboxes, isolation, advice } = report;
  return [
    `Platform   ${platform}, kernel ${kernel}${user === null ? "" : `, user ${user}${user === 0 ? " (root)" : ""}`}`,
    ...(user === 0 ? [ROOT] : []),
    `Programs   ${programs.map(programText).join(", ")}`,
    ...(report.namespaceError === undefined ? [] : [`Kernel     ${report.namespaceError}`]),
    ...sandboxes.flatMap(sandboxText),
    ...(sandboxes.length === 0 ? ["Sandbox    there is none for this platform"] : []),
    ...(sandboxes.length === 0 ? [] : [LIMITS]),
    `Isolation  ${isolation}`,
    ...(isolation === "none" ? [`To do      ${advice}`] : []),
  ].join("\n");
}

const ROOT =
  "           commands run as the owner of the folder they change, or as `runAs`; as root only in a container, without its rights";

const LIMITS =
  "Limits     memory is limited for each process; memory and processes of a whole command are not limited together";

function programText({ name, path, version }: FoundProgram): string {
  return path === undefined ? `${name} missing` : `${name} ${version ?? "of unknown version"}`;
}

function sandboxText({ name, isolation, probes, error }: ExaminedSandbox): readonly string[] {
  if (error !== undefined) return [`Sandbox    ${name}: ${isolation}; ${error}`];
  return [
    `Sandbox    ${name}: ${isolation}`,
    ...probes.map(({ tries, result }) => `           ${result.padEnd(14)} ${tries}`),
  ];
}
