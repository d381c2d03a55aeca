import type { Effect, PathDenies, RequirementSet } from "../call/effect.ts";
import type { Io } from "../io/io.ts";
import type { Decision } from "../policy/decision.ts";

/** What an io is granted for: one call of one tool. */
export interface Grant {
  readonly toolName: string;
  readonly callId: string;
  /** What the tool may ever need, with the variables replaced. */
  readonly requires: RequirementSet;
  /** The most that may be needed here, whatever the tool requires: all of these hold. */
  readonly ceilings: readonly RequirementSet[];
  readonly effects: readonly Effect[];
  /** No approver was asked about the call: its commands must run contained, or not at all. */
  readonly contained?: true;
  readonly abortSignal: AbortSignal;
  /**
   * Must be asked about every access as it really is (the file that was opened, the host that is
   * connected to, the command that runs), before anything comes of it.
   * @throws ToolFailure `out_of_scope` for one that lies outside of what the tool requires, of a ceiling, or
   * of the effects of the call. The refusal is recorded.
   */
  check(access: Effect): void;
  /** Whether a rule leaves a file out of a tree that the call lists or searches; `check` refuses it. */
  leavesOut?(path: string): boolean;
  /**
   * What the rules deny on paths now, to be masked from every command that runs in a sandbox; `undefined` for
   * nothing. Asked before each command, because rules may be added while a call waits or runs.
   */
  pathDenies?(): PathDenies | undefined;
  /** Whether the call would still pass, after private data was read. To be asked before a running command sends. */
  isStillAllowed?(): Promise<boolean>;
  /** The decisions on effects that a contained command had. Missing where the host application decides by itself. */
  evaluate?(effects: readonly Effect[]): Promise<readonly Decision[]>;
  /** Records an access that only the io knows to refuse, e.g. by a host's address. @throws ToolFailure `out_of_scope` */
  refuse(access: Effect, reason: string): never;
}

/** Port: makes the I/O of one call. Called when the tool first uses it. */
export type GrantIo = (grant: Grant) => Io;
