import { execFile } from "node:child_process";
import { release } from "node:os";
import { promisify } from "node:util";
import type { IsolationLevel, Sandbox } from "@toolkeep/core/ports";
import { findProgram } from "./find-program.ts";
import { installationAdvice, namespaceError } from "./installation-advice.ts";
import { type ProbeResult, probeSandbox } from "./probe-sandbox.ts";
import { sandboxFallbacks } from "./sandbox-fallbacks.ts";
import { closeSandboxRuntime, isSandboxRuntimeOpen } from "./sandbox-runtime.ts";
import type { SandboxUser } from "./sandbox-user.ts";

export interface DoctorOptions {
  /** What is tried. Left out: what there is for this platform. */
  readonly sandboxes?: readonly Sandbox[];
  /** Whom the probes run as when we are root. */
  readonly runAs?: SandboxUser;
}

/** What this machine has for walls around commands, and what was proven of it. */
export interface DoctorReport {
  readonly platform: string;
  readonly kernel: string;
  /** The number of the user; `null` where users have none. */
  readonly user: number | null;
  readonly programs: readonly FoundProgram[];
  /** Why an ordinary user cannot make namespaces here, as far as the settings say. */
  readonly namespaceError?: string;
  readonly sandboxes: readonly ExaminedSandbox[];
  /** The best that was proven. */
  readonly isolation: IsolationLevel;
  readonly advice: string;
}

export interface FoundProgram {
  readonly name: string;
  readonly path?: string;
  readonly version?: string;
}

export interface ExaminedSandbox {
  readonly name: string;
  readonly isolation: IsolationLevel;
  readonly probes: readonly ProbeResult[];
  readonly error?: string;
}

const PROGRAMS = ["bwrap", "prlimit", "socat", "rg", "git", "docker", "podman"];

/** Looks at the machine and tries its walls. Changes nothing and takes about a second. */
export async function doctor(options: DoctorOptions = {}): Promise<DoctorReport> {
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
  return {
    platform: `${process.platform} ${process.arch}`,
    kernel: release(),
    user: process.getuid?.() ?? null,
    programs,
    ...(error === undefined ? {} : { namespaceError: error }),
    sandboxes: examined,
    isolation: bestOf(examined.map(({ isolation }) => isolation)),
    advice,
  };
}

const ISOLATION_LEVELS: readonly IsolationLevel[] = ["files-and-network", "files", "none"];

function bestOf(levels: readonly IsolationLevel[]): IsolationLevel {
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
