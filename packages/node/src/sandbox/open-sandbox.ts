import { ToolkeepError } from "@toolkeep/core";
import type { IsolationLevel, Sandbox } from "@toolkeep/core/ports";
import { installationAdvice } from "./installation-advice.ts";
import { noSandbox } from "./no-sandbox.ts";
import { type ProbeReport, type ProbeResult, probeSandbox } from "./probe-sandbox.ts";
import { sandboxFallbacks } from "./sandbox-fallbacks.ts";
import type { SandboxUser } from "./sandbox-user.ts";

export interface OpenSandboxOptions {
  /** What is tried, the best first. Left out: what there is for this platform. */
  readonly prefer?: readonly Sandbox[];
  /** The least that must be proven; `files-and-network` where it is left out. */
  readonly atLeast?: Exclude<IsolationLevel, "none">;
  /** Goes on without walls where none hold. The grade says so, and policy sees it. */
  readonly orNone?: boolean;
  /** Whom the probes run as when we are root. */
  readonly runAs?: SandboxUser;
}

/** A sandbox whose grade was proven here, by trying to break out of it. */
export interface OpenedSandbox extends Sandbox {
  readonly probes: readonly ProbeResult[];
  /** Those that were tried before and did not hold, each with why. */
  readonly passedOver: readonly PassedOver[];
}

export interface PassedOver {
  readonly name: string;
  readonly isolation: IsolationLevel;
  readonly reason: string;
}

/**
 * Opens the first sandbox of the ladder whose walls hold when they are tried.
 * @throws ToolkeepError `invalid_option` where none does, with what to install; nothing is ever used
 * instead, unless `orNone` says so.
 */
export async function openSandbox(options: OpenSandboxOptions = {}): Promise<OpenedSandbox> {
  const {
    prefer = sandboxFallbacks(options.runAs),
    atLeast = "files-and-network",
    orNone = false,
    runAs,
  } = options;
  const passedOver: PassedOver[] = [];
  for (const sandbox of prefer) {
    const report = await probeSandbox(sandbox, runAs);
    if (isEnough(report.isolation, atLeast)) return opened(sandbox, report, passedOver);
    passedOver.push({ name: sandbox.name, isolation: report.isolation, reason: reasonIn(report) });
  }
  if (orNone) return opened(noSandbox(), { isolation: "none", probes: [] }, passedOver);
  throw noneHolds(passedOver, await installationAdvice());
}

function isEnough(isolation: IsolationLevel, atLeast: IsolationLevel): boolean {
  return isolation === "files-and-network" || isolation === atLeast;
}

function opened(
  sandbox: Sandbox,
  { isolation, probes }: ProbeReport,
  passedOver: readonly PassedOver[],
): OpenedSandbox {
  return Object.freeze({
    name: sandbox.name,
    isolation,
    wrap: (argv, profile) => sandbox.wrap(argv, profile),
    probes,
    passedOver,
  } satisfies OpenedSandbox);
}

function reasonIn({ error, probes }: ProbeReport): string {
  if (error !== undefined) return error;
  const open = probes.filter(({ result }) => result === "open" || result === "untried");
  return `not held: ${open.map(({ tries }) => tries).join(", ")}`;
}

function noneHolds(passedOver: readonly PassedOver[], advice: string): ToolkeepError {
  const tried = passedOver.map(({ name, reason }) => `${name}: ${reason}`).join("; ");
  return new ToolkeepError(
    "invalid_option",
    `No walls hold around commands on this machine (${tried || "there are none for it"}). ${advice} To go on without walls, say \`orNone\`.`,
  );
}
