import type { ToolkeepError } from "@toolkeep/core";
import { assertKnownKeys, defined, invalidOption } from "@toolkeep/core/internal";
import type { IsolationLevel, Sandbox } from "@toolkeep/core/ports";
import { bubblewrapSandbox } from "./bubblewrap/bubblewrap.ts";
import { installationAdvice } from "./host/installation.ts";
import type { SandboxUser } from "./host/sandbox-user.ts";
import { type ProbeReport, type ProbeResult, probeSandbox } from "./probe/probe-sandbox.ts";
import { sandboxRuntime } from "./sandbox-runtime.ts";

/** Options of {@link openSandbox}. */
export interface OpenSandboxOptions {
  /** The sandboxes to try, in this order. Default: those for this platform, the strongest first. */
  readonly prefer?: readonly Sandbox[];
  /** The isolation level that must be proven at least. Default: `files-and-network`. */
  readonly atLeast?: Exclude<IsolationLevel, "none">;
  /** Runs commands without a sandbox if none works here. Policy sees the isolation level `none`. Default: `false`. */
  readonly orNone?: boolean;
  /** The user that probes run as if this process runs as root. */
  readonly runAs?: SandboxUser;
}

/** A sandbox whose isolation level was proven on this machine, by trying to break out of it. */
export interface OpenedSandbox extends Sandbox {
  readonly probes: readonly ProbeResult[];
  /** The sandboxes that were tried before it and do not work here, each with the reason. */
  readonly passedOver: readonly PassedOver[];
}

/** A sandbox that was tried and does not work on this machine. */
interface PassedOver {
  readonly name: string;
  readonly isolation: IsolationLevel;
  readonly reason: string;
}

const OPTIONS = ["prefer", "atLeast", "orNone", "runAs"] as const satisfies (keyof OpenSandboxOptions)[];

/**
 * Opens the strongest sandbox that works on this machine. Each candidate is probed: commands in it try to read, write
 * and connect where they must not. There is no silent fallback: if no sandbox works here, `openSandbox` throws and says
 * what to install.
 * @throws ToolkeepError `invalid_option` if no sandbox works here, unless `orNone` is set.
 *
 * @example
 * const sandbox = await openSandbox();
 * await using workspace = await openWorkspace({ roots: ["."], sandbox });
 */
export async function openSandbox(options: OpenSandboxOptions = {}): Promise<OpenedSandbox> {
  assertKnownKeys(options, OPTIONS, "sandbox option");
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
    await sandbox.close?.();
    passedOver.push({ name: sandbox.name, isolation: report.isolation, reason: reasonIn(report) });
  }
  if (orNone) return opened(noSandbox(), { isolation: "none", probes: [] }, passedOver);
  throw noneWorks(passedOver, await installationAdvice());
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
    ...defined({
      mountsTemporary: sandbox.mountsTemporary,
      mountsCaches: sandbox.mountsCaches,
      contains: sandbox.contains,
    }),
    wrap: (argv, profile) => sandbox.wrap(argv, profile),
    close: async () => sandbox.close?.(),
    probes,
    passedOver,
  } satisfies OpenedSandbox);
}

function reasonIn({ error, probes }: ProbeReport): string {
  if (error !== undefined) return error;
  const open = probes.filter(({ result }) => result === "open" || result === "untried");
  return `not blocked: ${open.map(({ tries }) => tries).join(", ")}`;
}

function noneWorks(passedOver: readonly PassedOver[], advice: string): ToolkeepError {
  const tried = passedOver.map(({ name, reason }) => `${name}: ${reason}`).join("; ");
  return invalidOption(
    `No sandbox works on this machine (${tried || "none supports this platform"}). ${advice} To run commands without a sandbox, set \`orNone: true\`.`,
  );
}

/** No sandbox, for disposable machines: commands can do what this process can. Policy sees isolation `none`. */
export function noSandbox(): Sandbox {
  return Object.freeze({
    name: "none (commands run without a sandbox)",
    isolation: "none",
    async wrap(argv, { environment, cwd }) {
      return { argv, environment, cwd };
    },
  } satisfies Sandbox);
}

/** The sandboxes for this platform, the strongest first. */
export function sandboxFallbacks(runAs: SandboxUser | undefined): readonly Sandbox[] {
  const user = runAs === undefined ? {} : { runAs };
  if (process.platform === "linux") return [bubblewrapSandbox(user), sandboxRuntime(user)];
  return process.platform === "darwin" ? [sandboxRuntime(user)] : [];
}
