import { randomBytes } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { ToolFailure } from "@toolkeep/core";
import { unlessThrown } from "@toolkeep/core/internal";
import type { Command, CommandOutcome, Grant, KeptOutput } from "@toolkeep/core/ports";
import { type CommandParts, limitsOf, outcomeOf } from "./command-parts.ts";
import { type PreparedCommand, prepareCommand, refuseStopped } from "./prepare-command.ts";
import { markerFor, signalNamespace } from "./process-tree.ts";
import { type RunningProcess, runProcess } from "./run-process.ts";
import type { ProcessEnd } from "./spawner-protocol.ts";

/** A command that has the streams of this process as its own. */
export interface AttachedCommand {
  /** When nothing of it is left. */
  readonly exited: Promise<CommandOutcome>;
  /** Passes a signal to every process of the command. */
  signal(name: NodeJS.Signals): void;
  /** Ends it with everything that it started. */
  kill(graceMs: number): void;
}

/** Starts a command with the input, the output and the errors of this process, in its sandbox. */
export async function attachCommand(
  command: Command,
  grant: Grant,
  parts: CommandParts,
): Promise<AttachedCommand> {
  refuseFolders();
  const sandboxed = await prepareCommand(command, grant, parts);
  try {
    refuseStopped(grant.abortSignal);
    const written = filesWritten();
    const { marker, environment } = markerFor(randomBytes(16).toString("hex"));
    const process = await runProcess({
      ...sandboxed,
      environment: { ...sandboxed.environment, ...environment },
      marker,
      streams: "inherit",
    });
    return attached(process, { sandboxed, grant, written, graceMs: limitsOf(parts).graceMs });
  } catch (error) {
    await sandboxed.done?.();
    throw error;
  }
}

interface Attachment {
  readonly sandboxed: PreparedCommand;
  readonly grant: Grant;
  readonly graceMs: number;
  readonly written: readonly FileWritten[];
}

function attached(
  process: RunningProcess,
  { sandboxed, grant, graceMs, written }: Attachment,
): AttachedCommand {
  const stop = () => process.kill(graceMs);
  grant.abortSignal.addEventListener("abort", stop, { once: true });
  if (grant.abortSignal.aborted) stop();
  return {
    exited: exit(),
    signal: (name) =>
      void process.init.then((init) => {
        if (init !== undefined) signalNamespace(init, name);
      }),
    kill: (grace) => process.kill(grace),
  };

  async function exit(): Promise<CommandOutcome> {
    let end: ProcessEnd | undefined;
    try {
      end = await process.ended;
      return outcomeOf(end, { note: sandboxed.note?.() });
    } finally {
      grant.abortSignal.removeEventListener("abort", stop);
      await sandboxed.done?.(end && { ...end, ...outputIn(written) });
    }
  }
}

/** Names can be looked up from an open folder, also those that a sandbox does not show. */
function refuseFolders(): void {
  for (const stream of [0, 1, 2])
    if (isFolder(stream))
      throw new ToolFailure(
        "out_of_scope",
        "A stream of the command is a folder, which would lead out of the sandbox.",
      );
}

function isFolder(stream: number): boolean {
  // It is closed.
  return unlessThrown(() => fstatSync(stream).isDirectory()) ?? false;
}

interface FileWritten {
  readonly stream: number;
  readonly size: number;
}

/** The streams that are files: what comes to them can be read by this process as well. */
function filesWritten(): readonly FileWritten[] {
  return [1, 2].flatMap((stream) => {
    const stats = fstatSync(stream);
    return stats.isFile() ? [{ stream, size: stats.size }] : [];
  });
}

const MOST_BYTES = 65_536;

/** The end of what was written since; nothing where a stream is no file. */
function outputIn(files: readonly FileWritten[]): { readonly output?: KeptOutput } {
  if (files.length < 2) return {};
  try {
    const parts = files.map(({ stream, size }) => {
      const now = fstatSync(stream).size;
      const part = Buffer.alloc(Math.min(now - size, MOST_BYTES));
      const file = openSync(`/proc/self/fd/${stream}`, "r");
      try {
        return part.subarray(0, readSync(file, part, 0, part.length, now - part.length));
      } finally {
        closeSync(file);
      }
    });
    const head = Buffer.concat(parts);
    return { output: { head, size: head.length } };
  } catch {
    return {};
  }
}
