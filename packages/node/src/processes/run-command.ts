import { type FileHandle, open } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { ToolFailure } from "@toolkeep/core";
import type { Command, CommandOutcome, Grant, KeptOutput } from "@toolkeep/core/ports";
import { READ_FILE, type SpooledOutput, unreadableOutput } from "@toolkeep/sqlite/internal";
import { type CommandParts, limitsOf, outcomeOf } from "./command-parts.ts";
import { type PreparedCommand, prepareCommand, refuseStopped } from "./prepare-command.ts";
import { noNetworkNote } from "./refused-hosts.ts";
import type { SpawnedProcess } from "./spawner-link.ts";
import type { ProcessEnd } from "./spawner-protocol.ts";

/** Runs a command to its end. Its output goes to the sidecar directly. */
export async function runCommand(
  command: Command,
  grant: Grant,
  parts: CommandParts,
): Promise<CommandOutcome> {
  const sandboxed = await prepareCommand(command, grant, parts);
  let outcome: CommandOutcome | undefined;
  try {
    const { outputBytes } = limitsOf(parts);
    const spool = await parts.sidecar.spool(grant.callId, outputBytes);
    try {
      outcome = await runInto(spool, { command, grant, parts, sandboxed });
      return outcome;
    } finally {
      await spool.discard();
    }
  } finally {
    await sandboxed.done?.(outcome);
  }
}

interface Run {
  readonly command: Command;
  readonly grant: Grant;
  readonly parts: CommandParts;
  readonly sandboxed: PreparedCommand;
}

async function runInto(spool: SpooledOutput, run: Run): Promise<CommandOutcome> {
  const { command, grant, parts } = run;
  const process = await start(spool, run);
  const { graceMs } = limitsOf(parts);
  const kill = () => void process.kill(graceMs);
  grant.abortSignal.addEventListener("abort", kill, { once: true });
  const clock = startClock(command.timeoutMs, kill);
  try {
    if (grant.abortSignal.aborted) kill();
    const end = await followed(process, { spool, run });
    refuseStopped(grant.abortSignal);
    const bounds = { limitBytes: spool.limitBytes, note: run.sandboxed.note?.(), ...clock.overrun };
    if (command.keepBytes === undefined) return outcomeOf(end, bounds);
    const output = await keep(spool, command.keepBytes);
    const isCut = run.sandboxed.isOffline === true && end.exitCode !== 0;
    const note = [bounds.note, isCut ? noNetworkNote(output.head) : undefined].filter(
      (one) => one !== undefined,
    );
    return outcomeOf(end, { ...bounds, output, note: note.join(" ") || undefined });
  } finally {
    clock.stop();
    grant.abortSignal.removeEventListener("abort", kill);
  }
}

/** The time of one command alone, where it has one. `overrun` is empty while there is some left. */
function startClock(timeoutMs: number | undefined, onEnd: () => void) {
  let overrun: { readonly timeoutMs?: number } = {};
  if (timeoutMs === undefined) return { overrun, stop: () => {} };
  const timer = setTimeout(() => {
    overrun = { timeoutMs };
    onEnd();
  }, timeoutMs);
  return {
    get overrun() {
      return overrun;
    },
    stop: () => clearTimeout(timer),
  };
}

/** Also passes the output on as it arrives. A reader that fails ends the command. */
async function followed(
  process: SpawnedProcess,
  { spool, run }: { readonly spool: SpooledOutput; readonly run: Run },
): Promise<ProcessEnd> {
  const { onOutput } = run.command;
  if (onOutput === undefined) return process.ended;
  try {
    await followOutput({
      path: spool.rawPath,
      onOutput,
      ended: process.ended,
      signal: run.grant.abortSignal,
    });
    return await process.ended;
  } catch (error) {
    await process.kill(0);
    throw error;
  }
}

async function start(
  spool: SpooledOutput,
  { command, parts, sandboxed, grant }: Run,
): Promise<SpawnedProcess> {
  const { inputBytes } = limitsOf(parts);
  const bytes = typeof command.stdin === "string" ? Buffer.from(command.stdin) : command.stdin;
  if (bytes !== undefined && bytes.length > inputBytes)
    throw new ToolFailure("too_large", `A command may be given ${inputBytes} bytes of input at most.`);
  const staged = bytes === undefined ? undefined : await parts.sidecar.stageInput(bytes);
  try {
    refuseStopped(grant.abortSignal);
    const input = staged === undefined ? {} : { inputPath: staged.path };
    const streams = { outputPath: spool.rawPath, outputLimit: spool.limitBytes, ...input };
    return await parts.spawner.start({ command: sandboxed, streams });
  } finally {
    await staged?.remove();
  }
}

async function keep(spool: SpooledOutput, keepBytes: number): Promise<KeptOutput> {
  const size = await spool.size();
  const head = await spool.head(keepBytes);
  return head.length >= size ? { head, size } : { head, size, path: await spool.keep() };
}

interface FollowedOutput {
  readonly path: string;
  readonly onOutput: (chunk: Uint8Array) => void | Promise<void>;
  /** When nothing more is written. */
  readonly ended: Promise<unknown>;
  /** The rest is not wanted, and no reader that has not taken its last part is waited for. */
  readonly signal: AbortSignal;
}

const POLL_MS = 50;
const CHUNK = 64 * 1_024;

/** Passes on what is written to a file, in order, as fast as it is read; resolves after the last of it. */
async function followOutput({ path, onOutput, ended, signal }: FollowedOutput): Promise<void> {
  let isEnded = false;
  const end = ended.then(markEnded, markEnded);
  const stopped = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => stopped.resolve(), { once: true });
  const file = await opened(path, end);
  try {
    for (let position = 0; ; ) {
      const wasEnded = isEnded;
      const isLast = signal.aborted;
      const buffer = new Uint8Array(CHUNK);
      const { bytesRead } = await file.read(buffer, 0, CHUNK, position);
      position += bytesRead;
      if (bytesRead > 0) await Promise.race([onOutput(buffer.subarray(0, bytesRead)), stopped.promise]);
      // Output that was written before the command is stopped is still passed on.
      if (isLast || (wasEnded && bytesRead === 0)) return;
      if (bytesRead === 0) {
        await Promise.race([pause(POLL_MS), end, stopped.promise]);
        position = Math.min(position, await sizeOf(file));
      }
    }
  } finally {
    await file.close();
  }

  function markEnded(): void {
    isEnded = true;
  }
}

/** A command may take away the rights of its own output; they are given back when it is over. */
async function opened(path: string, end: Promise<void>): Promise<FileHandle> {
  try {
    return await open(path, READ_FILE);
  } catch {
    await end;
  }
  return open(path, READ_FILE).catch((error: unknown) => {
    throw unreadableOutput(error);
  });
}

/** A command may cut its own output short, by way of /dev/stdout. */
async function sizeOf(file: FileHandle): Promise<number> {
  return (await file.stat()).size;
}
