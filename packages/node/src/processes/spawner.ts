import type { SandboxedCommand } from "@toolkeep/core/ports";
import type { KeptStreams, ProcessEnd, TalkingStreams } from "./spawner-protocol.ts";

export interface SpawnerOptions {
  /** The Node that runs it; the one that runs us where it is left out. */
  readonly nodePath?: string;
  /** Where its program is, for whoever bundles the library into a file of their own. */
  readonly program?: string;
}

/** A small process that starts others, so that ours need not be copied for each of them. */
export interface Spawner {
  /** Its process id; `undefined` while there is none. */
  readonly pid: number | undefined;
  /** @throws ToolFailure for what cannot be started, with the system's reason in words. */
  start(order: SpawnOrder): Promise<SpawnedProcess>;
  /** Ends every process it started, and itself. */
  close(): Promise<void>;
}

/** What is to be started, and where its streams lead. */
export interface SpawnOrder {
  readonly command: Pick<SandboxedCommand, "argv" | "environment" | "cwd" | "user" | "namespace">;
  readonly streams: KeptStreams | TalkingStreams;
}

export interface SpawnedProcess {
  readonly pid: number;
  /**
   * When the whole tree is gone. Rejects with a ToolFailure if the spawner died under it; the tree is
   * ended then, too.
   */
  readonly ended: Promise<ProcessEnd>;
  /** Ends the whole tree: asks, waits for the grace, forces. Resolves when it is gone. */
  kill(graceMs: number): Promise<void>;
}
