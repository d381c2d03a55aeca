import type {
  Command,
  CommandOutcome,
  KeptOutput,
  ParsedCommand,
  Sandbox,
  SandboxProfile,
} from "@toolkeep/core/ports";
import type { FolderSidecar } from "@toolkeep/sqlite/internal";
import type { CommandProxy, CommandProxyOptions } from "../network/proxy/command-proxy.ts";
import type { Spawner } from "./spawner.ts";
import type { ProcessEnd } from "./spawner-protocol.ts";

/** What commands are run with. */
export interface CommandParts {
  readonly spawner: Spawner;
  readonly sandbox: Sandbox;
  readonly sidecar: FolderSidecar;
  /** What this command may reach. Its `cwd` is where a command runs that names no folder. */
  sandboxProfileFor(command: Command): Promise<CommandProfile>;
  /** The parser that policy used for the call. */
  parse(line: string): Promise<ParsedCommand>;
  /** Opens the way to hosts that are named, for one command. Missing: a sandbox has its own, or there is none. */
  proxyFor?(
    way: Omit<CommandProxyOptions, "settings" | "folder" | "npmrc"> & { readonly cwd: string },
  ): Promise<CommandProxy>;
  readonly limits?: CommandLimits;
}

export interface CommandProfile extends SandboxProfile {
  /** What is masked because of policy, for the reader of the outcome. */
  readonly note?: string;
}

export interface CommandLimits {
  /** What one command may write to its output. Default: 256 MB. */
  readonly outputBytes?: number;
  /** What it may be given to read; 64 MB. */
  readonly inputBytes?: number;
  /** How long it may take to end when it is asked to; half a second, so that a stopped tree is gone within one. */
  readonly graceMs?: number;
}

const MEGABYTE = 1_024 * 1_024;

const COMMAND_LIMITS: Required<CommandLimits> = Object.freeze({
  outputBytes: 256 * MEGABYTE,
  inputBytes: 64 * MEGABYTE,
  graceMs: 500,
});

export function limitsOf({ limits }: CommandParts): Required<CommandLimits> {
  return { ...COMMAND_LIMITS, ...limits };
}

interface OutcomeDetails {
  readonly limitBytes?: number;
  /** The time of its own that it has overrun. */
  readonly timeoutMs?: number;
  readonly output?: KeptOutput;
  readonly note?: string | undefined;
}

/** How a process ended, as a tool sees it. */
export function outcomeOf(
  { exitCode, signal, isOverLimit, left }: ProcessEnd,
  { limitBytes, timeoutMs, output, note }: OutcomeDetails = {},
): CommandOutcome {
  const reasons = [
    ...(timeoutMs === undefined ? [] : [`It took longer than ${timeoutMs} ms and was ended.`]),
    ...(isOverLimit ? [`It wrote more than ${limitBytes} bytes and was ended.`] : []),
    ...(left === undefined ? [] : [`${left} of its processes could not be ended.`]),
  ];
  return {
    exitCode,
    ...(signal === undefined ? {} : { signal }),
    ...(reasons.length === 0 ? {} : { stopped: reasons.join(" ") }),
    ...(note === undefined ? {} : { note }),
    ...(output === undefined ? {} : { output }),
  };
}
