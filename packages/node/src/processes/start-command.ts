import { ToolFailure } from "@toolkeep/core";
import type { Command, CommandOutcome, Grant, RunningCommand } from "@toolkeep/core/ports";
import { type CommandParts, limitsOf } from "./command-parts.ts";
import { inputOf, outputOf } from "./command-streams.ts";
import { listenForStreams, type StreamListener } from "./listen-for-streams.ts";
import { outcomeOf } from "./outcome-of.ts";
import { type PreparedCommand, prepareCommand, refuseStopped } from "./prepare-command.ts";
import type { SpawnedProcess } from "./spawner.ts";

/** Starts a command that is talked to. It is ended with the call, if not before. */
export async function startCommand(
  command: Command,
  grant: Grant,
  parts: CommandParts,
): Promise<RunningCommand> {
  refuseWhatRunTakes(command);
  const sandboxed = await prepareCommand(command, grant, parts);
  const listener = await listenForStreams().catch(async (error: unknown) => {
    await sandboxed.done?.();
    throw error;
  });
  try {
    refuseStopped(grant.abortSignal);
    const process = await parts.spawner.start({
      command: sandboxed,
      streams: { socketPath: listener.socketPath },
    });
    return await talkTo(process, { listener, sandboxed, grant, graceMs: limitsOf(parts).graceMs });
  } catch (error) {
    await listener.close("all");
    await sandboxed.done?.();
    throw error;
  }
}

interface Talk {
  readonly listener: StreamListener;
  readonly sandboxed: PreparedCommand;
  readonly grant: Grant;
  readonly graceMs: number;
}

async function talkTo(process: SpawnedProcess, talk: Talk): Promise<RunningCommand> {
  const { listener, sandboxed, grant, graceMs } = talk;
  const [input, output, errors] = await listener.accepted;
  await listener.close();
  const [stdout, stderr] = [outputOf(output), outputOf(errors)];
  const kill = () => process.kill(graceMs);
  const killOnAbort = () => void kill();
  grant.abortSignal.addEventListener("abort", killOnAbort, { once: true });
  if (grant.abortSignal.aborted) killOnAbort();
  const exited = exit();
  // A tool may look at the streams alone.
  exited.catch(() => {});
  return { stdin: inputOf(input), stdout: stdout.stream, stderr: stderr.stream, exited, kill };

  async function exit(): Promise<CommandOutcome> {
    try {
      return outcomeOf(await process.ended, { note: sandboxed.note });
    } finally {
      grant.abortSignal.removeEventListener("abort", killOnAbort);
      input.destroy();
      stdout.finish();
      stderr.finish();
      await sandboxed.done?.();
    }
  }
}

function refuseWhatRunTakes({ stdin, onOutput, keepBytes, timeoutMs }: Command): void {
  if ([stdin, onOutput, keepBytes, timeoutMs].every((one) => one === undefined)) return;
  throw new ToolFailure(
    "tool_failed",
    "A command that is talked to has streams: `stdin`, `onOutput`, `keepBytes` and `timeoutMs` are for those that are run.",
  );
}
